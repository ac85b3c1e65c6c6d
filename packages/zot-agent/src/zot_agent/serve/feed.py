"""`SessionFeed`: the lines of one session for all who follow it, each at a pace of its own.

It is the `Output` of a service: events go to every follower, a response to the one who sent the command.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from zot_agent.lines.stall import StallTimer
from zot_agent.rpc.limits import RpcLimits
from zot_agent.rpc.writer import CommandSender
from zot_agent.serve.http_error import HttpError

Item: TypeAlias = tuple[int, str]
"""A line and the number of its event, from 1; a response has 0."""

_OVERHEAD = 100
"""Bytes, about, that keeping a line costs beside its text."""
_BATCH = 64 * 1024
"""Bytes taken at once: as much as is lost from sight in buffers on the way out."""


class FeedFollower:
    """What one client has yet to take of a session."""

    def __init__(self, limits: RpcLimits, ended: Callable[["FeedFollower"], None], moved: Callable[[], None]) -> None:
        self._limits = limits
        self._ended, self._moved = ended, moved
        self._items: deque[Item] = deque()
        self._flying = 0
        self._size = 0
        self._news = asyncio.Event()
        self._stall = StallTimer(limits.stall, self._stalled)
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
        self._stall.start()

    def respond(self, line: str) -> None:
        """Have the response to a command of the client wait for it."""
        self.put((0, line))

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
            self._stall.moved()
            if not self._size:
                self._stall.stop()
            self._moved()

    def _stalled(self) -> None:
        self._give_up(f"the client has read nothing for {self._stall.seconds:g} s")

    def _give_up(self, why: str) -> None:
        self.slow = why
        self.end()

    def end(self) -> None:
        """Take nothing more, and forget what waits. Harmless at the end."""
        if self.over:
            return
        self.over = True
        self._stall.close()
        self._items.clear()
        self._size = self._flying = 0
        self._news.set()
        self._ended(self)
        self._moved()


class SessionFeed:
    """Tells events to all followers, and keeps the last events for those who come later."""

    def __init__(self, limits: RpcLimits, ring: int) -> None:
        """`ring`: bytes of events to keep."""
        self._limits, self._most_kept = limits, ring
        self._kept: deque[Item] = deque()
        self._size = 0
        self._progress = asyncio.Event()
        self.followers: set[FeedFollower] = set()
        self.last = 0
        """The number of the last event."""
        self.closed = False

    def respond(self, line: str, asker: CommandSender | None) -> None:
        """Hand a response to `asker`, if there is one."""
        if asker is not None:
            asker.respond(line)

    def tell(self, line: str) -> None:
        """Tell an event to all followers."""
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

    async def room_for(self, follower: FeedFollower) -> None:
        """Return once commands of this follower may be read again."""
        while follower.waiting >= self._limits.deaf:
            await self._move()

    async def _move(self) -> None:
        self._progress.clear()
        await self._progress.wait()

    def follow(self, after: int | None = None) -> FeedFollower:
        """Follow the session from now on, or from the event behind `after`.

        What of that is no longer kept is missing: the first item then has a higher number than `after + 1`, or there
        is none though `last` is another one. Raises `HttpError` once the session is closed.
        """
        if self.closed:
            raise HttpError(404, "the session is closed")
        follower = FeedFollower(self._limits, self.followers.discard, self._progress.set)
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

    def close(self) -> None:
        """Let all followers go."""
        self.closed = True
        for follower in tuple(self.followers):
            follower.end()
