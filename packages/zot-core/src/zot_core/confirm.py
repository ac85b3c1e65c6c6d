"""Ask before a tool runs: a policy of the embedder's, or a person, as a gate."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from zot_core.hooks import Refusal, ToolRequest

Decision: TypeAlias = bool | str | None
"""True or None lets the call run, False refuses it, text refuses it and tells the model why."""

Confirm: TypeAlias = Callable[[ToolRequest], Decision | Awaitable[Decision]]


def confirm_gate(confirm: Confirm) -> Callable[[ToolRequest], Awaitable[Refusal | None]]:
    """A handler for `Hooks.tool_run`. It sees the arguments as the tool will get them."""

    async def gate(call: ToolRequest) -> Refusal | None:
        answer = confirm(call)
        decision = await answer if isinstance(answer, Awaitable) else answer
        if decision is False or isinstance(decision, str):
            return Refusal(decision or f"the user did not allow this call of {call.name}")
        return None

    return gate
