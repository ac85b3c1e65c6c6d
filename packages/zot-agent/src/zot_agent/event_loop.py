"""`run_in_loop`: does the work of a process in an event loop."""

import asyncio
import signal
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """Do `work` in a new event loop and return its result, as `asyncio.run` does. Raises KeyboardInterrupt at Ctrl+C,
    which is held back while the loop is made, because half a loop prints a traceback when it is deleted."""
    runner = asyncio.Runner()
    held = _make_loop(runner)
    with runner:
        if held:
            work.close()
            raise KeyboardInterrupt
        return runner.run(work)


def _make_loop(runner: asyncio.Runner) -> list[int]:
    """Make the event loop. Return the signals that came meanwhile."""
    held: list[int] = []
    holds = threading.current_thread() is threading.main_thread()
    if not holds or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        runner.get_loop()
        return held
    signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    try:
        runner.get_loop()
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return held
