"""`FleetWorker`: takes runs from a queue of Temporal, and drives each in its own process."""

import asyncio
import json
import os
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.client import Client, WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker

from zot_agent.fleet.engine.workflow import COPY, DELIVER, DRIVE, RunWorkflow, ScheduledWorkflow
from zot_agent.fleet.fork_server import FORKS, ForkedRun, ForkServer
from zot_agent.fleet.limits import FleetLimits
from zot_agent.fleet.metrics import FleetMetrics
from zot_agent.fleet.rows import copied_rows
from zot_agent.fleet.run_lines import LINE_BYTES, End, Task, attempt_number, fields_of
from zot_agent.fleet.store.open import open_store
from zot_agent.fleet.traces import current_span
from zot_core.aio import finish, spawn
from zot_core.runtime.run_rows import run_of_rows
from zot_provider.errors import ZotError
from zot_provider.files.private_folder import make_private
from zot_provider.json_text import dump
from zot_provider.record import Record

_BEAT = 1.0
"""Seconds between two heartbeats of a run."""
_THROTTLE = timedelta(seconds=2)
_AGAIN = ("interrupted", "away", "taken")
"""States after which the engine gives the run to a worker again."""


class WorkerOptions(Record):
    """`queue`: the queue of runs; `store`: the address of the store; `folder`: where the files of runs are, the same on
    all machines; `concurrency`: how many runs at a time; `sandbox`: that of runs which name none; `per_minute`: how
    many runs all workers of the queue begin in a minute, 0 for any number."""

    queue: str
    store: str
    folder: str
    concurrency: int = 4
    sandbox: str = "on"
    per_minute: float = 0.0


class FleetWorker:
    """A worker of a fleet. `said` receives a line for each run that begins and ends here."""

    def __init__(
        self, client: Client, options: WorkerOptions, said: Callable[[str], None],
        limits: FleetLimits | None = None, metrics: FleetMetrics | None = None,
    ) -> None:  # fmt: skip
        self._client, self._options, self._said = client, options, said
        self._limits, self._metrics = limits or FleetLimits(), metrics or FleetMetrics()
        self.name = f"{socket.gethostname()}-{os.getpid()}"
        self._queue = f"{options.queue}-{self.name}-{secrets.token_hex(4)}"
        self._processes: dict[str, RunProcess] = {}
        self._forks = ForkServer() if FORKS else None

    async def work(self, ended: Awaitable[object]) -> None:
        """Take runs until `ended` is, then stop the runs that are here; another worker continues them.

        Raises `ZotError` where Temporal does not take the worker: it went away meanwhile, or has no such namespace.
        """
        grace = timedelta(seconds=self._limits.end_seconds)
        shared: dict[str, Any] = {
            "max_heartbeat_throttle_interval": _THROTTLE,
            "default_heartbeat_throttle_interval": _THROTTLE,
        }
        runs = Worker(
            self._client,
            task_queue=self._options.queue,
            workflows=[RunWorkflow, ScheduledWorkflow],
            activities=[self._drive, self._copy],
            max_concurrent_activities=self._options.concurrency,
            max_task_queue_activities_per_second=self._options.per_minute / 60 or None,
            **shared,
        )
        messages = Worker(
            self._client, task_queue=self._queue, activities=[self._deliver], graceful_shutdown_timeout=grace, **shared
        )
        if self._forks is not None:
            await self._forks.start()
        try:
            await _run_until(ended, messages, runs)
        except RuntimeError as error:  # what its worker raises; the rest of the text is the answer of its server
            raise ZotError(f"Temporal does not take the worker: {str(error).split(': Status', 1)[0]}") from error
        finally:
            if self._forks is not None:
                await self._forks.close()

    @activity.defn(name=DRIVE)
    async def _drive(self, job: dict[str, Any]) -> dict[str, Any]:
        """Drive a run in a process. Raises `ApplicationError` for a run that is to be given to a worker again."""
        info, options = activity.info(), self._options
        run = str(job["run"])
        number = attempt_number(job["submission"], job["activity"], info.attempt)
        folder = os.path.join(options.folder, run)
        rest = {name: job[name] for name in ("answer", "retry", "cancel", "messages")}
        task = Task(run, number, options.store, folder, options.sandbox, **rest, trace=current_span(),
                    away_seconds=self._limits.away_seconds)  # fmt: skip
        self._processes[run] = process = RunProcess(task, self._limits, await self._start(task))
        self._metrics.begin()
        self._said(f"run {run} has begun here, attempt {info.attempt}")
        owner = self._client.get_workflow_handle(info.workflow_id or "", run_id=info.workflow_run_id)
        owning = spawn(self._own(owner), "owner of a run")
        beating = spawn(_beat(process), "heartbeats")
        try:
            end = await process.end(on_stop=_is_asked_for)
        finally:
            beating.cancel()
            await finish(beating)
            await asyncio.wait([owning], timeout=self._limits.end_seconds)
            owning.cancel()
            await finish(owning)
            if self._processes.get(run) is process:
                del self._processes[run]
        self._metrics.end(end, process.progress)
        self._said(f"run {run} is {end['state']} here" + (f": {end['reason']}" if end["reason"] else ""))
        if end["state"] in _AGAIN:
            raise ApplicationError(end["reason"] or "its process has ended", type=end["state"])
        return end

    async def _start(self, task: Task) -> asyncio.subprocess.Process | ForkedRun:
        """Start a process for a run. Raises `ApplicationError`, after which the engine tries it again."""
        command, pipe = [sys.executable, "-P", "-m", "zot_agent.fleet.run_process"], asyncio.subprocess.PIPE
        try:
            make_private(task.folder)
            if self._forks is not None:
                return await self._forks.fork(task.folder)
            return await asyncio.create_subprocess_exec(
                *command, cwd=task.folder, stdin=pipe, stdout=pipe, limit=LINE_BYTES
            )
        except OSError as error:
            raise ApplicationError(f"cannot start zot in {task.folder}: {error.strerror}") from error

    @activity.defn(name=COPY)
    async def _copy(self, template: str, id: str) -> int:
        """Keep a run called `id` like `template` in the store, and return the number of its submission."""
        return await asyncio.to_thread(_copy_run, self._options.store, template, id)

    async def _own(self, run: WorkflowHandle[Any, Any]) -> None:
        """Tell the engine who has a run, as soon as it answers."""
        while True:
            try:
                return await run.signal("owned", args=[self._queue, self.name])
            except RPCError as error:
                if error.status == RPCStatusCode.NOT_FOUND:  # the run has ended
                    return None
            await asyncio.sleep(self._limits.retry_seconds)

    @activity.defn(name=DELIVER)
    async def _deliver(self, run: str, id: str, text: str) -> None:
        """Give a message to a run that is here, and wait until it is in a row."""
        process = self._processes.get(run)
        if process is None:
            raise ApplicationError(f"run {run} is not here", non_retryable=True)
        taken = process.steer(id, text)
        while not taken.done():
            activity.heartbeat()
            await asyncio.wait([taken], timeout=_BEAT)
        if not taken.result():
            raise ApplicationError(f"run {run} has ended", non_retryable=True)


def _copy_run(address: str, template: str, id: str) -> int:
    store = open_store(address)
    try:
        record = run_of_rows(store.read(template))
        if record is None:
            raise ApplicationError(f"the store has no run {template}", non_retryable=True)
        store.create(id, copied_rows(id, record))  # a second attempt finds it there
        return store.submit(id)
    finally:
        store.close()


def _is_asked_for() -> bool:
    """Whether a person has stopped the run. An attempt is cancelled too when the engine has given the run to another
    worker, after heartbeats were lost, and when this worker ends: the run continues elsewhere then."""
    why = activity.cancellation_details()
    return why is not None and why.cancel_requested and not (why.timed_out or why.not_found or why.worker_shutdown)


async def _beat(process: "RunProcess") -> None:
    """Say that this worker has the run, with the number of its rows."""
    while True:
        activity.heartbeat(process.progress.get("rows", 0))
        await asyncio.sleep(_BEAT)


class RunProcess:
    """The process of one run, and the lines that it says."""

    def __init__(self, task: Task, limits: FleetLimits, process: asyncio.subprocess.Process | ForkedRun) -> None:
        self._limits, self._process = limits, process
        self.progress: dict[str, Any] = {}
        self._messages: dict[str, asyncio.Future[bool]] = {}
        self._say(fields_of(task))

    async def end(self, on_stop: Callable[[], bool]) -> dict[str, Any]:
        """Return the fields of its `End`. Cancelling asks the process to end, for good if `on_stop` says so, and
        returns its end too; a process that does not end in time is killed."""
        reading = spawn(self._read(), "process of a run")
        try:
            await asyncio.wait([reading])
        except asyncio.CancelledError:
            self._say({"do": "stop", "final": on_stop()})
            await asyncio.wait([reading], timeout=self._limits.end_seconds)
            if not reading.done():
                raise
        finally:
            if not reading.done():
                with suppress(ProcessLookupError):
                    self._process.kill()
                await finish(reading)
            for each in self._messages.values():
                if not each.done():
                    each.set_result(False)
        return reading.result()

    async def _read(self) -> dict[str, Any]:
        process = self._process
        assert process.stdout is not None
        end: dict[str, Any] = {}
        with suppress(ConnectionResetError):  # it has ended with lines that it had not read
            async for line in process.stdout:
                message = json.loads(line)
                if "progress" in message:
                    self.progress = message["progress"]
                elif (taken := self._messages.get(message.get("taken", ""))) is not None and not taken.done():
                    taken.set_result(True)
                end = message.get("end", end)
        code = await process.wait()
        why = f"its process was ended by signal {-code}" if code < 0 else f"its process has ended with the code {code}"
        return end or fields_of(End("interrupted", why))

    def steer(self, id: str, text: str) -> "asyncio.Future[bool]":
        """Pass on a message; the result says whether it is in a row, once that is known."""
        taken = self._messages.setdefault(id, asyncio.get_running_loop().create_future())
        self._say({"do": "steer", "id": id, "text": text})
        return taken

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(dump(message).encode() + b"\n")


async def _run_until(ended: Awaitable[object], *workers: Worker) -> None:
    """Run workers until `ended` is or one of them fails, and stop them, the last one first. Raises its error."""

    async def end() -> None:
        await ended

    running = [spawn(each.run(), "worker of Temporal") for each in workers]
    ending = spawn(end(), "end of the workers")
    try:
        await asyncio.wait([ending, *running], return_when=asyncio.FIRST_COMPLETED)
    finally:
        ending.cancel()
        for each in reversed(workers):
            await each.shutdown()
        await asyncio.wait(running)
    for task in running:
        task.result()
