"""What followers of a session get: everything, in order, at their own pace, or they are let go."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_agent.rpc.limits import RpcLimits
from zot_agent.serve.feed import FeedFollower, Item, SessionFeed
from zot_agent.serve.http_error import HttpError


async def everything(follower: FeedFollower) -> list[Item]:
    """What waits for a follower now."""
    found: list[Item] = []
    while batch := await follower.take(0.0):
        found += batch
    return found


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(0, 70), st.integers(100, 4000))
async def test_a_follower_gets_the_kept_events_behind_a_number_and_then_all_others(
    lengths: list[int], after: int, ring: int
) -> None:
    feed = SessionFeed(RpcLimits(), ring)
    for number, length in enumerate(lengths, 1):
        feed.publish(f"{number} " + "x" * length)
    has = feed.has(after)
    follower = feed.follow(after)
    feed.publish("more")
    numbers = [number for number, _ in await everything(follower)]
    total = len(lengths) + 1
    assert numbers == list(range(numbers[0], total + 1))
    if has:
        assert numbers == list(range(after + 1, total + 1))
    elif after < total:
        assert numbers[0] > after + 1
    feed.close()


async def test_a_response_goes_to_who_asked_and_an_event_to_everybody() -> None:
    feed = SessionFeed(RpcLimits(), 1000)
    one, two = feed.follow(), feed.follow()
    feed.respond("pong", two)
    feed.publish('{"type":"response"}')  # whatever the line says
    feed.respond("pong", None)
    assert await everything(one) == [(1, '{"type":"response"}')]
    assert await everything(two) == [(0, "pong"), (1, '{"type":"response"}')]
    feed.close()
    feed.respond("too late", two)
    assert await two.take() is None


async def test_a_follower_that_is_too_far_behind_is_let_go() -> None:
    feed = SessionFeed(RpcLimits(max_bytes=1000), 0)
    slow, quick = feed.follow(), feed.follow()
    for _ in range(20):
        feed.publish("x" * 100)
        assert len(await everything(quick)) == 1
    assert slow.over
    assert "does not read" in slow.slow
    assert await slow.take() is None
    assert feed.followers == {quick}
    assert slow.waiting == 0
    feed.close()
    assert await quick.take() is None
    assert quick.slow == ""


async def test_a_long_answer_does_not_count_as_being_behind() -> None:
    feed = SessionFeed(RpcLimits(max_bytes=1000), 0)
    follower = feed.follow()
    feed.respond("x" * 5000, follower)
    feed.publish("one")
    assert len(await follower.take() or ()) == 2
    feed.publish("two")
    assert await everything(follower) == [(2, "two")]
    feed.close()


async def test_a_follower_that_takes_nothing_for_too_long_is_let_go_and_an_idle_one_is_not() -> None:
    feed = SessionFeed(RpcLimits(stall_seconds=0.05), 0)
    idle, stuck = feed.follow(), feed.follow()
    feed.publish("line")
    assert await everything(idle) == [(1, "line")]
    async with asyncio.timeout(PATIENCE):
        while not stuck.over:
            await asyncio.sleep(0.01)
    assert stuck.slow == "the client has read nothing for 0.05 s"
    assert not idle.over
    feed.close()


async def test_there_is_room_once_the_slowest_follower_has_caught_up() -> None:
    feed = SessionFeed(RpcLimits(pause_bytes=500, read_pause_bytes=500), 0)
    one, two = feed.follow(), feed.follow()
    for _ in range(5):
        feed.publish("x" * 100)
    waits = [asyncio.create_task(feed.room()), asyncio.create_task(feed.room_for(one))]
    await everything(two)
    await asyncio.sleep(0)
    assert [wait.done() for wait in waits] == [False, False]
    await everything(one)
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*waits)
    for _ in range(5):
        feed.publish("x" * 100)
    wait = asyncio.create_task(feed.room())
    await asyncio.sleep(0)
    feed.close()  # who has gone is not waited for
    async with asyncio.timeout(PATIENCE):
        await wait


async def test_nobody_follows_what_is_closed() -> None:
    feed = SessionFeed(RpcLimits(), 1000)
    feed.close()
    with pytest.raises(HttpError):
        feed.follow()
