"""Do the work of runs in this process, or follow that of another one."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib import import_module

from zot_agent.cli.ext.terminal import print_line
from zot_agent.host.detached import report_ready
from zot_agent.host.host import Host
from zot_agent.modes import MODES, PIPED_MODE
from zot_agent.runs.control import choices, continue_detached, question_line
from zot_agent.runs.follow import RowLines
from zot_agent.runs.options import options_of
from zot_agent.runs.store import RunStore, StoredRun
from zot_agent.signals import hold_end_signals
from zot_agent.standard_error import print_error
from zot_core.aio import finish, spawn
from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.errors import SessionLocked
from zot_core.events import ErrorEvent
from zot_core.runtime.durable import DurableRun
from zot_core.runtime.run_rows import OVER
from zot_core.sessions.file import in_use
from zot_provider.errors import ZotError
from zot_provider.record import Record

WAITS = 3
"""The exit code of a run that waits for an answer."""

_CODES = {"done": 0, "waiting": WAITS, "cancelled": 130}
_LIMITS = ("max_steps", "max_cost", "max_tokens", "deadline")


class DriveLimits(Record):
    """`open_tries`: how often to try to open the session, while another process only looks whether it is in use.
    `pause`: seconds between two looks at a file."""

    open_tries: int = 10
    pause: float = 0.1


async def drive(run: StoredRun, mode: str = "", limits: DriveLimits | None = None) -> int:
    """Do the work of a run in the mode, print it, and return the exit code. If another process takes the run up
    meanwhile, follow that one."""
    limits = limits or DriveLimits()
    try:
        host, durable = await _open(run, limits)
    except SessionLocked:
        report_ready()
        return await asyncio.to_thread(follow, run, limits)
    report_ready()
    if durable.record.state in OVER:  # another process has ended it since
        await host.close()
        return await asyncio.to_thread(follow, run, limits)
    chosen = MODES[mode or ("stream" if sys.stdout.isatty() else PIPED_MODE)]
    watch = spawn(_watch_cancel(run, host, durable, limits), "cancel file")
    try:
        code: int = await import_module(chosen.module).run(host, run.record.task, [])
    finally:
        watch.cancel()
        await finish(watch)
        with hold_end_signals():
            await host.close()
    if way := _way_on(RunStore().find(run.id)):
        print_error(f"{way} continues it")
    return code


def _way_on(run: StoredRun) -> str:
    """Return the command that continues a run; empty if it is over."""
    ways = {"waiting": f"answer {run.id} {choices(run)}", "failed": f"retry {run.id}"}
    ways |= dict.fromkeys(("stopped", "interrupted"), f"resume {run.id}")
    return f"zot runs {ways[run.state]}" if run.state in ways else ""


async def drive_quietly(run: StoredRun, limits: DriveLimits | None = None) -> str:
    """Do the work of a run without printing it, and return a line about its end."""
    limits = limits or DriveLimits()
    try:
        host, durable = await _open(run, limits)
    except ZotError as error:
        return f"run {run.id} was not continued: {error}"
    errors = list[str]()
    if (state := durable.record.state) in (*OVER, "waiting"):  # since another process had it
        await host.close()
        return f"run {run.id} is {state}"
    durable.stopped_state = "running"  # only the end of this process stops it
    host.conversation.permissions.ask_with(durable.asking(_refuse))
    host.conversation.events.add(
        lambda event: errors.append(event.message) if isinstance(event, ErrorEvent) else None, ErrorEvent
    )
    watch = spawn(_watch_cancel(run, host, durable, limits), "cancel file")
    try:
        await host.conversation.resend("", durable.work)
        await host.conversation.idle()
    except asyncio.CancelledError:
        host.conversation.stop()
        await host.conversation.idle()
        raise
    finally:
        watch.cancel()
        await finish(watch)
        await host.close()
    reason = f": {errors[-1]}" if errors else ""
    return f"run {run.id} is {durable.record.state}{reason}"


async def drive_apart(run: StoredRun, limits: DriveLimits | None = None) -> str:
    """Let a process of its own do the work of a run, wait for its end, and return a line about it. Cancelling the
    caller ends the process."""
    limits = limits or DriveLimits()
    starting = spawn(asyncio.to_thread(continue_detached, run), "start of a run")
    try:
        await asyncio.shield(starting)
        while await asyncio.to_thread(in_use, run.path):  # noqa: ASYNC110  another process has it
            await asyncio.sleep(limits.pause)
    except ZotError as error:
        return f"run {run.id} was not continued: {error}"
    except asyncio.CancelledError:
        with suppress(ZotError, ProcessLookupError):
            os.kill(await starting, signal.SIGTERM)  # a child of this process: its id is not given to another one
        raise
    now = await asyncio.to_thread(RunStore().find, run.id)
    return f"run {run.id} is {now.state}" + (f": {now.record.reason}" if now.record.reason else "")


async def _refuse(question: PermissionQuestion) -> PermissionAnswer:
    return PermissionAnswer("no", "nobody can be asked", unanswered=True)


async def _open(run: StoredRun, limits: DriveLimits) -> tuple[Host, DurableRun]:
    """Build the host of a run. Raises `SessionLocked` if another process has it, `ConfigError`, `SessionError`."""
    from zot_agent.host.build import build_host  # noqa: PLC0415  not needed to follow a run

    options = options_of(run.record, run.path)
    for attempt in range(limits.open_tries):
        try:
            host = build_host(options)
        except SessionLocked:
            if attempt == limits.open_tries - 1:
                raise
            await asyncio.sleep(limits.pause / 2)
        else:
            durable = host.runtime.durable
            assert durable is not None, "a host with the task of a run has one"
            return host, durable
    raise AssertionError


async def _watch_cancel(run: StoredRun, host: Host, durable: DurableRun, limits: DriveLimits) -> None:
    """Stop the run once a person has asked for its end."""
    while not os.path.exists(run.cancel_file):  # noqa: ASYNC110  another process makes it
        await asyncio.sleep(limits.pause)
    durable.stopped_state = "cancelled"
    host.conversation.stop()


def follow(run: StoredRun, limits: DriveLimits | None = None, *, on_end: bool = True) -> int:
    """Print the rows of a run until no process has it, and return the exit code of its state. Without `on_end` print
    what is there and return 0."""
    limits, rows = limits or DriveLimits(), RowLines(run.path)
    while True:
        owned = in_use(run.path)  # before the rows, so that the last ones are read after the end
        for line in rows.read():
            print_line(line)
        if not on_end:
            return 0
        if not owned:
            return exit_code(RunStore().find(run.id))
        time.sleep(limits.pause)


def exit_code(run: StoredRun) -> int:
    """Return the exit code for the state of a run, and print what to do next."""
    if run.state == "waiting":
        print_error(f"run {run.id} waits: {question_line(run)}")
    elif run.state == "interrupted":
        print_error(f"run {run.id} was interrupted; {_way_on(run)} continues it")
    elif way := _way_on(run):
        print_error(f"run {run.id} is {run.state}: {run.record.reason or run.record.end}; {way} continues it")
    if run.state == "stopped":
        return 4 if run.record.end in _LIMITS else 130
    return 5 if run.record.end == "refused" else _CODES.get(run.state, 1)


async def at_most(count: int, works: "list[Callable[[], Awaitable[str]]]", said: Callable[[str], None]) -> None:
    """Do the works, at most `count` at the same time, and pass on their lines."""
    room = asyncio.Semaphore(count)

    async def one(work: Callable[[], Awaitable[str]]) -> None:
        async with room:
            said(await work())

    tasks = [spawn(one(work), "run") for work in works]
    try:
        for task in tasks:
            with suppress(ZotError):
                await task
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            await finish(task)
