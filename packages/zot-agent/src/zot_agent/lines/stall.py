"""`StallTimer`: when a reader that takes nothing is given up."""

import asyncio
from collections.abc import Callable


class StallTimer:
    """Calls `stalled` once something has waited for `seconds` while the reader took nothing.

    The owner says when the wait begins (`start`), when the reader takes something (`moved`) and when nothing waits any
    more (`stop`). All three are cheap: a timer of the event loop is left to run, and the clock is read when it fires.
    """

    def __init__(self, seconds: float, stalled: Callable[[], None]) -> None:
        """An event loop must run."""
        self.seconds = seconds
        """Seconds without progress that are allowed."""
        self._stalled = stalled
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None
        self._waiting = False
        self._since = 0.0

    def start(self) -> None:
        """The wait begins now. Harmless during a wait."""
        if not self._waiting:
            self._waiting = True
            self._since = self._loop.time()
            if self._handle is None:
                self._handle = self._loop.call_later(self.seconds, self._look)

    def moved(self) -> None:
        """The reader has taken something: it has its full time again."""
        if self._waiting:
            self._since = self._loop.time()

    def stop(self) -> None:
        """Nothing waits any more."""
        self._waiting = False

    def hurry(self, seconds: float) -> None:
        """Allow this many seconds from now on."""
        self.seconds = seconds
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        if self._waiting:
            self._waiting = False
            self.start()

    def close(self) -> None:
        """Stop, and leave no timer in the event loop."""
        self.stop()
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _look(self) -> None:
        self._handle = None
        if not self._waiting:
            return
        left = self._since + self.seconds - self._loop.time()
        if left > 0:
            self._handle = self._loop.call_later(left, self._look)
        else:
            self.stop()
            self._stalled()
