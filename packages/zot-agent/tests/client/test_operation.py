"""`Operation`: the events of a prompt, its place in the queue, and aborting it."""

import threading

from rpc_client import connect, events_of, text, types
from waiting import PATIENCE

from zot_agent.client import ClientLimits
from zot_provider.testing import Received, ScriptedServer, Turn


async def test_a_prompt_is_its_events_up_to_done(server: ScriptedServer) -> None:
    server.add("It is a weather service.")
    async with connect(server) as client:
        assert client.hello["protocol_version"] == 1
        assert (client.hello["provider"], client.hello["model"]) == ("openai", "scripted")
        events = await events_of(client.prompt("what is this?"))
    assert types(events)[0] == "user_message"
    assert types(events)[-1] == "done"
    assert text(events) == "It is a weather service."


async def test_prompts_queue_and_each_gets_its_own_events(server: ScriptedServer) -> None:
    all_sent = threading.Event()

    def first(_: Received) -> Turn:
        all_sent.wait(PATIENCE)
        return Turn("answer 0")

    server.add(first, *[f"answer {number}" for number in range(1, 5)])
    async with connect(server) as client:
        operations = [client.prompt(f"question {number}") for number in range(5)]
        assert [await operation.started() for operation in operations] == [False, True, True, True, True]
        all_sent.set()
        for number, operation in reversed(list(enumerate(operations))):
            events = await events_of(operation)
            assert text(events) == f"answer {number}"
            assert types(events).count("done") == 1
        assert (await client.control_state())["message_count"] == 10


async def test_a_compaction_is_its_events_up_to_done(server: ScriptedServer) -> None:
    server.add(*["an answer"] * 4, "We talked.")
    async with connect(server) as client:
        for _ in range(4):
            await events_of(client.prompt("hi"))
        events = await events_of(client.compact("briefly"))
    assert types(events)[0] == "compact_start"
    assert types(events)[-2:] == ["compact_done", "done"]
    assert "briefly" in str(server.requests[-1].body)


async def test_an_abort_ends_the_active_prompt_and_the_next_one_runs(server: ScriptedServer) -> None:
    server.add(Turn("word " * 10_000, chunk=5, delay=0.02), "next")
    async with connect(server) as client:
        first, second = client.prompt("one"), client.prompt("two")
        seen = []
        async for event in first:
            seen.append(event)
            if types(seen).count("text_delta") == 1 and event["type"] == "text_delta":
                await client.control_abort()  # once: another might come when the second prompt is active
        assert types(seen)[-2:] == ["turn_end", "done"]
        assert seen[-2]["stop"] == "aborted"
        assert text(await events_of(second)) == "next"


async def test_leaving_the_loop_early_aborts_that_prompt_alone(server: ScriptedServer) -> None:
    def answer(request: Received) -> Turn:
        # The second may be aborted before its request is sent.
        last = str(request.body["messages"][-1])
        return Turn("next") if "three" in last else Turn("word " * 10_000, chunk=5, delay=0.02)

    server.add(*[answer] * 3)
    async with connect(server) as client:
        first, second, third = (client.prompt(each) for each in ("one", "two", "three"))
        second.cancel()
        async for event in first:
            if event["type"] == "text_delta":
                break
        assert text(await events_of(third)) == "next"
        assert (first.done, second.done) == (True, True)
        assert len((await client.prompts_messages())["messages"]) >= 5
    server.wait_idle(PATIENCE)
    assert server.requests[0].closed_early


async def test_a_slow_reader_holds_the_process_up_and_misses_nothing(server: ScriptedServer) -> None:
    server.add(Turn("0123456789" * 20_000, chunk=4))
    async with connect(server, limits=ClientLimits(waiting_events=100)) as client:
        operation = client.prompt("hi")
        await operation.started()
        events = []
        async for event in operation:
            events.append(event)
            assert len(operation.events) < 20_000
            if len(events) in (10, 5000):
                await client.ping()  # a response is read although events wait
        assert text(events) == "0123456789" * 20_000
