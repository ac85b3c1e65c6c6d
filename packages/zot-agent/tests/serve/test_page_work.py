"""What can be done on the page besides asking: commands, the tree, extensions, runs, a phone. Needs Chromium."""

import asyncio
import hashlib
import json
import re
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest
from extension_folder import write_extension
from served import Serving
from visited_page import Visiting, choose, click, faults, log_of

from zot_agent.host.options import HostOptions
from zot_agent.runs.store import RunStore, change
from zot_agent.serve.page import FILES
from zot_core.runtime.run_rows import run_row
from zot_core.testing import PIXEL
from zot_provider.testing import Call, ScriptedServer, Turn

pytestmark = pytest.mark.needs("chromium")

EXAMPLES = Path(__file__).parents[4] / "examples/extensions"
STATUS = "document.getElementById('status').innerText"
DONE = f"{STATUS} === 'The answer is complete'"

SHOWS = """
@ext.command('build')
def build(args):
    ext.widgets.status('s', [{'text': 'build ', 'style': 'muted'}, {'text': 'passing', 'style': 'success'}])
    ext.widgets.set('a', '\\x1b[31mred\\x1b[0m <b>plain</b>', place='above_editor')
    ext.widgets.title('building')
heard = []
over = ext.panel('over', 'Counter', mode='overlay', width=40)
over.on_render(lambda: [[{'text': ' '.join(heard), 'style': 'accent'}]])
over.on_key(lambda key: heard.append('+'.join([*key.mods, key.text or key.key])))
ext.command('over')(lambda args: over.open())
"""

ATTACKS = """
<script>window.hacked = 1</script> <img src=x onerror="window.hacked = 2"> <svg onload="window.hacked = 3"></svg>

[one](javascript:window.hacked=4) [two](data:text/html,<script>window.hacked=5</script>) [three](vbscript:x)
[four](JaVaScRiPt:alert(1)) [five](https://example.org/ok) <javascript:alert(1)> https://example.org/bare

![six](javascript:window.hacked=6) ![seven](data:image/svg+xml,<svg onload=alert(1)>) ![eight](https://example.org/p.png)

```html
<script>window.hacked = 7</script><iframe srcdoc="x"></iframe>
```

<iframe src="javascript:window.hacked=8"></iframe>
"""


async def test_nothing_that_a_model_or_a_tool_writes_becomes_live(
    visiting: Visiting, server: ScriptedServer, alone: Path
) -> None:
    (alone / "evil.html").write_text("<script>window.hacked = 9</script><img src=x onerror=alert(1)>")
    server.add(Turn(ATTACKS, calls=[Call("read", {"path": "evil.html"}), Call("ls", {"path": "<img src=x>"})]), ATTACKS)
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await tab.type("<b onclick=alert(1)>hi</b>")
        await tab.press("Enter")
        await tab.until(DONE)
        await click(tab, "#log .tool summary")
        await tab.until("document.querySelector('#log .tool code.hl, #log .tool pre')")
        live = "script, iframe, svg, object, embed, img, form, style, [onerror], [onclick], [onload], [srcdoc], [style]"
        assert await tab.value(f"document.querySelectorAll('#log :is({live})').length") == 0
        links = await tab.value("[...document.querySelectorAll('#log a')].map((each) => each.href)")
        assert set(links) == {"https://example.org/ok", "https://example.org/bare", "https://example.org/p.png"}
        assert await tab.value("[...document.querySelectorAll('#log a')].every((a) => a.rel.includes('noopener'))")
        assert await tab.value("window.hacked") is None
        refused = "(() => { try { document.body.innerHTML = '<b>x</b>'; return false; } catch { return true; } })()"
        assert await tab.value(refused)
        assert [each["entry"]["text"] for each in await tab.complained()] == [
            "This document requires 'TrustedHTML' assignment. The action has been blocked."
        ]


async def test_text_that_grows_in_any_pieces_is_drawn_as_the_whole_text(visiting: Visiting) -> None:
    async with visiting() as (_, tab):
        samples = [
            ATTACKS,
            "# one\ntwo\n\n- a\n- b\n\n  more\n- c\n\n1. x\n2. y\n\n> q\nlazy\n",
            "| a | b |\n|---|--:|\n| 1 | 2 |\n\nend\n===\n\nmore\n",
            "a [link] and more\n\n```python\ndef f():\n    return 1\n```\n\n***\n\n[link]: https://example.org/x\n",
            "~~~\nnever closed\n\n# no heading\n" + "word " * 50,
            "**bold *both* ~~gone~~** `code` &amp; \\* <https://example.org>\\\nbreak",
        ]
        script = (
            """(async (samples) => {
          const { Said } = await import("/log/markdown.js");
          const plain = ({ element }) => {
            for (const code of element.querySelectorAll("pre code")) code.textContent = code.textContent;
            return element.innerHTML;
          };
          const wrong = [];
          for (const text of samples) {
            const whole = plain(new Said(text));
            for (const step of [1, 3, 7, 50]) {
              const said = new Said();
              for (let at = 0; at < text.length; at += step) {
                said.add(text.slice(at, at + step));
                said.draw();
              }
              said.set(text);
              if (plain(said) !== whole) wrong.push([step, text, plain(said), whole]);
            }
          }
          return wrong;
        })("""
            + json.dumps(samples)
            + ")"
        )
        assert await tab.value(script) == []


async def test_changes_are_diffs_code_has_colours_and_pictures_are_shown(
    visiting: Visiting, server: ScriptedServer, alone: Path
) -> None:
    (alone / "a.py").write_text("def one():\n    return 1\n")
    (alone / "dot.png").write_bytes(b64decode(PIXEL.data))
    edit = Call("edit", {"path": "a.py", "edits": [{"oldText": "return 1", "newText": "return 2"}]})
    server.add(Turn(calls=[edit, Call("read", {"path": "dot.png"})]), "```python\ndef f():\n    return 1\n```")
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="change it")
        await tab.until("document.querySelector('#log .diff .added')?.textContent.includes('return 2')")
        assert await tab.value("document.querySelector('#log .diff').closest('details').open")
        await tab.until("document.querySelector('#log .image img')?.src.startsWith('data:image/png;base64,')")
        await tab.until("document.querySelector('#log .hl-keyword')?.textContent === 'def'")
        await click(tab, "#changes")
        await tab.until("document.querySelector('#window .diff .removed')?.textContent.includes('return 1')")


UNDO = "[...document.querySelectorAll('#window button')].find((each) => each.textContent.startsWith('Undo')).click()"


async def test_an_undo_asks_whether_commands_in_the_background_are_stopped(
    visiting: Visiting, server: ScriptedServer, alone: Path
) -> None:
    job = Call("bash", {"command": "exec sleep 1000", "background": True})
    server.add(Turn(calls=[job, Call("write", {"path": "a", "content": "1"})]), "written")
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="write it")
        await tab.until("document.querySelector('#log').textContent.includes('written')")
        await tab.value("window.asked = []; window.confirm = (text) => { asked.push(text); return window.agrees; }; 0")
        for agrees in ("false", "true"):
            await click(tab, "#changes")
            await tab.until("document.querySelector('#window .diff')")
            await tab.value(f"window.agrees = {agrees}; {UNDO}; 0")
            await tab.until(f"window.asked.length === {1 if agrees == 'false' else 2}")
            if agrees == "false":
                await tab.until("document.body.textContent.includes('stop it first: exec sleep 1000')")
                assert (alone / "a").read_text() == "1"
        await tab.until("document.getElementById('message').value === 'write it'")
        assert not (alone / "a").exists()
        assert [each["state"] for each in (await served.command(id, "jobs.list"))["data"]["jobs"]] == ["stopped"]
        assert "Stop all commands in the background now?" in await tab.value("window.asked[0]")


PASTED = """(() => {
  const bytes = Uint8Array.from(atob(%s), (each) => each.charCodeAt(0));
  const given = new DataTransfer();
  given.items.add(new File([bytes], "dot.png", { type: "image/png" }));
  given.items.add(new File(["<svg/>"], "live.svg", { type: "image/svg+xml" }));
  const event = new ClipboardEvent("paste", { clipboardData: given, bubbles: true, cancelable: true });
  document.getElementById("message").dispatchEvent(event);
})()"""


async def test_pictures_are_pasted_and_sent_and_come_back_when_the_prompt_is_refused(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add("a dot")
    async with visiting() as (served, tab):
        await choose(tab, await served.open())
        for pictures in (1, 2):
            await tab.value(PASTED % json.dumps(PIXEL.data))
            await tab.until(f"document.querySelectorAll('#pictures img').length === {pictures}")
        await tab.until("document.body.innerText.includes('Pictures are PNG, JPEG, GIF or WebP')")
        await click(tab, "#pictures button[aria-label='Remove dot.png']")
        assert await tab.value("document.querySelectorAll('#pictures img').length") == 1
        await tab.type("what is this?")
        await tab.press("Enter")
        await tab.until(DONE)
        await tab.until("document.querySelector('#log .image img')?.src.startsWith('data:image/png;base64,')")
        assert await tab.value("document.getElementById('pictures').hidden")
        await tab.value(PASTED % json.dumps("AAAA"))
        await tab.until("document.querySelector('#pictures img')")
        await tab.press("Enter")
        await tab.until("document.body.innerText.includes('not a PNG')")
        await tab.until("document.querySelector('#pictures img')?.alt === 'dot.png'")
    assert PIXEL.data in json.dumps(server.requests[0].body)


async def test_what_extensions_show_is_there_and_a_panel_gets_the_keys(visiting: Visiting, tmp_path: Path) -> None:
    folder = write_extension(tmp_path / "ci", SHOWS, more="capabilities=('widgets', 'panels2')")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        id = await served.open()
        await served.command(id, "control.run", name="build")
        await choose(tab, id)  # the page comes later
        await tab.until("document.querySelector('#place-status .t-success')?.textContent === 'passing'")
        await tab.until("document.getElementById('place-above_editor').textContent === 'red <b>plain</b>'")
        assert await tab.value("document.querySelector('#place-above_editor .t-ansi-red').textContent") == "red"
        assert await tab.value("document.title") == "building"
        await served.command(id, "control.run", name="over")
        await tab.until("document.activeElement.classList.contains('panel')")
        await tab.press("x", text="x")
        await tab.press("ArrowUp")
        await tab.until("document.querySelector('.panel').textContent === 'x up'")
        await tab.press("Escape")
        await tab.until("!document.querySelector('.panel-frame')")
        assert await tab.value("document.activeElement.id") == "message"


WHERE = """JSON.stringify([...document.querySelectorAll('.panel-frame.overlay')].map((each) => {
  const [box, log] = [each.getBoundingClientRect(), document.getElementById('log').getBoundingClientRect()];
  const beyond = [log.left - box.left, box.right - log.right, log.top - box.top, box.bottom - log.bottom];
  const within = Math.max(...beyond) < 1; // pixels
  const middle = [(box.left + box.right) / 2 - log.left, (box.top + box.bottom) / 2 - log.top];
  const third = (part) => (part < 0.4 ? 0 : part > 0.6 ? 2 : 1);
  const [across, down] = [third(middle[0] / log.width), third(middle[1] / log.height)];
  return [each.querySelector('.panel').firstChild.textContent, within, across, down];
}))"""


async def test_overlays_are_at_their_places_over_the_conversation(visiting: Visiting, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("todo", {"todos": [{"content": "test it", "status": "pending"}]})]), "planned")
    names = ("overlay-test", "widget-placement")
    async with visiting(defaults={"extensions": [str(EXAMPLES / name) for name in names]}) as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "control.run", name="places")
        await served.command(id, "prompt", message="plan it")
        await tab.until("document.getElementById('todo-count').textContent")
        await served.command(id, "control.run", name="overlay", args="all")
        await tab.until("document.querySelectorAll('.panel-frame.overlay .panel > div').length === 9 * 4")
        places = {name: place for name, *place in json.loads(await tab.value(WHERE))}
        across, down = ("left", "center", "right"), ("top", "center", "bottom")
        assert places == {
            name: [True, column, row]
            for column, side in enumerate(across)
            for row, edge in enumerate(down)
            for name in ["center" if side == edge else f"{side}_center" if edge == "center" else f"{edge}_{side}"]
        }
        await tab.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        await tab.until("getComputedStyle(document.querySelector('.panel-frame')).position === 'static'")
        # They give way to the message field and to what is above the conversation.
        await tab.until("document.getElementById('composer').getBoundingClientRect().bottom <= innerHeight")
        assert await tab.value("document.getElementById('log').clientHeight") > 50
        strips = "['todo-part', 'place-header'].map((id) => document.getElementById(id))"
        assert await tab.value(f"{strips}.every((each) => each.clientHeight && each.scrollHeight <= each.clientHeight)")


async def test_a_person_goes_back_in_the_tree_and_asks_something_else(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add("first answer", "second answer")
    async with visiting(defaults={"no_session": False}) as (served, tab):
        await choose(tab, await served.open())
        await tab.type("one")
        await tab.press("Enter")
        await tab.until(DONE)
        await tab.type("/tr")
        await tab.until("document.querySelector('#completions [aria-selected=true]')?.textContent.startsWith('/tree')")
        await tab.press("Tab")
        await tab.press("Enter")
        await click(tab, "#window button[aria-label='Ask again: one']")
        await tab.until("document.getElementById('message').value === 'one'")
        await tab.until("!document.getElementById('log').innerText.includes('first answer')")
        await tab.value("document.getElementById('message').value = 'two'")
        await tab.press("Enter")
        await tab.until("document.getElementById('log').innerText.includes('second answer')")


async def test_the_mode_is_changed_and_a_permission_can_be_given_always(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "expr hi"})]), "done")
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await tab.until("document.getElementById('pick-mode').value === 'yolo'")
        await tab.value(
            "(() => { const one = document.getElementById('pick-mode'); one.value = 'ask';"
            " one.dispatchEvent(new Event('change')); })()"
        )
        await served.until_state(id, permission_mode="ask")
        await served.command(id, "prompt", message="greet")
        await tab.until("!document.getElementById('permission').hidden")
        assert "bash(expr hi)" in await tab.value("document.getElementById('permission-rules').innerText")
        await click(tab, "#permission-always")
        await tab.until(DONE)
        assert (await served.command(id, "get_state"))["data"]["permission_mode"] == "ask"


async def test_on_a_phone_the_list_folds_away_and_comes_back(visiting: Visiting) -> None:
    async with visiting() as (served, tab):
        await tab.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        await choose(tab, await served.open())
        await tab.until("document.getElementById('side').hidden")
        assert await tab.value("document.getElementById('menu').getAttribute('aria-expanded')") == "false"
        await click(tab, "#menu")
        await tab.until("!document.getElementById('side').hidden")
        assert await tab.value("document.documentElement.scrollWidth") <= 390


async def test_a_page_that_becomes_narrow_begins_with_the_prompt_and_cuts_no_choice_off(visiting: Visiting) -> None:
    async with visiting() as (served, tab):
        await tab.until("document.activeElement.id === 'task'")
        assert not await tab.value("document.getElementById('side').hidden")
        await tab.call("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=1, mobile=True)
        await tab.until("document.getElementById('side').hidden")
        await choose(tab, await served.open())
        await tab.until("document.getElementById('pick-model').textContent")
        assert await tab.value("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(choose)") == 0


EVERYWHERE = """
@ext.command('fill')
def fill(args):
    for place in ('above_editor', 'below_editor', 'top_left', 'top_right', 'bottom_left', 'bottom_right'):
        ext.widgets.set(place, *(f'{place} {row}' for row in range(6)), place=place)
    for key in ('one', 'two', 'three', 'four'):
        ext.widgets.status(key, f'status {key} of the work')
"""


@pytest.mark.parametrize(("width", "height"), [(360, 640), (390, 844)])
@pytest.mark.parametrize("shows", ["status-line", "everywhere"])
async def test_on_a_phone_header_and_message_field_take_at_most_a_third_of_the_height(
    visiting: Visiting, server: ScriptedServer, tmp_path: Path, shows: str, width: int, height: int
) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "true"})]), "done")
    more = "capabilities=('widgets',)"
    folder = EXAMPLES / shows if shows == "status-line" else write_extension(tmp_path / "e", EVERYWHERE, more=more)
    async with visiting(defaults={"no_session": False, "extensions": [str(folder)]}) as (served, tab):
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        await tab.call("Emulation.setDeviceMetricsOverride", **size, mobile=True)
        id = await served.open()
        await choose(tab, id)
        await tab.type("one")
        await tab.press("Enter")
        await tab.until(DONE)
        await tab.until("document.getElementById('usage').innerText.startsWith('no sandbox · ')")
        await tab.until("!document.getElementById('save').hidden")
        if shows == "everywhere":
            await served.command(id, "control.run", name="fill")
        shown = "status four of the work" if shows == "everywhere" else "last: bash"
        await tab.until(f"document.getElementById('place-status').innerText.includes({shown!r})")
        heights = "['header', '#head', '#composer'].map((each) => document.querySelector(each).offsetHeight)"
        assert sum(await tab.value(heights)) <= height / 3
        assert await tab.value("document.documentElement.scrollWidth") <= width


@pytest.mark.needs("axe")
async def test_axe_finds_nothing_in_light_dark_and_narrow(
    visiting: Visiting, server: ScriptedServer, alone: Path, tmp_path: Path
) -> None:
    (alone / "a.py").write_text("def one():\n    return 1\n")
    edit = Call("edit", {"path": "a.py", "edits": [{"oldText": "return 1", "newText": "return 2"}]})
    todo = Call("todo", {"todos": [{"content": "test it", "status": "in_progress"}]})
    server.add(
        Turn("I look.", calls=[edit, todo]),
        "## Title\n\n#### Part\n\n# End\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n",
    )
    folder = write_extension(tmp_path / "ci", SHOWS, more="capabilities=('widgets', 'panels2')")
    async with visiting(defaults={"extensions": [str(folder)]}) as (served, tab):
        await tab.call("Page.setBypassCSP", enabled=True)  # for axe, which makes styles
        await tab.load("Page.reload")
        await tab.until("!document.getElementById('workplace').hidden")
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "control.run", name="build")
        await served.command(id, "prompt", message="change it")
        await tab.until(DONE)
        await tab.until("document.querySelector('#log .diff .added')")
        await tab.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        for scheme in ("light", "dark"):
            await tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for width in (1200, 390):
                size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
                await tab.call("Emulation.setDeviceMetricsOverride", **size)
                assert await faults(tab) == [], (scheme, width)
        await served.command(id, "control.run", name="over")
        await tab.until("document.querySelector('.panel-frame')")
        assert await faults(tab) == []
        await click(tab, "#tree")
        await tab.until("document.querySelector('#window').open")
        assert await faults(tab) == []
        await click(tab, "#window-close")
        await click(tab, "#pick-model")
        await tab.until("document.querySelector('#window .choices [aria-current=true]')")
        assert await faults(tab) == []
        assert "test it" in await log_of(tab)


async def test_a_run_that_waits_is_listed_and_a_wrong_answer_is_refused(serving: Serving, alone: Path) -> None:
    options = HostOptions(provider="openai", model="scripted", permission_mode="ask", cwd=str(alone))
    run = RunStore().create("fix", "do it", str(alone), options)[0]
    RunStore().create("other", "do that", "/", options.replace(cwd="/"))
    asked = {"id": "a/c", "call": "bash echo", "reason": "it writes", "always": ["bash(echo)"]}
    change(run, run_row({"state": "waiting", "question": asked}))
    async with serving() as served:
        (listed,) = (await served.http.get("/runs")).json()["runs"]
        assert (listed["id"], listed["state"], listed["question"]["call"]) == ("fix", "waiting", "bash echo")
        for body in ({"answer": "perhaps"}, {"answer": "no", "message": 1}, [], {}):
            assert (await served.http.post("/runs/fix/answer", json=body)).status_code == 400
        for hidden in ("other", "oth", "none"):
            refused = await served.http.post(f"/runs/{hidden}/answer", json={"answer": "no"})
            named = refused.json()["error"].removeprefix(f"unknown run '{hidden}'; ")
            assert (refused.status_code, named.split(" (")[0]) in ((404, "did you mean fix?"), (404, "known: fix"))


async def test_a_run_continues_when_its_question_is_answered_on_the_page(
    visiting: Visiting, server: ScriptedServer, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    server.add(Turn(calls=[Call("bash", {"command": "echo hi > greeting"})]), "I have greeted.")
    chosen = ("--provider", "openai", "--model", "scripted", "--base-url", server.base_url("openai-chat"))
    command = [sys.executable, "-m", "zot_agent", "run", "greet", "--id", "one", "--permission-mode", "ask", *chosen]
    begun = await asyncio.to_thread(
        subprocess.run, command, cwd=alone, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert begun.returncode == 3, begun.stderr
    async with visiting() as (_, tab):
        await click(tab, "#runs summary")
        await click(tab, "#run-list button[aria-label='Yes, this call: one']")
        await tab.until("document.getElementById('run-list').innerText.includes('one · done')")
    assert (alone / "greeting").read_text() == "hi\n"


def test_the_libraries_of_the_page_are_the_files_that_their_list_names() -> None:
    folder = FILES["/"].parent / "vendor"
    listed = re.findall(
        r"^\| `([\w.-]+)` .*`([0-9a-f]{64})` \|$", (folder / "README.md").read_text("utf-8"), re.MULTILINE
    )
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.js")}
    assert dict(listed) == found
