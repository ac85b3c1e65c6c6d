"""Signals that ask this process to end: watch, handle, ignore or defer them."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

_HOLD = ("SIGTERM", "SIGHUP")
_END = ("SIGINT", *_HOLD)
_STOPS = (signal.SIGINT, signal.SIGTERM)


def end_signals(names: Iterable[str] = _END) -> list[int]:
    """List the signals that ask a process to end, except signals ignored since its start (`nohup`)."""
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]  # Windows has no SIGHUP
    return [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]


def on_end_signals(handler: Callable[[int], object]) -> Callable[[], None]:
    """Call `handler` in the running loop with the number of each signal that asks the process to end.

    Returns a function that removes the handlers. A process that is about to end need not call it: a second signal then
    cannot interrupt the shutdown.
    """
    loop, numbers = asyncio.get_running_loop(), end_signals()
    for number in numbers:
        loop.add_signal_handler(number, handler, number)

    def undo() -> None:
        for number in numbers:
            loop.remove_signal_handler(number)

    return undo


@contextmanager
def handle_signals(numbers: Iterable[int], handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Call `handler` for these signals while the block runs, immediately and not through an event loop. Does nothing
    outside the main thread, because only the main thread receives signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


@contextmanager
def hold_end_signals() -> Iterator[list[int]]:
    """Keep SIGTERM and SIGHUP from ending the process while the block runs, and list what came: closing saves what
    commands have changed. A terminal that is closed says so twice, by its input and by a signal. Ctrl+C counts."""
    held: list[int] = []
    with handle_signals(end_signals(_HOLD), lambda number, _: held.append(number)):
        yield held


@contextmanager
def ignore_stop_signals() -> Iterator[None]:
    """Ignore Ctrl+C and SIGTERM while the block runs: for short work on files that must not stop halfway."""
    # A function, because child processes would inherit SIG_IGN and a signal mask.
    with handle_signals(_STOPS, lambda _number, _frame: None):
        yield


@contextmanager
def defer_stop_signals() -> Iterator[None]:
    """Deliver Ctrl+C and SIGTERM at the end of the block: by then the caller knows what the block has started, and can
    stop it."""
    received: list[int] = []
    try:
        with handle_signals(_STOPS, lambda number, _frame: received.append(number)):
            yield
    finally:
        if received:
            signal.raise_signal(received[0])
