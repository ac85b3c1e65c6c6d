"""`zot run --fleet` and `zot runs VERB --fleet`: the runs of a fleet, from the command line."""

import asyncio
import secrets
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from zot_agent.cli.ext.terminal import print_fields, print_json, print_line, print_table, print_text
from zot_agent.cli.fleet import FleetWork, RunVerb
from zot_agent.fleet.addresses import FleetPlaces, find_places
from zot_agent.fleet.extra import needs_extra, run_and_leave
from zot_agent.fleet.rows import first_rows
from zot_agent.fleet.store.open import open_store
from zot_agent.host.options import HostOptions
from zot_agent.runs.store import check_name
from zot_agent.standard_error import print_error
from zot_core.runtime.run_rows import run_of_rows
from zot_core.sessions import rows
from zot_core.sessions.raw import read_row
from zot_provider.errors import ConfigError, ZotError

if TYPE_CHECKING:
    from zot_agent.fleet.engine.client import Fleet, FleetRun

T = TypeVar("T")

_PAUSE = 1.0
"""Seconds between two looks at a run that is followed."""
_FOLLOWED = "no longer following; the run continues"
_CODES = {"done": 0, "queued": 0, "running": 0, "waiting": 3, "parked": 1, "stopped": 4, "cancelled": 130}


def submit(name: str, task: str, options: HostOptions, work: FleetWork, places: FleetPlaces, *, detach: bool) -> int:
    """Give a run to the fleet; follow it to its end unless `detach`. `name` is its name, empty for a random one. Return
    the exit code."""
    if work.schedule and not name:
        raise ConfigError("--schedule needs --id, the name of its runs")
    id = name or secrets.token_hex(4)
    check_name(id)
    given = {"url": work.git, "commit": work.commit, "branch": work.push, "command": work.end_command}
    workspace = {each: text for each, text in given.items() if text}
    if workspace and "url" not in workspace:
        raise ConfigError("--commit, --push and --end-command need --git URL")
    if work.git.startswith("-"):
        raise ConfigError(f"--git {work.git} is not a URL")
    with needs_extra():
        import temporalio.client  # noqa: F401, PLC0415  before anything is stored
    places = find_places(places)
    submitted: list[str] = []
    not_given = f"run {id} was not given to the fleet; the same command with --id {id} gives it"
    try:
        store = open_store(places.store)
        try:
            if not store.create(id, first_rows(id, task, options, workspace)):
                record = run_of_rows(store.read(id))
                if record is None or record.task != task:
                    raise ConfigError(f"run {id} has another task; choose another --id")
            number = 0 if work.schedule else store.submit(id)
        finally:
            store.close()
        if work.schedule:
            return _schedule(id, work.schedule, places)

        async def give(fleet: "Fleet") -> int:
            await fleet.submit(id, number, work.priority or 0)
            submitted.append(id)
            if detach:
                sys.stdout.write(f"{id}\n")
                return 0
            if not name:
                print_error(f"run {id}")
            return _print_end(await fleet.wait(id), places.store)

        return _with_fleet(places, give, lambda: _FOLLOWED if submitted else not_given,
                           lambda: "" if submitted else not_given)  # fmt: skip
    except KeyboardInterrupt:
        print_error(not_given)
        return 130


def _schedule(id: str, times: str, places: FleetPlaces) -> int:
    from zot_agent.fleet.engine.client import connect  # noqa: PLC0415  an extra
    from zot_agent.fleet.engine.schedules import schedule  # noqa: PLC0415  an extra

    async def go() -> int:
        await schedule(await connect(places.address), places.queue, id, times)
        return 0

    run_and_leave(go())


def act(given: RunVerb, places: FleetPlaces) -> int:
    """Run a verb of `zot runs` on the fleet, and return the exit code."""
    places = find_places(places)

    async def work(fleet: "Fleet") -> int:
        verb = given.verb
        if verb == "list":
            _print_list(await fleet.list(), as_json=given.json)
        elif verb == "show":
            _print_run(await fleet.show(given.id), as_json=given.json)
        elif verb == "steer":
            print_line(await fleet.steer(given.id, given.text))
        elif verb == "answer":
            await fleet.answer(given.id, given.answer, given.message)
        elif verb == "cancel":
            await fleet.stop(given.id)
        elif verb == "retry":
            await fleet.retry(given.id)
        elif verb == "remove":
            await _remove(fleet, given.id, places)
        elif verb == "logs":
            return await _follow(fleet, given.id, places)
        elif verb == "attach":
            return _print_end(await fleet.wait(given.id), places.store)
        else:
            raise ConfigError(f"zot runs {verb} has no --fleet")
        return 0

    if given.verb == "patch" or (given.verb == "logs" and not given.follow):
        return _print_stored(given, places)
    return _with_fleet(places, work, lambda: _FOLLOWED if given.verb in ("attach", "logs") else "stopped")


async def _follow(fleet: "Fleet", id: str, places: FleetPlaces) -> int:
    """Print what a run has done, and what it does, until it is over, waits for a person or is parked."""
    from zot_agent.runs.follow import RowText  # noqa: PLC0415  one verb needs it

    store = open_store(places.store)
    text, shown = RowText(), 0
    try:
        while True:
            run = await fleet.show(id)  # before its rows, so that all of a run that is over are there
            rows = (await asyncio.to_thread(store.read, id)).splitlines()
            for line in rows[shown:]:
                for each in text.lines(read_row(line)):
                    print_line(each)
            shown = len(rows)
            sys.stdout.flush()
            if run.state not in ("queued", "running"):
                return _say_end(run)
            await asyncio.sleep(_PAUSE)
    finally:
        store.close()


async def _remove(fleet: "Fleet", id: str, places: FleetPlaces) -> None:
    from zot_agent.fleet.engine.removal import remove_run  # noqa: PLC0415  an extra

    store = open_store(places.store)
    try:
        await remove_run(fleet, store, id)
    finally:
        store.close()
    print_line(f"removed {id}")


def _with_fleet(
    places: FleetPlaces, work: "Callable[[Fleet], Awaitable[int]]", stopped: Callable[[], str],
    failed: Callable[[], str] = str,
) -> int:  # fmt: skip
    """Do `work` and end this process; `stopped` and `failed` say what Ctrl+C and an error leave behind."""
    with needs_extra():
        from zot_agent.fleet.engine.client import Fleet, connect  # noqa: PLC0415  an extra

    async def go() -> int:
        try:
            return await work(Fleet(await connect(places.address), places.queue))
        except ZotError as error:
            if not (left := failed()):
                raise
            print_error(str(error))
            print_error(left)
            return error.exit_code

    run_and_leave(go(), stopped)


def _print_stored(given: RunVerb, places: FleetPlaces) -> int:
    """Print what the store has: what a run has done, or the patch of its files."""
    from zot_agent.runs.follow import RowText  # noqa: PLC0415  one verb needs it

    store = open_store(places.store)
    try:
        data = store.read(given.id)
        if given.verb == "logs":
            text = RowText()
            for line in data.splitlines():
                for each in text.lines(read_row(line)):
                    print_line(each)
            return 0
        record = run_of_rows(data)
        if record is None or "patch" not in record.tree:
            raise ConfigError(f"run {given.id} has no patch; a run with --git has one once it is done")
        sys.stdout.buffer.write(store.get(given.id, str(record.tree["patch"])))
        return 0
    finally:
        store.close()


def _print_end(run: "FleetRun", store: str) -> int:
    if run.state == "done":
        opened = open_store(store)
        try:
            print_text(f"{_answer(opened.read(run.id)).rstrip()}\n")
        finally:
            opened.close()
    return _say_end(run)


def _say_end(run: "FleetRun") -> int:
    """Say why a run that is not done has stopped, and return the exit code."""
    if run.state == "done":
        return 0
    if run.state == "waiting":
        asked = run.question
        print_error(f"run {run.id} waits: {asked.get('call')} ({asked.get('reason')}); answer with "
                    f"zot runs answer {run.id} yes|no --fleet")  # fmt: skip
    elif run.state == "parked":
        print_error(f"run {run.id} is parked: {run.reason}; zot runs retry {run.id} --fleet tries it again")
    else:
        print_error(f"run {run.id} is {run.state}" + (f": {run.reason}" if run.reason else ""))
    return _CODES.get(run.state, 1)


def _answer(data: bytes) -> str:
    """Return the text of the last answer in the rows."""
    for line in reversed(data.splitlines()):
        message = rows.read_message(read_row(line).get("message"))
        if message is not None and message.role == "assistant":
            return message.text
    return ""


def _print_list(runs: "list[FleetRun]", *, as_json: bool) -> None:
    if as_json:
        print_json({"runs": [_fields(run) for run in runs]})
    elif not runs:
        print_line('no runs in the fleet yet; zot run --fleet "fix the failing test" begins one')
    else:
        names = ("run", "state", "steps", "cost", "worker", "started")
        print_table([names, *((run.id, run.state, str(run.steps), f"${run.cost:.4f}", run.owner, run.started[:19])
                              for run in runs)])  # fmt: skip


def _print_run(run: "FleetRun", *, as_json: bool) -> None:
    if as_json:
        print_json(_fields(run))
        return
    asked = f"{run.question.get('call')} ({run.question.get('reason')})" if run.question else ""
    print_fields((
        ("run", run.id), ("state", run.state), ("worker", run.owner), ("reason", run.reason), ("steps", str(run.steps)),
        ("cost", f"${run.cost:.4f}"), ("started", run.started), ("waits for", asked),
        ("unread", str(run.unread) if run.unread else ""),
    ), missing="")  # fmt: skip


def _fields(run: "FleetRun") -> dict[str, Any]:
    return {name: getattr(run, name) for name in run.__match_args__}
