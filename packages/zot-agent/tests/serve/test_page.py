"""The page in a real browser: a person comes in, opens a session, asks, reads, stops. Needs Chromium."""

import json
import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from chromium import browser
from extension_folder import write_extension
from served import TOKEN, Serving, write_corp
from visited_page import Visiting, choose, log_of
from waiting import PATIENCE

from zot_core.sessions.store import SessionStore
from zot_provider.auth.personal import PersonalKeys
from zot_provider.messages import Message, TextBlock
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.testing import Call, Fault, ScriptedServer, SignInScript, SignInServer, Turn

pytestmark = pytest.mark.needs("chromium")

END = "document.querySelector('#log .worked')?.innerText"
"""What is said at the end of the first run that took something."""


async def test_a_person_comes_in_opens_a_session_asks_and_reads_the_answer(
    serving: Serving, server: ScriptedServer, alone: Path, tmp_path: Path
) -> None:
    (alone / "a.txt").write_text("alpha\n")
    server.add(Turn("I look.", calls=[Call("read", {"path": "a.txt"})]), "It is **alpha**.")
    async with serving() as served, browser() as tab:
        await tab.go(str(served.address))
        assert await tab.until("document.activeElement.id") == "token"
        await tab.type("wrong")
        await tab.press("Enter")
        assert await tab.until("document.getElementById('status').innerText") == "the token is wrong"
        await tab.complained()  # of the refused request
        await tab.value("document.getElementById('status').textContent = ''")
        await tab.type("t\u00f6ken")  # which a request could not bring
        await tab.press("Enter")
        assert await tab.until("document.getElementById('status').innerText") == "the token is wrong"
        await tab.type(TOKEN)
        await tab.press("Enter")
        await tab.until("document.activeElement.id === 'task'")
        await tab.press("Enter")
        await tab.until("document.getElementById('conversation').dataset.ready")
        assert await tab.value("document.activeElement.id") == "message"
        await tab.type("what is in a.txt?")
        await tab.press("Enter")
        await tab.until("document.getElementById('status').innerText === 'The answer is complete'")
        await tab.until("document.querySelector('[data-call] .facts').innerText")  # which is asked for afterwards
        await tab.until(END)  # this is asked for too
        log = await log_of(tab)
        *said, end = [part for part in log.split("\n") if part.strip()]
        assert said == ["You", "what is in a.txt?", "zot", "I look.", "read a.txt 1 line", "zot", "It is alpha."]
        assert re.fullmatch(r"Worked for .+ · 20 tokens read, 10 written", end)
        assert await tab.value("document.querySelector('#log .said strong').textContent") == "alpha"
        await tab.until("document.querySelector('#log .tool .body')?.textContent.includes('alpha')")
        assert await tab.value("document.getElementById('message').value") == ""
        assert await tab.until("document.querySelector('#sessions .name').innerText === 'what is in a.txt?'")
        await tab.load("Page.reload")
        await tab.until("document.getElementById('log')?.innerText.includes('It is alpha.')")
        assert "read" in await log_of(tab)
        assert await tab.value(END) == end
        assert tab.complaints == []


async def test_a_link_with_the_token_lets_in_and_leaves_no_token_in_the_address(visiting: Visiting) -> None:
    async with visiting() as (served, tab):
        assert await tab.value("location.href") == f"{served.address}/"
        assert await tab.value("history.length") <= 3
        await tab.value("document.getElementById('leave').click()")
        await tab.until("!document.getElementById('entrance').hidden")
        assert await tab.value("sessionStorage.length") == 0


async def test_escape_stops_the_answer(visiting: Visiting, server: ScriptedServer) -> None:
    server.add(Turn("word " * 20_000, chunk=5, delay=0.02), Turn(fault=Fault(stall=600)))
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="go on and on")
        await tab.until("document.getElementById('log').innerText.includes('word word word')")
        assert await tab.value("document.getElementById('log').getAttribute('aria-busy')") == "true"
        await tab.press("Escape")
        await tab.until("document.getElementById('stop').disabled")
        assert await tab.value("document.getElementById('log').getAttribute('aria-busy')") == "false"
        assert await tab.value("document.getElementById('status').innerText") == "Stopped"
        await served.command(id, "prompt", message="again")
        await tab.until("!document.getElementById('stop').disabled")
        await tab.value("document.getElementById('stop').click()")
        await tab.until("document.getElementById('stop').disabled")
        assert await tab.value("document.getElementById('status').innerText") == "Stopped"


async def test_what_was_read_of_an_answer_that_breaks_off_stays_above_the_one_that_is_asked_for_again(
    visiting: Visiting, server: ScriptedServer
) -> None:
    broken = Turn("Broken words, and more.", reasoning="lost thoughts", chunk=4, fault=Fault(cut=True, after=9))
    whole = Turn("whole answer", reasoning="kept thoughts")
    server.add(Turn("I look.", calls=[Call("bash", {"command": "echo hi"})]), broken, whole)
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="look")
        await tab.until("document.getElementById('log').innerText.includes('trying again in')")
        await tab.until(DONE)
        shown = await tab.value("document.getElementById('log').textContent")
        assert shown.index("Broken") < shown.index("cut off, and asked again: ") < shown.index("whole answer")
        assert "lost" not in shown
        assert [shown.count(words) for words in ("I look.", "Broken", "kept thoughts", "whole answer")] == [1] * 4
        assert await tab.value("document.querySelectorAll('#log .thinking').length") == 1
        assert tab.complaints == []


async def test_a_tool_that_is_stopped_and_a_failure_are_no_complete_answer(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "sleep 600"})]), Turn(fault=Fault(status=400)))
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="sleep")
        await tab.until("document.getElementById('log').innerText.includes('sleep 600')")
        await served.command(id, "abort")  # as another client may
        await tab.until("document.getElementById('status').innerText === 'Stopped'")
        await served.command(id, "prompt", message="fail")
        await tab.until("document.getElementById('status').innerText === 'Failed'")
        assert await tab.value("document.querySelectorAll('#log [role=alert]').length") == 1


DONE = "document.getElementById('status').innerText === 'The answer is complete'"


class Held:
    """An answer that comes when it is set `free`."""

    def __init__(self, text: str) -> None:
        self.free, self._text = threading.Event(), text

    def __call__(self, request: Any) -> Turn:
        assert self.free.wait(PATIENCE)
        return Turn(self._text)


WAITING = "[...document.querySelectorAll('#waiting li')].map((each) => each.textContent).join()"


async def test_what_is_said_while_zot_works_is_shown_until_its_turn_comes(
    visiting: Visiting, server: ScriptedServer
) -> None:
    first, second = Held("The first."), Held("And the second.")
    server.add(first, second, "And the third.")
    async with visiting() as (served, tab):
        await choose(tab, await served.open())
        await tab.type("one")
        await tab.press("Enter")
        await tab.until("document.getElementById('status').innerText === 'Working…'")
        for text in ("two", "three"):
            await tab.type(text)
            await tab.press("Enter")
        assert await tab.value(WAITING) == "two,three"
        assert await tab.value("document.getElementById('status').innerText") == "Working… 2 wait"
        first.free.set()
        await tab.until("document.getElementById('status').innerText === 'Working… One waits'")
        second.free.set()
        await tab.until(f"{DONE} && document.getElementById('log').innerText.includes('And the third.')")
        assert await tab.value("document.getElementById('waiting').hidden")
        parts = [part for part in (await log_of(tab)).split("\n") if part.strip() and not part.startswith("Worked")]
        assert parts == [
            "You", "one", "zot", "The first.", "You", "two", "zot", "And the second.",
            "You", "three", "zot", "And the third.",
        ]  # fmt: skip


async def test_what_waits_is_in_the_field_again_after_a_stop_and_does_not_run(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add(Turn("word " * 20_000, chunk=5, delay=0.02), "never asked for")
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await tab.type("one")
        await tab.press("Enter")
        await tab.until("document.getElementById('log').innerText.includes('word word')")
        for text in ("two", "three"):
            await tab.type(text)
            await tab.press("Enter")
        await tab.type("half a thou")
        await tab.until(f"{WAITING} === 'two,three'")
        await tab.press("Escape")
        await tab.until("document.getElementById('stop').disabled")
        assert await tab.value("document.getElementById('message').value") == "two\nthree\nhalf a thou"
        assert await tab.value("document.getElementById('status').innerText") == "Stopped; what waited is below"
        assert await tab.value(WAITING) == ""
        await served.command(id, "ping")
        assert (await served.http.get(f"/sessions/{id}")).json()["busy"] is False
        assert len(server.requests) == 1


async def test_a_prompt_behind_a_compaction_waits_in_sight(visiting: Visiting, server: ScriptedServer) -> None:
    summary = Held("A summary. " * 300)
    server.add("First.", "Second.", "Third.", summary, "Another.", "A shorter summary.")
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        for said in ("First.", "Second.", "Third."):
            await served.command(id, "prompt", message="more")
            await tab.until(f"document.getElementById('log').innerText.includes('{said}')")
        await tab.until("document.getElementById('status').innerText === 'The answer is complete'")
        await served.command(id, "compact")
        await tab.until("document.getElementById('status').innerText === 'Working…'")
        await tab.type("two")
        await tab.press("Enter")
        assert await tab.value(WAITING) == "two"
        summary.free.set()
        await tab.until(f"{DONE} && document.getElementById('log').innerText.includes('Another.')")
        assert await tab.value(WAITING) == ""
        await served.command(id, "compact")
        await tab.until("document.getElementById('status').innerText === 'The conversation is compacted'")
        await tab.load("Page.reload")
        summary_row = "document.querySelector('#log .compacted summary')?.innerText"
        assert await tab.until(summary_row) == "The conversation was compacted"
        assert not await tab.value(
            "[...document.querySelectorAll('#log .user')].some((each) => each.innerText.includes('summary'))"
        )


async def test_the_page_begins_with_a_prompt_for_a_session_in_a_folder_model_and_mode(
    visiting: Visiting, server: ScriptedServer, alone: Path
) -> None:
    (alone / "below").mkdir()
    session = SessionStore(os.path.join(os.environ["ZOT_HOME"], "sessions")).create(str(alone / "below"), "m", "p", "1")
    session.append(Message("user", [TextBlock("earlier")]))
    session.close()
    server.add("It is planned.")
    async with visiting() as (served, tab):
        known = await tab.until("document.querySelector('#folders option')?.value")
        assert known == str(alone / "below")
        await tab.type("paint it")
        await tab.value(f"document.getElementById('cwd').value = {json.dumps(known)}")
        await tab.value("document.getElementById('mode').value = 'plan'")
        await tab.press("Enter")
        await tab.until("document.getElementById('log').innerText.includes('It is planned.')")
        assert "paint it" in await log_of(tab)
        await tab.until("document.getElementById('pick-mode').value === 'plan'")
        (opened,) = await served.sessions()
        assert opened["cwd"] == known
        assert await tab.value("document.getElementById('begin').hidden")
        await tab.value("document.getElementById('new').click()")
        assert await tab.until("document.activeElement.id === 'task' && !document.getElementById('begin').hidden")
        assert await tab.value("document.getElementById('task').value") == ""


async def test_a_first_prompt_that_cannot_be_sent_is_not_lost(visiting: Visiting) -> None:
    async with visiting() as (_, tab):
        await tab.type("paint it")
        await tab.value("document.getElementById('cwd').value = '/no/such/place'")
        await tab.press("Enter")
        await tab.until("document.getElementById('status').classList.contains('bad')")
        await tab.complained()  # of the refused request
        assert await tab.value("document.getElementById('task').value") == "paint it"


async def test_notes_of_a_new_session_stand_in_its_conversation(visiting: Visiting, alone: Path) -> None:
    for name in ("px", "py"):
        folder = alone / ".zot" / "extensions" / name
        folder.mkdir(parents=True)
        (folder / "extension.json").write_text(json.dumps({"name": name, "exec": "./nothing"}))
    async with visiting() as (served, tab):
        await tab.press("Enter")  # the form for a new session is open
        await tab.until("document.getElementById('conversation').dataset.ready")
        (session,) = await served.sessions()
        assert session["cwd"] == str(alone)
        notes = await tab.until("document.querySelector('#log .notice')?.parentElement.innerText")
        assert "px" in notes
        assert "py" in notes


async def test_who_forgets_the_token_leaves_nothing_of_the_conversation(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add("A secret answer.")
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await tab.type("a secret question")
        await tab.press("Enter")
        await tab.until("document.title === 'a secret question – zot'")
        await tab.until("document.getElementById('status').innerText === 'The answer is complete'")
        await tab.type("a secret draft")
        await tab.value("document.getElementById('leave').click()")
        await tab.until("!document.getElementById('entrance').hidden")
        assert await tab.value("document.title") == "zot"
        assert await tab.value("location.href") == f"{served.address}/"
        assert "secret" not in await tab.value("document.documentElement.outerHTML")
        assert await tab.value("document.getElementById('message').value") == ""


async def test_what_a_model_says_is_text_and_never_markup(visiting: Visiting, server: ScriptedServer) -> None:
    evil = "<img src=x onerror='document.title=1'><script>document.title=2</script>"
    server.add(Turn(evil, calls=[Call("bash", {"command": f'echo "{evil}"'})]), "done")
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message=evil)
        await tab.until("document.getElementById('log').innerText.includes('done')")
        assert (await log_of(tab)).count("<img src=x") >= 3
        assert await tab.value("document.querySelectorAll('#log img, #log script').length") == 0
        assert await tab.until("document.title.endsWith('– zot')")


async def test_a_person_is_asked_about_a_call_and_sees_all_of_it(
    visiting: Visiting, server: ScriptedServer, alone: Path
) -> None:
    server.add(
        Turn(calls=[Call("bash", {"command": "touch one\x1b]0;\u202e"}), Call("bash", {"command": "touch two"})]),
        "Well.",
    )
    shown = "!document.getElementById('permission').hidden && document.getElementById('permission').innerText"
    async with visiting() as (served, tab):
        id = await served.open()
        await served.command(id, "permissions.mode", mode="ask")
        await served.command(id, "prompt", message="go")
        await choose(tab, id)  # while the question is open already
        text = str(await tab.until(shown))
        assert "touch one\\u{1b}]0;\\u{202e}" in text
        assert "it contains characters that cannot be seen" in text
        assert "Always" not in text
        await tab.value("document.getElementById('permission-why').focus()")
        await tab.type("not this")
        await tab.press("Enter")
        await tab.until(f"({shown} || '').includes('touch two')")
        assert await tab.value("document.getElementById('permission-rules').innerText") == "bash(touch two)"
        await tab.value("document.querySelector('#permission [value=yes]').click()")
        await tab.until("document.getElementById('log').innerText.includes('Well.')")
        assert await tab.value("document.getElementById('permission').hidden")
        await tab.load("Page.reload")
        assert await tab.until("document.querySelector('#log .tool .facts')?.innerText") == "refused"
    first, second = [each for each in server.requests[-1].body["messages"] if each["role"] == "tool"]
    assert first["content"].endswith("the user did not allow this call of bash: not this")
    assert "[exit 0]" in str(second["content"])
    assert [path.name for path in alone.iterdir()] == ["two"]


ASKER = """
@ext.command("ask")
def ask(_):
    name = ext.ui.input("Your <b>name</b>?", placeholder="Ada")
    rows = [{"id": "1", "label": "one"}, {"id": "2", "label": "two", "detail": "more"}]
    picked = ext.ui.pick("Which?", rows, multi=True)
    colour = ext.ui.select("Colour?", ["red", "blue"])
    form = ext.ui.form("Setup", [
        {"name": "port", "kind": "integer", "required": True, "initial": "8080"},
        {"name": "kind", "kind": "select", "choices": ["a", "b"]},
        {"name": "loud", "kind": "boolean"},
    ])
    sure = ext.ui.confirm("Sure?", "for " + str(name))
    text = ext.ui.editor("Text", prefill="x")
    return repr([name, picked, colour, form, sure, text])
"""


async def test_a_person_answers_the_questions_of_an_extension(visiting: Visiting, alone: Path) -> None:
    write_extension(alone.parent / "zot-home" / "extensions" / "asker", ASKER, more="capabilities=('ui',)")
    form = "document.getElementById('dialog')"

    async with visiting() as (served, tab):

        async def asked(title: str) -> None:
            heading = "document.getElementById('dialog-title').textContent"
            await tab.until(f"!{form}.hidden && {heading} === 'asker: {title}'")

        async def click(what: str) -> None:
            await tab.value(f"{form}.querySelector({json.dumps(what)}).click()")

        id = await served.open()
        await served.command(id, "prompt", message="/ask")
        await choose(tab, id)  # while the question is open already
        await asked("Your <b>name</b>?")
        assert await tab.value(f"{form}.querySelectorAll('b').length") == 0
        await tab.value(f"{form}.querySelector('input').focus()")
        await tab.type("Ada")
        await tab.press("Enter")
        await asked("Which?")
        await click('[value="2"]')
        await click("#dialog-ok")
        await asked("Colour?")
        await click('[value="1"]')
        await click("#dialog-ok")
        await asked("Setup")
        await tab.call("Accessibility.enable")
        tree = (await tab.call("Accessibility.getFullAXTree"))["nodes"]
        named = {
            (node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node.get("ignored")
        }
        assert {("spinbutton", "port"), ("combobox", "kind"), ("checkbox", "loud"), ("button", "OK")} <= named
        await click("[type=checkbox]")
        await click("#dialog-ok")
        await asked("Sure?")
        assert await tab.value("document.getElementById('dialog-message').textContent") == "for Ada"
        await click("#dialog-no")
        await asked("Text")
        await click("[value=close]")
        await tab.until("document.getElementById('log').innerText.includes('Ada')")
        answers = await log_of(tab)
        assert "['Ada', ['2'], 'blue', {'port': 8080, 'loud': True}, False, None]" in answers
        assert await tab.value(f"{form}.hidden")


async def test_a_session_that_another_client_closes_leaves_the_page(visiting: Visiting) -> None:
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.http.delete(f"/sessions/{id}")
        await tab.until("document.title === 'zot' && document.getElementById('composer').hidden")
        assert await tab.value("document.activeElement.id") == "title"
        assert await tab.value("document.getElementById('no-sessions').hidden") is False


async def test_everything_that_can_be_used_has_a_name_and_news_are_announced(
    visiting: Visiting, server: ScriptedServer
) -> None:
    server.add(Turn("hm", calls=[Call("ls", {})]), "done")
    async with visiting() as (served, tab):
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="hello")
        await tab.until("document.getElementById('log').innerText.includes('done')")
        await tab.call("Accessibility.enable")
        tree = (await tab.call("Accessibility.getFullAXTree"))["nodes"]
        named = [
            (node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node.get("ignored")
        ]
        usable = ("button", "textbox", "link", "DisclosureTriangle", "log", "navigation", "main", "article")
        used = {role for role, _ in named if role in usable}
        assert {"button", "textbox", "link", "log", "navigation", "main"} <= used
        assert [role for role, name in named if role in usable and role != "article" and not name.strip()] == []
        assert ("textbox", "Message") in named
        assert ("log", "Conversation") in named
        assert "status" in {role for role, _ in named}


@pytest.mark.parametrize(("width", "height"), [(1200, 800), (360, 640)])
async def test_nothing_is_wider_than_its_place(
    visiting: Visiting, server: ScriptedServer, width: int, height: int
) -> None:
    server.add(Turn("x" * 2000, calls=[Call("read", {"path": "y" * 300})]), Turn("done\n" * 100))
    async with visiting() as (served, tab):
        await tab.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        id = await served.open()
        await choose(tab, id)
        await served.command(id, "prompt", message="a title that is wider than the list of sessions " * 10)
        await tab.until("document.getElementById('status').innerText === 'The answer is complete'")
        await tab.until("document.querySelector('#sessions .name').innerText.startsWith('a title')")
        for place in (
            "document.documentElement",
            "document.querySelector('nav')",
            "document.getElementById('log')",
        ):
            assert await tab.value(f"{place}.scrollWidth <= {place}.clientWidth"), place
        log = "document.getElementById('log')"
        away = f"{log}.scrollHeight - {log}.scrollTop - {log}.clientHeight"
        bottom = f"const look = () => {away} < 5 ? done(true) : requestAnimationFrame(look); look();"
        await tab.value(f"new Promise((done) => {{ {bottom} }})")


async def test_a_person_stores_a_key_by_the_keyboard_sees_where_it_is_and_deletes_it(
    visiting: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    key = "sk-ant-0123456789-very-secret"
    with ScriptedServer(key=key) as vendor:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", vendor.base_url("anthropic-messages"))
        async with visiting() as (_, tab):
            await tab.value("document.querySelector('#accounts summary').focus()")
            await tab.press("Enter")
            await tab.until("document.getElementById('stored').innerText.includes('API key given for this run')")
            await tab.value("document.getElementById('provider').value = 'anthropic'")
            await tab.value("document.getElementById('provider').dispatchEvent(new Event('change'))")
            await tab.value("document.getElementById('key').focus()")
            await tab.type("sk-ant-wrong-0123456789")
            await tab.press("Enter")
            await tab.until("document.getElementById('status').innerText.includes('anthropic refuses this key')")
            await tab.complained()  # of the refused request
            await tab.value("document.getElementById('key').select()")
            await tab.type(key)
            await tab.press("Enter")
            await tab.until("document.getElementById('status').innerText.startsWith('Anthropic: stored in ')")
            assert await tab.value("document.getElementById('key').value") == ""
            assert key not in await tab.value("document.documentElement.outerHTML")
            await tab.value("document.querySelector('#stored button').focus()")
            await tab.press("Enter")
            await tab.until("document.getElementById('status').innerText === 'deleted what was stored for anthropic'")
            assert await tab.value("document.querySelector('#stored button')") is None


async def test_a_person_signs_in_with_a_code_after_agreeing_to_the_terms(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    registry = ModelRegistry(credentials=PersonalKeys(str(tmp_path)))
    with SignInServer(SignInScript(device=["authorization_pending"] * 10_000)) as vendor:
        sign_in = vendor.sign_in("device", terms="Acme does not know zot.")
        registry.add(Provider("acme", "Acme", "openai-chat", "http://127.0.0.1:1/v1", sign_in=sign_in))
        async with serving(registry=lambda: registry) as served, browser() as tab:
            await tab.go(f"{served.address}/#token={TOKEN.replace(' ', '%20')}")
            await tab.until("!document.getElementById('workplace').hidden")
            await tab.value("document.getElementById('accounts').open = true")
            await tab.until("document.querySelector('#provider option[value=acme]')")
            await tab.value("document.getElementById('provider').value = 'acme'")
            await tab.value("document.getElementById('provider').dispatchEvent(new Event('change'))")
            assert await tab.value("document.getElementById('terms').innerText") == "Acme does not know zot."
            assert vendor.posts == []
            assert await tab.value("document.getElementById('key-part').hidden") is True
            await tab.value("document.getElementById('sign-in').click()")
            assert await tab.until("document.querySelector('#code strong')?.innerText") == "WDJB-MJHT"
            assert (await tab.value("document.querySelector('#code a').href")).startswith(vendor.url)
            vendor.script.device.clear()
            await tab.until("document.getElementById('status').innerText.startsWith('Acme: stored in ')")
            await tab.until("!document.getElementById('code').innerText")
            await tab.until("document.getElementById('stored').innerText.includes('sign-in in ')")
            assert tab.complaints == []


async def test_a_person_signs_in_to_a_provider_of_an_extension_and_types_what_its_page_shows(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    folder = write_corp(tmp_path / "corp")
    defaults = {"extensions": [folder], "provider": "", "model": "", "api_key": "", "base_url": ""}
    async with serving(defaults=defaults) as served, browser() as tab:
        await tab.go(f"{served.address}/#token={TOKEN.replace(' ', '%20')}")
        await tab.until("!document.getElementById('workplace').hidden")
        await tab.value("document.getElementById('accounts').open = true")
        await tab.until("document.querySelector('#provider option[value=corp]')")
        await tab.value("document.getElementById('provider').value = 'corp'")
        await tab.value("document.getElementById('provider').dispatchEvent(new Event('change'))")
        await tab.value("document.getElementById('sign-in').click()")
        await tab.until("document.querySelector('#code input')")
        assert await tab.value("document.querySelector('#code a').href") == "https://corp.example/in"
        await tab.type("four")
        await tab.press("Enter")
        await tab.until("document.getElementById('status').innerText.startsWith('Corp: stored in ')")
        await tab.until("!document.getElementById('code').innerText")
        assert tab.complaints == []


async def test_an_earlier_session_is_found_continued_and_saved_and_a_setting_is_changed(
    serving: Serving, server: ScriptedServer, alone: Path, tmp_path: Path
) -> None:
    store = SessionStore(os.path.join(os.environ["ZOT_HOME"], "sessions"))
    for prompt in ("Fix the parser.", "Paint it blue."):
        session = store.create(str(alone), "scripted", "openai", "1")
        session.append(Message("user", [TextBlock(prompt)]))
        session.append(Message("assistant", [TextBlock("It is done.")]))
        session.close()
    async with serving() as served, browser() as tab:
        await tab.go(f"{served.address}/#token={TOKEN.replace(' ', '%20')}")
        await tab.until("document.activeElement.id === 'task'")
        await tab.value("document.getElementById('earlier').open = true")
        await tab.until("document.querySelectorAll('#found button').length === 2")
        await tab.value("document.getElementById('words').focus()")
        await tab.type("parser")
        await tab.until("document.querySelector('#found .where')?.innerText === 'Fix the parser.'")
        await tab.value("document.querySelector('#found button').click()")
        await tab.until("document.getElementById('conversation').dataset.ready")
        assert "It is done." in await log_of(tab)
        await tab.until("!document.getElementById('save').hidden")
        saved = "HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }"
        await tab.value(saved)
        await tab.value("document.getElementById('save').click()")
        await tab.until("window.saved?.endsWith('fix-the-parser.html')")
        await tab.value("document.getElementById('settings').open = true")
        await tab.until("document.querySelectorAll('#setting option').length > 10")
        assert await tab.value("!document.querySelector('#setting').innerText.includes('permissions')")
        await tab.value(
            "(() => { const one = document.getElementById('setting'); one.value = 'bash_timeout';"
            " one.dispatchEvent(new Event('change')); document.getElementById('value').value = '70';"
            " document.getElementById('setting-form').requestSubmit(); })()"
        )
        await tab.until("document.getElementById('status').innerText === 'bash_timeout is 70 for new sessions'")
        rows = (await served.http.get("/settings")).json()["settings"]
        assert [each["value"] for each in rows if each["key"] == "bash_timeout"] == [70]
        await tab.value("document.getElementById('default').click()")
        await tab.until("document.getElementById('status').innerText === 'bash_timeout is 300 for new sessions'")
        assert tab.complaints == []
