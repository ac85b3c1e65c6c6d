"""The operations on durable runs."""

import asyncio
from typing import TYPE_CHECKING, TypedDict

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.operation import operation
from zot_agent.runs.control import cancel, check_continuable, continue_detached, give_answer
from zot_agent.runs.fields import run_fields
from zot_agent.runs.store import RunStore, StoredRun
from zot_agent.verbs.permissions import Choice, RefusalReason
from zot_core.errors import SessionNotFound
from zot_provider.errors import UnknownName

if TYPE_CHECKING:
    from zot_agent.operations.answers import RunInfo
    from zot_agent.operations.stored_sessions import StoredSessions


def listed_runs(stored: "StoredSessions") -> "list[RunInfo]":
    """Return the durable runs that clients may see, last changed first; blocks."""
    return [run_fields(run) for run in RunStore().all() if _sees(stored, run)]


def answered_run(stored: "StoredSessions", run: str, answer: str, message: str) -> "RunInfo":
    """Answer the question of a run, which then continues in its own process; blocks. Raises `SessionNotFound` for
    a run that clients may not see."""
    found = _found(stored, run).id
    continue_detached(give_answer(RunStore(), found, answer, message))
    return run_fields(RunStore().find(found))


def cancelled_run(stored: "StoredSessions", run: str) -> "RunInfo":
    """End a run for good; blocks. Raises as `answered_run` does."""
    cancel(RunStore(), found := _found(stored, run).id)
    return run_fields(RunStore().find(found))


def retried_run(stored: "StoredSessions", run: str) -> "RunInfo":
    """Continue a run that no process has in its own process; blocks. Raises as `answered_run` does."""
    check_continuable(found := _found(stored, run), retry=True)
    continue_detached(found)
    return run_fields(RunStore().find(found.id))


class RunList(TypedDict):
    """The durable runs, last changed first."""

    runs: "list[RunInfo]"


@operation("runs.list", scope="own")
async def list_runs(caller: OperationCaller) -> RunList:
    """List the durable runs (`zot run`), last changed first."""
    return {"runs": await asyncio.to_thread(listed_runs, caller.stored)}


class ChangedRun(TypedDict):
    """The run after the change."""

    run: "RunInfo"


@operation("runs.answer", scope="own")
async def answer_run(caller: OperationCaller, run: str, answer: Choice, *, message: RefusalReason = "") -> ChangedRun:
    """Answer the question of a run. The run then continues in its own process.

    run: The name of the run, or its beginning.
    answer: `yes`, `always` or `no`.
    message: The reason, for the model.
    """
    return {"run": await asyncio.to_thread(answered_run, caller.stored, run, answer, message)}


def _found(stored: "StoredSessions", run: str) -> StoredRun:
    """Return a run that the client may know of. Raises `SessionNotFound`, which names no others."""
    try:
        return RunStore().find(run, lambda each: _sees(stored, each))
    except UnknownName as error:
        raise SessionNotFound(str(error)) from None


def _sees(stored: "StoredSessions", run: StoredRun) -> bool:
    """Return whether the client may know of a run: `zot serve` serves some directories only."""
    return stored.sees(str(run.record.options.get("cwd", "")))
