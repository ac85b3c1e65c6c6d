"""`Operation`: a prompt or a compaction under way in `zot rpc`, as the events of it; `Events`, a queue of them."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from zot_agent.client.answers import Event


class Events:
    """Events in order, for one reader; the end of them may be an error."""

    def __init__(self, taken: Callable[[], None], most: int | None = None) -> None:
        """`taken` is called when a reader took an event, or begins to wait; of more than `most` the oldest go."""
        self._events: deque[Event] = deque(maxlen=most)
        self._taken = taken
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._error: Exception | None = None

    def __len__(self) -> int:
        return len(self._events)

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        event = await self.next()
        if event is None:
            raise StopAsyncIteration
        return event

    async def next(self) -> Event | None:
        """The next event; None after the last one. Raises what they ended with. RuntimeError for a second reader."""
        while not self._events:
            if self._error is not None:
                raise self._error
            if self._ended:
                return None
            if self._waiter is not None:
                raise RuntimeError("events have one reader")
            self._waiter = asyncio.get_running_loop().create_future()
            self._taken()
            try:
                await self._waiter
            finally:
                self._waiter = None
        event = self._events.popleft()
        self._taken()
        return event

    @property
    def wanted(self) -> bool:
        """Whether somebody waits for the next one."""
        return self._waiter is not None

    def put(self, event: Event) -> None:
        """One more."""
        self._events.append(event)
        self._wake()

    def end(self, error: Exception | None = None) -> None:
        """There are no more; readers get `error` after the last one."""
        if not self._ended:
            self._ended, self._error = True, error
            self._wake()

    def forget(self) -> None:
        """Drop what waits: nobody will read it."""
        self._events.clear()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Operation:
    """A prompt or a compaction: iterate over it, once, for its events up to `done`.

    It has been asked for already, and goes on whether or not anybody iterates. Leaving the `async for` early aborts it.
    Iterating raises `RpcError` if it was refused, `Disconnected` if the process ended before `done`.
    """

    def __init__(self, started: "asyncio.Future[bool]", events: Events, abort: Callable[["Operation"], None]) -> None:
        self.events = events
        self.done = False
        """Whether `done` has come, or never will."""
        self.begun = False
        """Whether an event of it has come."""
        self.cancelled = False
        self.aborted = False
        """Whether `abort` was sent for it."""
        self._started = started
        self._abort = abort
        self._loop = asyncio.get_running_loop()

    @property
    def runs(self) -> bool:
        """Whether it is known to run, given that nothing is before it."""
        return self.begun or (self._started.done() and not self._started.result())

    async def started(self) -> bool:
        """Wait for the answer: whether it waits in the queue, behind others. Raises `RpcError`, `Disconnected`."""
        return await asyncio.shield(self._started)

    def cancel(self) -> None:
        """Abort it, or have it aborted as soon as it begins, from any thread. Harmless once it is done.

        The protocol's `abort` names no prompt: one that is ending by itself at this very moment may take the next one
        in the queue with it.
        """
        if not self.done and not self.cancelled:
            self.cancelled = True
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._abort, self)

    def tell(self, event: Event) -> None:
        """An event of it came."""
        self.begun = True
        if event["type"] == "done":
            self.done = True
        self.events.put(event)
        if self.done:
            self.events.end()

    def fail(self, error: Exception) -> None:
        """It was refused, or the process is gone."""
        self.done = True
        self.events.end(error)

    def __aiter__(self) -> AsyncIterator[Event]:
        return _Reading(self)


class _Reading:
    """What an `async for` holds: when the loop is left, this goes, and the operation with it."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation

    def __aiter__(self) -> "_Reading":
        return self

    def __anext__(self) -> Awaitable[Event]:
        return self._operation.events.__anext__()  # plain: no frame in a traceback keeps this object alive

    def __del__(self) -> None:
        self._operation.cancel()
