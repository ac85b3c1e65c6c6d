"""`StallTimer`: detects a reader that has stopped reading."""

import asyncio
from collections.abc import Callable


class StallTimer:
    """Calls `stalled` once data has waited for `seconds` without being read.

    The owner reports when the wait begins (`start`), when the reader takes something (`moved`) and when nothing waits
    any more (`stop`). All three are cheap: the loop's timer keeps running, and the clock is read when it fires.
    """

    def __init__(self, seconds: float, stalled: Callable[[], None]) -> None:
        """Must be called in a running event loop."""
        self.seconds = seconds
        """Seconds without progress that are allowed."""
        self._stalled = stalled
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None
        self._waiting = False
        self._since = 0.0

    def start(self) -> None:
        """Begin to wait now. Does nothing during a wait."""
        if not self._waiting:
            self._waiting = True
            self._since = self._loop.time()
            if self._handle is None:
                self._handle = self._loop.call_later(self.seconds, self._check)

    def moved(self) -> None:
        """Note that the reader has taken something: the time starts again."""
        if self._waiting:
            self._since = self._loop.time()

    def stop(self) -> None:
        """Note that nothing waits any more."""
        self._waiting = False

    def set_limit(self, seconds: float) -> None:
        """Allow this many seconds without progress from now on."""
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

    def _check(self) -> None:
        self._handle = None
        if not self._waiting:
            return
        left = self._since + self.seconds - self._loop.time()
        if left > 0:
            self._handle = self._loop.call_later(left, self._check)
        else:
            self.stop()
            self._stalled()
