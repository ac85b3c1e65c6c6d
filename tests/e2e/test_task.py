"""The main job: a test is run, a file is read and edited, the test passes; over every wire, in every mode."""

import json
import re
import stat
from typing import Any

import pytest
from command import Zot

from zot_provider.testing import Call, ScriptedServer, Turn

BROKEN = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b  # not minus\n"  # of another size: byte code is cached by size and second
TEST = "from calc import add\nassert add(2, 3) == 5, add(2, 3)\nprint('passed')\n"
PROMPT = "make the test pass"
PROVIDERS = ("anthropic", "openai", "openai-responses", "google", "amazon-bedrock")


def script() -> list[Turn]:
    edit = {"path": "calc.py", "edits": [{"oldText": "a - b", "newText": "a + b  # not minus"}]}
    return [
        Turn("I run the test.", reasoning="hm", calls=[Call("bash", {"command": "python test_calc.py"}, "c1")]),
        Turn(calls=[Call("read", {"path": "calc.py"}, "c2"), Call("edit", edit, "c3")]),
        Turn(calls=[Call("bash", {"command": "python test_calc.py"}, "c4")]),
        Turn("Fixed: `add` now adds.\nThe test passes."),
    ]


@pytest.fixture
def project(zot: Zot) -> Zot:
    (zot.cwd / "calc.py").write_text(BROKEN)
    (zot.cwd / "test_calc.py").write_text(TEST)
    return zot


def calls_and_results(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False)


def check_work(zot: Zot, server: ScriptedServer) -> None:
    assert (zot.cwd / "calc.py").read_text() == FIXED
    assert len(server.requests) == 4
    failed, read, passed = (calls_and_results(request.body) for request in server.requests[1:])
    assert "AssertionError: -1" in failed
    assert "[exit 1]" in failed
    assert "return a - b" in read
    assert "@@ -2,+2 @@" in read
    assert "[exit 0]" in passed
    assert "passed\\n" in passed


@pytest.mark.parametrize("provider", PROVIDERS)
def test_print_shows_the_final_text_and_the_session_can_be_continued(
    project: Zot, server: ScriptedServer, provider: str
) -> None:
    server.add(*script(), "still fine", "really")
    done = project.ask(server, "-p", PROMPT, provider=provider)
    assert (done.code, done.out, done.err) == (0, "Fixed: `add` now adds.\nThe test passes.\n", "")
    check_work(project, server)

    base = project.at(server, provider)[-2:]
    done = project.run("-p", "-c", *base, "and now?")
    assert (done.code, done.out, done.err) == (0, "still fine\n", "")
    (path,) = project.sessions
    done = project.run("-p", "--session", str(path), *base, "sure?")
    assert (done.code, done.out, done.err) == (0, "really\n", "")
    last = server.requests[-1]
    assert last.wire == server.requests[0].wire
    assert last.body.get("model", "scripted") == "scripted"
    asked = calls_and_results(last.body)
    for piece in (PROMPT, "I run the test.", "return a - b", "The test passes.", "and now?", "still fine", "sure?"):
        assert piece in asked
    assert len(project.sessions) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_stream_shows_the_text_of_each_step(project: Zot, server: ScriptedServer, provider: str) -> None:
    server.add(*script())
    done = project.ask(server, "--stream", PROMPT, provider=provider)
    assert (done.code, done.err) == (0, "")
    assert done.out == "I run the test.\nFixed: `add` now adds.\nThe test passes.\n"
    check_work(project, server)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_json_shows_every_event_in_its_order(project: Zot, server: ScriptedServer, provider: str) -> None:
    server.add(*script())
    done = project.ask(server, "-p", "--json", PROMPT, provider=provider)
    assert (done.code, done.err) == (0, "")
    check_work(project, server)
    events = done.events
    assert events[0] == {
        "type": "user_message",
        "content": [{"type": "text", "text": PROMPT}],
        "time": events[0]["time"],
    }
    names = []
    for event in events:
        name = "tool_use" if event["type"].startswith("tool_use_") else event["type"]
        if name != "usage" and names[-1:] != [name]:  # wires report usage at different places
            names.append(name)
    turn = ["turn_start", "assistant_start"]
    assert names == [
        *("user_message", *turn, "reasoning_delta", "text_delta", "tool_use", "assistant_message", "tool_call"),
        *("turn_end", "tool_start", "tool_progress", "tool_result"),
        *(*turn, "tool_use", "assistant_message", "tool_call", "turn_end", "tool_start", "tool_result"),
        *(*turn, "tool_use", "assistant_message", "tool_call", "turn_end"),
        *("tool_start", "tool_progress", "tool_result"),
        *(*turn, "text_delta", "assistant_message", "turn_end", "done"),
    ]
    assert sum(event["type"] == "usage" for event in events) >= 4
    results = [event for event in events if event["type"] == "tool_result"]
    assert [(event["id"], event["name"], event["is_error"]) for event in results] == [
        ("c1", "bash", True),
        ("c2", "read", False),
        ("c3", "edit", False),
        ("c4", "bash", False),
    ]
    assert "".join(event["delta"] for event in events if event["type"] == "text_delta").startswith("I run the test.")
    assert events[-1] == {"type": "done"}


def test_the_session_file_has_the_rows_of_the_format_and_belongs_to_its_owner(
    project: Zot, server: ScriptedServer
) -> None:
    server.add(*script())
    assert project.ask(server, "-p", PROMPT, provider="anthropic").code == 0
    (path,) = project.sessions
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{8}\.jsonl", path.name)
    assert re.fullmatch(r"[0-9a-f]{16}", path.parent.name)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    rows = project.rows()
    assert list(rows[0]) == ["type", "meta"]
    assert list(rows[0]["meta"]) == ["id", "cwd", "model", "provider", "started", "version"]
    assert rows[0]["meta"]["cwd"] == str(project.cwd)
    assert rows[0]["meta"]["id"].startswith(path.stem[-8:])
    (parts,) = (row["parts"] for row in rows if row["type"] == "prompt")
    assert list(parts) == ["instructions", "surroundings", "date"]
    rows = [row for row in rows if row["type"] != "prompt"]
    kinds = [row["message"]["role"] if row["type"] == "message" else row["type"] for row in rows]
    assert kinds == [
        *("meta", "user", "assistant", "usage", "tool", "assistant", "usage", "tool_result", "tool"),
        *("assistant", "usage", "tool", "assistant", "usage", "totals"),
    ]
    assert rows[1]["message"]["content"] == [{"type": "text", "text": PROMPT}]
    call = rows[2]["message"]["content"][-1]
    arguments = {"command": "python test_calc.py"}
    assert call == {"type": "tool_call", "id": "c1", "name": "bash", "arguments": arguments}
    (result,) = rows[4]["message"]["content"]
    assert {key: result[key] for key in ("call_id", "is_error")} == {"call_id": "c1", "is_error": True}
    assert result["content"][0]["text"].endswith("s")
    assert list(rows[-2]["cumulative"]) == [
        *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd"),
    ]
    assert rows[-2]["cumulative"]["input_tokens"] == 40


def test_a_wrong_call_is_told_to_the_model_and_the_run_goes_on(zot: Zot, server: ScriptedServer) -> None:
    calls = [Call("frobnicate", {}), Call("read", '{"path": '), Call("read", {"pth": "x"}), Call("read", "[]")]
    server.add(Turn(calls=calls), "sorry")
    done = zot.ask(server, "-p", "go")
    assert (done.code, done.out, done.err) == (0, "sorry\n", "")
    results = [message["content"] for message in server.requests[1].body["messages"] if message["role"] == "tool"]
    assert len(results) == 4
    assert 'unknown tool "frobnicate"' in results[0]
    assert "the tools are: agent, bash, " in results[0]
    assert "not valid JSON" in results[1]
    assert "path" in results[2]
    assert "JSON" in results[3]
