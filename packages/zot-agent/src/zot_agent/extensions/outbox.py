"""`Outbox`: what waits to be written to one extension, in order, and what happens when it does not read."""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from itertools import islice

from zot_ext.limits import Limits

_TOGETHER = 64
"""Lines handed to the system with one call."""

_CALLS = 16
"""Calls in a row, after which others have their turn."""


class Outbox:
    """Writes lines to a pipe that does not block, which it owns; the loop never waits for the reader.

    Full is a queue of `queue_frames` lines or `queue_bytes` bytes. There is no room for observations then: they are
    dropped and counted, and `recovered` is told their number when the queue is empty again. Anything else still waits.
    If a full queue does not move for `write_seconds`, `stuck` is called; a reader that takes anything at all is given
    time. `lost` is called when nobody reads any more. After both the queue is closed.
    """

    def __init__(
        self,
        descriptor: int,
        limits: Limits,
        *,
        stuck: Callable[[int], None],
        lost: Callable[[], None],
        recovered: Callable[[int], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._limits = limits
        self._stuck = stuck
        self._lost = lost
        self._recovered = recovered
        self._lines: deque[bytes | memoryview] = deque()
        self._bytes = 0
        self._dropped = 0
        self._scheduled = False
        self._watching = False
        self._finishing = False
        self._judgement: asyncio.TimerHandle | None = None
        self._moved = 0.0
        self.closed = False

    def room(self) -> bool:
        """Whether one more observation may wait; if not, it counts as dropped."""
        if self._full() and not self.closed:
            self._write()  # the reader may have gone on since the loop came round
        if self._full():
            self._dropped += 1
            return False
        return True

    def put(self, line: bytes, *, now: bool = False) -> None:
        """Write the line after those before it: when the loop comes round, together with what else came, or `now`.
        Once the queue is closed, nothing happens."""
        if self.closed or self._finishing:
            return
        self._lines.append(line)
        self._bytes += len(line)
        if self._watching:
            self._judge_later()
        elif now:
            self._write()
        elif not self._scheduled:
            # What one round of the loop brings goes out together.
            self._scheduled = True
            self._loop.call_soon(self._flush)

    def finish(self) -> None:
        """Take nothing more, and close the pipe as soon as everything is written."""
        self._finishing = True
        if not self.closed:
            self._write()

    def close(self) -> None:
        """Close the pipe now; what still waits is dropped."""
        if self.closed:
            return
        self.closed = True
        self._stop_judging()
        if self._watching:
            self._loop.remove_writer(self._descriptor)
        os.close(self._descriptor)
        self._lines.clear()
        self._bytes = 0
        self._tell_dropped()

    def _full(self) -> bool:
        return len(self._lines) >= self._limits.queue_frames or self._bytes >= self._limits.queue_bytes

    def _flush(self) -> None:
        self._scheduled = False
        if not self.closed:
            self._write()

    def _write(self) -> None:
        for _ in range(_CALLS):
            if not self._lines:
                break
            try:
                count = os.writev(self._descriptor, list(islice(self._lines, _TOGETHER)))
            except BlockingIOError:
                break
            except OSError:
                self.close()
                self._lost()
                return
            self._forget(count)
        self._go_on()

    def _forget(self, count: int) -> None:
        """Take what was written off the queue."""
        self._bytes -= count
        if self._judgement is not None:
            self._moved = self._loop.time()
        lines = self._lines
        while count:
            line = lines.popleft()
            if len(line) > count:
                lines.appendleft(memoryview(line)[count:])
                return
            count -= len(line)

    def _go_on(self) -> None:
        waiting = bool(self._lines)
        if waiting != self._watching:
            self._watching = waiting
            if waiting:
                self._loop.add_writer(self._descriptor, self._write)
            else:
                self._loop.remove_writer(self._descriptor)
        if waiting:
            self._judge_later()
            return
        self._stop_judging()
        self._tell_dropped()
        if self._finishing:
            self.close()

    def _judge_later(self) -> None:
        if self._judgement is None and self._full():
            self._moved = self._loop.time()
            self._judgement = self._loop.call_later(self._limits.write_seconds, self._judge)

    def _judge(self) -> None:
        self._judgement = None
        if not self._full():
            return
        left = self._moved + self._limits.write_seconds - self._loop.time()
        if left > 0:
            self._judgement = self._loop.call_later(left, self._judge)
            return
        waiting = len(self._lines)
        self.close()
        self._stuck(waiting)

    def _stop_judging(self) -> None:
        if self._judgement is not None:
            self._judgement.cancel()
            self._judgement = None

    def _tell_dropped(self) -> None:
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            self._recovered(dropped)
