"""`SessionFeed`: the lines of one session for all its followers, each at its own pace.

It is the `ServiceOutput` of the session: events go to every follower, a response to the sender of the command.
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
"""The number of an event, from 1, or 0 for a response; and the line."""

_OVERHEAD = 100
"""Approximate bytes of memory that a line takes beside its text."""
_BATCH = 64 * 1024
"""Bytes handed out at once. They lie in buffers on the way out, where the feed cannot see whether they were read."""


class FeedFollower:
    """The queue of lines that one client has not taken yet."""

    def __init__(self, limits: RpcLimits, ended: Callable[["FeedFollower"], None], moved: Callable[[], None]) -> None:
        self._limits = limits
        self._ended, self._moved = ended, moved
        self._items: deque[Item] = deque()
        self._in_flight = 0
        self._size = 0
        self._news = asyncio.Event()
        self._stall = StallTimer(limits.stall_seconds, self._stalled)
        self.over = False
        self.slow = ""
        """Why the client was given up; empty if it was not."""

    @property
    def waiting(self) -> int:
        """The approximate number of bytes that the client has not taken yet."""
        return self._size

    def put(self, item: Item) -> None:
        """Queue a line for the client; dropped once the follower has ended."""
        if self.over:
            return
        reading = self._in_flight or (len(self._items[0][1]) if self._items else 0)  # an answer may be long by itself
        if self._size - reading > self._limits.max_bytes:
            self._give_up(f"{self._size} bytes wait for a client that does not read")
            return
        self._items.append(item)
        self._size += len(item[1]) + _OVERHEAD
        self._news.set()
        self._stall.start()

    def respond(self, line: str) -> None:
        """Queue the response to a command of the client."""
        self.put((0, line))

    async def take(self, patience: float | None = None) -> list[Item] | None:
        """Return the next lines; an empty list after `patience` seconds without any, None at the end. Lines that were
        returned before count as read."""
        self._count_as_read()
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
        while self._items and self._in_flight < _BATCH:
            batch.append(self._items.popleft())
            self._in_flight += len(batch[-1][1]) + _OVERHEAD
        return batch

    def _count_as_read(self) -> None:
        if self._in_flight:
            self._size -= self._in_flight
            self._in_flight = 0
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
        """Accept no more lines and drop the queued ones. Harmless if it has ended."""
        if self.over:
            return
        self.over = True
        self._stall.close()
        self._items.clear()
        self._size = self._in_flight = 0
        self._news.set()
        self._ended(self)
        self._moved()


class SessionFeed:
    """Sends events to all followers, and keeps the last events for followers that come later."""

    def __init__(self, limits: RpcLimits, kept_bytes: int) -> None:
        """`kept_bytes`: how many bytes of events to keep."""
        self._limits, self._max_kept = limits, kept_bytes
        self._kept: deque[Item] = deque()
        self._size = 0
        self._progress = asyncio.Event()
        self.followers: set[FeedFollower] = set()
        self.last = 0
        """The number of the last event."""
        self.closed = False

    def respond(self, line: str, sender: CommandSender | None) -> None:
        """Pass a response to `sender`, if there is a sender."""
        if sender is not None:
            sender.respond(line)

    def publish(self, line: str) -> None:
        """Queue an event for all followers."""
        self.last += 1
        item = (self.last, line)
        self._keep(item)
        for follower in tuple(self.followers):
            follower.put(item)

    def _keep(self, item: Item) -> None:
        self._kept.append(item)
        self._size += len(item[1]) + _OVERHEAD
        while self._size > self._max_kept:
            self._size -= len(self._kept.popleft()[1]) + _OVERHEAD

    async def room(self) -> None:
        """Return once every follower has fewer than `limits.pause_bytes` waiting."""
        while any(each.waiting >= self._limits.pause_bytes for each in self.followers):
            await self._move()

    async def room_for(self, follower: FeedFollower) -> None:
        """Return once commands of this follower may be read again."""
        while follower.waiting >= self._limits.read_pause_bytes:
            await self._move()

    async def _move(self) -> None:
        self._progress.clear()
        await self._progress.wait()

    def follow(self, after: int | None = None) -> FeedFollower:
        """Follow the session from now on, or from the event after number `after`.

        Events that are no longer kept are missing: the first item then has a number above `after + 1`, or there is no
        item although `last` is above `after`. Raises `HttpError` once the session is closed.
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
        """Whether all events after number `after` are kept."""
        first = self._kept[0][0] if self._kept else self.last + 1
        return first - 1 <= after <= self.last

    def close(self) -> None:
        """End all followers."""
        self.closed = True
        for follower in tuple(self.followers):
            follower.end()
