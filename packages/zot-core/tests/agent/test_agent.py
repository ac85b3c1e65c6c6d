import asyncio
import threading

import pytest

from zot_core.agent import user_message
from zot_core.errors import Busy
from zot_core.events import Done
from zot_core.testing import EventClient, make_agent, record, run_to_end
from zot_provider.messages import ImageBlock, TextBlock
from zot_provider.testing import ScriptedClient


async def test_a_second_run_during_the_first_is_refused() -> None:
    agent = make_agent(EventClient([None]))
    task = agent.start(user_message("a"))
    with pytest.raises(Busy, match="wait for it, or cancel it"):
        agent.start(user_message("b"))
    agent.cancel()
    await task


def test_the_agent_is_idle_when_done_is_emitted() -> None:
    busy: list[tuple[str, bool]] = []
    agent = make_agent(ScriptedClient(["a"]))
    agent.hooks.event.add(lambda event: busy.append((event.type, agent.busy)))

    run_to_end(agent, "hi")

    assert busy[-2:] == [("turn_end", True), ("done", False)]
    assert not agent.busy


def test_cancelling_an_idle_agent_changes_nothing() -> None:
    agent = make_agent(ScriptedClient(["a", "b"]))

    agent.cancel("deadline")
    first = run_to_end(agent, "hi")
    agent.cancel("deadline")
    second = run_to_end(agent, "hi")

    assert first[-1] == second[-1] == Done("completed")


async def test_a_run_may_be_cancelled_from_another_thread() -> None:
    client = EventClient([None])
    agent = make_agent(client)

    task = agent.start(user_message("hi"))
    await client.hanging.wait()
    thread = threading.Thread(target=agent.cancel)
    thread.start()
    try:
        assert await task == "aborted"
    finally:
        thread.join()


async def test_cancelling_the_waiting_task_cancels_the_run_and_waits_for_its_end() -> None:
    client = EventClient([None])
    agent = make_agent(client)
    events = record(agent)
    task = asyncio.ensure_future(agent.run(user_message("hi")))
    await client.hanging.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert events[-1] == Done("aborted")


def test_an_agent_whose_loop_was_closed_in_the_middle_works_in_the_next_one() -> None:
    client = EventClient([None], [])
    agent = make_agent(client)
    loop = asyncio.new_event_loop()

    async def begin() -> None:
        agent.start(user_message("hi"))
        await client.hanging.wait()

    loop.run_until_complete(begin())
    loop.close()

    assert not agent.busy
    agent.cancel()
    assert run_to_end(agent, "again")[-1] == Done("error")


def test_the_tail_of_a_program_ends_the_run_with_done() -> None:
    client = EventClient([None])
    agent = make_agent(client)
    events = record(agent)

    async def main() -> None:
        agent.start(user_message("hi"))
        await client.hanging.wait()

    asyncio.run(main())

    assert events[-1] == Done("aborted")


def test_a_user_message_is_timed_and_has_no_empty_text() -> None:
    image = ImageBlock("image/png", "")

    assert user_message("hi", [image]).content == [TextBlock("hi"), image]
    assert user_message("", [image]).content == [image]
    assert user_message("hi").time.endswith("Z")
