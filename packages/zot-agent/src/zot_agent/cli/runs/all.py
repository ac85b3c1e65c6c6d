"""`zot runs resume --all`: continues all interrupted runs in this process."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.runs.drive import at_most, drive_apart, drive_quietly
from zot_agent.event_loop import run_in_loop
from zot_agent.runs.store import RunStore
from zot_agent.signals import on_end_signals


def resume_all(jobs: int) -> int:
    """Continue all interrupted runs, at most `jobs` at a time, print a line for each end, and return the exit code. A
    signal stops them all; they stay interrupted.

    A run whose last process ended without progress has its own process: it may be what ended that one.
    """
    found = [run for run in RunStore().all() if run.state == "interrupted"]
    if not found:
        print_line("no run was interrupted")
    parked = [run for run in found if run.parked]
    for run in parked:
        print_line(f"run {run.id} is parked: {run.record.tries} processes have ended without progress; "
                   f"zot runs resume {run.id} tries it again")  # fmt: skip
    works: list[Callable[[], Awaitable[str]]] = [
        partial(drive_apart if run.record.tries else drive_quietly, run) for run in found if not run.parked
    ]
    return run_in_loop(_resume(works, jobs)) if works else 0


async def _resume(works: "list[Callable[[], Awaitable[str]]]", jobs: int) -> int:
    received: list[int] = []
    task = asyncio.current_task()

    def stop(number: int) -> None:
        received.append(number)
        if task is not None and len(received) == 1:
            task.cancel()

    on_end_signals(stop)
    try:
        await at_most(jobs, works, print_line)
    except asyncio.CancelledError:
        if not received:
            raise
        return 128 + received[0]
    return 0
