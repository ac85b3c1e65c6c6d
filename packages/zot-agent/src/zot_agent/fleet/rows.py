"""`first_rows`: the rows with which a run of a fleet begins."""

from collections.abc import Mapping

from zot_agent.host.options import HostOptions
from zot_agent.runs.options import options_to_row
from zot_agent.version import __version__
from zot_core.clock import timestamp
from zot_core.runtime.run_rows import first_run_row
from zot_core.sessions.rows import Meta, meta_row, to_bytes
from zot_core.sessions.store import new_session_id


def first_rows(id: str, task: str, options: HostOptions, workspace: Mapping[str, str]) -> list[bytes]:
    """Return the rows of a run called `id` that no worker has had. `workspace`: see `RunRecord`."""
    meta = Meta(new_session_id(), options.cwd, "", "", timestamp(), __version__, other={"run": id})
    row = first_run_row(id, task, __version__, options=options_to_row(options), workspace=workspace)
    return [to_bytes(meta_row(meta)), to_bytes(row)]
