"""`StuckCalls`: stops a run in which the same call fails without end, or asks whether it may continue."""

from collections.abc import Awaitable, Callable

from zot_core.agent.state import AgentState
from zot_core.hooks import Refusal, ToolRequest


class StuckCalls:
    """A gate before every turn: a model that repeats a failing call will not stop by itself."""

    def __init__(self, agent: AgentState, limit: int, ask: Callable[[ToolRequest, str], Awaitable[bool]]) -> None:
        """`limit`: failures of one call in the same way, without a success of it in between. `ask` returns whether a
        person lets the work continue, False if nobody can be asked."""
        self._agent, self._limit, self._ask = agent, limit, ask

    def attach(self) -> None:
        """Begin to watch the agent's turns."""
        self._agent.hooks.before_turn.add(self._gate)

    async def _gate(self, _: int) -> Refusal | None:
        found = self._agent.failures.take_stuck(self._limit)
        if found is None:
            return None
        name, text = found
        from zot_core.tools.definition.argument_repair import read_arguments  # noqa: PLC0415  few runs get stuck

        reason = f"{name} has failed {self._limit} times in the same way"
        try:
            arguments = read_arguments(text)[0]
        except ValueError:  # a call that never ran
            arguments = {}
        if await self._ask(ToolRequest("", name, arguments, text), f"{reason}; may the work continue?"):
            return None
        return Refusal(f"stopped: {reason}", "max_steps")
