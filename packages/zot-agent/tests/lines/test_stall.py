import asyncio
from collections.abc import Awaitable, Callable

import pytest
from waiting import PATIENCE

from zot_agent.lines.stall import StallTimer


def seconds_until_stalled(act: Callable[[StallTimer], Awaitable[float]], seconds: float) -> float:
    """The time from the moment that `act` returns to the call of `stalled`."""

    async def main() -> float:
        loop = asyncio.get_running_loop()
        stalled: asyncio.Future[float] = loop.create_future()
        timer = StallTimer(seconds, lambda: stalled.set_result(loop.time()))
        begin = await act(timer)
        async with asyncio.timeout(PATIENCE):
            return await stalled - begin

    return asyncio.run(main())


def now() -> float:
    return asyncio.get_running_loop().time()


def test_a_reader_that_takes_nothing_stalls_after_its_time() -> None:
    async def act(timer: StallTimer) -> float:
        timer.start()
        return now()

    assert seconds_until_stalled(act, 0.05) >= 0.049


def test_a_reader_that_takes_something_has_its_full_time_again() -> None:
    async def act(timer: StallTimer) -> float:
        timer.start()
        await asyncio.sleep(0.06)
        timer.start()  # changes nothing
        timer.moved()
        return now()

    assert seconds_until_stalled(act, 1.0) >= 0.99


def test_a_wait_that_begins_again_has_its_full_time() -> None:
    async def act(timer: StallTimer) -> float:
        timer.start()
        timer.stop()
        await asyncio.sleep(0.06)
        timer.moved()  # nobody waits
        timer.start()
        return now()

    assert seconds_until_stalled(act, 1.0) >= 0.99


def test_a_hurried_reader_has_less_time_from_then_on() -> None:
    async def act(timer: StallTimer) -> float:
        timer.start()
        timer.set_limit(0.05)
        return now()

    assert 0.049 <= seconds_until_stalled(act, 3600) < PATIENCE


@pytest.mark.parametrize("end", [StallTimer.stop, StallTimer.close])
async def test_where_nothing_waits_nothing_stalls(end: Callable[[StallTimer], None]) -> None:
    stalled = asyncio.Event()
    timer = StallTimer(0.01, stalled.set)
    timer.start()
    end(timer)
    later = StallTimer(0.05, asyncio.Event().set)
    later.set_limit(0.02)  # nothing waits here either
    await asyncio.sleep(0.05)
    assert not stalled.is_set()
