"""`Run`: what is being done for somebody, as the events of it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable

from zot_core.aio import alive, cancel_soon, finish
from zot_core.events import AgentEvent, Done, RunEnd


class Run:
    """One prompt being answered, or one compaction: iterate over it, once, for its events up to `done`.

    It goes on whether or not anybody iterates. Leaving the `async for` early, or dropping the iterator, cancels it.
    """

    task: "asyncio.Task[RunEnd]"
    """Ends, without ever raising, with how the run ended."""

    def __init__(self) -> None:
        self._events: deque[AgentEvent] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self.cancelled = False
        self.end: RunEnd | None = None
        """How it ended; None until `done` has been told."""

    def put(self, event: AgentEvent) -> None:
        """Keep an event for whoever iterates."""
        self._events.append(event)
        if type(event) is Done:
            self.end = event.reason
        if self._waiter is not None:
            self.wake()

    def wake(self, _: object = None) -> None:
        """Have the reader look again."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return _Events(self)

    async def next(self) -> AgentEvent | None:
        """The next event; None after the last one, when the agent is idle. RuntimeError for a second reader."""
        while not self._events:
            if self.end is not None or not alive(self.task):
                await finish(self.task)
                return None
            if self._waiter is not None:
                raise RuntimeError("a run has one reader")
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._events.popleft()

    async def step(self) -> AgentEvent:
        """The next event; raises StopAsyncIteration after the last one."""
        event = await self.next()
        if event is None:
            raise StopAsyncIteration
        return event

    def cancel(self) -> None:
        """Stop it, from any thread. Harmless once `done` has come."""
        if self.end is None and not self.cancelled and alive(self.task):
            self.cancelled = True
            cancel_soon(self.task)


class _Events:
    """What an `async for` holds: when the loop is left, this goes, and the run with it."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __aiter__(self) -> "_Events":
        return self

    def __anext__(self) -> Awaitable[AgentEvent]:
        return self._run.step()  # plain, so that no frame of ours in a traceback keeps this object alive

    def __del__(self) -> None:
        self._run.cancel()
