import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from waiting import PATIENCE

from zot_agent.signals import (
    defer_stop_signals,
    end_signals,
    handle_signals,
    hold_end_signals,
    ignore_stop_signals,
    on_end_signals,
)


def begin(begun: list[str], failure: Exception | None = None) -> None:
    with defer_stop_signals():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        if failure is not None:
            raise failure
        begun.append("a process")


def test_a_ctrl_c_counts_when_what_was_begun_is_known() -> None:
    begun: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        begin(begun)
    assert begun == ["a process"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)  # as before


def test_a_ctrl_c_counts_also_where_nothing_could_be_begun() -> None:
    failure = OSError("no such program")
    with pytest.raises(KeyboardInterrupt) as caught:
        begin([], failure)
    assert caught.value.__context__ is failure


def test_signals_pass_by_what_is_not_to_be_disturbed() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with ignore_stop_signals():
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_closed_terminal_and_a_sigterm_do_not_cut_closing_off_but_ctrl_c_does() -> None:
    before = signal.getsignal(signal.SIGHUP)
    with hold_end_signals() as held:
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert held == [signal.SIGHUP, signal.SIGTERM]
    assert signal.getsignal(signal.SIGHUP) == before


async def test_a_loop_hears_of_signals_until_that_is_undone() -> None:
    heard: list[int] = []
    came = asyncio.Event()

    def hear(number: int) -> None:
        heard.append(number)
        came.set()

    kept = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        undo = on_end_signals(hear)
        for number in (signal.SIGTERM, signal.SIGHUP):
            came.clear()
            os.kill(os.getpid(), number)
            await asyncio.wait_for(came.wait(), PATIENCE)
        undo()
        assert heard == [signal.SIGTERM, signal.SIGHUP]
        assert {signal.getsignal(number) for number in kept} == {signal.SIG_DFL}
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


async def test_a_signal_that_is_ignored_from_the_start_stays_ignored() -> None:
    with ignored(signal.SIGHUP):
        assert end_signals() == [signal.SIGINT, signal.SIGTERM]
        undo = on_end_signals(lambda number: None)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        undo()


@contextmanager
def ignored(number: int) -> Iterator[None]:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)


def test_outside_of_the_main_thread_signals_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen: list[object] = []

    def work() -> None:
        with handle_signals([signal.SIGTERM], lambda number, frame: None):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
