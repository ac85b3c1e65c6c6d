"""What the model is told before it is asked: identity, context files, date and place; the same in every request."""

import json
from typing import Any

import pytest
from command import KEY, PROVIDERS, Zot
from rpc_talk import Talk

from zot_provider.testing import Call, Received, ScriptedServer, Turn


def system(body: dict[str, Any]) -> str:
    if "instructions" in body:
        return str(body["instructions"])
    if "systemInstruction" in body:
        return str(body["systemInstruction"]["parts"][0]["text"])
    if "system" in body:
        return str(body["system"][0]["text"])
    return str(body["messages"][0]["content"])


def prefix(body: dict[str, Any]) -> tuple[str, str, list[str]]:
    """System prompt, tools and messages as they are written, without the cache marks of messages, which move on."""
    items = body.get("messages") or body.get("input") or body["contents"]
    fixed = json.dumps(body.get("system")), json.dumps(body.get("tools") or body["toolConfig"])
    return system(body) + fixed[0], fixed[1], [json.dumps(unmarked(item)) for item in items]


def unmarked(value: Any) -> Any:
    """A text that needs no place for a mark is sent without the list around it on one wire."""
    if isinstance(value, list):
        kept = [unmarked(each) for each in value if not (isinstance(each, dict) and "cachePoint" in each)]
        return kept[0]["text"] if [{*each} for each in kept if isinstance(each, dict)] == [{"type", "text"}] else kept
    if isinstance(value, dict):
        return {name: unmarked(each) for name, each in value.items() if name != "cache_control"}
    return value


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_request_begins_with_the_one_before_also_in_the_next_process(
    zot: Zot, server: ScriptedServer, provider: str
) -> None:
    (zot.cwd / "AGENTS.md").write_text("Mind the gap.")
    (zot.cwd / "a.txt").write_text("a\n")
    calls = [Call("read", {"path": "a.txt"}), Call("bash", '{"command" : "false"}'), Call("nope", '{"x":')]
    server.add(
        Turn("One.", reasoning="hm", calls=calls), Turn(calls=[Call("ls", "")]), Turn("Two.", calls=calls[:2]), "Three."
    )
    assert zot.ask(server, "-p", "go", provider=provider).out == "Three.\n"
    server.add(Turn(calls=[Call("ls", {})]), "Four.")
    done = zot.run("-p", "-c", *zot.at(server, provider)[-2:], "and now?")
    assert (done.code, done.out) == (0, "Four.\n")
    assert len(server.requests) == 6
    before = prefix(server.requests[0].body)
    assert "Mind the gap." in before[0]
    for request in server.requests[1:]:
        now = prefix(request.body)
        assert now[:2] == before[:2]
        assert now[2][: len(before[2])] == before[2]
        assert len(now[2]) > len(before[2])
        before = now
    assert list(server.requests[0].body) == list(server.requests[5].body)


def command(talk: Talk, **fields: Any) -> None:
    assert talk.ask(fields)["success"]


def model_of(received: Received) -> str:
    """Which model was asked; in Gemini and Bedrock the address says it."""
    return str(received.body.get("model", received.path))


@pytest.mark.parametrize(
    ("provider", "model"),
    [*((each, "scripted") for each in PROVIDERS), ("amazon-bedrock", "claude-1"), ("openrouter", "anthropic/claude-1")],
)
def test_nothing_that_happens_in_a_session_changes_what_was_sent_before(
    zot: Zot, server: ScriptedServer, provider: str, model: str
) -> None:
    """Each model has a cache of its own."""
    (zot.cwd / "AGENTS.md").write_text("Mind the gap.")
    (zot.cwd / "below").mkdir()
    (zot.cwd / "below" / "AGENTS.md").write_text("Mind the stairs.")
    (zot.cwd / "below" / "a.py").write_text("a = 1\n" * 100)
    zot.env["OPENROUTER_API_KEY"] = KEY
    place = ("--base-url", server.base_url(PROVIDERS.get(provider, "openai-chat")))
    at = ("--provider", provider, "--model", model, *place)
    waits = "until [ -e steered ]; do sleep 0.02; done"
    todo = [{"content": "look", "status": "in_progress"}, {"content": "write", "status": "pending"}]
    read, write = Call("read", {"path": "below/a.py"}), Call("write", {"path": "b", "content": "b"})
    server.add("0.")
    assert zot.run(*at, "-p", "begin").code == 0
    server.add(
        Turn("A.", "hm", calls=[Call("todo", {"items": todo}), Call("bash", {"command": waits})]), "B.",
        Turn("P.", "hm", calls=[read, write]), Turn("Q.", calls=[read, Call("grep", '{"pattern" : "none"}')]), "R.",
        Turn(calls=[Call("bash", {"command": "until [ -e end ]; do sleep 0.02; done", "background": True})]),
        Turn("C.", "hm", calls=[Call("bash", {"command": "touch end"})]), "D.", "E.", "F.", "G.",
    )  # fmt: skip
    with Talk([*zot.command, "rpc", "-c", *place], cwd=zot.cwd, env=zot.env) as talk:
        command(talk, type="prompt", message="go")
        talk.until("tool_call")
        command(talk, type="prompts.steer", message="and quickly")
        (zot.cwd / "steered").touch()
        talk.until("done")
        for mode in ("plan", "yolo"):
            command(talk, type="permissions.mode", mode=mode)
            command(talk, type="prompt", message="what now?")
            talk.until("done")
        command(talk, type="prompt", message="in the background")
        talk.until("done")
        for other in (f"{model}-2", model):
            command(talk, type="set_model", model=other)
            command(talk, type="prompt", message="well?")
            talk.until("done")
    (zot.cwd / "AGENTS.md").write_text("Mind the step.")
    (zot.cwd / "new.txt").touch()
    server.add("H.", "I.")
    for _ in range(2):
        done = zot.run("-p", "-c", *place, "and now?")
        assert done.code == 0, done.err
    before: dict[str, tuple[str, str, list[str]]] = {}
    for request in server.requests:
        now = prefix(request.body)
        fixed, tools, items = before.setdefault(model_of(request), now)
        assert (fixed, tools, items) == (*now[:2], now[2][: len(items)])
        before[model_of(request)] = now
    assert len(before) == 2
    fixed, _, items = before[model_of(server.requests[0])]
    assert "Mind the gap." in fixed
    for told in ("Mind the step.", "new.txt", "Mind the stairs.", "[the same as", "Mode plan"):
        assert str(items).count(told) == 1, told


def test_context_files_reach_the_model_and_what_is_odd_about_them_the_person(zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    (zot.home / "AGENTS.md").write_text("Speak softly.")
    (zot.home / "SYSTEM.md").write_text("You are a cat.")
    (zot.cwd / "AGENTS.md").write_bytes(b"\x7fELF\0")
    server.add("ok")
    done = zot.ask(server, "-p", "x", "--append-system-prompt", "Purr.")
    assert (done.code, done.out) == (0, "ok\n")
    assert done.line() == f"{zot.cwd}/AGENTS.md looks binary; it is left out"
    text = system(server.requests[0].body)
    assert text.startswith(f"You are a cat.\n\n# Instructions from {zot.home}/AGENTS.md\n\nSpeak softly.\n\nPurr.\n\n")
    assert text.endswith(f"\nCurrent working directory: {zot.cwd}")

    server.add("ok")
    done = zot.ask(server, "-p", "x", "-nc")
    assert (done.code, done.err) == (0, "")
    text = system(server.requests[1].body)
    assert "cat" not in text
    assert "softly" not in text


def test_a_context_file_that_would_be_waited_for_is_not(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    done = zot.shell('mkfifo AGENTS.md; zot "$@"', *zot.at(server), "-p", "x")
    assert (done.code, done.out) == (0, "ok\n")
    assert done.line().endswith("AGENTS.md cannot be read (not a regular file); it is left out")


def test_what_tools_start_knows_who_started_it(zot: Zot, server: ScriptedServer) -> None:
    names = ("AI_AGENT", "ZOT_AGENT", "ZOT_CHILD_SESSION", "ZOT_PROVIDER", "ZOT_MODEL", "ZOT_REASONING_LEVEL")
    server.add(Turn(calls=[Call("bash", {"command": "env | grep -E '^(AI_AGENT|ZOT)' | sort"})]), "ok")
    assert zot.ask(server, "-p", "x", "--reasoning", "low").code == 0
    shown = server.requests[1].body["messages"][-1]["content"]
    found = dict(line.split("=", 1) for line in shown.splitlines() if "=" in line and not line.startswith("$"))
    assert [found[name] for name in names] == ["zot", "1", "1", "openai", "scripted", "low"]
    (path,) = zot.sessions
    assert found["ZOT_SESSION_FILE"] == str(path)
    assert found["ZOT_SESSION_ID"] == zot.rows()[0]["meta"]["id"]
