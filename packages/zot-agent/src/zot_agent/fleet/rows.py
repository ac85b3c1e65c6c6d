"""The rows with which a run of a fleet begins."""

from collections.abc import Mapping
from typing import Any

from zot_agent.host.options import HostOptions
from zot_agent.runs.options import options_to_row
from zot_agent.version import __version__
from zot_core.clock import timestamp
from zot_core.runtime.run_rows import RunRecord, first_run_row
from zot_core.sessions.rows import Meta, meta_row, to_bytes
from zot_core.sessions.store import new_session_id


def first_rows(id: str, task: str, options: HostOptions, workspace: Mapping[str, str]) -> list[bytes]:
    """Return the rows of a run called `id` that no worker has had. `workspace`: see `RunRecord`."""
    return _rows(id, task, options_to_row(options), workspace)


def copied_rows(id: str, record: RunRecord) -> list[bytes]:
    """Return the first rows of a run called `id` with the task, the options and the files of another one."""
    return _rows(id, record.task, record.options, record.workspace)


def _rows(id: str, task: str, options: Mapping[str, Any], workspace: Mapping[str, Any]) -> list[bytes]:
    meta = Meta(new_session_id(), str(options["cwd"]), "", "", timestamp(), __version__, other={"run": id})
    row = first_run_row(id, task, __version__, options=options, workspace=workspace)
    return [to_bytes(meta_row(meta)), to_bytes(row)]
