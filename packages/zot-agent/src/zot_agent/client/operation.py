"""`Operation`: a prompt or a compaction under way in `zot rpc`, as the events of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from zot_agent.client.answers import Event
from zot_core.event_queue import EventQueue


class Operation:
    """A prompt or a compaction: iterate over it, once, for its events up to `done`.

    It has been asked for already, and goes on whether or not anybody iterates. Leaving the `async for` early aborts it.
    Iterating raises `RpcError` if it was refused, `Disconnected` if the process ended before `done`.
    """

    def __init__(
        self, started: "asyncio.Future[bool]", events: EventQueue[Event], abort: Callable[["Operation"], None]
    ) -> None:
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
