"""`LexingTime`: how long lexers may hold the main thread.

Text from outside can make a lexer take exponential time, or loop for ever. A timer signal stops it: Python calls the
handler within a regular expression too, and the exception that it raises ends the lexer. Processor time is counted, so
that a busy machine does not change what is coloured.
"""

import asyncio
import gc
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time
from types import FrameType
from typing import TypeVar

LEXING_SECONDS = 0.05

T = TypeVar("T")

_armed = False


class _Expired(BaseException):
    """Ends a call that takes too long; no `except Exception` on the way catches it."""


def _expire(_number: int, _frame: FrameType | None) -> None:
    if _armed:
        raise _Expired


def can_limit() -> bool:
    """Return whether `limited` works here: in the main thread, unless something else uses SIGVTALRM; not on Windows."""
    if sys.platform == "win32" or threading.get_ident() != threading.main_thread().ident:
        return False
    known = signal.getsignal(signal.SIGVTALRM)
    if known in (signal.SIG_DFL, signal.SIG_IGN):
        signal.signal(signal.SIGVTALRM, _expire)  # for good: a late signal would end the process
        signal.siginterrupt(signal.SIGVTALRM, False)
        return True
    return known is _expire


def limited(call: Callable[[], T], seconds: float) -> T:
    """Return what `call` returns. Raises TimeoutError after `seconds` of processor time, wherever `call` is then.

    It is for calls without effects on anything that is used afterwards, and where `can_limit`. Garbage is collected
    later, since a finalizer would swallow the exception.
    """
    global _armed
    collecting = gc.isenabled()
    try:
        try:
            gc.disable()
            _armed = True
            _set_timer(seconds)
            return call()
        finally:
            _disarm()
    except _Expired:
        _disarm()
        raise TimeoutError from None
    finally:
        if collecting:
            gc.enable()


def _disarm() -> None:
    global _armed
    _armed = False
    _set_timer(0)


def _set_timer(seconds: float) -> None:
    if sys.platform != "win32":
        # It repeats, in case something swallows the exception.
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)


class LexingTime:
    """The time of lexers in a turn of the running event loop: after `seconds`, nothing more begins in that turn.

    So a turn lasts at most `seconds` and what has begun last. Without a running loop everything may begin. `postponed`
    is the number of times that something could not: what was drawn meanwhile must be drawn again in a later turn.
    """

    def __init__(self, seconds: float = LEXING_SECONDS) -> None:
        self.seconds = seconds
        self.postponed = 0
        self._spent = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    def begins(self, times: int = 1) -> bool:
        """Return whether less than `times` the limit is spent; otherwise count what is postponed."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._renew()
            return True
        if loop is not self._loop:
            self._renew()
            self._loop = loop
            loop.call_soon(self._renew)
        if self._spent < times * self.seconds:
            return True
        self.postponed += 1
        return False

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Count the time of the block."""
        start = thread_time()
        try:
            yield
        finally:
            self._spent += thread_time() - start

    def limited(self, call: Callable[[], T]) -> T:
        """Do `limited` within the limit, and count its time."""
        with self.measured():
            try:
                return limited(call, self.seconds)
            except TimeoutError:
                self._spent += self.seconds  # the timer may fire some milliseconds early
                raise

    def _renew(self) -> None:
        self._loop, self._spent = None, 0.0


LEXING_TIME = LexingTime()
"""The time of the main thread, which all screens of a process share."""
