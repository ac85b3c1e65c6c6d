"""`zot rpc` as other programs use it: the lines of the protocol document, extensions, sessions."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, get_args

import pytest
from command import Zot
from extension_folder import write_extension
from python_forks import zot_python
from rpc_client import types
from rpc_talk import Talk

from zot_agent.client import Event
from zot_agent.operations.names import FIELDS
from zot_agent.version import __version__
from zot_core.conversation.events import ExtensionEvent
from zot_core.event_json import image_id
from zot_core.events import AgentEvent
from zot_core.testing import PIXEL
from zot_provider.testing import Call, Fault, ScriptedServer, Turn

Start: TypeAlias = Callable[..., Talk]
EXAMPLES = Path(__file__).parents[2] / "examples/extensions"
PNG = PIXEL.data


@pytest.fixture
def start(zot: Zot, server: ScriptedServer) -> Iterator[Start]:
    """Starts `zot rpc` against the scripted server; in the end each must have ended well."""
    talks: list[Talk] = []

    def begin(*flags: str, provider: str = "openai", **more: str) -> Talk:
        command = [zot_python(), *zot.command[1:], "rpc", *zot.at(server, provider), *flags]
        talks.append(Talk(command, cwd=zot.cwd, env=zot.env | more, stderr=subprocess.PIPE))
        return talks[-1]

    yield begin
    for talk in talks:
        talk.finish()
        assert talk.process.stderr is not None
        assert (talk.process.returncode, talk.process.stderr.read()) == (0, b"")
        talk.close()


def line(talk: Talk, text: str) -> Event:
    """The answer to a line as it stands in the protocol document."""
    talk.send(text.encode() + b"\n")
    return talk.until("response")[-1]


def test_the_commands_of_the_protocol_document_get_the_answers_of_the_protocol_document(
    start: Start, zot: Zot, server: ScriptedServer
) -> None:
    server.add("The test is fixed.")
    talk = start(provider="anthropic", ZOTCORE_RPC_TOKEN="shared-secret")
    assert line(talk, '{"id":"0","type":"hello","token":"shared-secret"}') == {
        "type": "response", "id": "0", "command": "hello", "success": True,
        "data": {"protocol_version": 1, "version": __version__, "provider": "anthropic", "model": "scripted"},
    }  # fmt: skip
    assert line(talk, '{"id":"1","type":"prompt","message":"fix the failing test","images":[]}') == {
        "type": "response", "id": "1", "command": "prompt", "success": True, "data": {"started": True}
    }  # fmt: skip
    events = talk.until("done")
    assert events[-1] == {"type": "done"}
    assert all("id" not in event for event in events)
    assert line(talk, '{"id":"2","type":"abort"}') == {
        "type": "response", "id": "2", "command": "abort", "success": True
    }  # fmt: skip
    assert line(talk, '{"id":"3","type":"compact"}')["data"] == {"started": True}
    assert types(talk.until("done"))[-2:] == ["error", "done"]  # two messages are nothing to compact
    state = line(talk, '{"id":"4","type":"get_state"}')["data"]
    expected = {"provider": "anthropic", "model": "scripted", "cwd": str(zot.cwd), "message_count": 2, "busy": False}
    assert expected.items() <= state.items()
    assert state["usage"].keys() >= {"input", "output", "cache_read", "cache_write", "cost_usd"}
    messages = line(talk, '{"id":"5","type":"get_messages"}')["data"]["messages"]
    assert [(each["role"], each["content"]) for each in messages] == [
        ("user", [{"type": "text", "text": "fix the failing test"}]),
        ("assistant", [{"type": "text", "text": "The test is fixed."}]),
    ]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", each["time"]) for each in messages)
    assert line(talk, '{"id":"7","type":"set_model","model":"claude-sonnet-4-5"}')["success"]
    models = line(talk, '{"id":"8","type":"get_models"}')["data"]["models"]
    assert all({"id", "provider", "context_window", "max_output", "reasoning"} <= each.keys() for each in models)
    assert {each["provider"] for each in models} == {"anthropic"}
    assert line(talk, '{"id":"9","type":"ping"}') == {
        "type": "response", "id": "9", "command": "ping", "success": True, "data": {"pong": True}
    }  # fmt: skip
    assert line(talk, '{"id":"6","type":"clear"}') == {
        "type": "response", "id": "6", "command": "clear", "success": True
    }  # fmt: skip
    assert line(talk, '{"id":"5","type":"get_messages"}')["data"] == {"messages": []}


def test_the_quick_start_of_the_protocol_document(zot: Zot, server: ScriptedServer) -> None:
    server.add("Hello there.")
    url = server.base_url("anthropic-messages")
    script = (
        """( echo '{"id":"1","type":"prompt","message":"hello"}'; sleep 1 ) | zot rpc --provider anthropic """
        f"--model scripted --base-url {url}"
    )
    done = zot.shell(script)
    assert (done.code, done.err) == (0, "")
    assert [name for name in types(done.objects) if name != "usage"] == [
        "response", "user_message", "turn_start", "assistant_start", "text_delta", "assistant_message", "turn_end",
        "done",
    ]  # fmt: skip


@pytest.mark.parametrize("flags", [["rpc"], ["--rpc"], ["--mode", "rpc"]])
def test_all_names_of_the_mode(zot: Zot, server: ScriptedServer, flags: list[str]) -> None:
    done = zot.run(*flags, *zot.at(server), stdin=b'{"id":1,"type":"ping"}\n')
    assert (done.code, done.err) == (0, "")
    assert done.objects == [
        {"type": "response", "id": 1, "command": "ping", "success": True, "data": {"pong": True}}
    ]  # fmt: skip


def test_the_flags_of_the_other_modes_count(start: Start, zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / "below").mkdir()
    server.add("a", "b")
    talk = start(
        "--cwd", "below", "--system-prompt", "Be a poet.", "--append-system-prompt", "Rhyme.", "--max-steps", "1",
        "--reasoning", "low", "--tools", "read,ls", "--no-ext", "-nc", "--no-session",
    )  # fmt: skip
    state = talk.ask({"type": "get_state"})["data"]
    assert (state["cwd"], state["reasoning"]) == (str(zot.cwd / "below"), "low")
    talk.send({"type": "prompt", "message": "hi"})
    talk.until("done")
    body = server.requests[0].body
    assert {tool["function"]["name"] for tool in body["tools"]} == {"read", "ls"}
    assert "Be a poet." in json.dumps(body["messages"][0])
    assert "Rhyme." in json.dumps(body["messages"][0])


def test_an_answer_of_calls_alone_is_a_message_too(start: Start, zot: Zot, server: ScriptedServer) -> None:
    def contents(events: list[dict[str, Any]]) -> list[list[str]]:
        messages = [event["content"] for event in events if event["type"] == "assistant_message"]
        assert messages[0][0]["name"] == "ls"
        return [[block["type"] for block in content] for content in messages]

    server.add(*[Turn(calls=[Call("ls", id="c1")]), "done"] * 2)
    talk = start()
    talk.send({"type": "prompt", "message": "look"})
    assert contents(talk.until("done")) == [["tool_call"], ["text"]]
    assert contents(zot.ask(server, "--json", "--no-session", "look").events) == [["tool_call"], ["text"]]


def test_the_events_of_a_prompt_with_a_tool(start: Start, zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / "a.txt").write_text("alpha\n")
    server.add(Turn("I look.", calls=[Call("read", {"path": "a.txt"}, id="c1")]), "It is alpha.")
    talk = start()
    talk.send({"type": "prompt", "message": "what is in a.txt?"})
    events = talk.until("done")
    by_type = {event["type"]: event for event in events}
    assert {
        "user_message", "turn_start", "assistant_start", "text_delta", "tool_use_start", "tool_use_args",
        "tool_use_end", "tool_call", "tool_result", "assistant_message", "usage", "turn_end", "done",
    } <= by_type.keys()  # fmt: skip
    assert [event["step"] for event in events if event["type"] == "turn_start"] == [1, 2]
    assert [event["stop"] for event in events if event["type"] == "turn_end"] == ["tool_use", "end_turn"]
    call, result = by_type["tool_call"], by_type["tool_result"]
    assert (call["id"], call["name"], call["args"]) == ("c1", "read", {"path": "a.txt"})
    assert (result["id"], result["is_error"]) == ("c1", False)
    assert "alpha" in result["content"][0]["text"]
    assert {"input", "output", "cache_read", "cache_write", "cost_usd", "cumulative"} <= by_type["usage"].keys()
    messages = talk.ask({"type": "get_messages"})["data"]["messages"]
    blocks = [block["type"] for message in messages for block in message["content"]]
    assert blocks == ["text", "text", "tool_call", "tool_result", "text"]


def test_an_image_is_reported_by_its_size(start: Start, server: ScriptedServer) -> None:
    server.add("A dot.")
    talk = start()
    talk.send({"type": "prompt", "message": "what?", "images": [{"mime_type": "image/png", "data": PNG}]})
    (message,) = [event for event in talk.until("done") if event["type"] == "user_message"]
    assert {"type": "image", "mime_type": "image/png", "bytes": PIXEL.size, "id": image_id(PIXEL.data)} in message[
        "content"
    ]
    assert PNG in json.dumps(server.requests[0].body)


def test_a_failure_is_the_end_of_the_turn_an_error_and_done(start: Start, server: ScriptedServer) -> None:
    server.add(Turn(fault=Fault(status=401, body={"error": {"message": "bad key"}})), "fine")
    talk = start()
    talk.send({"type": "prompt", "message": "hi"})
    end, error, done = talk.until("done")[-3:]
    assert (end["type"], end["stop"]) == ("turn_end", "error")
    assert end["error"] == error["message"]
    assert done["type"] == "done"
    talk.send({"type": "prompt", "message": "hi"})
    assert "error" not in types(talk.until("done"))


def test_a_second_prompt_waits_and_an_abort_stops_the_first_alone(start: Start, server: ScriptedServer) -> None:
    server.add(Turn("word " * 20_000, chunk=5, delay=0.02), "second answer")
    talk = start()
    talk.send({"id": 1, "type": "prompt", "message": "one"})
    talk.until("text_delta")
    assert talk.ask({"id": 2, "type": "prompt", "message": "two"})["data"] == {"started": True, "queued": True}
    assert talk.ask({"type": "get_state"})["data"]["busy"]
    for command in ({"type": "clear"}, {"type": "set_model", "model": "another"}, {"type": "session.new"}):
        answer = talk.ask(command)
        assert not answer["success"]
        assert "busy" in answer["error"]
    assert talk.ask({"type": "abort"})["success"]
    assert [event.get("stop") for event in talk.until("done") if event["type"] == "turn_end"] == ["aborted"]
    events = talk.until("done")
    assert [event["delta"] for event in events if event["type"] == "text_delta"] == ["second answer"]
    assert not talk.ask({"type": "get_state"})["data"]["busy"]


def test_a_compaction_is_told_with_its_summary(start: Start, server: ScriptedServer) -> None:
    server.add(*[f"answer {number}" for number in range(4)], "We counted.", "on")
    talk = start("--no-tools")
    talk.send(*[{"type": "prompt", "message": "count"} for _ in range(4)])
    talk.until("done", 4)
    assert talk.ask({"type": "compact", "instructions": "mind the numbers"})["data"] == {"started": True}
    events = talk.until("done")
    assert types(events)[0] == "compact_start"
    assert types(events)[-2:] == ["compact_done", "done"]
    assert events[-2]["summary"] == "We counted."
    assert "mind the numbers" in json.dumps(server.requests[4].body)
    assert talk.ask({"type": "get_state"})["data"]["message_count"] == 5


def test_a_message_reaches_the_model_while_it_works(start: Start, zot: Zot, server: ScriptedServer) -> None:
    os.mkfifo(zot.cwd / "go")
    server.add(Turn(calls=[Call("bash", {"command": "cat go"})]), "as you say", "and more")
    talk = start()
    assert not talk.ask({"type": "prompts.steer", "message": "too early"})["success"]
    talk.send({"type": "prompt", "message": "work"})
    talk.until("tool_call")
    assert talk.ask({"type": "prompts.steer", "message": "rather this"})["success"]
    assert talk.ask({"type": "prompts.follow_up", "message": "then that"})["success"]
    (zot.cwd / "go").write_text("on")
    talk.until("done")
    assert "rather this" in json.dumps(server.requests[1].body)
    assert "then that" not in json.dumps(server.requests[1].body)
    assert "then that" in json.dumps(server.requests[2].body)


def test_a_client_continues_with_a_model_of_another_provider(start: Start, server: ScriptedServer) -> None:
    server.add("from there", "from here")
    talk = start(ANTHROPIC_BASE_URL=server.base_url("anthropic-messages"))
    answer = talk.ask({"type": "set_model", "model": "claude-sonnet-4-5", "provider": "anthropic"})
    assert answer["data"].items() >= {"model": "claude-sonnet-4-5", "provider": "anthropic"}.items()
    talk.send({"type": "prompt", "message": "hi"})
    talk.until("done")
    answer = talk.ask({"type": "set_model", "model": "openai/yet-unknown-model"})
    assert answer["data"].items() >= {"model": "yet-unknown-model", "provider": "openai"}.items()
    assert talk.ask({"type": "hello"})["data"]["model"] == "yet-unknown-model"
    talk.send({"type": "prompt", "message": "hi again"})
    assert [event["delta"] for event in talk.until("done") if event["type"] == "text_delta"] == ["from here"]
    assert [(request.wire, request.body["model"]) for request in server.requests] == [
        ("anthropic-messages", "claude-sonnet-4-5"), ("openai-chat", "yet-unknown-model"),
    ]  # fmt: skip


def test_without_a_credential_another_provider_is_refused_with_the_variable_to_set(start: Start) -> None:
    talk = start(ANTHROPIC_API_KEY="")
    answer = talk.ask({"type": "set_model", "model": "anthropic/claude-sonnet-4-5"})
    assert (answer["success"], "ANTHROPIC_API_KEY" in answer["error"]) == (False, True)
    assert talk.ask({"type": "get_state"})["data"]["model"] == "scripted"


def test_tools_can_be_taken_and_given(start: Start, server: ScriptedServer) -> None:
    server.add("one", "two")
    talk = start()
    assert talk.ask({"type": "tools.set", "tools": ["read", "grep"]})["data"] == {"names": ["grep", "read"]}
    talk.send({"type": "prompt", "message": "hi"})
    talk.until("done")
    assert {tool["function"]["name"] for tool in server.requests[0].body["tools"]} == {"read", "grep"}
    assert not talk.ask({"type": "tools.set", "tools": ["no_such_tool"]})["success"]


def test_unicode_of_every_kind_comes_through_whole(start: Start, server: ScriptedServer) -> None:
    text = 'a\u2028b\u2029c\x85d \U0001f600 \x00 \x1b[31m \\ " é'
    server.add(text)
    talk = start()
    talk.send({"type": "prompt", "message": text})
    events = talk.until("done")
    assert "".join(event["delta"] for event in events if event["type"] == "text_delta") == text
    assert server.requests[0].body["messages"][-1]["content"] == text


def test_the_guide_names_every_event_and_its_reference_every_command() -> None:
    docs = Path(__file__).parents[2] / "docs"
    guide, reference = (docs / "rpc.md").read_text("utf-8"), (docs / "generated" / "rpc.md").read_text("utf-8")
    rows = re.findall(r"^\| (`[^|]*) \|", guide, re.M)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    kinds = {event.type for event in (*get_args(AgentEvent), *get_args(ExtensionEvent))}
    assert kinds - named == set()
    assert "generated/rpc.md#commands" in guide
    assert {*FIELDS} ^ {*re.findall(r"^\| \[`([\w.]+)`\]\(#\S+\) \|", reference, re.M)} == set()


# Extensions


TOY = """
ext.command("show", "show something")(lambda args: display(f"shown: {args}"))
ext.command("type", "put something into the editor")(lambda args: insert("typed"))
ext.command("say", "have the agent say something")(lambda args: prompt(f"say {args}"))
ext.command("clear", "clear the notes")(lambda args: ext.clear_notes())

@ext.command("fail", "answer with an error")
def fail(args):
    return error("that went wrong")

@ext.command("note", "tell a note")
def note(args):
    ext.notify(args, "success")
"""


def test_commands_of_an_extension_tell_what_they_want_shown(start: Start, zot: Zot, server: ScriptedServer) -> None:
    server.add("Ada!")
    talk = start("--ext", str(write_extension(zot.cwd.parent / "toy", TOY)))
    commands = talk.ask({"type": "control.commands"})["data"]["commands"]
    assert ("toy", "show", "show something") in [
        (each["source"], each["name"], each["description"]) for each in commands
    ]
    expected = {
        "show": {"type": "ext_display", "extension": "toy", "text": "shown: it"},
        "type": {"type": "ext_insert", "extension": "toy", "text": "typed"},
        "note": {"type": "ext_notify", "extension": "toy", "level": "success", "message": "it"},
    }
    for name, event in expected.items():
        talk.send({"type": "control.run", "name": name, "args": "it"})
        told, answer = talk.next(), talk.next()
        assert told == event
        assert (answer["type"], answer["success"]) == ("response", True)
    for name, why in (("fail", "that went wrong"), ("none", "there is no command /none")):
        answer = talk.ask({"type": "control.run", "name": name})
        assert (answer["success"], answer["error"]) == (False, why)


def test_a_prompt_of_an_extension_is_run_and_told(start: Start, zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("word " * 20_000, chunk=5, delay=0.02), "Ada!", "last")
    talk = start("--ext", str(write_extension(zot.cwd.parent / "toy", TOY)))
    talk.ask({"type": "control.commands"})
    talk.send({"id": 1, "type": "prompt", "message": "first"})
    talk.until("text_delta")
    talk.send({"id": 2, "type": "control.run", "name": "/say", "args": "Ada"})
    assert talk.until("ext_submit")[-1] == {"type": "ext_submit", "extension": "toy", "text": "say Ada"}
    talk.send({"type": "abort"})
    talk.until("done")
    (message,) = [event for event in talk.until("done") if event["type"] == "user_message"]
    assert message["content"] == [{"type": "text", "text": "say Ada"}]


def test_a_panel_is_driven_by_the_client(start: Start, zot: Zot) -> None:
    folder = shutil.copytree(EXAMPLES / "todo", zot.cwd.parent / "todo")
    talk = start("--ext", str(folder))
    assert talk.ask({"type": "ext_panel_key", "key": "enter"})["error"] == "no panel is open"
    talk.ask({"type": "control.commands"})
    talk.send({"type": "control.run", "name": "todos"})
    (opened,) = talk.until("ext_panel_open")
    assert (opened["extension"], opened["panel"]["title"]) == ("todo", "Todos")
    for character in "milk":
        talk.send({"type": "ext_panel_key", "key": "rune", "text": character})
    while talk.until("ext_panel_render")[-1]["panel"]["lines"] != ["nothing to do", "> milk"]:
        pass
    talk.send({"type": "ext_panel_key", "key": "enter"})
    while talk.until("ext_panel_render")[-1]["panel"]["lines"] != ["▸ □ milk", "> "]:
        pass
    talk.send({"type": "ext_panel_close"})
    events = talk.until("response")
    assert "ext_panel_close" in types([*events, talk.next()] if types(events) == ["response"] else events)
    assert json.loads((folder / "todos.json").read_text()) == [{"text": "milk", "done": False}]


def test_an_extension_that_comes_later_is_there_after_a_reload(start: Start, zot: Zot, server: ScriptedServer) -> None:
    talk = start("--no-skills")
    assert [each["name"] for each in talk.ask({"type": "control.commands"})["data"]["commands"]] == ["init", "review"]
    assert not talk.ask({"type": "control.run", "name": "show"})["success"]
    write_extension(zot.home / "extensions" / "toy", TOY)
    assert talk.ask({"type": "control.reload"})["data"] == {"stopped": 0, "loaded": 1, "ready": 1, "errors": []}
    talk.send({"type": "control.run", "name": "show", "args": "now"})
    assert talk.until("ext_display")[-1]["text"] == "shown: now"


def test_a_guard_counts_here_too(start: Start, zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "sudo true"})]), "I may not.")
    talk = start("--ext", str(shutil.copytree(EXAMPLES / "guard", zot.cwd.parent / "guard")))
    talk.send({"type": "prompt", "message": "clean up"})
    events = talk.until("done")
    (result,) = [event for event in events if event["type"] == "tool_result"]
    assert result["is_error"]
    notes = [event for event in events if event["type"] == "ext_notify"]
    assert [(note["extension"], note["message"]) for note in notes] == [("guard", "refused: sudo true")]


REDACT = """
@ext.intercept('assistant_message')
def redact(message):
    return AssistantMessageDecision(replace_text=message.text.replace('SECRET', '***'))
"""


def test_text_that_an_extension_replaces_can_be_held_back(start: Start, zot: Zot, server: ScriptedServer) -> None:
    server.add("a SECRET", "a SECRET")
    talk = start("--ext", str(write_extension(zot.cwd.parent / "redact", REDACT)))
    talk.ask({"type": "control.commands"})
    talk.send({"type": "prompt", "message": "hi", "hold_text": True})
    held = talk.until("done")
    talk.send({"type": "prompt", "message": "hi"})
    told = talk.until("done")
    assert "SECRET" not in json.dumps(held)
    assert "SECRET" in json.dumps(told)
    messages = talk.ask({"type": "get_messages"})["data"]["messages"]
    assert [message.get("display_text") for message in messages] == [None, "a ***", None, "a ***"]
    assert messages[1]["content"] == [{"type": "text", "text": "a SECRET"}]


# Sessions


def test_there_is_no_session_file_unless_one_is_named(start: Start, zot: Zot, server: ScriptedServer) -> None:
    server.add("a")
    talk = start()
    talk.send({"type": "prompt", "message": "hi"})
    talk.until("done")
    assert talk.ask({"type": "get_state"})["data"]["session_id"] == ""
    assert zot.sessions == []


def test_a_conversation_is_gone_on_with_in_another_process(start: Start, zot: Zot, server: ScriptedServer) -> None:
    server.add("You are Ada.", "Ada.", "Still Ada.")
    zot.ask(server, "-p", "I am Ada.")
    talk = start("-c")
    assert talk.ask({"type": "get_state"})["data"]["message_count"] == 2
    talk.send({"type": "prompt", "message": "who am I?"})
    talk.until("done")
    id = talk.ask({"type": "get_state"})["data"]["session_id"]
    talk.finish()
    assert id == zot.rows()[0]["meta"]["id"]
    again = start("--session", id[:8])
    messages = again.ask({"type": "get_messages"})["data"]["messages"]
    assert [message["content"][0]["text"] for message in messages] == ["I am Ada.", "You are Ada.", "who am I?", "Ada."]
    again.finish()
    assert zot.ask(server, "-p", "-c", "and now?").out == "Still Ada.\n"


def test_clearing_a_session_is_remembered(start: Start, zot: Zot, server: ScriptedServer) -> None:
    server.add("one", "two", "three")
    zot.ask(server, "-p", "first")
    talk = start("-c")
    assert talk.ask({"type": "clear"})["success"]
    talk.send({"type": "prompt", "message": "second"})
    talk.until("done")
    assert "first" not in json.dumps(server.requests[1].body["messages"][1:])
    talk.finish()
    zot.ask(server, "-p", "-c", "third")
    assert "first" not in json.dumps(server.requests[2].body["messages"][1:])
    assert "second" in json.dumps(server.requests[2].body["messages"][1:])


def test_a_new_session_is_a_new_file(start: Start, zot: Zot, server: ScriptedServer) -> None:
    server.add("one", "two")
    zot.ask(server, "-p", "first")
    talk = start("-c")
    before = talk.ask({"type": "get_state"})["data"]["session_id"]
    after = talk.ask({"type": "session.new"})["data"]["session_id"]
    talk.send({"type": "prompt", "message": "second"})
    talk.until("done")
    talk.finish()
    assert before != after
    assert len(zot.sessions) == 2
    assert "first" not in json.dumps(server.requests[1].body["messages"][1:])
