"""`LineWriter`: a bounded queue of lines to a descriptor, written without blocking the event loop."""

import asyncio
import errno
import math
import os
import select
import stat
import sys
from collections import deque
from collections.abc import Callable
from itertools import islice

from zot_agent.lines.stall import StallTimer
from zot_provider.record import Record

_JOINED = 64 * 1024
"""Bytes up to which lines are copied into one write: the capacity of a pipe, which would take only part of more."""

_VECTOR = 1024
"""Lines passed to one system call when they are not copied: the maximum of Linux and macOS."""

_CALLS = 16
"""Writes in a row, after which other work of the loop gets its turn."""

_POLL_SECONDS = 0.5
"""Seconds between two checks whether the reader of a socket is still there."""


class WriterLimits(Record):
    """Limits of a `LineWriter`; a default means no limit.

    The queue is full when it holds `full_bytes` bytes or `full_lines` lines: then `room` waits and `fits` returns
    False. The reader is stuck when more than `max_bytes` bytes wait behind the line that it reads, or when it has read
    nothing for `stall_seconds` while anything waited (with `stall_only_full`: while the queue was full).
    """

    full_bytes: int
    full_lines: int = sys.maxsize
    max_bytes: int = sys.maxsize
    stall_seconds: float = math.inf
    stall_only_full: bool = False


class Stuck(Record):
    """Why a reader was given up: `lines` lines, `bytes` bytes in all, waited for it, and it had read nothing for
    `seconds`; 0 seconds if too much waited."""

    lines: int
    bytes: int
    seconds: float = 0.0


class _Target:
    """The descriptor that is written to. A pipe or a socket does not block meanwhile."""

    def __init__(self, descriptor: int, *, owned: bool) -> None:
        self.descriptor, self._owned = descriptor, owned
        mode = os.fstat(descriptor).st_mode
        # All processes on a terminal share its settings; a file never blocks.
        self.is_pipe = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
        self._was_blocking = self.is_pipe and os.get_blocking(descriptor)
        if self._was_blocking:
            os.set_blocking(descriptor, False)

    def close(self) -> None:
        if self._owned:
            os.close(self.descriptor)
        elif self._was_blocking:
            os.set_blocking(self.descriptor, True)


class _Waiting:
    """The lines that wait for their reader."""

    def __init__(self, limits: WriterLimits) -> None:
        self.lines: deque[bytes | memoryview] = deque()
        self.bytes = 0
        self._limits = limits

    @property
    def full(self) -> bool:
        return self.bytes >= self._limits.full_bytes or len(self.lines) >= self._limits.full_lines

    @property
    def is_awaited(self) -> bool:
        """Whether the reader must take something soon."""
        return self.full or not self._limits.stall_only_full

    @property
    def too_much(self) -> bool:
        """Whether more waits behind the first line than may."""
        return bool(self.lines) and self.bytes - len(self.lines[0]) > self._limits.max_bytes

    def add(self, line: bytes) -> None:
        self.lines.append(line)
        self.bytes += len(line)

    def write(self, descriptor: int) -> None:
        """Write once, and remove what the system took."""
        lines = self.lines
        if self.bytes <= _JOINED:
            count = os.write(descriptor, b"".join(lines))
        else:
            count = os.writev(descriptor, list(islice(lines, _VECTOR)))
        if count == self.bytes:
            self.clear()
            return
        self.bytes -= count
        while count:
            line = lines.popleft()
            if len(line) > count:
                lines.appendleft(memoryview(line)[count:])
                return
            count -= len(line)

    def clear(self) -> None:
        self.lines.clear()
        self.bytes = 0


class LineWriter:
    """Writes lines in order. The lines of one loop iteration are written with one system call.

    A pipe or a socket is made non-blocking. With `owned`, the descriptor belongs to the writer, which closes it.
    Without it, others may share the descriptor, and `close` restores its mode.

    `stuck` is called when the reader exceeds the limits, `lost` when the reader disconnects or a write fails; at most
    one of the two, once, and the writer is closed then. With `watch`, a disconnected reader of a pipe or socket is
    noticed even while nothing is written. `moved` is called when the reader has taken something, `dropped` with the
    number of lines that did not fit, when the queue is empty again or closed.
    """

    def __init__(
        self,
        descriptor: int,
        limits: WriterLimits,
        *,
        stuck: Callable[[Stuck], None],
        lost: Callable[[OSError], None],
        moved: Callable[[], None] = lambda: None,
        dropped: Callable[[int], None] = lambda count: None,
        owned: bool = False,
        watch: bool = False,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._target, self._waiting = _Target(descriptor, owned=owned), _Waiting(limits)
        self._stuck, self._lost, self._moved, self._dropped = stuck, lost, moved, dropped
        self._not_fitting = 0
        self._scheduled = self._watching = self._finishing = False
        self._progress = asyncio.Event()
        self._stall = StallTimer(limits.stall_seconds, self._stalled)
        self.closed = False
        self._hangup = _HangupWatch(descriptor, self._disconnected) if watch and self._target.is_pipe else None

    @property
    def waiting(self) -> int:
        """Number of bytes that the reader has not taken yet."""
        return self._waiting.bytes

    @property
    def full(self) -> bool:
        """Whether nothing more should be written for now; see `WriterLimits`."""
        return self._waiting.full

    def fits(self) -> bool:
        """Whether an optional line still fits; if not, it is counted as dropped."""
        if self.full:
            self._write()  # the reader may have read since the last iteration of the loop
        if self.full:
            self._not_fitting += 1
            return False
        return True

    def write(self, line: bytes, *, now: bool = False) -> None:
        """Append a line, which includes its line break, to the queue; write it in the next loop iteration, or `now`.
        A writer that is closed or finishing drops it."""
        if self.closed or self._finishing:
            return
        if self._waiting.too_much:
            self._give_up(0.0)
            return
        self._waiting.add(line)
        if self._watching:
            self._update_stall()
        elif now:
            self._write()
        elif not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._flush)

    async def room(self) -> None:
        """Wait until the queue is no longer full, or the writer is closed."""
        while self.full and not self.closed:
            await self._wait_for_progress()

    async def drain(self) -> None:
        """Wait until everything is written, or the writer is closed."""
        while self._waiting.lines:
            await self._wait_for_progress()

    async def _wait_for_progress(self) -> None:
        self._progress.clear()
        await self._progress.wait()

    def set_stall_limit(self, seconds: float) -> None:
        """Change `stall_seconds`: from now on a reader that takes nothing for this many seconds is stuck."""
        self._stall.set_limit(seconds)

    def finish(self) -> None:
        """Accept no more lines, and close as soon as everything is written."""
        self._finishing = True
        self._write()

    def close(self) -> None:
        """Drop the lines that wait, and write nothing more. Closing twice does nothing."""
        if self.closed:
            return
        self.closed = True
        self._stall.close()
        if self._watching:
            self._loop.remove_writer(self._target.descriptor)
        if self._hangup is not None:
            self._hangup.close()
        self._target.close()
        self._waiting.clear()
        self._progress.set()
        self._report_dropped()

    def _flush(self) -> None:
        self._scheduled = False
        self._write()

    def _write(self) -> None:
        if self.closed:
            return
        calls = 0
        try:
            while self._waiting.lines and (calls < _CALLS or not self._target.is_pipe):
                self._waiting.write(self._target.descriptor)
                self._stall.moved()
                calls += 1
        except BlockingIOError:
            pass
        except OSError as error:
            self._disconnected(error)
            return
        if calls:
            self._progress.set()
            self._moved()
        self._after_write()

    def _after_write(self) -> None:
        """Watch the descriptor while anything waits, or stop watching it."""
        if self.closed:
            return
        waiting = bool(self._waiting.lines)
        if waiting != self._watching:
            self._watching = waiting
            if waiting:
                self._loop.add_writer(self._target.descriptor, self._write)
            else:
                self._loop.remove_writer(self._target.descriptor)
        self._update_stall()
        if not waiting:
            self._report_dropped()
            if self._finishing:
                self.close()

    def _update_stall(self) -> None:
        if self._watching and self._waiting.is_awaited:
            self._stall.start()
        else:
            self._stall.stop()

    def _stalled(self) -> None:
        self._give_up(self._stall.seconds)

    def _give_up(self, seconds: float) -> None:
        stuck = Stuck(len(self._waiting.lines), self._waiting.bytes, seconds)
        self.close()
        self._stuck(stuck)

    def _disconnected(self, error: OSError) -> None:
        self.close()
        self._lost(error)

    def _report_dropped(self) -> None:
        """Call `dropped` with the number of lines that did not fit."""
        if self._not_fitting:
            count, self._not_fitting = self._not_fitting, 0
            self._dropped(count)


class _HangupWatch:
    """Notices that the other end of a pipe or socket is closed, and calls `disconnected`."""

    def __init__(self, descriptor: int, disconnected: Callable[[OSError], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._fd = descriptor
        self._disconnected = disconnected
        self._watching = True
        self._timer: asyncio.TimerHandle | None = None
        self._loop.add_reader(descriptor, self._check)

    def close(self) -> None:
        self._stop_watching()
        if self._timer is not None:
            self._timer.cancel()

    def _stop_watching(self) -> None:
        if self._watching:
            self._watching = False
            self._loop.remove_reader(self._fd)

    def _check(self) -> None:
        """Handle an event of the other end. A socket may only have input: then check again every `_POLL_SECONDS`."""
        poll = select.poll()
        poll.register(self._fd, 0)
        if any(happened & (select.POLLERR | select.POLLHUP) for _, happened in poll.poll(0)):
            self._disconnected(BrokenPipeError(errno.EPIPE, "the reader has closed its end"))
            return
        self._stop_watching()
        self._timer = self._loop.call_later(_POLL_SECONDS, self._check)
