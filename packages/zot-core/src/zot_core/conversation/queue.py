"""`RunQueue`: runs work for one runtime, one run at a time. `SessionChanges`: what comes between the runs."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from zot_core.agent.run import Run
from zot_core.aio import spawn
from zot_core.errors import Busy
from zot_core.events import RunEnd
from zot_core.runtime.runtime import Runtime
from zot_provider.errors import ZotError
from zot_provider.record import Record

T = TypeVar("T")


class QueueFull(ZotError):
    """The queue of prompts is full."""


class Queued(Record):
    """Work in the queue: `run` is its handle, `typed` what the user typed for it, `text` the same with nothing
    abbreviated. `steerable`: steering messages can be sent while it runs."""

    run: Run
    work: Callable[[], Coroutine[Any, Any, RunEnd]]
    typed: str = ""
    text: str = ""
    steerable: bool = False


class RunQueue:
    """Runs work for one runtime, one run at a time, in the order in which it was added."""

    def __init__(
        self, runtime: Runtime, max_waiting: int, on_change: Callable[[], None], on_failure: Callable[[ZotError], None]
    ) -> None:
        """At most `max_waiting` runs may wait. `on_change` is called when a run starts, ends or is queued, `on_failure`
        when queued work cannot be started."""
        self._runtime = runtime
        self._max_waiting = max_waiting
        self._on_change = on_change
        self._on_failure = on_failure
        self._current: Queued | None = None
        self._waiting: list[Queued] = []
        self._idle = asyncio.Event()
        self._idle.set()
        self._holds = 0

    @property
    def running(self) -> Queued | None:
        """The running work; None after its `done`."""
        current = self._current
        return current if current is not None and current.run.end is None else None

    @property
    def waiting(self) -> list[Queued]:
        """The waiting work; a copy."""
        return list(self._waiting)

    @property
    def busy(self) -> bool:
        """Whether work is waiting, or running and not yet `done`."""
        return bool(self._waiting) or self.running is not None

    @property
    def held(self) -> bool:
        """Whether what is added waits, although nothing runs."""
        return self._holds > 0

    def hold(self) -> None:
        """Start no work until `release` is called as often as this."""
        self._holds += 1

    def release(self) -> None:
        self._holds -= 1
        if self._current is None and not self._idle.is_set():
            self._next()

    def add(self, queued: Queued, *, first: bool = False, of_change: bool = False) -> None:
        """Start work, or queue it: at the end, or with `first` at the beginning. Work `of_change` is not held. Raises
        `QueueFull`, and what starting it raises."""
        if self._current is None and (of_change or not self.held):
            self._begin(queued)
        elif len(self._waiting) >= self._max_waiting:
            raise QueueFull(f"{len(self._waiting)} prompts are waiting already; wait for some to finish")
        else:
            self._waiting.insert(0 if first else len(self._waiting), queued)
            self._idle.clear()
            queued.run.add_done_callback(lambda: self._remove(queued))
        self._on_change()

    def _remove(self, queued: Queued) -> None:
        """Remove waiting work that was cancelled."""
        if queued in self._waiting:
            self._waiting.remove(queued)
            self._on_change()

    def take_all(self) -> list[Queued]:
        """Remove and return all waiting work."""
        taken, self._waiting = self._waiting, []
        for queued in taken:
            queued.run.cancel()
        return taken

    def take_last(self) -> Queued | None:
        """Remove and return the last waiting work; None if nothing is waiting."""
        taken = self._waiting.pop() if self._waiting else None
        if taken is not None:
            taken.run.cancel()
            self._on_change()
        return taken

    async def idle(self) -> None:
        """Wait until no work is running or waiting."""
        await self._idle.wait()

    def _begin(self, queued: Queued) -> None:
        self._runtime.begin(queued.work, queued.run)
        self._current = queued
        self._idle.clear()
        queued.run.add_done_callback(self._next)

    def _next(self) -> None:
        """Start the next work, because the running one has ended."""
        self._current = None
        while self._waiting and self._current is None and not self.held:
            queued = self._waiting.pop(0)
            if queued.run.cancelled:
                continue
            try:
                self._begin(queued)
            except ZotError as error:
                queued.run.cancel("error")
                self._on_failure(error)
        if self._current is None and not self._waiting:
            self._idle.set()
        self._on_change()


class SessionChanges:
    """Changes of which conversation is open, one after the other in the order of the calls. Prompts that come meanwhile
    begin after the last one."""

    def __init__(self, queue: RunQueue, check_idle: Callable[[], None]) -> None:
        """`check_idle` raises `Busy` while the conversation cannot change."""
        self._queue, self._check_idle = queue, check_idle
        self._turn = asyncio.Lock()

    @property
    def open(self) -> bool:
        """Whether some are not made yet."""
        return self._queue.held

    def make(self, change: Callable[[], Awaitable[T]]) -> Coroutine[Any, Any, T]:
        """Make a change in its turn, also if nobody awaits that: who is cancelled while he does takes back what still
        waits, and who is cancelled before, nothing. Raises `Busy`, and RuntimeError outside an event loop."""
        if not self.open:
            self._check_idle()
        elif self._queue.waiting:
            raise Busy("prompts are waiting; wait for done, or abort")
        turn = spawn(self._in_turn(change), "change of the session")
        self._queue.hold()
        turn.add_done_callback(lambda _: self._queue.release())  # of a task that never began, no `finally` runs
        return _outcome(turn)

    async def _in_turn(self, change: Callable[[], Awaitable[T]]) -> T:
        async with self._turn:
            self._check_idle()
            return await change()


async def _outcome(turn: "asyncio.Task[T]") -> T:
    return await turn
