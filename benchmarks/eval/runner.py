"""Runs an agent on tasks: in throw-away folders, several at a time, until a budget is spent."""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from outcome import Outcome, OutcomeFile, Use
from tasks import Task

Agent = Callable[[Task, Path, float], Awaitable[Use]]
"""Works on a task in a folder, for so many seconds at most."""


@dataclass
class RunLimits:
    """How many tries of a task, how many at a time, seconds for each, and US dollars for all (0: no limit)."""

    repeats: int = 1
    parallel: int = 2
    seconds: float = 600.0
    budget: float = 0.0


async def run_tasks(tasks: Sequence[Task], agent: Agent, file: OutcomeFile, limits: RunLimits) -> bool:
    """Make all tries that the file does not have. Return whether the budget sufficed. Tries that run when it is spent
    are finished."""
    room = asyncio.Semaphore(limits.parallel)
    spent = sum(each.use.cost or 0.0 for each in file.outcomes)
    enough = True

    async def one(task: Task, repeat: int) -> None:
        nonlocal spent, enough
        async with room:
            if limits.budget and spent >= limits.budget:
                enough = False
                return
            outcome = await attempt(task, repeat, agent, limits.seconds)
            spent += outcome.use.cost or 0.0
            file.add(outcome)

    wanted = [(task, repeat) for repeat in range(limits.repeats) for task in tasks if not file.has(task.id, repeat)]
    await asyncio.gather(*(one(task, repeat) for task, repeat in wanted))
    return enough


async def attempt(task: Task, repeat: int, agent: Agent, seconds: float) -> Outcome:
    """Make one try."""
    if missing := task.missing():
        return Outcome(task.id, repeat, "missing", missing)
    with tempfile.TemporaryDirectory(prefix="zot-eval-") as place:
        folder = Path(place) / "project"
        folder.mkdir()
        try:
            await asyncio.to_thread(task.make, folder)
        except Exception as error:  # noqa: BLE001  a set-up may fail in any way, and is counted apart
            return Outcome(task.id, repeat, "set-up", [f"{type(error).__name__}: {error}"])
        began = time.monotonic()
        use = await agent(task, folder, seconds)
        took = time.monotonic() - began
        if use.error:
            return Outcome(task.id, repeat, "error", [use.error], took, use)
        reasons = await asyncio.to_thread(_checked, task, folder)
        return Outcome(task.id, repeat, "failed" if reasons else "passed", reasons, took, use)


def _checked(task: Task, folder: Path) -> list[str]:
    try:
        return task.check(folder)
    except Exception as error:  # noqa: BLE001  the agent may have left anything; what cannot be checked has not passed
        return [f"the check failed: {type(error).__name__}: {error}"]
