"""What extensions do on the page: cells that they draw, keys, the message field, suggestions. Needs Chromium."""

from pathlib import Path

import pytest
from chromium import Tab
from extension_folder import write_extension
from visited_page import Visiting, choose, click

from zot_provider.testing import Call, ScriptedServer, Turn

pytestmark = pytest.mark.needs("chromium")

DONE = "document.getElementById('status').innerText === 'The answer is complete'"

DRAWS = """
@ext.renderer('tool_call', 'ls')
def call(asked):
    return [[{'text': 'LIST ', 'style': 'accent'}, {'text': f"{asked.args['path']} {asked.state} {asked.width}"}]]

@ext.renderer('tool_result', 'ls')
def result(asked):
    return ['\\x1b[2J<b>all</b> ' + asked.text] if asked.expanded else ['few ' + str(count)]

@ext.renderer('tool_result', 'read')
def nothing(asked):
    return None

@ext.renderer('message', 'card')
def card(asked):
    return ['card: ' + asked.text]

count = 0
@ext.command('again')
def again(args):
    global count
    count += 1
    ext.rendering.again('tool_result', 'ls')

@ext.command('say')
def say(args):
    ext.messages.send('a secret', custom_type='card')

ext.command('unfold')(lambda args: ext.rendering.expand())
"""


async def size(tab: Tab, width: int, height: int = 800) -> None:
    await tab.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


async def test_cells_that_extensions_draw_take_the_place_of_those_of_the_page(
    visiting: Visiting, server: ScriptedServer, tmp_path: Path, alone: Path
) -> None:
    (alone / "a.txt").write_text("text")
    calls = [Call("ls", {"path": "."}), Call("read", {"path": "a.txt"})]
    server.add(Turn(calls=calls), "done", "ok")
    folder = write_extension(tmp_path / "painter", DRAWS, more="capabilities=('messages',)")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await served.command(id, "get_commands")  # until all have registered
        await choose(tab, id)
        await tab.type("look")
        await tab.press("Enter")
        await tab.until(DONE)
        await tab.until("document.querySelector('#log summary .t-accent')?.textContent === 'LIST '")
        await tab.until("document.querySelector('#log summary .drawn').textContent.startsWith('LIST . ok ')")
        await tab.until("document.querySelector('#log > .below').textContent === 'few 0'")
        await served.command(id, "command", name="again")
        await tab.until("document.querySelector('#log > .below').textContent === 'few 1'")

        await click(tab, "#log > .tool summary")
        await tab.until("document.querySelector('#log > .tool > .drawn')?.textContent.startsWith('<b>all</b> ')")
        assert await tab.value("document.querySelector('#log > .below').hidden")
        assert await tab.value("document.querySelector('#log > .tool .body').hidden")
        await click(tab, "#log > .tool:nth-of-type(2) summary")  # the page draws this one
        await tab.until("document.querySelector('#log .code pre')?.textContent.includes('text')")

        await served.command(id, "command", name="say")
        await tab.until("document.querySelector('#log > .user .drawn')?.textContent === 'card: a secret'")
        await tab.value("location.reload()")  # a client that comes later sees the same
        await tab.until("document.querySelector('#log > .user .drawn')?.textContent === 'card: a secret'")
        await tab.until("document.querySelector('#log > .below')?.textContent === 'few 1'")
        await served.command(id, "command", name="unfold")
        await tab.until("document.querySelector('#log > .tool > .drawn')?.textContent.startsWith('<b>all</b> ')")


async def test_a_renderer_is_asked_again_for_another_width_and_gone_with_its_extension(
    visiting: Visiting, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add(Turn(calls=[Call("ls", {"path": "."})]), "done")
    folder = write_extension(tmp_path / "painter", DRAWS, more="capabilities=('messages',)")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await served.command(id, "get_commands")
        await choose(tab, id)
        await served.command(id, "prompt", message="look")
        await tab.until(DONE)
        width = "Number(document.querySelector('#log summary .drawn').textContent.split(' ').at(-1))"
        await tab.until("document.querySelector('#log summary .drawn')?.textContent.includes(' ok ')")
        wide = await tab.value(width)
        await size(tab, 500)
        await tab.until(f"{width} < {wide} - 20")
        fits = "document.querySelector('#log summary .drawn')"
        assert await tab.value(f"{fits}.scrollWidth <= {fits}.clientWidth")
        (folder / "main.py").write_text("raise SystemExit(1)")
        await served.command(id, "reload_ext")
        await tab.until("!document.querySelector('#log .drawn')")
        assert await tab.value("document.querySelector('#log > .tool summary b').textContent") == "ls"


SILENT = """
import time
@ext.renderer('tool_call', 'ls')
def call(asked):
    time.sleep(600)
"""


async def test_a_renderer_that_never_answers_holds_nothing_up(
    visiting: Visiting, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add(*[Turn(calls=[Call("ls", {"path": str(number)})]) for number in range(6)], "done")
    folder = write_extension(tmp_path / "silent", SILENT)
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await served.command(id, "get_commands")
        await choose(tab, id)
        await tab.type("look")
        await tab.press("Enter")
        await tab.until(DONE)
        assert await tab.value("document.querySelectorAll('#log > .tool summary b').length") == 6
