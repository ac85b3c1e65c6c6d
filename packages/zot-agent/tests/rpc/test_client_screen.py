"""Keys, the input field, and what extensions draw in the conversation, for a client that has a screen."""

import asyncio
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from extension_folder import write_extension
from rpc_peer import Peer, StartPeer
from still_loop import passes, run_still
from waiting import wait_until

from zot_agent.rpc.screen.field import ClientFields
from zot_core.conversation.extensions import FieldSilent
from zot_provider.testing import Call, ScriptedServer, Turn

KEYS = """
@ext.command('bind')
def bind(args):
    key, command = args.split(' ', 1)
    try:
        ext.keys.bind(key, command)
    except HostError as error:
        return display(str(error))

@ext.command('unbind')
def unbind(args):
    ext.keys.unbind(args)
"""

FIELD = """
def told(what):
    try:
        return display(str(what()))
    except HostError as error:
        return display(str(error))

ext.command('read')(lambda args: told(lambda: (ext.editor.text, ext.editor.cursor)))
ext.command('paste')(lambda args: told(lambda: ext.editor.paste(args)))

@ext.command('shout')
def shout(args):
    def change():
        text = ext.editor.text
        ext.editor.set(text.upper(), cursor=1, expected=text)
    return told(change)
"""

DRAWS = """
import time
from zot_ext import RenderRequest

@ext.renderer('tool_call', '*')
def call(asked):
    return [[{'text': asked.name + ' ', 'style': 'accent'}, {'text': f'{asked.state} {asked.width} {asked.args}'}]]

@ext.renderer('tool_result', 'ls')
def result(asked):
    return None if asked.expanded else [] if 'nothing' in asked.text else asked.text.splitlines()[:1]

@ext.renderer('message', 'quiet')
def message(asked):
    return ['quiet: ' + asked.text]

@ext.renderer('message', 'slow')
def slow(asked):
    time.sleep(600)

@ext.renderer('entry', 'note')
def note(asked):
    return [f'{asked.width} {asked.data}']

@ext.renderer('markdown', 'answer')
def changed(asked):
    return asked.text.upper()

@ext.command('keep')
def keep(args):
    ext.session.append('note', [args])

@ext.command('keep-other')
def keep_other(args):
    ext.session.append('other', 1)

@ext.command('say')
def say(args):
    ext.messages.send('a secret', custom_type=args)

@ext.command('expand')
def expand(args):
    ext.rendering.expand(not ext.rendering.expanded)
    ext.rendering.again('tool_call', '*')
"""


@pytest.fixture
def bound(start: StartPeer, tmp_path: Path) -> Peer:
    """Two extensions that bind keys, and a person who has bound one."""
    home = tmp_path / "zot-home"
    home.mkdir(exist_ok=True)
    (home / "config.json").write_text('{"keymap": {"Alt+M": "/model"}}')
    folders = []
    for name in ("one", "two"):
        body = KEYS.replace("'bind'", f"'bind-{name}'").replace("'unbind'", f"'un-{name}'")
        folders.append(write_extension(tmp_path / name, body, more="capabilities=('keys',)"))
    return start("--ext", str(folders[0]), "--ext", str(folders[1]))


def test_a_client_learns_of_keys_as_they_are_bound_and_when_it_comes_later(bound: Peer) -> None:
    bound.data("control.run", name="bind-one", args="Shift+Ctrl+P un-one ctrl+shift+p")

    key = {"type": "ext_key", "extension": "one", "key": "ctrl+shift+p", "command": "un-one ctrl+shift+p"}
    assert bound.of("ext_key") == [key]
    assert bound.data("get_shown") == {"events": [key]}
    bound.data("control.run", name="un-one", args="ctrl+shift+p")  # what the client does when it is pressed
    assert bound.of("ext_key")[1:] == [key | {"command": ""}]
    assert bound.data("get_shown") == {"events": []}
    bound.data("control.run", name="bind-one", args="f5 un-one")
    bound.data("control.reload")
    assert bound.of("ext_key")[-1] == {"type": "ext_key", "extension": "one", "key": "f5", "command": ""}


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("ctrl+c", "invalid: ctrl+c keeps its meaning; choose a function key, or one with ctrl or alt"),
        ("x", "invalid: x keeps its meaning; choose a function key, or one with ctrl or alt"),
        ("alt+m", "invalid: alt+m is in the keymap of the user"),
        ("f6", "invalid: f6 belongs to extension one"),
        ("strange+x", "invalid: 'strange+x' is not a key: 'strange' is none of ctrl, alt, shift, super, hyper"),
    ],
)
def test_a_key_that_is_taken_is_refused_with_the_reason(bound: Peer, key: str, why: str) -> None:
    bound.data("control.run", name="bind-one", args="f6 un-one")

    bound.data("control.run", name="bind-two", args=f"{key} un-two")

    assert bound.of("ext_display")[-1]["text"] == why
    assert [each["extension"] for each in bound.of("ext_key")] == ["one"]


@pytest.fixture
def typing(start: StartPeer, tmp_path: Path) -> Peer:
    return start("--ext", str(write_extension(tmp_path / "typist", FIELD, more="capabilities=('editor',)")))


def displayed(
    peer: Peer, command: str, answers: list[dict[str, Any]], args: str = ""
) -> tuple[str, list[dict[str, Any]]]:
    """What a command shows, after the client has given these answers; and the questions."""
    peer.send("control.run", name=command, args=args)
    asked = []
    for answer in answers:
        asked.append(peer.until("ext_field_request")[-1])
        peer.send("ext_field_response", request=asked[-1].pop("request"), **answer)
    return str(peer.until("ext_display")[-1]["text"]), asked


def test_without_a_client_that_has_a_field_there_is_none_at_once(typing: Peer) -> None:
    why = "unavailable: no client has an input field that extensions may use"
    assert displayed(typing, "read", []) == (why, [])
    typing.data("use_field")
    typing.data("use_field", on=False)
    assert displayed(typing, "paste", []) == (why, [])


def test_an_extension_reads_and_changes_the_field_of_a_client(typing: Peer) -> None:
    typing.data("use_field")

    text, asked = displayed(typing, "read", [{"text": "hëllo", "cursor": 2}, {"text": "hëllo", "cursor": 2}])
    assert (text, asked[0]) == ("('hëllo', 2)", {"type": "ext_field_request", "method": "read"})
    text, asked = displayed(typing, "shout", [{"text": "hi", "cursor": 2}, {"text": "HI", "cursor": 1}])
    change = {"type": "ext_field_request", "method": "edit", "text": "HI", "cursor": 1, "expected": "hi"}
    assert (text, asked[1]) == ("None", change)
    text, asked = displayed(typing, "paste", [{"text": "HI!", "cursor": 3}], "!")
    assert (text, asked) == ("None", [{"type": "ext_field_request", "method": "paste", "text": "!"}])


def test_a_text_that_is_another_one_by_now_stays_and_a_client_that_is_silent_is_asked_no_more(typing: Peer) -> None:
    typing.data("use_field")

    text, _ = displayed(typing, "shout", [{"text": "hi", "cursor": 2}, {"text": "hi you", "cursor": 6, "busy": True}])
    assert text == "busy: the text is another one by now, or is being composed"
    assert displayed(typing, "paste", [])[0] == "timeout: the client has not answered within 2 s"
    late = typing.of("ext_field_request")[-1]["request"]
    assert typing.error("ext_field_response", request=late).endswith("waits for an answer")
    assert displayed(typing, "read", [])[0].startswith("unavailable: ")
    assert typing.error("ext_field_response", request="x", text="ab", cursor=3) == "cursor must be 0 to 2"


def test_a_client_that_claims_a_change_too_late_is_told_to_leave_its_text_alone(typing: Peer) -> None:
    typing.data("use_field")

    assert displayed(typing, "paste", [])[0] == "timeout: the client has not answered within 2 s"
    late = typing.of("ext_field_request")[-1]["request"]
    assert typing.error("ext_field_claim", request=late).endswith("waits for an answer")


def test_a_client_that_claims_a_change_has_the_whole_time_again() -> None:
    sent: list[str] = []

    async def test() -> None:
        fields = ClientFields(lambda line, client: sent.append(line), 2.0)
        fields.typed(None)
        for late in (False, True):
            pasting = asyncio.create_task(fields.paste("!"))
            await passes(0)
            request = json.loads(sent[-1])["request"]
            await passes(1.9)
            assert fields.claim(request)
            await passes(2.1 if late else 1.9)
            assert fields.answer(request, {"text": "!", "cursor": 1}) is not late
            with pytest.raises(FieldSilent) if late else nullcontext():
                await pasting

    run_still(test())


def painted(start: StartPeer, server: ScriptedServer, folder: Path, **env: str) -> Peer:
    """A client of a conversation with a call and a message that an extension draws."""
    server.add(Turn(calls=[Call("ls", {"path": "."}, id="c1")]), "done", "quiet", "slow")
    painter = write_extension(folder / "painter", DRAWS, more="capabilities=('messages',)")
    peer = start("--ext", str(painter), **env)
    peer.data("control.commands")  # until it has registered
    peer.send("prompt", message="look")
    peer.until("done")
    return peer


@pytest.fixture
def drawn(start: StartPeer, server: ScriptedServer, alone: Path, tmp_path: Path) -> Peer:
    (alone / "a.txt").write_text("")
    return painted(start, server, tmp_path)


def test_a_client_asks_what_extensions_draw(drawn: Peer) -> None:
    known = [each for each in drawn.data("get_shown")["events"] if each["type"] == "ext_renderer"]
    assert {(each["kind"], each["name"], each["change"]) for each in known} == {
        ("tool_call", "*", "set"),
        ("tool_result", "ls", "set"),
        ("message", "quiet", "set"),
        ("entry", "note", "set"),
        ("markdown", "answer", "set"),
        ("message", "slow", "set"),
    }
    call = [{"text": "ls ", "style": "accent"}, {"text": "ok 40 {'path': '.'}"}]
    assert drawn.data("get_rendering", kind="tool_call", item="c1", width=40) == {"lines": [call]}
    assert drawn.data("get_rendering", kind="tool_result", item="c1", width=40) == {"lines": ["a.txt"]}
    whole = drawn.data("get_rendering", kind="tool_result", item="c1", width=40, expanded=True)
    assert whole == {"lines": None}
    assert drawn.error("get_rendering", kind="tool_call", item="c2", width=40) == "the conversation has no call 'c2'"
    assert drawn.error("get_rendering", kind="tool_call", item="c1", width=0).startswith(
        "width must be a whole number from 1 to"
    )
    assert drawn.data("get_rendering", kind="markdown", text="*a*\nb", width=40) == {"lines": ["*A*\nB"]}
    assert drawn.data("get_messages")["messages"][-1]["content"][0]["text"] == "done"
    assert drawn.error("get_rendering", kind="entry", item="e", width=9).startswith("the conversation has no entry 'e'")
    assert drawn.error("get_rendering", kind="x", item="c1", width=1).startswith("kind must be ")


def test_a_message_of_an_extension_names_its_renderer(drawn: Peer) -> None:
    drawn.send("control.run", name="say", args="quiet")  # its response may come after the end of the run
    drawn.until("done")

    told = drawn.of("user_message")[-1]
    assert told["custom_type"] == "quiet"
    kept = [each for each in drawn.data("get_messages")["messages"] if "custom_type" in each]
    assert [(each["id"], each["custom_type"]) for each in kept] == [(told["id"], "quiet")]
    lines = drawn.data("get_rendering", kind="message", item=told["id"], width=40)["lines"]
    assert lines == ["quiet: a secret"]
    assert "custom_type" not in drawn.of("user_message")[0]


def test_a_renderer_that_never_answers_is_suspended_and_everything_goes_with_its_extension(
    start: StartPeer, server: ScriptedServer, tmp_path: Path
) -> None:
    # Each of five questions is waited for in vain, as long as this says. It is also how long a busy machine has.
    drawn = painted(start, server, tmp_path, ZOT_EXT_PATIENCE="2")
    drawn.send("control.run", name="say", args="slow")  # its response may come after the end of the run
    drawn.until("done")
    item = drawn.of("user_message")[-1]["id"]

    for _ in range(5):
        assert drawn.data("get_rendering", kind="message", item=item, width=40) == {"lines": None}
    removed = drawn.of("ext_renderer")[-1]
    assert (removed["kind"], removed["name"], removed["change"]) == ("message", "slow", "removed")
    assert "no longer draws slow" in drawn.of("ext_notify")[-1]["message"]
    drawn.data("control.reload")
    wait_until(lambda: drawn.data("get_rendering", kind="tool_call", item="c1", width=40)["lines"] is not None)
    (drawn_again,) = [each for each in drawn.data("get_shown")["events"] if (each["name"]) == "slow"]
    assert drawn_again["change"] == "set"


def test_an_extension_expands_everything_and_draws_again(drawn: Peer) -> None:
    drawn.data("control.run", name="expand")

    assert drawn.of("ext_expand") == [{"type": "ext_expand", "expanded": True}]
    assert drawn.of("ext_renderer")[-1]["change"] == "again"
    assert {"type": "ext_expand", "expanded": True} in drawn.data("get_shown")["events"]
    drawn.data("control.run", name="expand")
    assert drawn.of("ext_expand")[-1] == {"type": "ext_expand", "expanded": False}
    assert not [each for each in drawn.data("get_shown")["events"] if each["type"] == "ext_expand"]


def test_entries_of_extensions_are_among_the_messages_and_are_drawn_by_their_extension(
    start: StartPeer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add("one", "two")
    folder = write_extension(tmp_path / "painter", DRAWS, more="capabilities=('messages', 'session')")
    peer = start("--ext", str(folder))
    peer.data("control.run", name="keep", args="first")
    peer.send("prompt", message="look")
    peer.until("done")
    peer.data("control.run", name="keep", args="second")
    peer.data("control.run", name="keep-other")
    told = peer.of("ext_entry")
    assert [each["custom_type"] for each in told] == ["note", "note", "other"]
    assert {each["extension"] for each in told} == {"painter"}

    entries = peer.data("get_messages")["entries"]
    assert [(each["at"], each["custom_type"]) for each in entries] == [(0, "note"), (2, "note"), (2, "other")]
    assert [each["id"] for each in entries] == [each["id"] for each in told]
    draw = [peer.data("get_rendering", kind="entry", item=each["id"], width=40)["lines"] for each in entries]
    assert draw == [["40 ['first']"], ["40 ['second']"], None]
    peer.send("prompt", message="again")
    peer.until("done")
    peer.data("control.run", name="keep", args="third")  # after they were read
    assert [each["at"] for each in peer.data("get_messages")["entries"]] == [0, 2, 2, 4]
    first = next(each for each in peer.data("session.tree")["entries"] if each["kind"] == "user")
    peer.data("session.navigate", entry=first["id"], position="before")
    assert [each["at"] for each in peer.data("get_messages")["entries"]] == [0]
    peer.data("session.new")
    assert peer.data("get_messages") == {"messages": []}
