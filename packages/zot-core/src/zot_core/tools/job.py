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


@builtin(parallel=True)
async def job(
    action: Annotated[Literal["list", "output", "stop"], "What to do"],
    context: ToolContext,
    id: Annotated[str, "For `output` and `stop`"] = "",
    wait: Annotated[float, "For `output`: most seconds to wait for the end", AtLeast(0)] = 0,
    limit: Annotated[int | None, "Most bytes of output", AtLeast(1)] = None,
) -> ToolResult:
    """List jobs, read the new output of one, or stop it."""
    jobs = context.jobs
    if action == "list":
        return text_result("\n".join(each.line for each in jobs.all) or "no jobs")
    if not id.strip():
        raise ToolError(f"`{action}` needs the id of a job; the action `list` shows them")
    found = jobs.find(id)
    if action == "stop":
        await jobs.stop(found)
        return stop_report(found)
    await jobs.wait(found, min(wait, LONGEST_WAIT))
    return report(found, limit or jobs.limits.shown)
