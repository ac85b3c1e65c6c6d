"""`Run`: one piece of the agent's work, from its start to `done`."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from typing import Any

from zot_core.aio import alive, cancel_soon, finish, spawn
from zot_core.event_queue import EventQueue
from zot_core.events import AgentEvent, Done, RunEnd
from zot_core.hooks import Observe


class Run:
    """A prompt being answered, or a compaction. Await it for how it ended; that never raises.

    Iterate over it for its events, from the moment the iteration begins up to `done`: nothing is kept for an iteration
    that begins later. Leaving the `async for` early, or dropping the iterator, cancels the run. It goes on by itself if
    nobody iterates.
    """

    def __init__(self, events: Observe[AgentEvent]) -> None:
        """A run that waits for `begin`. `events` are those of the agent. RuntimeError outside of an event loop."""
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[RunEnd] = self._loop.create_future()
        self._agent_events = events
        self._task: asyncio.Task[RunEnd] | None = None
        self.begun = False
        """Whether its events have begun."""
        self.cancelled = False
        self.cancel_reason: RunEnd = "aborted"
        self.end: RunEnd | None = None
        """How it ended; None until `done`, and before it has begun."""
        self.on_dropped: Callable[[], None] = _do_nothing
        """Called if it is cancelled before it begins."""

    @property
    def alive(self) -> bool:
        """Whether it may still do something; true for a moment after `done`."""
        return self._task is not None and alive(self._task)

    async def finished(self, cancelled: Callable[[], None] | None = None) -> bool:
        """Wait until nothing of it is left, however often the caller is cancelled meanwhile; whether the caller was.
        `cancelled` is called each time that happens."""
        return self._task is not None and await finish(self._task, cancelled)

    def add_done_callback(self, callback: Callable[[], None]) -> None:
        """Have `over` called when nothing of it is left."""
        self._done.add_done_callback(lambda _: callback())

    def begin(self, work: Coroutine[Any, Any, RunEnd]) -> None:
        """Start `work`, which must tell `done` and must not raise."""
        self._task = spawn(work, "run")
        self._task.add_done_callback(self._finish)

    def _finish(self, task: "asyncio.Task[RunEnd]") -> None:
        if self.end is None:
            self.end = "aborted" if task.cancelled() else "error" if task.exception() else task.result()
        if not self._done.done():
            self._done.set_result(self.end)

    def cancel(self, reason: RunEnd = "aborted") -> None:
        """Stop it, from any thread: the stream is closed, tools are ended, what was said is kept. A run that has not
        begun never does. Harmless once `done` has come; a second call changes nothing."""
        if self.end is not None or self.cancelled:
            return
        self.cancelled, self.cancel_reason = True, reason
        if self._task is not None:
            cancel_soon(self._task)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._drop)

    def cancel_again(self) -> None:
        """Have the work that has begun meanwhile stopped by a cancellation that came before it."""
        if self._task is not None:
            cancel_soon(self._task)

    def _drop(self) -> None:
        if self._task is None and self.end is None:
            self.end = self.cancel_reason
            self._done.set_result(self.end)
            self.on_dropped()

    def __await__(self) -> Generator[Any, None, RunEnd]:
        return asyncio.shield(self._done).__await__()

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return _Iterator(self, self._subscribe())

    def _subscribe(self) -> EventQueue[AgentEvent]:
        queue: EventQueue[AgentEvent] = EventQueue()

        def put(event: AgentEvent) -> None:
            if self.begun:
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
    """What an `async for` holds: when the loop is left, this is deleted, and the run is cancelled."""

    def __init__(self, run: Run, queue: EventQueue[AgentEvent]) -> None:
        self._run, self._queue = run, queue

    def __aiter__(self) -> "_Iterator":
        return self

    def __anext__(self) -> Awaitable[AgentEvent]:
        return self._queue.__anext__()  # not async itself: a frame of ours in a traceback would keep this object alive

    def __del__(self) -> None:
        self._run.cancel()


def _do_nothing() -> None:
    """Nobody wants to know."""
