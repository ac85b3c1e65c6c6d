"""`AgentCells`: a cell for each sub-agent, with the last line of what it does, its tokens and its time."""

from collections.abc import Callable

from zot_agent.ui.format.run_facts import agent_facts
from zot_core.events import SubagentEvent, SubagentProgress, SubagentStart, SubagentStop
from zot_core.sessions.totals import AgentTotals
from zot_tui.widgets.transcript.call_row import Ending
from zot_tui.widgets.transcript.tool_cell import ToolCell

_ENDINGS: dict[str, Ending] = {"completed": "ok", "aborted": "stopped"}


class AgentCells:
    """The cells of the sub-agents that run. The cell of an agent that is waited for is that of its call."""

    def __init__(self, find: Callable[[str], ToolCell | None], add: Callable[[str, str], ToolCell]) -> None:
        """`find` returns the cell of a call that runs, `add` a new cell with this name and argument."""
        self._find, self._add = find, add
        self._cells: dict[str, tuple[ToolCell, SubagentStart]] = {}

    def show(self, event: SubagentEvent) -> None:
        if isinstance(event, SubagentStart):
            self._start(event)
        elif event.agent_id in self._cells:
            cell, start = self._cells[event.agent_id]
            facts = agent_facts(AgentTotals(start.agent_id, start.name, event.tokens))
            if isinstance(event, SubagentProgress):
                cell.progress(event.line, facts, event.seconds)
            else:
                self._stop(cell, start, event, facts)

    def shows(self, call: str) -> bool:
        """Return whether a call waits for an agent that is shown here."""
        return any(start.tool_call == call for _, start in self._cells.values())

    def _start(self, start: SubagentStart) -> None:
        if start.parent or not start.tool_call:  # the agent that started it shows what they do
            return
        cell = self._add("agent", start.task) if start.background else self._find(start.tool_call)
        if cell is not None:
            self._cells[start.agent_id] = cell, start
            cell.progress("", agent_facts(AgentTotals(start.agent_id, start.name)))

    def _stop(self, cell: ToolCell, start: SubagentStart, stop: SubagentStop, facts: list[str]) -> None:
        del self._cells[start.agent_id]
        if not start.background:  # its result ends the cell
            return
        facts += [stop.branch] if stop.branch else []
        failed = [stop.error] if stop.end not in _ENDINGS else []
        cell.finish(_ENDINGS.get(stop.end, "failed"), (), stop.seconds, [*facts, *failed])
