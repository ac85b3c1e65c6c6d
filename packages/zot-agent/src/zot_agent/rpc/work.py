"""`Work`: prompts and compactions one after the other, in the order in which they were asked for."""

import asyncio
from collections import deque
from collections.abc import Callable

from zot_core.aio import spawn
from zot_core.run import Run
from zot_provider.errors import ZotError
from zot_provider.record import Record, record


class QueueFull(ZotError):
    """More is waiting than may wait."""


@record
class Job(Record):
    """Something that takes a while: `begin` starts it. `hold_text`: see `zot_agent.modes.held`; `steerable`: the model
    can be told more while it goes on."""

    begin: Callable[[], Run]
    hold_text: bool = False
    steerable: bool = False


class Work:
    """At most one job runs. Those behind it wait, and begin when it has told `done`."""

    def __init__(self, most: int, failed: Callable[[ZotError], None]) -> None:
        """`most` jobs may wait. `failed` is told when one that waited cannot begin."""
        self._most, self._failed = most, failed
        self._waiting: deque[Job] = deque()
        self._run: Run | None = None
        self._job: Job | None = None
        self._following = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def job(self) -> Job | None:
        """What runs; None once it has told `done`."""
        return self._job if self._run is not None and self._run.end is None else None

    @property
    def busy(self) -> bool:
        """Whether a job runs, until its `done`, or waits."""
        return bool(self._waiting) or self.job is not None

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return len(self._waiting)

    def submit(self, job: Job) -> bool:
        """Begin a job, or have it wait; whether it waits. Raises `QueueFull`, and what beginning it raises."""
        if not self.busy:
            self._begin(job)
            return False
        if len(self._waiting) >= self._most:
            raise QueueFull(f"{len(self._waiting)} prompts are waiting already; wait for some to be done")
        self._waiting.append(job)
        return True

    def abort(self) -> None:
        """Stop the job that runs; those behind it stay. Harmless without one."""
        if self._run is not None:
            self._run.cancel()

    def drop(self) -> None:
        """Forget what waits, and stop what runs."""
        self._waiting.clear()
        self.abort()

    async def idle(self) -> None:
        """Return once nothing runs and nothing waits."""
        await self._idle.wait()

    def _begin(self, job: Job) -> None:
        self._run, self._job = job.begin(), job
        self._following += 1
        self._idle.clear()
        spawn(self._follow(self._run), "follow a job")

    async def _follow(self, run: Run) -> None:
        while await run.next() is not None:
            pass  # events are told by the hooks; here they are only taken away, so that they do not pile up
        while self._waiting and self._run is run:
            job = self._waiting.popleft()
            try:
                self._begin(job)
            except ZotError as error:
                self._failed(error)
        self._following -= 1
        if not self._following:
            self._idle.set()
