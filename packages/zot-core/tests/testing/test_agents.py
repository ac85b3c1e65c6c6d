import asyncio

import pytest

from zot_core.agent import user_message
from zot_core.events import AssistantStart, Done, TextDelta, TurnStart
from zot_core.testing import EventClient, FakeShell, MemoryFiles, make_agent, record, run_to_end, types
from zot_provider.errors import ModelError
from zot_provider.events import StreamEnd
from zot_provider.messages import TextBlock
from zot_provider.testing import ScriptedClient


def test_an_agent_works_in_memory() -> None:
    context = make_agent(ScriptedClient()).context

    assert context.cwd == "/proj"
    assert isinstance(context.files, MemoryFiles)
    assert isinstance(context.shell, FakeShell)


def test_record_keeps_recording_and_run_to_end_stops() -> None:
    agent = make_agent(ScriptedClient(["a", "b"]))
    events = record(agent)

    first = run_to_end(agent, "one")
    run_to_end(agent, "two")

    assert types(first).count("done") == 1
    assert types(events).count("done") == 2


def test_types_lists_repeated_types_once() -> None:
    assert types([TurnStart(1), TextDelta("a"), TextDelta("b"), AssistantStart(), TextDelta("c")]) == [
        "turn_start",
        "text_delta",
        "assistant_start",
        "text_delta",
    ]
    assert types([]) == []


def test_an_event_client_plays_back_raises_hangs_and_repeats_its_last_answer() -> None:
    client = EventClient([ModelError("no")], [TextDelta("a"), StreamEnd("end_turn", [TextBlock("a")])])
    agent = make_agent(client)

    assert [run_to_end(agent, "hi")[-1] for _ in range(3)] == [Done("error"), Done("completed"), Done("completed")]
    assert len(client.requests) == 3


async def test_an_event_client_hangs_until_it_is_cancelled() -> None:
    client = EventClient([None])
    agent = make_agent(client)
    task = asyncio.ensure_future(agent.run(user_message("hi")))
    await client.hanging.wait()
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await client.close()
    assert client.closed
