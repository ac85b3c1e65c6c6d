"""`run_fields`: a run as JSON values, for `zot runs --json` and `zot rpc`."""

from typing import cast

from zot_agent.operations.answers import RunInfo
from zot_agent.runs.store import StoredRun


def run_fields(run: StoredRun) -> RunInfo:
    """Return the fields of a run; `question` is None unless it waits for an answer."""
    record = run.record
    names = ("task", "steps", "tries", "end", "reason", "started")
    question = {name: record.question.get(name) for name in ("call", "reason", "always")}
    fields = {
        "id": run.id,
        "state": run.state,
        **{name: getattr(record, name) for name in names},
        "changed": record.time,
        "cwd": record.options.get("cwd", ""),
        "pid": record.pid if run.owned else None,
        "parked": run.parked and not run.owned,
        "question": question if run.state == "waiting" else None,
        "session": run.path,
    }
    return cast("RunInfo", fields)
