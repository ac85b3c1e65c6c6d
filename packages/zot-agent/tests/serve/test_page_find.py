"""The search of the page, and its way through folders, in a real browser. Needs Chromium."""

import json
import os
from pathlib import Path

import pytest
from chromium import Tab
from visited_page import Visiting, choose, click, faults

from zot_core.sessions.store import SessionStore
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, ScriptedServer, Turn

pytestmark = pytest.mark.needs("chromium")

DONE = "document.getElementById('status').innerText === 'The answer is complete'"
WORDS = "document.getElementById('find-count').textContent"
HERE = "[...CSS.highlights.get('found-here')].map(String).join()"


async def asked(tab: Tab, text: str) -> None:
    await tab.value("document.getElementById('message').focus()")
    await tab.type(text)
    await tab.press("Enter")
    await tab.until(DONE)


async def asked_for(tab: Tab, command: str) -> None:
    await tab.value("document.getElementById('message').focus()")
    await tab.type(command)
    await tab.press("Enter")
    await tab.until("document.activeElement.id === 'find-text'")


async def test_a_text_is_found_in_answers_and_in_folded_results(visiting: Visiting, server: ScriptedServer) -> None:
    command = "for n in $(seq 100); do echo row $n; done; echo a nee''dle"
    server.add(Turn("I look.", calls=[Call("bash", {"command": command})]), "**One** Needle.")
    async with visiting() as (served, tab):
        await choose(tab, await served.open())
        await asked(tab, "where is it?")
        await asked_for(tab, "/search needle")
        await tab.until(f"{WORDS} === '1 of 2'")
        assert await tab.value(HERE) == "Needle"
        assert await tab.value("CSS.highlights.get('found').size") >= 2
        await tab.press("Enter")
        await tab.until(f"{WORDS} === '2 of 2'")
        assert await tab.value("document.querySelector('.tool').open")
        box = "[...CSS.highlights.get('found-here')][0].getBoundingClientRect()"
        log = "document.getElementById('log').getBoundingClientRect()"
        assert await tab.value(f"{box}.top >= {log}.top && {box}.bottom <= {log}.bottom")
        await tab.press("ArrowDown")
        await tab.until(f"{WORDS} === '1 of 2'")
        assert not await tab.value("document.querySelector('.tool').open")
        await tab.press("ArrowDown")
        await tab.until(f"{WORDS} === '2 of 2'")
        await tab.press("Escape")
        await tab.until("document.getElementById('find').hidden && document.activeElement.id === 'message'")
        assert await tab.value("CSS.highlights.get('found').size") == 0


async def test_the_case_counts_once_a_letter_is_upper_case_and_what_is_not_there_is_said(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add("A cart, a Cart\nand (a) cart.")
    async with visiting() as (served, tab):
        await choose(tab, await served.open())
        await asked(tab, "what?")
        await click(tab, "#find-open")
        await tab.until("document.activeElement.id === 'find-text'")
        await tab.type("Cart and")
        await tab.until(f"{WORDS} === '1 of 1'")
        for words, found in (("cart", "1 of 3"), ("(a)", "1 of 1"), ("none", "Nothing found"), (" ", "")):
            await tab.value("document.getElementById('find-text').select()")
            await tab.type(words)
            await tab.until(f"{WORDS} === {json.dumps(found)}")


async def test_a_hit_stays_while_more_is_said(visiting: Visiting, server: ScriptedServer) -> None:
    server.add("One needle.", "Two needles.")
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await asked(tab, "what?")
        await asked_for(tab, "/search needle")
        await tab.until(f"{WORDS} === '1 of 1'")
        await served.command(id, "prompt", message="more?")
        await tab.until(f"{WORDS} === '2 of 2'")
        assert await tab.value("[...CSS.highlights.get('found-here')][0].startContainer.data") == "One needle."
        await tab.press("Enter")
        await tab.until(f"{WORDS} === '1 of 2'")


@pytest.mark.needs("chromium", "axe")
async def test_the_search_and_the_folders_have_no_fault_that_axe_knows(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add("A needle.")
    async with visiting() as (served, tab):
        await choose(tab, await served.open())
        await asked(tab, "what?")
        await asked_for(tab, "/search needle")
        await tab.until(f"{WORDS} === '1 of 1'")
        assert await faults(tab) == []
        await click(tab, "#new")
        await click(tab, "#browse")
        await tab.until("document.querySelector('#window[open] .choices button')")
        assert await faults(tab) == []


async def test_a_folder_is_chosen_on_a_way_through_those_that_are_served(visiting: Visiting, alone: Path) -> None:
    (alone / "shop" / "till").mkdir(parents=True)
    (alone / ".hidden").mkdir()
    rows = "[...document.querySelectorAll('#window .name')].map((each) => each.textContent)"
    async with visiting() as (_, tab):
        await click(tab, "#browse")
        await tab.until(f"{rows}.includes('shop')")
        assert ".hidden" not in await tab.value(rows)
        assert "Up" not in await tab.value(rows)
        await tab.type("sho")
        await tab.press("Enter")
        await tab.until(f"{rows}.includes('till')")
        assert "Up" in await tab.value(rows)
        await tab.press("Enter")
        assert await tab.until("document.getElementById('cwd').value") == str((alone / "shop").resolve())
        assert await tab.value("document.activeElement.id") == "cwd"
        await click(tab, "#begin [type=submit]")
        await tab.until("document.getElementById('conversation').dataset.ready")
        await click(tab, "#new")


async def test_the_folders_of_the_last_sessions_come_first(visiting: Visiting, alone: Path) -> None:
    (alone / "shop").mkdir()
    store = SessionStore(os.path.join(os.environ["ZOT_HOME"], "sessions"))
    session = store.create(str(alone / "shop"), "scripted", "openai", "1")
    session.append(Message("user", [TextBlock("hello")]))
    session.close()
    async with visiting() as (_, tab):
        await click(tab, "#browse")
        rows = "[...document.querySelectorAll('#window .name')].map((each) => each.textContent)"
        await tab.until(f"{rows}.length")
        assert await tab.value(rows) == ["shop", f"Look in {alone.name}"]
        await tab.press("Enter")
        assert await tab.value("document.getElementById('cwd').value") == str((alone / "shop").resolve())


async def test_on_a_phone_the_search_takes_the_place_of_the_title(visiting: Visiting, server: ScriptedServer) -> None:
    server.add("A needle.")
    async with visiting() as (served, tab):
        await tab.call("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=1, mobile=True)
        await choose(tab, await served.open())
        await asked(tab, "what?")
        await asked_for(tab, "/search needle")
        await tab.until(f"{WORDS} === '1 of 1'")
        parts = "['header', '#head', '#find', '#composer'].map((each) => document.querySelector(each).offsetHeight)"
        assert sum(await tab.value(parts)) <= 640 / 3
        assert await tab.value("document.documentElement.scrollWidth") <= 360
