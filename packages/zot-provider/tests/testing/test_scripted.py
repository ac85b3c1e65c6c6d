import asyncio
from contextlib import aclosing

import pytest

from zot_provider.client.http import Client
from zot_provider.errors import StatusError
from zot_provider.events import StreamEnd, StreamEvent, TextDelta, UsageReport
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.request import Request
from zot_provider.testing import Call, ScriptedClient, ScriptOver, Turn
from zot_provider.usage import Usage


def request(*texts: str) -> Request:
    return Request(Model("m", "v"), [Message("user", [TextBlock(text)]) for text in texts])


async def batches(client: Client, asked: Request) -> list[list[StreamEvent]]:
    return [list(batch) async for batch in client.stream(asked)]


async def test_it_plays_the_script_and_records_the_requests() -> None:
    client = ScriptedClient([Turn("Hello", usage=Usage(input=3)), lambda asked: Turn(asked.messages[-1].text * 2)])
    assert await batches(client, request("a")) == [
        [TextDelta("Hello"), UsageReport(Usage(input=3)), StreamEnd("end_turn", [TextBlock("Hello")])]
    ]
    assert (await batches(client, request("a", "b")))[0][-1] == StreamEnd("end_turn", [TextBlock("bb")])
    assert client.requests == [request("a"), request("a", "b")]


async def test_a_recorded_request_is_unchanged_when_the_history_grows() -> None:
    client, asked = ScriptedClient(["a"]), request("a")
    await batches(client, asked)
    asked.messages.append(Message("assistant", [TextBlock("a")]))
    assert client.requests == [request("a")]


async def test_with_a_delay_each_event_comes_alone() -> None:
    client = ScriptedClient([Turn("abcd", chunk=2, delay=0.001, usage=Usage())])
    assert await batches(client, request("a")) == [
        [TextDelta("ab")],
        [TextDelta("cd")],
        [UsageReport(Usage())],
        [StreamEnd("end_turn", [TextBlock("abcd")])],
    ]


async def test_an_error_comes_after_the_events_before_it() -> None:
    events: list[StreamEvent] = []

    async def scenario() -> None:
        async for batch in ScriptedClient([Turn("abc", error=StatusError("busy", status=503))]).stream(request("a")):
            events.extend(batch)

    with pytest.raises(StatusError, match="busy"):
        await scenario()
    assert events == [TextDelta("abc")]


async def test_an_error_alone() -> None:
    with pytest.raises(StatusError):
        await batches(ScriptedClient([Turn(error=StatusError("busy", status=503))]), request("a"))


async def test_the_end_of_the_script_is_an_error() -> None:
    with pytest.raises(ScriptOver):
        await batches(ScriptedClient(), request("a"))


async def test_an_abandoned_answer_is_counted() -> None:
    client = ScriptedClient([Turn("abc", delay=10)] * 2 + [Turn("a", calls=[Call("read")])])
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(batches(client, request("a")), 0.01)
    assert client.cancelled == 1
    async with aclosing(client.stream(request("a"))) as stream:
        task = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await batches(client, request("a"))
    await client.close()
    assert (client.cancelled, client.closed) == (2, True)
