"""The `job` tool: look at commands that run in the background, wait for them, stop them."""

from typing import Annotated, Literal

from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.background.report import report, stop_report, text_result
from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext

LONGEST_WAIT = 600.0
"""Seconds."""


@builtin(
    other_names="bash_output kill_shell kill_bash write_stdin",
    replaceable=True,
    parallel=True,
    reads=lambda arguments: arguments.get("action") != "stop",
)
async def job(
    action: Literal["list", "output", "stop"],
    context: ToolContext,
    id: str | None = None,
    wait: Annotated[float | None, "Seconds to wait for the end; no loops", AtLeast(0)] = None,
    limit: Annotated[int | None, AtLeast(1)] = None,
) -> ToolResult:
    """List jobs, read the new output of one, or stop it."""
    jobs = context.jobs
    if action == "list":
        return text_result("\n".join(each.line for each in jobs.all) or "no jobs")
    if not (id or "").strip():
        raise ToolError(f"`{action}` needs the id of a job; the action `list` shows them")
    found = jobs.find(id or "")
    if action == "stop":
        await jobs.stop(found)
        return stop_report(found)
    await jobs.wait(found, min(wait or 0, LONGEST_WAIT))
    return report(found, limit or jobs.limits.shown)
