"""Confirmation before a tool runs, by a policy of the embedder or by the user."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from zot_core.display import DisplayBlock
from zot_core.hooks import Refusal, ToolRequest

if TYPE_CHECKING:
    from zot_core.agent.state import AgentState

Decision: TypeAlias = bool | str | None
"""True or None allows the call, False refuses it, a string refuses it with that reason for the model."""

Confirm: TypeAlias = Callable[[ToolRequest], Decision | Awaitable[Decision]]


def confirm_gate(confirm: Confirm) -> Callable[[ToolRequest], Awaitable[Refusal | None]]:
    """Return a handler for `Hooks.tool_run` that calls `confirm` with the arguments the tool will receive."""

    async def gate(call: ToolRequest) -> Refusal | None:
        answer = confirm(call)
        decision = await answer if isinstance(answer, Awaitable) else answer
        if decision is False or isinstance(decision, str):
            return Refusal(decision or f"the user did not allow this call of {call.name}")
        return None

    return gate


async def preview(agent: "AgentState", call: ToolRequest) -> list[DisplayBlock]:
    """Return what a call would change, empty if its tool cannot say. Raises ToolError for a call that would fail."""
    shown = getattr(agent.tools.get(call.name), "preview", None)
    return [] if shown is None else list(await shown(call.arguments, agent.context))
