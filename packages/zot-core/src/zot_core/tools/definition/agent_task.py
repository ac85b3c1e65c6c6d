"""`AgentTask`: what the tool `agent` asks for, and `AgentStarter`, which carries it out."""

from collections.abc import Callable
from typing import Protocol

from zot_core.result import ToolResult
from zot_provider.record import Record, field


class AgentTask(Record):
    """A task for a sub-agent. `agent` is the name of a definition, empty for none; `files` are read first; names
    that begin with `skill:` are skills. An empty `model` and `tools` None come from the definition, else of the
    agent that asks; `max_steps` 0 is the usual limit. With `background` the call returns at once. With `worktree` it
    works in a git worktree."""

    task: str
    agent: str = ""
    files: list[str] = field(default_factory=list)
    model: str = ""
    tools: list[str] | None = None
    max_steps: int = 0
    background: bool = False
    worktree: bool = False


class AgentStarter(Protocol):
    """Starts sub-agents for the tool `agent`."""

    async def call(self, task: AgentTask, call_id: str, progress: Callable[[str], None]) -> ToolResult:
        """Carry out a task and return what the sub-agent answers. Raises `ToolError` for a task that cannot start."""
