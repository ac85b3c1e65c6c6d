import asyncio
import gc
import re
import signal
from collections.abc import Callable

import pytest

from zot_tui.lexing_time import LexingTime, can_limit, limited


def spin() -> None:
    while True:
        pass


def swallow() -> None:
    try:
        spin()
    except BaseException:
        spin()


@pytest.mark.parametrize(
    "call",
    [
        spin,
        swallow,
        lambda: re.match("(a+)+b", "a" * 40),
        lambda: re.search("(a|aa)+$", "a" * 40 + "b"),
        lambda: re.search(r"\s+$", " " * 100_000 + "b"),
    ],
)
def test_a_call_that_takes_too_long_is_ended_wherever_it_is(call: Callable[[], object]) -> None:
    assert can_limit()
    with pytest.raises(TimeoutError):
        limited(call, 0.02)
    assert gc.isenabled()
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


def test_a_call_within_the_limit_returns_its_result_or_raises_its_error() -> None:
    assert limited(lambda: 7, 5) == 7
    with pytest.raises(ZeroDivisionError):
        limited(lambda: 1 / 0, 5)
    assert gc.isenabled()


def test_a_signal_outside_of_a_call_does_nothing() -> None:
    assert can_limit()
    signal.raise_signal(signal.SIGVTALRM)


def test_a_program_that_uses_the_signal_keeps_it() -> None:
    heard: list[int] = []
    assert can_limit()
    before = signal.signal(signal.SIGVTALRM, lambda number, _: heard.append(number))
    try:
        assert not can_limit()
        signal.raise_signal(signal.SIGVTALRM)
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert heard == [signal.SIGVTALRM]
    assert can_limit()


async def test_the_limit_is_for_all_calls_of_one_turn_of_the_loop() -> None:
    time = LexingTime(0.02)
    assert time.begins()
    with pytest.raises(TimeoutError):
        time.limited(spin)
    assert not time.begins()
    assert time.begins(10)
    assert time.postponed == 1
    await asyncio.sleep(0)
    assert time.begins()


def test_without_a_loop_everything_may_begin() -> None:
    time = LexingTime(0.02)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            time.limited(spin)
        assert time.begins()
