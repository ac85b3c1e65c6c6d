"""`RunQueue`: one run at a time, and those that wait behind it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from zot_core.agent.run import Run
from zot_core.events import RunEnd
from zot_core.runtime.runtime import Runtime
from zot_provider.errors import ZotError
from zot_provider.record import Record, record


class QueueFull(ZotError):
    """No more prompts may wait."""


@record
class Queued(Record):
    """Work in the queue: `run` is its handle, `typed` what a person typed for it, `text` that with nothing abbreviated.
    `steerable`: the model can be told more while it goes on."""

    run: Run
    work: Callable[[], Coroutine[Any, Any, RunEnd]]
    typed: str = ""
    text: str = ""
    steerable: bool = False


class RunQueue:
    """Runs work for one runtime in the order in which it was added."""

    def __init__(
        self, runtime: Runtime, max_waiting: int, on_change: Callable[[], None], on_failure: Callable[[ZotError], None]
    ) -> None:
        """At most `most` may wait. `changed` is called when something begins, ends or waits; `failed` when work that
        waited cannot begin."""
        self._runtime, self._max_waiting, self._on_change, self._on_failure = (
            runtime,
            max_waiting,
            on_change,
            on_failure,
        )
        self._current: Queued | None = None
        self._waiting: list[Queued] = []
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def running(self) -> Queued | None:
        """The work that runs; None from its `done` on."""
        current = self._current
        return current if current is not None and current.run.end is None else None

    @property
    def waiting(self) -> list[Queued]:
        """The work that waits; a copy."""
        return list(self._waiting)

    @property
    def busy(self) -> bool:
        """Whether work runs, until its `done`, or waits."""
        return bool(self._waiting) or self.running is not None

    def add(self, queued: Queued, *, first: bool = False) -> None:
        """Begin work, or have it wait, `first` of all if so. Raises `QueueFull`, and what beginning it raises."""
        if self._current is None:
            self._begin(queued)
        elif len(self._waiting) >= self._max_waiting:
            raise QueueFull(f"{len(self._waiting)} prompts are waiting already; wait for some to be done")
        else:
            self._waiting.insert(0 if first else len(self._waiting), queued)
            queued.run.on_dropped = lambda: self._remove(queued)
        self._on_change()

    def _remove(self, queued: Queued) -> None:
        """Work that waited was cancelled."""
        if queued in self._waiting:
            self._waiting.remove(queued)
            self._on_change()

    def take_all(self) -> list[Queued]:
        """Remove and return everything that waits."""
        taken, self._waiting = self._waiting, []
        for queued in taken:
            queued.run.cancel()
        return taken

    def take_last(self) -> Queued | None:
        """Remove and return the work that would run last; None if nothing waits."""
        taken = self._waiting.pop() if self._waiting else None
        if taken is not None:
            taken.run.cancel()
            self._on_change()
        return taken

    async def idle(self) -> None:
        """Return once nothing runs and nothing waits."""
        await self._idle.wait()

    def _begin(self, queued: Queued) -> None:
        self._runtime.begin(queued.work, queued.run)
        self._current = queued
        self._idle.clear()
        queued.run.add_done_callback(self._next)

    def _next(self) -> None:
        """What ran has ended."""
        self._current = None
        while self._waiting and self._current is None:
            queued = self._waiting.pop(0)
            if queued.run.cancelled:
                continue
            try:
                self._begin(queued)
            except ZotError as error:
                queued.run.cancel("error")
                self._on_failure(error)
        if self._current is None:
            self._idle.set()
        self._on_change()
