"""`EventQueue`: an ordered queue of events for one reader, which may be slower than the writer."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class EventQueue(Generic[T]):
    """An async iterator over events, for a single reader. It may end with an error."""

    def __init__(self, on_read: Callable[[], None] | None = None, max_events: int | None = None) -> None:
        """`on_read` is called when the reader takes an event or starts to wait. The queue holds at most `max_events`
        and drops the oldest."""
        self._events: deque[T] = deque(maxlen=max_events)
        self._on_read = on_read
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._error: Exception | None = None

    def __len__(self) -> int:
        return len(self._events)

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        event = await self.next()
        if event is None:
            raise StopAsyncIteration
        return event

    async def next(self) -> T | None:
        """Return the next event, or None after the last one. Raises the error passed to `end`, and RuntimeError for a
        second reader."""
        while not self._events:
            if self._error is not None:
                raise self._error
            if self._ended:
                return None
            if self._waiter is not None:
                raise RuntimeError("events have one reader")
            self._waiter = asyncio.get_running_loop().create_future()
            if self._on_read is not None:
                self._on_read()
            try:
                await self._waiter
            finally:
                self._waiter = None
        event = self._events.popleft()
        if self._on_read is not None:
            self._on_read()
        return event

    @property
    def reader_waiting(self) -> bool:
        return self._waiter is not None

    def put(self, event: T) -> None:
        self._events.append(event)
        self._wake()

    def end(self, error: Exception | None = None) -> None:
        """Mark the end of the events; after the last one the reader gets `error`, if given."""
        if not self._ended:
            self._ended, self._error = True, error
            self._wake()

    def clear(self) -> None:
        self._events.clear()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
