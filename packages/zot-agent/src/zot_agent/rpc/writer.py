"""`Writer`: lines for a client on standard output, which is never waited for."""

import asyncio
import os
import select
import stat
from collections import deque
from collections.abc import Callable
from typing import Protocol

from zot_agent.rpc.limits import RpcLimits

_LOOK = 0.5
"""Seconds between two looks at whether a client on a socket is still there."""


class Lines(Protocol):
    """Where a service's lines go: to one client, or to several."""

    def send(self, line: str) -> None:
        """Write a line soon."""
        ...

    async def room(self) -> None:
        """Return once there is room for more."""
        ...


class Writer:
    """Writes what one wake-up of the loop brings with one call; the rest waits for the client.

    `gone` is called once: with an empty text when nobody reads any more, else with why nothing more can be written.
    What comes later is dropped. A pipe or a socket is watched even while there is nothing to write.
    """

    def __init__(self, limits: RpcLimits, gone: Callable[[str], None], *, descriptor: int = 1) -> None:
        self._loop = asyncio.get_running_loop()
        self._limits = limits
        self._gone = gone
        self._fd = descriptor
        self._lines: list[str] = []
        self._waiting: deque[memoryview] = deque()
        self._size = 0
        self._scheduled = self._watching = self._guarding = False
        self._progress = asyncio.Event()
        self._looking: asyncio.TimerHandle | None = None
        self._judging: asyncio.TimerHandle | None = None
        self._patience = limits.stall
        self._moved_at = 0.0
        self.moved: Callable[[], None] = lambda: None
        """Called whenever the client has taken something."""
        self.closed = False
        mode = os.fstat(descriptor).st_mode
        self._blocking = True
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):  # a terminal's settings are everybody's, a file never blocks
            self._blocking = os.get_blocking(descriptor)
            os.set_blocking(descriptor, False)
            self._guard()

    @property
    def waiting(self) -> int:
        """How many bytes, about, the client has not taken yet."""
        return self._size

    def send(self, line: str) -> None:
        """Write a line soon."""
        if self.closed:
            return
        if self._size > self._limits.most:
            self._end(f"the client does not read: {self._size} bytes wait for it")
            return
        self._lines.append(line)
        self._size += len(line) + 1
        if not (self._scheduled or self._watching):
            self._scheduled = True
            self._loop.call_soon(self._flush)

    async def room(self) -> None:
        """Return once less than `limits.pause` bytes wait, or nothing more is written at all."""
        while self._size >= self._limits.pause and not self.closed:
            await self._move()

    async def drain(self) -> None:
        """Return once everything is written, or nothing more can be."""
        while self._size and not self.closed:
            await self._move()

    async def _move(self) -> None:
        self._progress.clear()
        await self._progress.wait()

    def hurry(self, patience: float) -> None:
        """From now on a client is stuck that has taken nothing for this many seconds."""
        self._patience = patience
        if self._judging is not None:
            self._judging.cancel()
            self._judging = None
            self._judge_later()

    def _judge_later(self) -> None:
        if self._judging is None:
            self._moved_at = self._loop.time()
            self._judging = self._loop.call_later(self._patience, self._judge)

    def _judge(self) -> None:
        self._judging = None
        if not self._watching:
            return
        left = self._moved_at + self._patience - self._loop.time()
        if left > 0:
            self._judging = self._loop.call_later(left, self._judge)
        else:
            self._end(f"the client has read nothing for {self._patience:g} s")

    def close(self) -> None:
        """Write nothing more, and leave the stream as it was found: others may share it."""
        if self.closed:
            return
        self.closed = True
        if self._watching:
            self._loop.remove_writer(self._fd)
        if self._guarding:
            self._loop.remove_reader(self._fd)
        for timer in (self._looking, self._judging):
            if timer is not None:
                timer.cancel()
        if self._blocking and not os.get_blocking(self._fd):
            os.set_blocking(self._fd, True)
        self._lines.clear()
        self._waiting.clear()
        self._size = 0
        self._progress.set()

    def _end(self, why: str) -> None:
        self.close()
        self._gone(why)

    def _flush(self) -> None:
        self._scheduled = False
        if self.closed:
            return
        if self._lines:
            data = ("\n".join(self._lines) + "\n").encode("utf-8", "replace")
            self._size += len(data) - sum(map(len, self._lines)) - len(self._lines)
            self._lines.clear()
            self._waiting.append(memoryview(data))
        try:
            self._write()
        except BlockingIOError:
            pass
        except OSError as error:
            self._end("" if isinstance(error, BrokenPipeError | ConnectionResetError) else str(error.strerror))
            return
        if bool(self._waiting) != self._watching:
            self._watching = bool(self._waiting)
            if self._watching:
                self._loop.add_writer(self._fd, self._flush)
                self._judge_later()
            else:
                self._loop.remove_writer(self._fd)

    def _write(self) -> None:
        while self._waiting:
            data = self._waiting[0]
            count = os.write(self._fd, data)
            self._size -= count
            self._moved_at = self._loop.time()
            if count == len(data):
                self._waiting.popleft()
            else:
                self._waiting[0] = data[count:]
            self._progress.set()
            self.moved()

    def _guard(self) -> None:
        """Notice that the client closes its end. Of a pipe's writing end nothing else can be read."""
        self._guarding = True
        self._loop.add_reader(self._fd, self._look)

    def _look(self) -> None:
        """Something has happened at the other end; of a socket it may be something else: then look now and then."""
        poll = select.poll()
        poll.register(self._fd, 0)
        if any(happened & (select.POLLERR | select.POLLHUP) for _, happened in poll.poll(0)):
            self._end("")
            return
        if self._guarding:
            self._guarding = False
            self._loop.remove_reader(self._fd)
        self._looking = self._loop.call_later(_LOOK, self._look)
