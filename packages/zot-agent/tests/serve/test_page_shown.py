"""What the page says of the model, the work and calls for attention, and the files it is made of. Needs Chromium."""

import asyncio
import posixpath
import re
from pathlib import Path

import httpx
import pytest
from extension_folder import write_extension
from served import Serving
from visited_page import Visiting, choose, click

from zot_agent.serve.page import PATHS
from zot_provider.testing import Call, ScriptedServer, Turn

DONE = "document.getElementById('status').innerText === 'The answer is complete'"


@pytest.mark.needs("chromium")
async def test_a_person_chooses_the_model_of_the_next_answer(visiting: Visiting, server: ScriptedServer) -> None:
    server.add("first", "second")
    server.models += ["another", *(f"model-{number}" for number in range(250))]
    label = "document.getElementById('pick-model').textContent"
    rows = "[...document.querySelectorAll('#window .choices .where')].map((each) => each.textContent)"
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await tab.until(f"{label} === 'openai/scripted'")
        await tab.type("one")
        await tab.press("Enter")
        await tab.until(DONE)
        await click(tab, "#pick-model")
        await tab.until("document.activeElement.getAttribute('aria-label') === 'Search: Model'")
        await tab.until(f"{rows}.length === 200")
        await tab.until(
            "document.querySelector('#window-body > p').textContent.endsWith(' more; type some of its name')"
        )
        assert "openai/scripted" in await tab.value(rows)
        assert await tab.value(f"{rows}.some((each) => each.startsWith('anthropic/'))") is False  # it has no key
        await tab.type("nothing of the kind")
        await tab.until("document.querySelector('#window-body > p').textContent === 'Nothing found.'")
        await tab.value("document.activeElement.select()")
        await tab.type("other ope")
        await tab.until(f"{rows}.join() === 'openai/another'")
        await tab.press("Enter")
        await tab.until(f"{label} === 'openai/another'")
        assert not await tab.value("document.getElementById('window').open")
        await tab.value("document.getElementById('message').focus()")
        await tab.type("two")
        await tab.press("Enter")
        await tab.until("document.getElementById('log').innerText.includes('second')")
        await click(tab, "#pick-model")
        await tab.until("document.querySelector('#window [aria-current=true]')?.textContent.includes('openai/another')")
        await tab.press("Escape")
        await tab.until("!document.getElementById('window').open")
    assert [request.body["model"] for request in server.requests if request.body] == ["scripted", "another"]


@pytest.mark.needs("chromium")
async def test_a_person_chooses_how_much_the_model_thinks_among_the_levels_that_it_has(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add("first", "second")
    server.models += ["gpt-5.1"]
    field = "document.getElementById('pick-reasoning')"
    levels = f"[...{field}.options].map((each) => each.value).join()"
    async with visiting(defaults={"model": "gpt-5.1"}) as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await tab.until(f"{levels} === 'off,low,medium,high'")
        assert await tab.value(f"{field}.value") == "off"
        await tab.value(f"{field}.focus()")
        await tab.press("h", text="h")  # as in every list of a browser
        await tab.until(f"{field}.value === 'high'")
        await served.until_state(id, reasoning="high")
        await tab.value("document.getElementById('message').focus()")
        await tab.type("one")
        await tab.press("Enter")
        await tab.until(DONE)
        await tab.load("Page.reload")
        await tab.until(f"{field}.value === 'high'")
        await tab.until("document.getElementById('conversation').dataset.ready")
        await tab.value("document.getElementById('message').focus()")
        await tab.type("/model gpt-4.1")
        await tab.press("Enter")
        await tab.until(f"{levels} === 'off'")  # it cannot think
        await tab.type("/model scripted")
        await tab.press("Enter")
        await tab.until(f"{levels} === 'off,low,medium,high'")  # no catalogue names it
    assert [request.body.get("reasoning_effort") for request in server.requests if request.body] == ["high"]


WORKS = """
@ext.command('look')
def look(args):
    ext.widgets.working(message=args, frames=['-', '+'], thinking='Pondering')

@ext.command('plain')
def plain(args):
    ext.widgets.working()

@ext.command('call')
def call(args):
    ext.widgets.alert(args)
"""


@pytest.mark.needs("chromium")
async def test_an_extension_names_the_work_and_the_thoughts_until_it_takes_that_back(
    visiting: Visiting, server: ScriptedServer, tmp_path: Path, alone: Path
) -> None:
    gate = alone / "gate"
    wait = Call("bash", {"command": "while [ ! -e gate ]; do sleep 0.05; done"})
    server.add(Turn(reasoning="How many?", calls=[wait]), "Two.", Turn("Three.", reasoning="More?"))
    folder = write_extension(tmp_path / "works", WORKS, more="capabilities=('widgets',)")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "control.run", name="look", args="brewing <b>tea</b>")
        await served.command(id, "prompt", message="count")
        await tab.until("document.querySelector('#log .thinking summary')?.textContent === 'Pondering'")
        await tab.until("document.getElementById('working').textContent.endsWith(' brewing <b>tea</b>')")
        assert not await tab.value("document.getElementById('working').hidden")
        gate.touch()
        await tab.until("document.getElementById('log').innerText.includes('Two.')")
        await tab.until("document.getElementById('working').hidden")
        await served.command(id, "control.run", name="plain")
        await served.command(id, "prompt", message="more")
        await tab.until("document.getElementById('log').innerText.includes('Three.')")
        words = "[...document.querySelectorAll('#log .thinking summary')].map((each) => each.textContent).join()"
        assert await tab.value(words) == "Pondering,Thinking"


@pytest.mark.needs("chromium")
async def test_an_extension_calls_a_person_who_looks_at_another_tab(visiting: Visiting, tmp_path: Path) -> None:
    folder = write_extension(tmp_path / "works", WORKS, more="capabilities=('widgets',)")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await choose(tab, id)
        title = await tab.until("document.title.includes('New session') && document.title")
        await served.command(id, "control.run", name="call", args="you are <b>here</b>")
        await tab.until("document.getElementById('status').textContent === 'works: you are <b>here</b>'")
        assert await tab.value("document.title") == title
        away = "Object.defineProperty(document, 'hidden', { value: %s, configurable: true })"
        await tab.value(f"{away % 'true'}; null")
        await asyncio.sleep(1)  # an extension calls once a second
        await served.command(id, "control.run", name="call", args="come back")
        await tab.until("document.getElementById('status').textContent === 'works: come back'")
        assert await tab.value("document.title") == f"● {title}"
        await tab.value(f"{away % 'false'}; document.dispatchEvent(new Event('visibilitychange'))")
        assert await tab.value("document.title") == title


@pytest.mark.needs("chromium")
async def test_on_a_phone_the_answers_to_a_long_question_and_the_message_field_are_in_view(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "\n".join(f"expr {number}" for number in range(60))})]))
    async with visiting(defaults={"permission_mode": "ask"}) as (served, tab):
        await tab.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="count")
        await tab.until("!document.getElementById('permission').hidden")
        edges = (
            "[...document.querySelectorAll('#permission button, #permission-title, #send, #message')].map((each) => {"
            " const box = each.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })"
        )
        found = await tab.value(edges)
        assert len(found) == 6
        assert [box for box in found if box[0] < 0 or box[1] < 0 or box[2] > 390 or box[3] > 844] == []
        left = "document.getElementById(%r).getBoundingClientRect().left"
        assert await tab.value(left % "permission-why") == await tab.value(left % "permission-args")


@pytest.mark.needs("chromium")
async def test_the_end_of_a_conversation_stays_in_view_when_the_page_gets_another_size(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add("\n\n".join(f"{number}: " + "words that take several rows on a phone " * 9 for number in range(40)))
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="talk")
        await tab.until(DONE)
        below = "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 2)(log)"
        for width, height in ((360, 640), (1200, 800), (700, 500)):
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            await tab.call("Emulation.setDeviceMetricsOverride", **size)
            await tab.until(f"innerWidth === {width}")
            await tab.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            await tab.until(below)


@pytest.mark.needs("chromium")
async def test_what_is_read_stays_in_view_when_the_page_gets_another_size_while_an_answer_comes(
    visiting: Visiting, server: ScriptedServer
) -> None:
    rows = [f"row {number} " + "words that take several rows on a phone " * 9 for number in range(400)]
    server.add(Turn("\n\n".join(rows), chunk=2000, delay=0.2))
    drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    row = "[...log.querySelectorAll('p')].find((each) => each.innerText.startsWith('row 9 '))"
    top = f"Math.round({row}.getBoundingClientRect().top - log.getBoundingClientRect().top)"
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="talk")
        await tab.until("log.innerText.includes('row 30 ')")
        await tab.value(f"log.scrollTop += {top}")
        await tab.value(drawn)
        for width, height in ((360, 640), (1600, 900), (640, 360)):
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            await tab.call("Emulation.setDeviceMetricsOverride", **size)
            await tab.until(f"innerWidth === {width}")
            await tab.value(drawn)
            await tab.until(f"Math.abs({top}) < 20")
        assert not await tab.value(DONE)


@pytest.mark.needs("chromium")
async def test_why_a_call_failed_is_shown_at_once_and_what_went_well_is_folded(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add(Turn(calls=[Call("read", {"path": "gone.py"}), Call("bash", {"command": "expr 7"})]), "done")
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="look")
        await tab.until("document.getElementById('log').innerText.includes('no such file')")
        await tab.until(DONE)
        assert await tab.value(
            "[...document.querySelectorAll('#log details[data-call]')].map((each) => each.open)"
        ) == [
            True,
            False,
        ]


@pytest.mark.needs("chromium")
async def test_on_a_phone_no_choice_is_cut_off_while_zot_works(visiting: Visiting, server: ScriptedServer) -> None:
    server.add(Turn("thinking", delay=60.0))
    async with visiting() as (served, tab):
        await tab.call("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=1, mobile=True)
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="think")
        await tab.until("!document.getElementById('stop').disabled")
        await tab.until("(({ scrollWidth, clientWidth }) => scrollWidth === clientWidth)(choose)")
        await served.command(id, "abort")


ALONE = r"<script(?![^>]* src=)[^>]*>|<style|\sstyle=|\son[a-z]+=|javascript:|<base|<meta http-equiv"
NAMED = r'<(?:script|link)\b[^>]* (?:src|href)="(/[^"]+)"'
IMPORTED = r'(?:from|import) "(\.[^"]+)"|"(/[\w/.-]+\.js)"'


async def test_the_page_has_no_script_or_style_of_its_own_and_every_file_is_one_of_its_paths(serving: Serving) -> None:
    async with serving() as served, httpx.AsyncClient(base_url=str(served.address), trust_env=False) as stranger:
        page = (await stranger.get("/")).text
        assert re.findall(ALONE, page) == []
        assert re.findall(r'(?:src|href)="(?!/|data:,|#)', page) == []
        waiting = re.findall(NAMED, page)
        reached = set(waiting)
        while waiting:
            path = waiting.pop()
            if path.endswith(".css") or path.startswith("/vendor/"):
                continue
            for beside, whole in re.findall(IMPORTED, (await stranger.get(path)).text):
                target = whole or posixpath.normpath(posixpath.join(posixpath.dirname(path), beside))
                if target not in reached:
                    reached.add(target)
                    waiting.append(target)
        assert reached == {*PATHS} - {"/"}
