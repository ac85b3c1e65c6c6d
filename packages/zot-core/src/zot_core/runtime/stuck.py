"""`StuckCalls`: ends work in which the same call fails again and again, or asks whether it may go on."""

from typing import TYPE_CHECKING

from zot_core.hooks import Refusal, ToolRequest
from zot_core.tools.definition.meant import read_arguments

if TYPE_CHECKING:
    from zot_core.runtime.runtime import Runtime


class StuckCalls:
    """A gate before each turn: a model that repeats a failing call will not stop by itself."""

    def __init__(self, runtime: "Runtime", limit: int) -> None:
        """`limit`: failures of one call in the same way, without a success of it in between."""
        self._runtime, self._limit = runtime, limit

    def attach(self) -> None:
        """Begin to watch the runtime's turns."""
        self._runtime.agent.hooks.before_turn.add(self._gate)

    async def _gate(self, _: int) -> Refusal | None:
        found = self._runtime.agent.failures.take_stuck(self._limit)
        if found is None:
            return None
        name, text = found
        reason = f"{name} has failed {self._limit} times in the same way"
        try:
            arguments = read_arguments(text)[0]
        except ValueError:  # a call that never ran
            arguments = {}
        permissions = self._runtime.permissions
        call = ToolRequest("", name, arguments, text)
        if permissions is not None and await permissions.ask_about(call, f"{reason}; may the work go on?"):
            return None
        return Refusal(f"stopped: {reason}", "max_steps")
