"""`zot runs list` and `zot runs show`."""

from zot_agent.cli.ext.terminal import print_fields, print_json, print_line, print_table
from zot_agent.cli.fleet import RunVerb
from zot_agent.cli.runs import InFleet, RunId, carry_out
from zot_agent.cli.verb import Json
from zot_agent.fleet.addresses import FleetPlaces
from zot_agent.host.detached import last_line
from zot_agent.runs.control import question_line
from zot_agent.runs.fields import run_fields
from zot_agent.runs.store import RunStore, StoredRun
from zot_core.sessions.preview import read_preview

_TASK = 60
"""Characters of a task in a list."""

_UNWELL = ("failed", "interrupted")
"""The states in which the log may say what the session does not."""


def print_list(*, json: Json = False, fleet: InFleet = False, places: FleetPlaces) -> int:
    """List the runs, last changed first."""
    return carry_out(RunVerb("list", json=json), lambda: _print_all(as_json=json), places, fleet=fleet)


def print_run(id: RunId, *, json: Json = False, fleet: InFleet = False, places: FleetPlaces) -> int:
    """Show what a run is about, its state and its question."""
    return carry_out(RunVerb("show", id, json=json), lambda: _print(id, as_json=json), places, fleet=fleet)


def _print_all(*, as_json: bool) -> None:
    found = RunStore().all()
    if as_json:
        print_json({"runs": [run_fields(run) for run in found]})
    elif not found:
        print_line('no runs yet; zot run "fix the failing test" begins one')
    else:
        print_table([("run", "state", "steps", "changed", "task"), *map(_cells, found)])


def _print(id: str, *, as_json: bool) -> None:
    run = RunStore().find(id)
    if as_json:
        print_json(run_fields(run))
        return
    record, usage = run.record, read_preview(run.path).usage
    cost = "" if usage.cost_usd is None else f", ${usage.cost_usd:.4f}"
    tokens = usage.input + usage.cache_read + usage.cache_write
    state = f"{run.state}, parked after {record.tries} processes" if run.parked and not run.owned else run.state
    print_fields((
        ("run", run.id), ("state", state), ("reason", record.reason), ("task", record.task),
        ("process", str(record.pid) if run.owned else ""), ("directory", str(record.options.get("cwd", ""))),
        ("steps", str(record.steps)), ("tokens", f"{tokens:,} in, {usage.output:,} out{cost}"),
        ("started", record.started), ("changed", record.time), ("session", run.path),
        ("log", last_line(run.log) if run.state in _UNWELL else ""),
        ("waits for", question_line(run) if run.state == "waiting" else ""),
    ), missing="")  # fmt: skip


def _cells(run: StoredRun) -> tuple[str, ...]:
    task = " ".join(run.record.task.split())
    shown = task if len(task) <= _TASK else f"{task[: _TASK - 1]}…"
    return run.id, run.state, str(run.record.steps), run.record.time[:19].replace("T", " "), shown
