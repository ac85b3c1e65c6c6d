"""A queue of events with one reader."""

import asyncio

import pytest

from zot_core.event_queue import EventQueue


async def test_a_reader_gets_all_events_and_then_the_end() -> None:
    queue: EventQueue[int] = EventQueue()
    for number in (1, 2):
        queue.put(number)
    assert len(queue) == 2
    queue.end()
    assert [event async for event in queue] == [1, 2]
    assert await queue.next() is None


async def test_a_reader_gets_the_error_after_the_last_event() -> None:
    queue: EventQueue[int] = EventQueue()
    queue.put(1)
    queue.end(OSError("gone"))
    assert await queue.next() == 1
    with pytest.raises(OSError, match="gone"):
        await queue.next()


async def test_there_is_one_reader_and_what_is_unread_can_be_dropped() -> None:
    queue: EventQueue[int] = EventQueue()
    first = asyncio.ensure_future(queue.next())
    await asyncio.sleep(0)
    assert queue.reader_waiting
    with pytest.raises(RuntimeError, match="one reader"):
        await queue.next()
    queue.put(1)
    assert await first == 1
    queue.put(2)
    queue.clear()
    assert len(queue) == 0
