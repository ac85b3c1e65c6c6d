"""Ctrl+C and SIGTERM, where what is done must not be left in the middle."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_STOPS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let them pass by, for as long as a few files take."""
    with _handled(lambda _number, _frame: None):
        yield


@contextmanager
def deferred() -> Iterator[None]:
    """Have them count at the end of the block: what is begun in it is known by then to whoever has to end it."""
    came: list[int] = []
    try:
        with _handled(lambda number, _frame: came.append(number)):
            yield
    finally:
        if came:
            signal.raise_signal(came[0])


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """A function, since what is started would inherit SIG_IGN and a mask. Only the main thread is told of signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in _STOPS}
    try:
        yield
    finally:
        for number, each in before.items():
            signal.signal(number, each)
