"""Signals that ask this process to end: told to a loop, handled for a while, put off, or left alone for a moment."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

_END = ("SIGINT", "SIGTERM", "SIGHUP")
_STOPS = (signal.SIGINT, signal.SIGTERM)


def end_signals() -> list[int]:
    """The signals that ask a process to end, without those that it was started to ignore (`nohup`)."""
    numbers = [getattr(signal, name) for name in _END if hasattr(signal, name)]  # Windows has no SIGHUP
    return [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]


def on_end_signals(heard: Callable[[int], object]) -> Callable[[], None]:
    """Call `heard` in the running loop with the number of each signal that asks the process to end.

    Returns the function that undoes this. A process that ends anyway leaves it: a second signal then finds no process
    that is half dismantled.
    """
    loop, numbers = asyncio.get_running_loop(), end_signals()
    for number in numbers:
        loop.add_signal_handler(number, heard, number)

    def undo() -> None:
        for number in numbers:
            loop.remove_signal_handler(number)

    return undo


@contextmanager
def handled(numbers: Iterable[int], handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Have `handler` called for these signals inside the block, at once and not through a loop. Nothing happens outside
    of the main thread, which alone is told of signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, each in before.items():
            signal.signal(number, each)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore Ctrl+C and SIGTERM for as long as a few files take, where what is done must not be left in the middle."""
    # A function, since what is started would inherit SIG_IGN and a mask.
    with handled(_STOPS, lambda _number, _frame: None):
        yield


@contextmanager
def deferred() -> Iterator[None]:
    """Have Ctrl+C and SIGTERM count at the end of the block: the caller knows by then what was begun in it, and can end
    that."""
    came: list[int] = []
    try:
        with handled(_STOPS, lambda number, _frame: came.append(number)):
            yield
    finally:
        if came:
            signal.raise_signal(came[0])
