"""`Feed`: the lines of one session for all who follow it, each at a pace of its own.

It stands where `zot rpc` has its writer: events go to everybody, a response to whoever sent the command.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol, TypeAlias

from zot_agent.rpc.limits import RpcLimits
from zot_agent.serve.refusal import Refusal

Item: TypeAlias = tuple[int, str]
"""A line and the number of its event, from 1; a response has 0."""

_RESPONSE = '{"type":"response",'
_OVERHEAD = 100
"""Bytes, about, that keeping a line costs beside its text."""
_BATCH = 64 * 1024
"""Bytes taken at once: as much as is lost from sight in buffers on the way out."""


class Asker(Protocol):
    """Who sent a command, and is told its response."""

    def put(self, item: Item) -> None:
        """Take a line."""


_asker: ContextVar[Asker | None] = ContextVar("asker", default=None)
"""Of the command at hand. A command that takes a while runs in a task, which inherits it."""


class Follower:
    """What one client has yet to take of a session."""

    def __init__(self, limits: RpcLimits, ended: Callable[["Follower"], None], moved: Callable[[], None]) -> None:
        self._limits = limits
        self._ended, self._moved = ended, moved
        self._loop = asyncio.get_running_loop()
        self._items: deque[Item] = deque()
        self._flying = 0
        self._size = 0
        self._news = asyncio.Event()
        self._moved_at = 0.0
        self._judging: asyncio.TimerHandle | None = None
        self.over = False
        self.slow = ""
        """Why it was given up, if it was."""

    @property
    def waiting(self) -> int:
        """How many bytes, about, the client has not taken yet."""
        return self._size

    def put(self, item: Item) -> None:
        """Have a line wait for the client; dropped once the client is over."""
        if self.over:
            return
        if self._size > self._limits.most:
            self._give_up(f"{self._size} bytes wait for a client that does not read")
            return
        self._items.append(item)
        self._size += len(item[1]) + _OVERHEAD
        self._news.set()
        if self._judging is None:
            self._moved_at = self._loop.time()
            self._judging = self._loop.call_later(self._limits.stall, self._judge)

    async def take(self, patience: float | None = None) -> list[Item] | None:
        """The next lines, those before counting as taken; none after `patience` seconds, None at the end."""
        self._count_as_taken()
        if not self._items and not self.over:
            self._news.clear()
            try:
                async with asyncio.timeout(patience):
                    await self._news.wait()
            except TimeoutError:
                return []
        if self.over:
            return None
        batch: list[Item] = []
        while self._items and self._flying < _BATCH:
            batch.append(self._items.popleft())
            self._flying += len(batch[-1][1]) + _OVERHEAD
        return batch

    def _count_as_taken(self) -> None:
        if self._flying:
            self._size -= self._flying
            self._flying = 0
            self._moved_at = self._loop.time()
            self._moved()

    def _judge(self) -> None:
        self._judging = None
        left = self._moved_at + self._limits.stall - self._loop.time()
        if not self._size or self.over:
            return
        if left > 0:
            self._judging = self._loop.call_later(left, self._judge)
        else:
            self._give_up(f"the client has read nothing for {self._limits.stall:g} s")

    def _give_up(self, why: str) -> None:
        self.slow = why
        self.end()

    def end(self) -> None:
        """Take nothing more, and forget what waits. Harmless at the end."""
        if self.over:
            return
        self.over = True
        if self._judging is not None:
            self._judging.cancel()
        self._items.clear()
        self._size = self._flying = 0
        self._news.set()
        self._ended(self)
        self._moved()


class Feed:
    """Tells what it is sent to all followers, and keeps the last events for those who come later."""

    def __init__(self, limits: RpcLimits, ring: int) -> None:
        """`ring`: bytes of events to keep."""
        self._limits, self._most_kept = limits, ring
        self._kept: deque[Item] = deque()
        self._size = 0
        self._progress = asyncio.Event()
        self.followers: set[Follower] = set()
        self.last = 0
        """The number of the last event."""
        self.closed = False

    def send(self, line: str) -> None:
        """Tell a line: a response to whoever asked, an event to everybody."""
        if line.startswith(_RESPONSE):
            asker = _asker.get()
            if asker is not None:
                asker.put((0, line))
            return
        self.last += 1
        item = (self.last, line)
        self._keep(item)
        for follower in tuple(self.followers):
            follower.put(item)

    def _keep(self, item: Item) -> None:
        self._kept.append(item)
        self._size += len(item[1]) + _OVERHEAD
        while self._size > self._most_kept:
            self._size -= len(self._kept.popleft()[1]) + _OVERHEAD

    async def room(self) -> None:
        """Return once no follower is further behind than `limits.pause`."""
        while any(each.waiting >= self._limits.pause for each in self.followers):
            await self._move()

    async def room_for(self, follower: Follower) -> None:
        """Return once commands of this follower may be read again."""
        while follower.waiting >= self._limits.deaf:
            await self._move()

    async def _move(self) -> None:
        self._progress.clear()
        await self._progress.wait()

    def follow(self, after: int | None = None) -> Follower:
        """Follow the session from now on, or from the event behind `after`.

        What of that is no longer kept is missing: the first item then has a higher number than `after + 1`, or there
        is none though `last` is another one. Raises `Refusal` once the session is closed.
        """
        if self.closed:
            raise Refusal(404, "the session is closed")
        follower = Follower(self._limits, self.followers.discard, self._progress.set)
        self.followers.add(follower)
        if after is not None:
            for item in tuple(self._kept):
                if item[0] > after:
                    follower.put(item)
        return follower

    def has(self, after: int) -> bool:
        """Whether all events behind `after` are kept."""
        first = self._kept[0][0] if self._kept else self.last + 1
        return first - 1 <= after <= self.last

    def ask(self, receive: Callable[[bytes], None], command: bytes, asker: Asker) -> None:
        """Hand a command to `receive` in the name of `asker`, who is told the response, now or later."""
        before = _asker.set(asker)
        try:
            receive(command)
        finally:
            _asker.reset(before)

    def close(self) -> None:
        """Let all followers go."""
        self.closed = True
        for follower in tuple(self.followers):
            follower.end()
