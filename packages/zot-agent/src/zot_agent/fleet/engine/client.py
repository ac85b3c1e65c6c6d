"""`Fleet`: begins, lists, steers, answers and stops the runs of a fleet."""

import asyncio
import secrets
from collections import Counter
from datetime import datetime
from typing import Any

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowHandle
from temporalio.common import Priority, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.runtime import Runtime
from temporalio.service import RPCError, RPCStatusCode

from zot_agent.fleet.engine.errors import engine_errors
from zot_agent.fleet.engine.schedules import schedules
from zot_agent.fleet.engine.workflow import RUN_PREFIX, WORKFLOW, RunWorkflow
from zot_agent.fleet.limits import FleetLimits
from zot_agent.fleet.run_lines import fields_of
from zot_agent.fleet.traces import engine_traces
from zot_provider.errors import ConfigError, ZotError
from zot_provider.record import Record, field

_STATES = {
    WorkflowExecutionStatus.FAILED: "failed",
    WorkflowExecutionStatus.CANCELED: "cancelled",
    WorkflowExecutionStatus.TERMINATED: "cancelled",
    WorkflowExecutionStatus.TIMED_OUT: "failed",
}


class FleetRun(Record):
    """A run, as the engine knows it. `owner` is the worker that has it, `question` what a person is asked, `unread` how
    many messages are still to be delivered."""

    id: str
    state: str
    owner: str = ""
    steps: int = 0
    cost: float = 0.0
    reason: str = ""
    started: str = ""
    question: dict[str, Any] = field(default_factory=dict)
    unread: int = 0


async def connect(address: str, namespace: str = "default", limits: FleetLimits | None = None,
                  runtime: Runtime | None = None) -> Client:  # fmt: skip
    """Connect to Temporal. Raises `ZotError`."""
    limits = limits or FleetLimits()
    try:
        async with asyncio.timeout(limits.connect_seconds):
            return await Client.connect(address, namespace=namespace, runtime=runtime, interceptors=engine_traces())
    except (RuntimeError, ValueError, TimeoutError, RPCError):
        raise ZotError(
            f"Temporal does not answer at {address}; zot fleet dev starts a server, --address names another"
        ) from None


class Fleet:
    """The runs of a fleet. Methods raise `ZotError`, and `ConfigError` for a run that is not there."""

    def __init__(self, client: Client, queue: str, limits: FleetLimits | None = None) -> None:
        self._client, self._queue, self._limits = client, queue, limits or FleetLimits()

    async def submit(self, id: str, submission: int, priority: int = 0) -> None:
        """Give a run of the store to the engine; does nothing if that has it. `priority` is 1 (first) to 5."""
        async with engine_errors(id):
            await self._client.start_workflow(
                RunWorkflow.run,
                args=[id, submission, fields_of(self._limits)],
                id=RUN_PREFIX + id,
                task_queue=self._queue,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                priority=Priority(priority_key=priority or None),
            )

    async def list(self, limit: int = 200) -> list[FleetRun]:
        """Return runs, last begun first."""
        found = []
        async with engine_errors(""):
            async for each in self._client.list_workflows(f"WorkflowType = '{WORKFLOW}'", limit=limit):
                state = await each.memo()
                found.append(_run(each.id, each.status, each.start_time, state))
        return found

    async def open_states(self) -> Counter[str]:
        """Return how many runs that are not over are in each state."""
        states: Counter[str] = Counter()
        query = f"WorkflowType = '{WORKFLOW}' AND ExecutionStatus = 'Running'"
        async with engine_errors(""):
            async for each in self._client.list_workflows(query):
                states[_run(each.id, each.status, each.start_time, await each.memo()).state] += 1
        return states

    async def show(self, id: str) -> FleetRun:
        async with engine_errors(id):
            handle = self._handle(id)
            about = await handle.describe()
            state = await about.memo()
            if about.status == WorkflowExecutionStatus.RUNNING:
                try:
                    state = await asyncio.wait_for(handle.query(RunWorkflow.state), self._limits.connect_seconds)
                except TimeoutError:
                    state = {**state, "reason": "no worker answers"}
            return _run(about.id, about.status, about.start_time, state)

    async def steer(self, id: str, text: str) -> str:
        """Send a message to a run, and return the id that it has in its rows."""
        if len(text.encode()) > self._limits.steer_bytes:
            raise ConfigError(f"a message to a run has at most {self._limits.steer_bytes:,} bytes; name a file in it")
        key = f"steer-{secrets.token_hex(8)}"
        async with engine_errors(id):
            await self._handle(id).signal(RunWorkflow.steer, args=[key, text])
        return key

    async def answer(self, id: str, choice: str, message: str = "") -> None:
        run = await self.show(id)
        if run.state != "waiting":
            raise ConfigError(f"run {id} asks nothing; it is {run.state}")
        async with engine_errors(id):
            await self._handle(id).signal(RunWorkflow.answer, args=[choice, message])

    async def retry(self, id: str) -> None:
        """Try a parked run again."""
        async with engine_errors(id):
            await self._handle(id).signal(RunWorkflow.retry)

    async def stop(self, id: str) -> None:
        async with engine_errors(id):
            await self._handle(id).signal(RunWorkflow.stop)

    async def wait(self, id: str) -> FleetRun:
        """Wait for the end of a run, or until it waits for a person or is parked."""
        while True:
            run = await self.show(id)
            if run.state not in ("queued", "running"):
                return run
            await asyncio.sleep(0.5)

    async def is_over(self, id: str) -> bool:
        """Return whether the engine has no work left on a run, or does not know the run."""
        async with engine_errors(id):
            try:
                return (await self._handle(id).describe()).status != WorkflowExecutionStatus.RUNNING
            except RPCError as error:
                if error.status == RPCStatusCode.NOT_FOUND:
                    return True
                raise

    async def forget(self, id: str) -> bool:
        """Let the engine delete what it knows of a run that is over, and return whether it knew the run."""
        named = WorkflowExecution(workflow_id=RUN_PREFIX + id)
        request = DeleteWorkflowExecutionRequest(namespace=self._client.namespace, workflow_execution=named)
        async with engine_errors(id):
            try:
                await self._client.workflow_service.delete_workflow_execution(request)
            except RPCError as error:
                if error.status == RPCStatusCode.NOT_FOUND:
                    return False
                raise
        return True

    async def templates(self) -> set[str]:
        """Return the names of the runs that schedules copy."""
        return {each.id for each in await schedules(self._client)}

    def _handle(self, id: str) -> WorkflowHandle[Any, Any]:
        return self._client.get_workflow_handle(RUN_PREFIX + id)


def _run(id: str, status: WorkflowExecutionStatus | None, started: datetime, state: Any) -> FleetRun:
    known = {name: state[name] for name in FleetRun.__match_args__ if name in state}
    shown = {"state": "queued", **known}
    if status in _STATES:
        shown["state"] = _STATES[status] if shown["state"] in ("queued", "running") else shown["state"]
        shown["owner"] = ""
    return FleetRun(id.removeprefix(RUN_PREFIX), **shown).replace(started=started.isoformat(timespec="seconds"))
