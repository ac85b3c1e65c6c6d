import json
import os
from pathlib import Path
from typing import Any

import pytest
from extension_folder import write_extension
from rpc_peer import Peer, StartPeer

from zot_provider.testing import Call, ScriptedServer, Turn

BODY = """
@ext.command('show', 'show what it was told')
def show(args):
    return display(args)

@ext.command('ask', 'ask the model')
def ask(args):
    return prompt(args)

@ext.command('type', 'type into the editor')
def type_(args):
    return insert(args)

@ext.command('fail')
def fail(args):
    raise ValueError('no such thing')

@ext.command('refuse')
def refuse(args):
    return error('not today')

@ext.command('note')
def note(args):
    ext.notify('heard ' + args, level='success')

ext.command('key', hidden=True)(lambda args: display('pressed'))

panel = ext.panel('p', title='Keys')
pressed = []
ext.command('open')(lambda args: panel.open())
panel.on_render(lambda: list(pressed))
panel.on_key(lambda key: pressed.append(key.key + ' ' + key.text))

over = ext.panel('over', 'Over', mode='overlay', width='50%')
heard = []
over.on_render(lambda: [str(over.width), *heard])
over.on_key(lambda key: heard.append('+'.join([*key.mods, key.text or key.key])))
over.on_paste(lambda text: heard.append('pasted ' + text))
over.on_mouse(lambda at: heard.append(f'{at.action} {at.row} {at.column} {at.button}'))
ext.command('over')(lambda args: over.open())
"""


WORDS = """
ISSUES = {'28': 'tax', '29': 'crash'}

@ext.completer('#')
def issues(asked):
    return [Suggestion('#' + n, '#' + n + ' ' + title) for n, title in ISSUES.items() if n.startswith(asked.prefix)]

ext.command('deploy')(lambda args: display(args))

@ext.completer(command='deploy')
def places(asked):
    return [place for place in ('staging', 'live') if place.startswith(asked.prefix)]
"""


def write_skill(project: Path) -> None:
    """A skill of the person beside the project, called `release`."""
    folder = project.parent / "zot-home" / "skills" / "release"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: release\ndescription: when it matters\n---\nTag $ARGUMENTS first, then push.\n"
    )


@pytest.fixture
def speaker(start: StartPeer, tmp_path: Path) -> Peer:
    """A process with an extension that has commands."""
    return start("--ext", str(write_extension(tmp_path / "speaker", BODY)))


def test_commands_are_listed_once_they_are_known(speaker: Peer) -> None:
    commands = speaker.data("control.commands")["commands"]

    own = [each for each in commands if each["source"] == "speaker"]
    assert [each["name"] for each in own] == ["ask", "fail", "note", "open", "over", "refuse", "show", "type"]
    assert speaker.data("control.run", name="key") == {"action": "display"}  # lists leave it out
    assert own[0] == {
        "name": "ask",
        "description": "ask the model",
        "source": "speaker",
        "kind": "extension",
        "arguments": "",
        "path": "",
    }


def test_a_client_gets_the_words_that_extensions_suggest(start: StartPeer, tmp_path: Path) -> None:
    peer = start("--ext", str(write_extension(tmp_path / "words", WORDS, imports="from zot_ext import Suggestion")))
    crash = {"text": "#29", "label": "#29 crash", "description": "", "extension": "words"}
    assert peer.data("get_completions", text="one\nfix #29x now", cursor=11) == {
        "start": 8,
        "end": 12,
        "items": [crash],
    }
    assert peer.data("get_completions", text="/deploy st") == {
        "start": 8,
        "end": 10,
        "items": [{"text": "staging", "label": "staging", "description": "", "extension": "words"}],
    }
    assert peer.data("get_completions", text="fix it") == {"start": 6, "end": 6, "items": []}
    assert peer.data("get_completions", text="#3") == {"start": 0, "end": 2, "items": []}
    assert peer.error("get_completions", text="#2", cursor=3) == "cursor must be a whole number from 0 to 2"
    peer.data("control.reload")
    assert len(peer.data("get_completions", text="#2")["items"]) == 2


def test_without_extensions_there_are_the_commands_of_skills_and_templates(start: StartPeer, alone: Path) -> None:
    write_skill(alone)
    folder = alone.parent / "zot-home" / "prompts"
    folder.mkdir()
    (folder / "greet.md").write_text("---\ndescription: says hello\nargument-hint: <name>\n---\nSay hello to $1.")
    peer = start()

    commands = peer.data("control.commands")["commands"]

    skill = {"name": "skill:release", "description": "when it matters", "source": "skills", "kind": "skill"}
    skill_file = folder.parent / "skills" / "release" / "SKILL.md"
    assert skill | {"arguments": "", "path": str(skill_file)} in commands
    template = {"name": "greet", "description": "says hello", "source": "prompts", "kind": "template"}
    assert template | {"arguments": "<name>", "path": str(folder / "greet.md")} in commands
    assert {each["kind"] for each in commands} == {"skill", "template"}
    without = start("--no-skills").data("control.commands")["commands"]
    assert [each["name"] for each in without] == ["greet", "init", "review"]
    assert peer.data("control.reload") == {"stopped": 0, "loaded": 0, "ready": 0, "errors": []}


def test_what_a_command_wants_shown_comes_before_its_response(speaker: Peer) -> None:
    assert speaker.data("control.run", name="show", args="this") == {"action": "display"}
    assert speaker.data("control.run", name="/type", args="that") == {"action": "insert"}
    assert speaker.data("control.run", name="note", args="me") == {"action": "noop"}
    assert "no such thing" in speaker.error("control.run", name="fail")

    assert [line for line in speaker.seen if line["type"] != "response"] == [
        {"type": "ext_display", "extension": "speaker", "text": "this"},
        {"type": "ext_insert", "extension": "speaker", "text": "that"},
        {"type": "ext_notify", "extension": "speaker", "level": "success", "message": "heard me"},
    ]


def test_a_prompt_of_a_command_is_answered_like_any_other(speaker: Peer, server: ScriptedServer) -> None:
    server.add("I am a test.")

    assert speaker.data("control.run", name="ask", args="who are you?") == {"action": "prompt"}
    lines = [*speaker.seen, *speaker.until("done")]

    assert {"type": "ext_submit", "extension": "speaker", "text": "who are you?"} in lines
    (message,) = [line for line in lines if line["type"] == "user_message"]
    assert message["content"] == [{"type": "text", "text": "who are you?"}]


def prompt(peer: Peer, message: str, **fields: Any) -> list[dict[str, Any]]:
    """The events of a prompt, which has ended for good with the one `done` among them."""
    peer.send("prompt", message=message, **fields)
    lines = peer.until("done")
    assert peer.data("get_state")["busy"] is False
    assert [line["type"] for line in peer.seen[-2:]] == ["done", "response"]
    return [line for line in lines if line["type"] != "response"]


def test_a_prompt_that_is_a_command_of_an_extension_runs_it(speaker: Peer, server: ScriptedServer) -> None:
    server.add("I am a test.")

    assert prompt(speaker, "/show  this ") == [
        {"type": "ext_display", "extension": "speaker", "text": "this"},
        {"type": "done"},
    ]
    assert [line["type"] for line in prompt(speaker, "/NOTE me")] == ["ext_notify", "done"]
    lines = prompt(speaker, "/ask who are you?")

    (message,) = [line for line in lines if line["type"] == "user_message"]
    assert message["content"] == [{"type": "text", "text": "who are you?"}]
    assert "ext_submit" not in [line["type"] for line in lines]
    assert len(server.requests) == 1


@pytest.mark.parametrize(("message", "why"), [("/refuse", "not today"), ("/fail", "no such thing")])
def test_a_prompt_whose_command_fails_ends_with_an_error_and_done(
    speaker: Peer, server: ScriptedServer, message: str, why: str
) -> None:
    server.add("never said")

    error, done = prompt(speaker, message)

    assert (error["type"], why in error["message"], done) == ("error", True, {"type": "done"})
    assert server.requests == []
    assert speaker.data("get_state")["message_count"] == 0


@pytest.mark.parametrize("message", ["/nobody knows this", "/etc/hosts: what is in it?", "/compact"])
def test_a_slash_line_that_nobody_knows_is_text_for_the_model(
    speaker: Peer, server: ScriptedServer, message: str
) -> None:
    server.add("ok")

    prompt(speaker, message)

    assert server.requests[0].body["messages"][-1] == {"role": "user", "content": message}


def test_a_skill_is_loaded_by_a_prompt_and_by_a_command(start: StartPeer, server: ScriptedServer, alone: Path) -> None:
    write_skill(alone)
    server.add("one", "two", "three")
    peer = start()

    prompt(peer, "/skill:release v1")
    assert peer.data("control.run", name="skill:release", args="v2") == {"action": "prompt"}
    peer.until("done")
    prompt(peer, "/Skill:Release v3")

    said = [request.body["messages"][-1]["content"] for request in server.requests]
    assert [f"Tag v{number} first, then push." in text for number, text in enumerate(said, 1)] == [True] * 3
    assert "unknown skill 'relaese'; did you mean release" in peer.error("control.run", name="/skill:relaese")
    assert [line["type"] for line in prompt(peer, "/skill:relaese")] == ["error", "done"]


def test_a_command_that_waits_runs_in_its_turn_and_can_be_stopped(
    start: StartPeer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add(Turn("a long story. " * 200, chunk=1, delay=0.02), "ok")
    body = BODY + "import time\n@ext.command('sleep')\ndef sleep(args):\n    time.sleep(600)\n"
    peer = start("--ext", str(write_extension(tmp_path / "speaker", body)))
    peer.send("prompt", message="go")
    peer.until("text_delta")

    assert peer.data("prompt", message="/show this") == {"started": True, "queued": True}
    assert peer.data("prompt", message="/sleep") == {"started": True, "queued": True}
    peer.call("abort")
    first = [line for line in peer.until("ext_display") if line["type"] == "done"]
    peer.until("done")
    peer.call("abort")
    if [line["type"] for line in peer.seen].count("done") < 3:
        peer.until("done")

    assert len(first) <= 1
    assert [line["type"] for line in peer.seen].count("done") == 3
    assert [line["type"] for line in peer.seen if line["type"] in ("error", "ext_display")] == ["ext_display"]


def test_an_extension_that_keeps_the_session_keeps_its_messages(
    start: StartPeer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add("one", "two")
    body = "@ext.intercept('session_before_switch')\ndef stay(_):\n    return block('keep it')"
    peer = start("--ext", str(write_extension(tmp_path / "keeper", body)))
    for clear in ("clear", "control.clear"):
        peer.begin(at="done")
        refused = peer.call(clear)
        assert (refused["success"], refused["code"], refused["error"]) == (False, "denied", "keep it")
    assert peer.data("get_state")["message_count"] == 4


def test_a_prompt_after_a_clear_need_not_wait_for_its_answer(speaker: Peer, server: ScriptedServer) -> None:
    server.add("one", "two")
    speaker.begin(at="done")
    speaker.write(b'{"type":"clear"}\n{"type":"prompt","message":"again"}\n')
    speaker.until("done")
    assert [each["role"] for each in speaker.data("get_messages")["messages"]] == ["user", "assistant"]


def test_a_client_draws_an_overlay_and_passes_on_keys_pastes_and_the_mouse(speaker: Peer) -> None:
    assert speaker.call("ext_panel_size", columns=100, rows=40)["success"]
    assert speaker.data("control.run", name="over") == {"action": "noop"}

    def shown(*lines: str) -> dict[str, object]:
        while [*lines] not in [each["panel"]["lines"] for each in speaker.of("ext_panel_show")]:
            speaker.next()
        panel: dict[str, object] = speaker.of("ext_panel_show")[-1]["panel"]
        return panel

    panel = shown("48")
    places = ("mode", "column", "row", "width", "height", "focused")
    assert [panel[name] for name in places] == ["overlay", 25, 18, 50, 3, True]
    assert speaker.call("ext_panel_key", key="k", mods=["ctrl"])["success"]
    assert speaker.call("ext_panel_key", key="rune", text="w", kind="release")["success"]
    assert speaker.error("ext_panel_key", key="k", kind="up") == 'kind must be one of press, repeat, release, not "up"'
    assert speaker.call("ext_panel_paste", text="text")["success"]
    at = {"extension": "speaker", "panel": "over", "row": 1, "column": 2}
    assert speaker.call("ext_panel_mouse", action="press", button=1, **at)["success"]
    shown("48", "ctrl+k", "pasted text", "press 1 2 1")
    assert speaker.call("ext_panel_size", columns=60, rows=40)["success"]
    shown("28", "ctrl+k", "pasted text", "press 1 2 1")
    assert (
        speaker.error("ext_panel_size", columns=0, rows=40) == "columns must be a whole number from 1 to 10000, not 0"
    )
    wrong = speaker.error("ext_panel_mouse", action="press", **at | {"panel": "p"})
    assert wrong == "no open panel 'p' of 'speaker' wants the mouse"
    assert speaker.call("ext_panel_close")["success"]
    assert speaker.error("ext_panel_paste", text="late") == "no panel is open"


def test_a_panel_is_told_and_gets_keys(speaker: Peer) -> None:
    assert speaker.data("control.run", name="open") == {"action": "open_panel"}
    assert speaker.call("ext_panel_paste", text="x")["success"]
    speaker.until("ext_panel_render")
    assert speaker.call("ext_panel_close")["success"]

    told = [line for line in speaker.seen if line["type"].startswith("ext_panel")]
    assert [line["type"] for line in told] == ["ext_panel_open", "ext_panel_render", "ext_panel_close"]
    assert told[0]["panel"] == {"id": "p", "title": "Keys", "lines": [], "footer": ""}
    assert told[1]["panel"]["lines"] == ["rune x"]
    assert told[2] == {"type": "ext_panel_close", "extension": "speaker", "panel_id": "p"}
    assert speaker.error("ext_panel_close") == "no panel is open"


def test_a_reload_finds_what_is_new_while_the_model_speaks(
    start: StartPeer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add(Turn("a long story. " * 100, chunk=1, delay=0.02))
    peer = start()
    peer.send("prompt", message="go")
    peer.until("text_delta")
    write_extension(tmp_path / "zot-home" / "extensions" / "speaker", BODY)

    assert peer.data("control.reload") == {"stopped": 0, "loaded": 1, "ready": 1, "errors": []}
    assert peer.data("control.run", name="show", args="this") == {"action": "display"}

    assert {"type": "ext_display", "extension": "speaker", "text": "this"} in peer.seen
    assert "done" not in [line["type"] for line in peer.seen]


@pytest.mark.parametrize(("flags", "asked"), [(["--hold-text"], {}), ([], {"hold_text": True})])
def test_text_that_is_replaced_is_held_back_where_that_is_wanted(
    start: StartPeer, server: ScriptedServer, tmp_path: Path, flags: list[str], asked: dict[str, bool]
) -> None:
    server.add("a SECRET", "a SECRET")
    body = "ext.intercept('assistant_message')(lambda m: AssistantMessageDecision(replace_text='a ***'))"
    peer = start("--ext", str(write_extension(tmp_path / "redact", body)), *flags)
    peer.data("control.commands")  # until all are ready

    peer.send("prompt", message="hi", **asked)
    held = peer.until("done")
    messages = peer.data("get_messages")["messages"]
    peer.send("prompt", message="hi")
    told = peer.until("done")

    assert "SECRET" not in json.dumps(held)
    assert ("SECRET" in json.dumps(told)) is not bool(flags)
    assert messages[1]["content"] == [{"type": "text", "text": "a SECRET"}]
    assert messages[1]["display_text"] == "a ***"


def test_abort_does_not_wait_for_an_extension_that_thinks(
    start: StartPeer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add(Turn(calls=[Call("ls", {"path": "."})]))
    body = (
        "import time\n@ext.intercept('tool_call')\ndef think(call):\n"
        "    ext.notify('thinking', level='info')\n    time.sleep(600)\n"
    )
    peer = start("--ext", str(write_extension(tmp_path / "thinker", body)))
    peer.send("prompt", message="hi")
    peer.until("ext_notify")

    peer.call("abort")
    if "done" not in [line["type"] for line in peer.seen]:
        peer.until("done")

    assert peer.data("get_state")["busy"] is False


def test_notes_wait_for_a_client_that_has_yet_to_say_who_it_is(start: StartPeer, tmp_path: Path) -> None:
    greeted = tmp_path / "greeted"
    os.mkfifo(greeted)
    body = f"@ext.on_hello\ndef greet(host):\n    ext.notify('here', level='info')\n    open({str(greeted)!r}, 'w')\n"
    peer = start("--ext", str(write_extension(tmp_path / "early", body)), ZOTCORE_RPC_TOKEN="s3cret")

    greeted.read_text()
    peer.data("hello", token="s3cret")
    if "ext_notify" not in [line["type"] for line in peer.seen]:
        peer.until("ext_notify")
