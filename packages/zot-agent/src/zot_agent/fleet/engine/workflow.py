"""`RunWorkflow`: what Temporal knows of a run. All waits, retries and time-outs of a fleet are here, as the engine's.

Nothing large is in its history: the task, the rows and the files are in the store. A workflow must decide the same
whenever the engine replays it, so this module reads no clock, no file and no variable.
"""

from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception

from zot_agent.fleet.limits import FleetLimits
from zot_agent.fleet.run_lines import End, fields_of
from zot_core.aio import spawn

WORKFLOW = "zot-run"
DRIVE = "zot-drive"
"""The activity that drives the conversation of a run until it ends, waits or must be given to another worker."""
DELIVER = "zot-deliver"
"""The activity, on the queue of one worker, that gives a message to a run which that worker has."""

SCHEDULED = "zot-scheduled"
COPY = "zot-copy"
"""The activity that keeps a run like another one in the store, and returns the number of its submission."""
RUN_PREFIX = "zot-run-"
"""The workflow of a run is called this and the name of the run."""


def retry_policy(limits: FleetLimits) -> RetryPolicy:
    """Return how the engine tries again what a worker could not do: until it can."""
    return RetryPolicy(
        initial_interval=timedelta(seconds=limits.retry_seconds),
        maximum_interval=timedelta(seconds=limits.most_retry_seconds),
    )


@workflow.defn(name=WORKFLOW, sandboxed=False)
class RunWorkflow:
    """One run. Signals: `steer`, `answer`, `retry`, `stop`, and `owned` from workers. Query: `state`."""

    def __init__(self) -> None:
        self._state: dict[str, Any] = {"state": "queued", "owner": "", "steps": 0, "cost": 0.0, "reason": ""}
        self._question: dict[str, Any] = {}
        self._queue = ""
        self._answer: dict[str, str] = {}
        self._messages: dict[str, str] = {}
        self._retry = self._stopped = False
        self._driving: workflow.ActivityHandle[dict[str, Any]] | None = None
        self._limits = FleetLimits()

    @workflow.run
    async def run(self, id: str, submission: int, limits: dict[str, Any] | None = None) -> dict[str, Any]:
        """Drive the run with this name to its end. `limits` are fields of `FleetLimits`."""
        self._limits = FleetLimits(**(limits or {}))
        delivering = spawn(self._deliver(id), "messages")
        try:
            return await self._drive(id, submission)
        finally:
            delivering.cancel()

    async def _drive(self, id: str, submission: int) -> dict[str, Any]:
        activities = fetches = 0
        while True:
            activities += 1
            job = {
                "run": id,
                "submission": submission,
                "activity": activities,
                "answer": self._answer,
                "retry": self._retry,
                "cancel": self._stopped,
                "messages": dict(self._messages),
            }
            self._answer, self._retry, self._question = {}, False, {}
            end = await self._attempt(job)
            state = end["state"]
            for key in end["taken"]:
                self._messages.pop(key, None)
            if state == "workspace":
                fetches += 1
                state = end["state"] = "parked" if fetches >= self._limits.workspace_tries else "queued"
            self._change(end)
            if state == "queued":
                await workflow.sleep(self._limits.retry_seconds * 2**fetches)
            elif state == "waiting":
                self._question = end["question"]
                await workflow.wait_condition(lambda: bool(self._answer) or self._stopped)
            elif state == "parked":
                fetches = 0
                await workflow.wait_condition(lambda: self._retry or self._stopped)
            elif state in ("failed", "stopped"):
                raise ApplicationError(end["reason"] or state, type=state, non_retryable=True)
            else:
                return {**self._state, "unread": len(self._messages)}

    async def _attempt(self, job: dict[str, Any]) -> dict[str, Any]:
        self._driving = workflow.start_activity(
            DRIVE,
            job,
            start_to_close_timeout=timedelta(seconds=self._limits.run_seconds),
            heartbeat_timeout=timedelta(seconds=self._limits.heartbeat_seconds),
            retry_policy=retry_policy(self._limits),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )
        try:
            return await self._driving
        except ActivityError as error:
            if not is_cancelled_exception(error):
                cause = error.cause or error
                return fields_of(End("failed", str(cause)))
            self._stopped = True  # before a worker had it, or while none was there
            return fields_of(End("queued"))
        finally:
            self._driving, self._queue = None, ""

    async def _deliver(self, id: str) -> None:
        """Give each message to the worker that has the run, until that says that it is in a row."""
        while True:
            await workflow.wait_condition(lambda: bool(self._messages and self._queue))
            key, text = next(iter(self._messages.items()))
            queue = self._queue
            try:
                await workflow.execute_activity(
                    DELIVER,
                    args=[id, key, text],
                    task_queue=queue,
                    schedule_to_start_timeout=timedelta(seconds=self._limits.deliver_seconds),
                    start_to_close_timeout=timedelta(seconds=self._limits.run_seconds),
                    heartbeat_timeout=timedelta(seconds=self._limits.heartbeat_seconds),
                    retry_policy=RetryPolicy(maximum_attempts=1),
                )
                self._messages.pop(key, None)
            except ActivityError:  # that worker has gone, or the run has left it
                await workflow.sleep(self._limits.retry_seconds)

    def _change(self, end: dict[str, Any]) -> None:
        steps, cost = end["steps"] or self._state["steps"], end["cost"] or self._state["cost"]
        self._state = {"state": end["state"], "owner": "", "steps": steps, "cost": cost, "reason": end["reason"]}
        workflow.upsert_memo(self._state)

    @workflow.signal
    def owned(self, queue: str, owner: str) -> None:
        """A worker has taken up the run; `queue` is its own."""
        self._queue = queue
        self._state = {**self._state, "state": "running", "owner": owner, "reason": ""}
        workflow.upsert_memo(self._state)

    @workflow.signal
    def steer(self, id: str, text: str) -> None:
        """A message for the next model call; `id` is new for each."""
        self._messages[id] = text

    @workflow.signal
    def answer(self, choice: str, message: str) -> None:
        """The answer of a person to the question that the run waits with."""
        if self._question:
            self._answer = {"choice": choice, "message": message}

    @workflow.signal
    def retry(self) -> None:
        """Try a parked run again."""
        self._retry = True

    @workflow.signal
    def stop(self) -> None:
        self._stopped = True
        if self._driving is not None:
            self._driving.cancel()

    @workflow.query
    def state(self) -> dict[str, Any]:
        """State, owner, steps, cost, reason, question and unread messages."""
        return {**self._state, "question": self._question, "unread": len(self._messages)}


@workflow.defn(name=SCHEDULED, sandboxed=False)
class ScheduledWorkflow:
    """The work that a schedule starts every time: a run with the task of its template."""

    @workflow.run
    async def run(self, template: str) -> str:
        """Begin the run, wait for its end, and return its name. Fails if the run does."""
        id = f"{template}-{workflow.now():%Y%m%d-%H%M%S}"
        number = await workflow.execute_activity(
            COPY,
            args=[template, id],
            start_to_close_timeout=timedelta(seconds=FleetLimits().connect_seconds),
            retry_policy=retry_policy(FleetLimits()),
        )
        await workflow.execute_child_workflow(
            RunWorkflow.run, args=[id, number], id=RUN_PREFIX + id,
            parent_close_policy=workflow.ParentClosePolicy.ABANDON,
        )  # fmt: skip
        return id
