"""Answers that end at the model's output limit."""

import asyncio

import pytest
from waiting import PATIENCE

from zot_core.agent import user_message
from zot_core.events import AgentEvent, Notice, ToolResultEvent, ToolStart, TurnEnd
from zot_core.testing import make_agent, run_to_end
from zot_core.tools.definition.tool import tool
from zot_provider.client.http import HttpClient
from zot_provider.messages import TextBlock
from zot_provider.registry import ModelRegistry
from zot_provider.testing import Call, ScriptedClient, ScriptedServer, Turn

CUT = "the answer was cut off at the model's output limit"


@tool
async def note(text: str = "nothing") -> str:
    return text


@tool(parallel=True)
async def look(text: str = "nothing") -> str:
    return text


def notices(events: list[AgentEvent]) -> list[str]:
    return [event.message for event in events if isinstance(event, Notice)]


def stops(events: list[AgentEvent]) -> list[str]:
    return [event.stop for event in events if isinstance(event, TurnEnd)]


def test_a_person_hears_that_a_text_was_cut() -> None:
    events = run_to_end(make_agent(ScriptedClient([Turn("Once upon", stop="length")])), "hi")
    assert (notices(events), stops(events)) == ([CUT], ["length"])


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "google", "amazon-bedrock"])
@pytest.mark.parametrize("written", ["", '{"te', '{"text": "half', '{"text": "whole"}'])
async def test_a_call_that_was_cut_does_not_run_and_the_model_hears_why(provider: str, written: str) -> None:
    found = ModelRegistry().provider(provider)
    with ScriptedServer([Turn("I write.", calls=[Call("note", written)], stop="length"), "ok"]) as server:
        client = HttpClient(found, key="k", base_url=server.base_url(found.wire))
        agent = make_agent(client, note)
        events: list[AgentEvent] = []
        agent.hooks.event.add(events.append)
        await asyncio.wait_for(agent.run(user_message("hi")), PATIENCE)
        await client.close()
        assert len(server.requests) == 2
        assert "cut off at the output limit before this call was complete" in str(server.requests[1].body)
    assert not [event for event in events if isinstance(event, ToolStart)]
    (result,) = [event for event in events if isinstance(event, ToolResultEvent)]
    assert (result.is_error, result.fate) == (True, "not_run")
    assert notices(events) == [f"{CUT} within a call of note, which does not run"]
    assert stops(events) == ["length", "end_turn"]


@pytest.mark.parametrize("name", ["note", "look"])
def test_the_calls_before_the_one_that_was_cut_run(name: str) -> None:
    calls = [Call(name, {"text": "a"}), Call(name, {"text": "b"}), Call(name, {"text": "c"})]
    events = run_to_end(make_agent(ScriptedClient([Turn(calls=calls, stop="length"), "ok"]), note, look), "hi")
    results = [event for event in events if isinstance(event, ToolResultEvent)]
    assert [event.content for event in results[:2]] == [[TextBlock("a")], [TextBlock("b")]]
    assert [event.fate for event in results] == ["ran", "ran", "not_run"]
