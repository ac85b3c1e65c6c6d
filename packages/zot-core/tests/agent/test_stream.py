import asyncio

from waiting import PATIENCE

from zot_core.agent import user_message
from zot_core.compaction.compactor import CompactionLimits, Compactor
from zot_core.events import AgentEvent, AutoRetryEnd, AutoRetryStart, Done, TurnEnd
from zot_core.testing import EventClient, make_agent, run_to_end, types
from zot_provider.client.http import HttpClient
from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import StatusError
from zot_provider.events import ReasoningDelta, StreamEnd, TextDelta, UsageReport
from zot_provider.messages import Message, TextBlock
from zot_provider.registry import ModelRegistry
from zot_provider.testing import Fault, ScriptedServer, Turn
from zot_provider.usage import Usage

BUSY = AutoRetryStart(1, 3, 2000, "busy")
STILL = AutoRetryStart(2, 3, 4000, "still busy")
ANSWER = [TextDelta("hello"), StreamEnd("end_turn", [TextBlock("hello")])]


def retries(events: list[AgentEvent]) -> list[AgentEvent]:
    return [event for event in events if isinstance(event, AutoRetryStart | AutoRetryEnd)]


def test_retries_are_events_and_end_when_the_answer_begins() -> None:
    agent = make_agent(EventClient([BUSY, ReasoningDelta("hm"), STILL, UsageReport(Usage(1, 1)), *ANSWER]))
    events = run_to_end(agent, "hi")
    assert types(events) == [
        "user_message", "turn_start", "assistant_start", "auto_retry_start", "reasoning_delta", "auto_retry_start",
        "usage", "assistant_start", "auto_retry_end", "text_delta", "assistant_message", "turn_end", "done",
    ]  # fmt: skip
    assert retries(events) == [BUSY, STILL, AutoRetryEnd(True, 2)]


def test_retries_that_fail_end_before_the_turn_with_the_last_failure() -> None:
    agent = make_agent(EventClient([BUSY, STILL, StatusError("the server answered 503", status=503)]))
    events = run_to_end(agent, "hi")
    assert retries(events) == [BUSY, STILL, AutoRetryEnd(False, 2, "the server answered 503")]
    assert types(events)[-4:] == ["auto_retry_end", "turn_end", "error", "done"]


async def test_stopping_ends_the_wait_for_a_retry() -> None:
    with ScriptedServer([Turn(fault=Fault(status=503)), "never"]) as server:
        provider = ModelRegistry().provider("openai")
        policy = RetryPolicy(delay=600.0, longest_wait=600.0)
        client = HttpClient(provider, key="k", base_url=server.base_url(provider.wire), retries=policy)
        agent = make_agent(client)
        events: list[AgentEvent] = []

        def watch(event: AgentEvent) -> None:
            events.append(event)
            if isinstance(event, AutoRetryStart):
                agent.cancel()

        agent.hooks.event.add(watch)
        await asyncio.wait_for(agent.run(user_message("hi")), PATIENCE)
        await client.close()
        assert len(server.requests) == 1
    assert events[-3:] == [AutoRetryEnd(False, 1, "stopped"), TurnEnd("aborted"), Done("aborted")]


async def test_a_summary_is_tried_again_too() -> None:
    agent = make_agent(EventClient([BUSY, *ANSWER]), messages=[Message("user", [TextBlock(str(n))]) for n in range(9)])
    events: list[AgentEvent] = []
    agent.hooks.event.add(events.append)
    await Compactor(agent, CompactionLimits(keep=1)).compact()
    assert types(events) == ["compact_start", "auto_retry_start", "auto_retry_end", "compact_done"]
