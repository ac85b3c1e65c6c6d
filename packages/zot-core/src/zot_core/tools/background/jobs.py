"""`Jobs`: the commands that run in the background of a session, and end with it."""

import asyncio
import logging
import time
from collections.abc import Mapping

from zot_core.aio import finish, spawn
from zot_core.errors import ToolError
from zot_core.events import AgentEvent, JobEnd, JobStart, JobState
from zot_core.hooks import Observe
from zot_core.machine.interface import Shell
from zot_core.tools.background.output import JobLimits
from zot_provider.errors import ZotError

_log = logging.getLogger("zot_core.jobs")


class Job:
    """A command in the background: `id` counts from 1, `exit_code` is None until it ended by itself."""

    def __init__(self, id: str, command: str, limits: JobLimits) -> None:
        from zot_core.tools.background.output import JobOutput  # noqa: PLC0415  few commands run in the background

        self.id, self.command, self.limits = id, command, limits
        self.output = JobOutput(limits.output)
        self.state: JobState = "running"
        self.exit_code: int | None = None
        self.problem = ""
        """Why it failed, or that it was ended at its time limit."""
        self.seen = 0
        """The bytes of its output that the model has read."""
        self.announced = False
        """Whether the model knows that it has ended."""
        self.task: asyncio.Task[None] | None = None
        self._began = time.monotonic()
        self._took = 0.0

    @property
    def seconds(self) -> float:
        return self._took or time.monotonic() - self._began

    @property
    def status(self) -> str:
        """Its state in words: `running for 12 s`, `ended with exit code 1 after 3 s`."""
        took = f"{self.seconds:.0f} s"
        if self.state == "running":
            return f"running for {took}"
        if self.state == "failed":
            return f"not started: {self.problem}"
        if self.state == "stopped":
            return f"stopped after {took}"
        return f"{self.problem or f'ended with exit code {self.exit_code}'} after {took}"

    @property
    def line(self) -> str:
        first, more, _ = self.command.partition("\n")
        return f"job {self.id}: {self.status}: {first}{' ...' if more else ''}"

    def end(self, state: JobState) -> None:
        """Note its end."""
        self._took = time.monotonic() - self._began
        self.state = state
        self.output.close()

    def unread(self) -> str:
        """Return the output that the model has not read yet, and count it as read."""
        text, self.seen = self.output.since(self.seen), self.output.total
        self.announced = self.announced or self.state != "running"
        return text


class Jobs:
    """The jobs of one session. `events` are notified of starts and ends, also while no prompt is answered."""

    def __init__(self, limits: JobLimits | None = None) -> None:
        self.limits = limits or JobLimits()
        self.events: Observe[AgentEvent] = Observe()
        self._jobs: dict[str, Job] = {}
        self._count = 0
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def all(self) -> list[Job]:
        """The running jobs and the remembered ended ones, oldest first."""
        return [*self._jobs.values()]

    @property
    def running(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.state == "running"]

    def find(self, id: str) -> Job:
        """Return a job. Raises ToolError for an unknown id."""
        job = self._jobs.get(id.strip())
        if job is None:
            known = ", ".join(self._jobs) or "none"
            raise ToolError(f"there is no job {id!r}; the jobs are: {known}")
        return job

    async def start(
        self, shell: Shell, command: str, *, cwd: str, env: Mapping[str, str], timeout: float | None = None
    ) -> Job:
        """Start a command and return its job, a moment later. Raises ToolError if too many jobs run."""
        if len(self.running) >= self.limits.running:
            raise ToolError(f"{self.limits.running} jobs run already; stop one of them with the tool `job`")
        self._count += 1
        job = self._jobs[str(self._count)] = Job(str(self._count), command, self.limits)
        self._forget()

        async def run() -> None:
            try:
                ended = await shell.run(command, cwd=cwd, env=env, timeout=timeout or None, output=job.output.feed)
                job.exit_code = ended.exit_code
                job.problem = f"ended at its time limit of {timeout:g} s" if ended.timed_out else ""
                job.end("ended")
            except OSError as error:
                job.problem = f"{cwd}: {error.strerror or error}"
                job.end("failed")
            except asyncio.CancelledError:
                job.end("stopped")
                raise
            except Exception as error:  # noqa: BLE001  a shell of another machine may raise anything
                job.problem = f"{type(error).__name__}: {error}"
                job.end("failed")
            finally:
                self._notify(JobEnd(job.id, command, job.state, job.exit_code))

        self._notify(JobStart(job.id, command))
        job.task = spawn(run(), f"job {job.id}")
        try:
            await asyncio.wait([job.task], timeout=self.limits.start_seconds)
        except asyncio.CancelledError:
            job.task.cancel()  # nobody will know its id
            raise
        return job

    async def wait(self, job: Job, seconds: float) -> None:
        """Wait until a job has ended, for `seconds` at most."""
        if job.task is not None and not job.task.done() and seconds > 0:
            await asyncio.wait([job.task], timeout=seconds)

    async def stop(self, job: Job) -> None:
        """End a job with everything that it started."""
        if job.task is not None and not job.task.done():
            job.task.cancel()
            if await finish(job.task):
                raise asyncio.CancelledError

    def news(self) -> list[Job]:
        """Return the jobs that have ended without the model's knowledge; from now on it knows."""
        ended = [job for job in self._jobs.values() if job.state != "running" and not job.announced]
        for job in ended:
            job.announced = True
        return ended

    def end_session(self) -> None:
        """Begin to stop all jobs, and forget them: another session begins."""
        for job in self._jobs.values():
            if job.task is not None and not job.task.done():
                job.task.cancel()
                self._closing.add(job.task)
                job.task.add_done_callback(self._closing.discard)
        self._jobs.clear()
        self._count = 0

    async def close(self) -> None:
        """Stop all jobs and wait for their ends, which are not reported: the observers are closing as well."""
        self.events = Observe()
        self.end_session()
        for task in [*self._closing]:
            await finish(task)

    def _forget(self) -> None:
        """Forget the oldest jobs that have ended, if there are too many."""
        ended = [job.id for job in self._jobs.values() if job.state != "running"]
        for id in ended[: -self.limits.remembered or None]:
            del self._jobs[id]

    def _notify(self, event: AgentEvent) -> None:
        try:
            self.events.notify(event)
        except ZotError as error:  # all observers were notified, and no run can end because of it
            _log.error("an observer of jobs failed", exc_info=error)
