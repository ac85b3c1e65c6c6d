"""The `agent` tool: let a sub-agent do a task with its own context."""

from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.agent_task import AgentTask
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext


@builtin(other_names="task dispatch_agent spawn_agent subagent delegate", replaceable=True, parallel=True)
async def agent(
    task: str,
    context: ToolContext,
    agent: str | None = None,
    files: list[str] | None = None,
    model: str | None = None,
    tools: list[str] | None = None,
    max_steps: int | None = None,
    background: bool | None = None,  # noqa: FBT001  a parameter of the model's
    worktree: bool | None = None,  # noqa: FBT001  as above
) -> ToolResult:
    """Give a task to a sub-agent."""
    if context.agents is None:
        raise ToolError("this program has no sub-agents; do the task yourself")
    if not task.strip():
        raise ToolError("the task is empty; say all that the agent must know: it sees nothing of this conversation")
    asked = AgentTask(
        task, (agent or "").strip(), files or [], (model or "").strip(), tools, max(max_steps or 0, 0),
        bool(background), bool(worktree),
    )  # fmt: skip
    return await context.agents().call(asked, context.call_id, context.progress)
