"""`Run`: the handle of one run of the agent, from its start to `done`."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from typing import Any

from zot_core.aio import alive, cancel_soon, finish, spawn
from zot_core.event_queue import EventQueue
from zot_core.events import AgentEvent, Done, RunEnd
from zot_core.hooks import Observe


class Run:
    """A prompt being answered, a compaction or a shell command. Await it for how it ended; awaiting never raises.

    Iterate over it for its events, from the start of the iteration up to `done`; earlier events are not kept. Leaving
    the `async for` early, or dropping the iterator, cancels the run. Without an iterator the run continues by itself.
    """

    def __init__(self, events: Observe[AgentEvent]) -> None:
        """Create a run that waits for `begin`. `events` is the agent's `hooks.event`. Raises RuntimeError outside an
        event loop."""
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[RunEnd] = self._loop.create_future()
        self._agent_events = events
        self._task: asyncio.Task[RunEnd] | None = None
        self.started = False
        """Whether it has started; from then on the agent's events are its own."""
        self.cancelled = False
        self.cancel_reason: RunEnd = "aborted"
        self.end: RunEnd | None = None
        """How it ended; None before `done`."""
        self.open_to_changes = False
        """Whether it waits for a slash command, which may change the session, the model and the tools meanwhile."""

    @property
    def alive(self) -> bool:
        """Whether its task is running; true for a moment after `done`."""
        return self._task is not None and alive(self._task)

    async def finished(self, cancelled: Callable[[], None] | None = None) -> bool:
        """Wait until its task has ended, even if the caller is cancelled. Return whether the caller was cancelled;
        `cancelled` is called every time."""
        return self._task is not None and await finish(self._task, cancelled)

    def add_done_callback(self, callback: Callable[[], None]) -> None:
        """Call `callback` when its task has ended, or never will begin."""
        self._done.add_done_callback(lambda _: callback())

    def begin(self, work: Coroutine[Any, Any, RunEnd]) -> None:
        """Start `work`, which must emit `done` and must not raise."""
        self._task = spawn(work, "run")
        self._task.add_done_callback(self._finish)

    def _finish(self, task: "asyncio.Task[RunEnd]") -> None:
        if self.end is None:
            self.end = "aborted" if task.cancelled() else "error" if task.exception() else task.result()
        if not self._done.done():
            self._done.set_result(self.end)

    def cancel(self, reason: RunEnd = "aborted") -> None:
        """Stop the run, from any thread: the stream is closed, tools are stopped, text received so far is kept. A run
        that has not started never will. Does nothing after `done` or when called again."""
        if self.end is not None or self.cancelled:
            return
        self.cancelled, self.cancel_reason = True, reason
        if self._task is not None:
            cancel_soon(self._task)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._drop)

    def cancel_again(self) -> None:
        """Repeat a cancellation that arrived before the work had started."""
        if self._task is not None:
            cancel_soon(self._task)

    def _drop(self) -> None:
        if self._task is None and self.end is None:
            self.end = self.cancel_reason
            self._done.set_result(self.end)

    def __await__(self) -> Generator[Any, None, RunEnd]:
        return asyncio.shield(self._done).__await__()

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return _Iterator(self, self._subscribe())

    def _subscribe(self) -> EventQueue[AgentEvent]:
        queue: EventQueue[AgentEvent] = EventQueue()

        def put(event: AgentEvent) -> None:
            if self.started:
                queue.put(event)
                if type(event) is Done:
                    end()

        def end(_: object = None) -> None:
            remove()
            queue.end()

        remove = self._agent_events.add(put)
        self._done.add_done_callback(end)
        return queue


class _Iterator:
    """The iterator held by an `async for`. When the loop is left, it is deleted, which cancels the run."""

    def __init__(self, run: Run, queue: EventQueue[AgentEvent]) -> None:
        self._run, self._queue = run, queue

    def __aiter__(self) -> "_Iterator":
        return self

    def __anext__(self) -> Awaitable[AgentEvent]:
        return self._queue.__anext__()  # not async: a frame in a traceback would keep this object alive

    def __del__(self) -> None:
        self._run.cancel()
