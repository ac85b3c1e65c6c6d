"""`Operation`: the events of a running prompt or compaction of `zot rpc`."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from zot_agent.operations.answers import Event
from zot_core.event_queue import EventQueue


class Operation:
    """A prompt or a compaction: iterate over it, once, for its events up to `done`.

    Its command is already sent, and it runs whether or not it is iterated. Leaving the `async for` early aborts it.
    Iterating raises `RpcError` if it was refused, and `Disconnected` if the process ended before `done`.
    """

    def __init__(
        self, started: "asyncio.Future[bool]", events: EventQueue[Event], abort: Callable[["Operation"], None]
    ) -> None:
        self.events = events
        self.done = False
        """Whether `done` has come or will never come."""
        self.has_events = False
        """Whether its first event has come."""
        self.cancelled = False
        self.aborted = False
        """Whether `abort` was sent for it."""
        self._started = started
        self._abort = abort
        self._loop = asyncio.get_running_loop()

    @property
    def runs(self) -> bool:
        """Whether it is known to run, provided that it is the first in the queue."""
        return self.has_events or (self._started.done() and not self._started.result())

    async def started(self) -> bool:
        """Wait for the response and return whether the prompt is queued. Raises `RpcError`, `Disconnected`."""
        await asyncio.wait([self._started])
        return self._started.result()

    def cancel(self) -> None:
        """Abort it now, or as soon as it begins, from any thread. Harmless once it is done.

        The protocol's `abort` does not name a prompt. If this prompt ends at the same moment, `abort` may stop the next
        one in the queue instead.
        """
        if not self.done and not self.cancelled:
            self.cancelled = True
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._abort, self)

    def receive(self, event: Event) -> None:
        """Add an event."""
        self.has_events = True
        if event["type"] == "done":
            self.done = True
        self.events.put(event)
        if self.done:
            self.events.end()

    def fail(self, error: Exception) -> None:
        """End it with an error: it was refused, or the process has ended."""
        self.done = True
        self.events.end(error)

    def __aiter__(self) -> AsyncIterator[Event]:
        return _Iteration(self)


class _Iteration:
    """The iterator of an `async for`; its deletion, when the loop is left, cancels the operation."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation

    def __aiter__(self) -> "_Iteration":
        return self

    def __anext__(self) -> Awaitable[Event]:
        return self._operation.events.__anext__()  # not a coroutine: no frame in a traceback keeps this object alive

    def __del__(self) -> None:
        self._operation.cancel()
