import asyncio
import threading

import pytest

from zot_ext.lanes import Bell, Lane, LoopThread


def test_a_bell_that_was_rung_before_the_wait_does_not_hold_it_up() -> None:
    bell = Bell()
    bell.ring()
    bell.ring()
    bell.wait()
    bell.wait(0)
    bell.wait(-1)


def test_a_lane_keeps_the_order_and_can_rest_in_between() -> None:
    lane, seen = Lane("test"), list[int]()
    for start in range(0, 300, 100):
        done = threading.Event()
        for number in range(start, start + 100):
            lane.put(lambda number=number: seen.append(number))  # type: ignore[misc]
        lane.put(done.set)
        assert done.wait(10)
    assert seen == list(range(300))


def test_jobs_that_have_not_begun_can_be_forgotten() -> None:
    lane, seen = Lane("test"), list[int]()
    begun, go, done = threading.Event(), threading.Event(), threading.Event()
    lane.put(lambda: (begun.set(), go.wait(10), None)[2])
    assert begun.wait(10)
    lane.put(lambda: seen.append(1))
    lane.clear()
    lane.put(done.set)
    go.set()
    assert done.wait(10)
    assert seen == []


def test_coroutines_run_on_one_loop_and_raise_where_they_are_awaited() -> None:
    loop = LoopThread()

    async def running(fail: type[BaseException] | None = None) -> int:
        if fail:
            raise fail("no")
        return id(asyncio.get_running_loop())

    first = loop.run(running())
    for kind in (RuntimeError, SystemExit, KeyboardInterrupt):
        with pytest.raises(kind):
            loop.run(running(kind))
    assert loop.run(running()) == first
    loop.stop(5)


def test_a_loop_that_never_began_need_not_be_stopped() -> None:
    LoopThread().stop(0)


def test_stopping_cancels_what_still_runs() -> None:
    loop, begun, outcome = LoopThread(), threading.Event(), list[BaseException]()

    async def forever() -> None:
        begun.set()
        await asyncio.Event().wait()

    def wait() -> None:
        with pytest.raises(asyncio.CancelledError) as caught:
            loop.run(forever())
        outcome.append(caught.value)

    thread = threading.Thread(target=wait)
    thread.start()
    assert begun.wait(10)
    loop.stop(5)
    thread.join(10)
    assert len(outcome) == 1
