import json
from pathlib import Path

import pytest

from zot_core.agent import Agent
from zot_core.events import AgentEvent, Done, ErrorEvent, ToolResultEvent, TurnEnd, UserMessage
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.recorder import Recorder
from zot_core.sessions.rows import Meta
from zot_core.testing import EventClient, make_agent, run_to_end
from zot_core.tools.definition.tool import tool
from zot_provider.events import StreamEnd, TextDelta, UsageReport
from zot_provider.messages import TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn
from zot_provider.usage import Usage


@tool(parallel=True)
async def echo(text: str) -> str:
    return text


def recorded(agent: Agent, path: Path) -> SessionFile:
    session = SessionFile(str(path), Meta("id", "/p", "m", "v", "then"))
    Recorder(agent.hooks, agent.tools, session)
    return session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


def rows(path: Path) -> list[str]:
    """The rows as they are on disk: their types, and the roles of messages."""
    if not path.exists():
        return []
    there = [json.loads(line) for line in path.read_text().splitlines()]
    return [row["message"]["role"] if row["type"] == "message" else row["type"] for row in there]


def test_every_row_is_on_disk_before_its_event_is_emitted(path: Path) -> None:
    agent = make_agent(
        ScriptedClient([Turn("look", calls=[Call("echo", {"text": "a"}), Call("echo", {"text": "b"})]), "ok"]), echo
    )
    session = recorded(agent, path)
    seen: list[tuple[str, list[str]]] = []
    agent.hooks.event.add(lambda event: seen.append((event.type, rows(path))))

    run_to_end(agent, "hi")
    session.close()

    def first(type: str, number: int = 0) -> list[str]:
        return [there for name, there in seen if name == type][number]

    asked = ["meta", "user", "assistant"]
    assert first("user_message") == asked[:2]
    assert first("assistant_start") == asked[:2]
    assert first("assistant_message") == asked
    assert first("tool_call") == asked
    assert first("turn_end") == [*asked, "usage"]
    assert first("tool_result") == [*asked, "usage", "tool_result"]
    assert first("tool_result", 1) == [*asked, "usage", "tool_result", "tool"]
    assert first("done") == [*asked, "usage", "tool_result", "tool", "assistant", "usage", "totals"]


def test_a_usage_row_follows_each_turn_with_the_sum_of_its_reports(path: Path) -> None:
    reports = [UsageReport(Usage(input=1)), UsageReport(Usage(output=2))]
    agent = make_agent(EventClient([*reports, StreamEnd("end_turn", [TextBlock("x")])]))
    agent.usage = Usage(input=100)
    session = recorded(agent, path)

    run_to_end(agent, "one")
    run_to_end(agent, "two")
    session.close()

    usage = [row for line in path.read_text().splitlines() if (row := json.loads(line))["type"] == "usage"]
    assert [(row["usage"]["input_tokens"], row["cumulative"]["input_tokens"]) for row in usage] == [(1, 101), (1, 102)]
    assert load(str(path)).usage == Usage(input=102, output=4)


def test_the_usage_of_a_turn_that_failed_counts_too(path: Path) -> None:
    agent = make_agent(EventClient([UsageReport(Usage(input=7)), TextDelta("half"), ValueError("x")]))
    session = recorded(agent, path)

    run_to_end(agent, "hi")
    session.close()

    assert rows(path) == ["meta", "user", "assistant", "usage"]
    assert load(str(path)).usage == Usage(input=7)


def test_a_conversation_read_back_is_the_one_that_was_written(path: Path) -> None:
    calls = [Call("echo", '{ "text":"a" }'), Call("echo", '{"text": '), Call("nobody")]
    agent = make_agent(ScriptedClient([Turn("look", "hm", calls=calls), "ok"]), echo)
    agent.hooks.assistant_message.add(lambda text: text.upper())
    session = recorded(agent, path)

    run_to_end(agent, "hi")
    session.close()

    kept = agent.history.messages
    assert [message.replace(time="") for message in load(str(path)).messages] == [
        message.replace(time="") for message in kept
    ]
    assert load(str(path)).messages[1].display_text == "LOOK"


def test_a_session_that_can_no_longer_be_written_ends_the_run_before_the_event(path: Path) -> None:
    agent = make_agent(ScriptedClient([Turn(calls=[Call("echo", {"text": "a"})]), "never"]), echo)
    session = recorded(agent, path)
    agent.hooks.event.add(lambda event: session.close() if isinstance(event, TurnEnd) else None)

    events: list[AgentEvent] = run_to_end(agent, "hi")

    assert not any(isinstance(event, ToolResultEvent) for event in events)
    assert events[-2:] == [ErrorEvent(f"session {path} is closed"), Done("error")]
    assert isinstance(events[0], UserMessage)
