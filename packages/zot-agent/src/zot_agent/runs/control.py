"""Cancel, answer and continue a run, whether or not a process has it."""

import os
import time
from contextlib import suppress
from typing import Any

from zot_agent.host.detached import start_detached
from zot_agent.runs.store import RunStore, StoredRun, change
from zot_core.errors import SessionLocked
from zot_core.runtime.run_rows import OVER, run_row
from zot_provider.errors import ConfigError, ZotError
from zot_provider.record import Record


class ControlLimits(Record):
    """`cancel_seconds`: how long the process of a run may take to end it; `pause`: seconds between two looks."""

    cancel_seconds: float = 30.0
    pause: float = 0.05


def cancel(runs: RunStore, id: str, limits: ControlLimits | None = None) -> None:
    """End a run for good, whether or not a process has it. Raises `ConfigError` if it is over, `ZotError` if its
    process does not end it."""
    limits, run = limits or ControlLimits(), runs.find(id)
    _check_not_over(run)
    with ZotError.of_system(f"cannot write {run.cancel_file}"), open(run.cancel_file, "wb"):
        pass
    end = time.monotonic() + limits.cancel_seconds
    try:
        while run.owned or run.record.state not in OVER:
            if not run.owned:
                with suppress(SessionLocked):  # a process has taken it up meanwhile
                    change(run, run_row({"state": "cancelled", "question": {}}), 0)
            elif time.monotonic() > end:
                raise ZotError(
                    f"run {run.id} has not ended within {limits.cancel_seconds:g} s; its process is {run.record.pid}"
                )
            time.sleep(limits.pause if run.owned else 0)
            run = runs.find(id)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(run.cancel_file)


def give_answer(runs: RunStore, id: str, choice: str, message: str = "") -> StoredRun:
    """Answer the question of a run with "yes", "always" or "no", and return the run. Raises `ConfigError` if it has
    none."""
    run = runs.find(id)
    change(run, run_row(run.record.answered(choice, message)))
    return runs.find(run.id)


def check_continuable(run: StoredRun, *, retry: bool = False) -> None:
    """Raise `ConfigError` for a run that a process has, that is over, that waits for an answer, or that has failed
    unless it is to be tried again."""
    _check_not_over(run)
    if run.owned:
        raise ConfigError(f"process {run.record.pid} has run {run.id}; zot runs attach {run.id} follows it")
    if run.state == "waiting":
        raise ConfigError(f"run {run.id} waits: {question_line(run)}")
    if run.state == "failed" and not retry:
        raise ConfigError(f"run {run.id} has failed ({run.record.reason}); zot runs retry {run.id} tries it again")


def question_line(run: StoredRun) -> str:
    """Return the question of a run, and how to answer it."""
    asked = run.record.question
    return f"{asked.get('call', '')} ({asked.get('reason', '')}); answer with zot runs answer {run.id} {choices(run)}"


def choices(run: StoredRun) -> str:
    """Return the answers that the question of a run can have."""
    return "yes|always|no" if run.record.question.get("always") else "yes|no"


def change_options(run: StoredRun, options: dict[str, Any]) -> None:
    """Give a run that no process has other options, the ones of `changed_options`."""
    if options:
        change(run, run_row({"options": {**run.record.options, **options}}))


def continue_detached(run: StoredRun) -> int:
    """Continue a run in its own process, and return its id. Raises `NotStarted`."""
    return start_detached(["runs", "resume", "--retry", run.id], run.log, cwd=_folder(run))


def _folder(run: StoredRun) -> str:
    """Return the directory to start in; the process itself reports that its own is gone."""
    cwd = str(run.record.options.get("cwd", ""))
    return cwd if os.path.isdir(cwd) else os.sep


def _check_not_over(run: StoredRun) -> None:
    if run.record.state in OVER:
        raise ConfigError(f"run {run.id} is {run.record.state}")
