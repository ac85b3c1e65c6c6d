"""What extensions do on the page: cells that they draw, keys, the message field, suggestions. Needs Chromium."""

from pathlib import Path

import pytest
from chromium import Tab
from extension_folder import write_extension
from visited_page import Visiting, choose, click, faults

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

CARDS = """
@ext.renderer('entry', 'card')
def card(asked):
    return [('open ' if asked.expanded else 'card ') + asked.data['text']]

@ext.command('keep')
def keep(args):
    ext.session.append('card', {'text': args})

@ext.command('hide')
def hide(args):
    ext.session.append('quiet', args)

ext.command('unfold')(lambda args: ext.rendering.expand())
"""

MARKDOWN = """
shown = '<b>x</b> [one](https://x.test/1)'

@ext.renderer('markdown', 'answer')
def change(asked):
    return asked.text.replace('**one**', shown) if shown else None

@ext.command('plain')
def plain(args):
    global shown
    shown = ''
    ext.rendering.again('markdown', 'answer')
"""


async def size(tab: Tab, width: int, height: int = 800) -> None:
    await tab.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


async def test_entries_that_extensions_store_and_draw_are_in_their_places_on_the_page(
    visiting: Visiting, server: ScriptedServer, tmp_path: Path, alone: Path
) -> None:
    server.add("an answer")
    folder = write_extension(tmp_path / "cards", CARDS, more="capabilities=('session',)")
    last = "(each) => each.lastElementChild?.innerText.trim() ?? ''"
    shown = f"[...document.querySelectorAll('#log > article')].map({last}).join('|')"
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await served.command(id, "control.run", name="keep", args="<b>one</b>")
        await choose(tab, id)
        await tab.until(f"{shown} === 'card <b>one</b>'")
        await tab.type("look")
        await tab.press("Enter")
        await tab.until(DONE)
        await served.command(id, "control.run", name="keep", args="two")
        await served.command(id, "control.run", name="hide", args="three")
        await tab.until(f"{shown} === 'card <b>one</b>|look|an answer|card two|'")
        await tab.load("Page.reload")
        await tab.until(f"{shown} === 'card <b>one</b>|look|an answer|card two|'")
        await served.command(id, "control.run", name="unfold")
        await served.command(id, "control.run", name="keep", args="three")
        await tab.until(f"{shown} === 'card <b>one</b>|look|an answer|card two||open three'")
        assert await tab.value("document.querySelectorAll('#log > .entry.nothing').length") == 1


async def test_the_markdown_of_answers_is_shown_as_extensions_change_it(
    visiting: Visiting, server: ScriptedServer, tmp_path: Path, alone: Path
) -> None:
    server.add("see **one**")
    folder = write_extension(tmp_path / "links", MARKDOWN)
    said = "document.querySelector('#log > .assistant .said')"
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await served.command(id, "control.commands")
        await choose(tab, id)
        await tab.type("look")
        await tab.press("Enter")
        await tab.until(f"{said}?.querySelector('a')?.href === 'https://x.test/1'")
        assert await tab.value(f"{said}.innerText") == "see <b>x</b> one"
        await tab.load("Page.reload")
        await tab.until(f"{said}?.innerText === 'see <b>x</b> one'")
        await served.command(id, "control.run", name="plain")
        await tab.until(f"{said}.innerText === 'see one'")


async def test_cells_that_extensions_draw_take_the_place_of_those_of_the_page(
    visiting: Visiting, server: ScriptedServer, tmp_path: Path, alone: Path
) -> None:
    (alone / "a.txt").write_text("text")
    calls = [Call("ls", {"path": "."}), Call("read", {"path": "a.txt"})]
    server.add(Turn(calls=calls), "done", "ok")
    folder = write_extension(tmp_path / "painter", DRAWS, more="capabilities=('messages',)")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await served.command(id, "control.commands")  # until all have registered
        await choose(tab, id)
        await tab.type("look")
        await tab.press("Enter")
        await tab.until(DONE)
        await tab.until("document.querySelector('#log summary .t-accent')?.textContent === 'LIST '")
        await tab.until("document.querySelector('#log summary .drawn').textContent.startsWith('LIST . ok ')")
        await tab.until("document.querySelector('#log > .below').textContent === 'few 0'")
        await served.command(id, "control.run", name="again")
        await tab.until("document.querySelector('#log > .below').textContent === 'few 1'")

        await click(tab, "#log > .tool summary")
        await tab.until("document.querySelector('#log > .tool > .drawn')?.textContent.startsWith('<b>all</b> ')")
        assert await tab.value("document.querySelector('#log > .below').hidden")
        assert await tab.value("document.querySelector('#log > .tool .body').hidden")
        await click(tab, "#log > .tool:nth-of-type(2) summary")  # the page draws this one
        await tab.until("document.querySelector('#log .code pre')?.textContent.includes('text')")

        await served.command(id, "control.run", name="say")
        await tab.until("document.querySelector('#log > .user .drawn')?.textContent === 'card: a secret'")
        await tab.load("Page.reload")  # a client that comes later sees the same
        await tab.until("document.querySelector('#log > .user .drawn')?.textContent === 'card: a secret'")
        await tab.until("document.querySelector('#log > .below')?.textContent === 'few 1'")
        await served.command(id, "control.run", name="unfold")
        await tab.until("document.querySelector('#log > .tool > .drawn')?.textContent.startsWith('<b>all</b> ')")


async def test_a_renderer_is_asked_again_for_another_width_and_gone_with_its_extension(
    visiting: Visiting, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add(Turn(calls=[Call("ls", {"path": "."})]), "done")
    folder = write_extension(tmp_path / "painter", DRAWS, more="capabilities=('messages',)")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await served.command(id, "control.commands")
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
        await served.command(id, "control.reload")
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
        await served.command(id, "control.commands")
        await choose(tab, id)
        await tab.type("look")
        await tab.press("Enter")
        await tab.until(DONE)
        assert await tab.value("document.querySelectorAll('#log > .tool summary b').length") == 6


KEYS = """
@ext.on_hello
def bind(host):
    for key in ('ctrl+alt+p', 'f9', 'ctrl+v', 'ctrl+shift+y'):
        ext.keys.bind(key, 'pressed ' + key)

@ext.command('pressed', 'says which key')
def pressed(args):
    return display(args)

@ext.command('unbind')
def unbind(args):
    ext.keys.unbind('f9')
"""
CTRL, ALT, SHIFT = 2, 1, 8
LOG = "document.getElementById('log').innerText"


async def test_keys_of_extensions_run_their_commands_and_those_of_the_browser_stay_its_own(
    visiting: Visiting, tmp_path: Path
) -> None:
    folder = write_extension(tmp_path / "keys", KEYS, more="capabilities=('keys',)")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await served.command(id, "control.commands")
        await choose(tab, id)
        await tab.type("/pressed")
        await tab.until("document.querySelector('#completions .option')?.textContent.includes('says which key')")
        await tab.until("document.activeElement.id === 'message'")
        await tab.press("p", modifiers=CTRL | ALT)
        await tab.until(f"{LOG}.includes('keys: ctrl+alt+p')")
        await tab.press("Y", modifiers=CTRL | SHIFT)
        await tab.until(f"{LOG}.includes('keys: ctrl+shift+y')")
        await tab.press("v", modifiers=CTRL)
        await tab.value("document.getElementById('log').focus()")
        await tab.press("F9")
        await tab.until(f"{LOG}.includes('keys: f9')")
        await served.command(id, "control.run", name="unbind")
        await click(tab, "#context")
        await tab.until("document.getElementById('window').open")
        await tab.press("p", modifiers=CTRL | ALT)  # a window has the keys now
        await click(tab, "#window-close")
        await tab.press("F9")
        await served.command(id, "control.run", name="pressed", args="the end")
        await tab.until(f"{LOG}.includes('keys: the end')")
        assert await tab.value(f"{LOG}.split('keys: ').length - 1") == 4
        assert await tab.value("document.getElementById('message').value") == "/pressed"


FIELD = """
@ext.command('read')
def read(args):
    return display(f'{ext.editor.text!r} {ext.editor.cursor}')

@ext.command('shout')
def shout(args):
    text = args or ext.editor.text
    try:
        ext.editor.set(text.upper(), cursor=2, expected=text)
    except HostError as error:
        return display(error.code)

ext.command('paste')(lambda args: ext.editor.paste(args))
ext.command('answer')(lambda args: display('here'))
"""


async def test_extensions_read_and_change_the_field_in_which_a_person_typed_last(
    visiting: Visiting, tmp_path: Path
) -> None:
    folder = write_extension(tmp_path / "typist", FIELD, more="capabilities=('editor',)")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await tab.type("smile \U0001f600 now")
        await served.command(id, "control.run", name="read")
        await tab.until(f"{LOG}.includes(\"'smile \U0001f600 now' 11\")")
        await served.command(id, "control.run", name="shout")
        field = "document.getElementById('message')"
        assert await tab.value(f"[{field}.value, {field}.selectionStart]") == ["SMILE \U0001f600 NOW", 2]
        await served.command(id, "control.run", name="shout", args="something else")
        await tab.until(f"{LOG}.includes('typist: busy')")
        await served.command(id, "control.run", name="paste", args="--")
        assert await tab.value(f"{field}.value") == "SM--ILE \U0001f600 NOW"

        async with served.socket(id) as other:
            assert (await other.call("use_field"))["success"]
            await other.send("control.run", name="read")
            for _ in range(2):
                request = (await other.until("ext_field_request"))[-1]["request"]
                await other.send("ext_field_response", request=request, text="elsewhere", cursor=1)
            await tab.until(f"{LOG}.includes(\"'elsewhere' 1\")")
        await served.command(id, "control.run", name="read")  # the other client has left
        await tab.until(f"{LOG}.includes('NOW\\' 4')")


async def test_a_page_that_was_held_up_does_not_change_the_field_when_nobody_waits_any_more(
    visiting: Visiting, tmp_path: Path
) -> None:
    folder = write_extension(tmp_path / "typist", FIELD, more="capabilities=('editor',)")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await tab.type("mine")
        held = "(async () => { const end = Date.now() + 3500; while (Date.now() < end); window.held = true; })"
        await tab.value(f"setTimeout({held}, 0) > 0")
        await served.command(id, "control.run", name="paste", args="--")  # fails after two seconds
        await tab.until("window.held")
        await served.command(id, "control.run", name="answer")  # the request is before this in the page's queue
        await tab.until(f"{LOG}.includes('here')")
        assert await tab.value("document.getElementById('message').value") == "mine"


WORDS = """
import os
import time
ISSUES = {'28': 'tax', '29': 'crash'}

@ext.completer('#')
def issues(asked):
    if asked.prefix == 'slow':
        ext.notify('asked', level='info')
        while not os.path.exists(LATE):
            time.sleep(0.01)
    found = [n for n in ISSUES if n.startswith(asked.prefix) or asked.prefix == 'slow']
    return [Suggestion('#' + n, '#' + n + ' ' + ISSUES[n]) for n in found]

ext.command('deploy')(lambda args: display(args))

@ext.completer(command='deploy')
def places(asked):
    return [place for place in ('staging', 'live') if place.startswith(asked.prefix)]
"""
ROWS = "[...document.querySelectorAll('#completions .option b')].map((each) => each.textContent.trim()).join()"


async def test_the_message_field_suggests_what_extensions_know(visiting: Visiting, tmp_path: Path) -> None:
    late = tmp_path / "late"
    body = WORDS.replace("LATE", repr(str(late)))
    folder = write_extension(tmp_path / "words", body, imports="from zot_ext import Suggestion")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await served.command(id, "control.commands")
        await choose(tab, id)
        field = "document.getElementById('message')"
        assert not await tab.value(f"{field}.hasAttribute('aria-expanded')")
        await tab.type("fix #")
        await tab.until(f"{ROWS} === '#28 tax,#29 crash'")
        assert (
            await tab.value(f"{field}.getAttribute('role') + {field}.getAttribute('aria-expanded')") == "comboboxtrue"
        )
        await tab.press("ArrowDown")
        chosen = f"document.getElementById({field}.getAttribute('aria-activedescendant'))"
        assert (
            await tab.value(f"{chosen}.getAttribute('aria-selected') + {chosen}.textContent") == "true#29 crash words"
        )
        await tab.press("Enter")
        assert await tab.value(f"{field}.value") == "fix #29"
        assert await tab.value("document.getElementById('completions').hidden")
        await tab.type(" and #2")
        await tab.until(f"{ROWS} === '#28 tax,#29 crash'")
        first = "document.querySelector('#completions .option')"
        await tab.value(
            f"{first}.dispatchEvent(new PointerEvent('pointerdown', {{ bubbles: true, cancelable: true }}))"
        )
        assert await tab.value(f"{field}.value") == "fix #29 and #28"
        await tab.type(" #slow")
        await tab.until("document.getElementById('completions').hidden")
        await tab.until(f"{LOG}.includes('words: asked')")
        await tab.type(" ")
        late.touch()
        await tab.value("document.getElementById('message').value = ''")
        await tab.type("/dep")
        await tab.until(f"{ROWS} === '/deploy'")
        await tab.press("Tab")
        await tab.until(f"{ROWS} === 'staging,live'")  # the answer about #slow has come before it
        await tab.type("l")
        await tab.until(f"{ROWS} === 'live'")
        await tab.press("Escape")
        assert await tab.value("document.getElementById('completions').hidden")
        assert await tab.value(f"{field}.value") == "/deploy l"


SHOWS = """
@ext.command('show')
def show(args):
    places = 'header above_editor below_editor top_left top_right bottom_left bottom_right'
    for place in [*places.split(), *args.split()]:
        line = [{'text': place, 'style': 'success'}, {'text': ' of an extension', 'style': 'muted'}]
        ext.widgets.set(place, line, place=place)
    ext.widgets.status('s', [{'text': 'build ', 'style': 'muted'}, {'text': 'failing', 'style': 'error', 'bold': True}])

over = ext.panel('over', 'Counter', 'up, down', mode='overlay', anchor='top_right', width=24)
over.on_render(lambda: [[{'text': 'count ', 'style': 'muted'}, {'text': '3', 'style': 'accent', 'bold': True}]])
ext.command('over')(lambda args: over.open())
"""


@pytest.mark.needs("axe")
async def test_axe_finds_nothing_in_what_extensions_show_and_suggest(
    visiting: Visiting, server: ScriptedServer, tmp_path: Path, alone: Path
) -> None:
    (alone / "a.txt").write_text("text")
    server.add(Turn("I look.", calls=[Call("ls", {"path": "."}), Call("read", {"path": "a.txt"})]), "Done.", "Thanks.")
    body = DRAWS + SHOWS + WORDS.replace("LATE", repr(""))
    folder = write_extension(
        tmp_path / "all",
        body,
        imports="from zot_ext import Suggestion",
        more="capabilities=('widgets', 'panels2', 'messages')",
    )
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        await tab.call("Page.setBypassCSP", enabled=True)  # for axe, which makes styles
        await tab.load("Page.reload")
        await tab.until("!document.getElementById('workplace').hidden")
        id = await served.open()
        await served.command(id, "control.commands")
        await choose(tab, id)
        for name in ("show", "over"):
            await served.command(id, "control.run", name=name)
        await served.command(id, "prompt", message="look")
        await tab.until(DONE)
        await served.command(id, "control.run", name="say")
        await tab.until("document.querySelector('#log > .below') && document.querySelector('#log > .user .drawn')")
        await tab.value("document.getElementById('message').focus()")
        await tab.type("fix #")
        await tab.until(f"{ROWS} === '#28 tax,#29 crash'")
        for scheme in ("light", "dark"):
            await tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for width in (1200, 390):
                await size(tab, width)
                assert await faults(tab) == [], (scheme, width)
                assert await tab.value("document.documentElement.scrollWidth <= innerWidth")
        await size(tab, 1200)
        state = "getComputedStyle(document.getElementById('state')).display"
        assert await tab.value(state) != "none"
        await served.command(id, "control.run", name="show", args="footer")
        await tab.until(f"{state} === 'none'")  # a footer takes its place
