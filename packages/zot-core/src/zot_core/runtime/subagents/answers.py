"""The report about the end of a task, for the model that gave it."""

from zot_core.display import TextDisplay
from zot_core.result import ToolResult
from zot_core.runtime.subagents.subagent import SubAgent
from zot_provider.messages import TextBlock


def report(child: SubAgent, most: int) -> str:
    """Return the answer of a sub-agent, of at most `most` characters, and a line about it."""
    text = child.progress.text.strip()
    if len(text) > most:
        left = len(text) - most
        where = f"; its session has them: {child.start.session}" if child.start.session else ""
        text = f"{text[: most // 2]}\n... [{left:,} characters are left out{where}]\n{text[-(most - most // 2) :]}"
    why = f": {child.progress.error}" if child.progress.error else ""
    steps = f"{child.progress.steps} step{'' if child.progress.steps == 1 else 's'}"
    line = f"[{child.title} {child.status} after {steps} and {child.progress.seconds:.0f} s{why}]"
    if child.changes is not None:
        line += f"\n[{child.changes.line}]"
    return f"{text}\n\n{line}" if text else line


def tool_result(child: SubAgent, most: int) -> ToolResult:
    """Return the result of the call that gave the task."""
    text = report(child, most)
    usage = child.progress.usage
    details = {
        "agent_id": child.id,
        "end": child.end,
        "steps": child.progress.steps,
        "tokens": usage.context,
        "cost_usd": usage.shown_cost,
        "session": child.start.session,
        "branch": child.branch,
        "worktree": child.folder,
    }
    return ToolResult([TextBlock(text)], child.end != "completed", details, [TextDisplay(text)])


def started_result(child: SubAgent) -> ToolResult:
    """Return the result of a call that does not wait."""
    text = f"[{child.title} works in the background; a message brings its answer]"
    return ToolResult([TextBlock(text)], details={"agent_id": child.id}, display=[TextDisplay(text)])
