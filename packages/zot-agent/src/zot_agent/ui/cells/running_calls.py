"""`RunningCalls`: the cells of the calls of a run, from the first word of a call to its result."""

from collections.abc import Callable

from zot_agent.ui.cells.stored_cells import ENDINGS, FACTS, StoredCells, join, open_done_list
from zot_agent.ui.format.run_facts import agent_facts
from zot_core.display import TextDisplay, main_argument, shown_content
from zot_core.events import SubagentEvent, ToolCall, ToolResultEvent
from zot_core.sessions.totals import RunCounter
from zot_tui.widgets.transcript.cell import PaintedItem
from zot_tui.widgets.transcript.tool_cell import ToolCell
from zot_tui.widgets.transcript.transcript import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_agent.ui.cells.agent_cells import AgentCells

FOLDED = 200
"""Cells at the end among which a call looks for those beside it."""

KEPT_OUTPUT = 4000
"""Characters of a tool's output that are kept for a call that is stopped."""


class RunningCalls:
    """Adds cells to `transcript`, made by `stored`. `run` counts events before they are shown; `clock` returns
    seconds."""

    def __init__(
        self, transcript: Transcript, stored: StoredCells, run: RunCounter, clock: Callable[[], float]
    ) -> None:
        self._transcript, self._stored, self._run, self._clock = transcript, stored, run, clock
        self._cells: dict[str, ToolCell] = {}
        self._began: dict[str, float] = {}
        self._outputs: dict[str, str] = {}
        self._agents: AgentCells | None = None
        self._stopped = False

    def cell(self, id: str, name: str) -> ToolCell:
        """Return the cell of a call, a new one if it has none."""
        if id not in self._cells:
            self._cells[id] = self._add(name, "")
        return self._cells[id]

    def _add(self, name: str, argument: str) -> ToolCell:
        cell = self._stored.tool_cell(name, argument)
        self._transcript.append(cell)
        return cell

    def written(self, call: ToolCall) -> None:
        """Show a call that the model has written to its end."""
        cell = self.cell(call.id, call.name)
        cell.argument, cell.item = main_argument(call.arguments), PaintedItem(call.id, call.arguments)

    def start(self, id: str, name: str) -> None:
        """Count the time of a call from now on."""
        self.cell(id, name)
        self._began[id] = self._clock()

    def output(self, id: str, text: str) -> None:
        """Show what a running call prints."""
        of_agent = self._agents is not None and self._agents.shows(id)  # of which the last line is enough
        if id in self._cells and not of_agent:
            self._cells[id].append_output(text)
            self._outputs[id] = (self._outputs.get(id, "") + text)[-KEPT_OUTPUT:]

    def agent(self, event: SubagentEvent) -> None:
        """Show what a sub-agent does."""
        if self._agents is None:
            from zot_agent.ui.cells.agent_cells import AgentCells  # noqa: PLC0415  many runs have no sub-agents

            self._agents = AgentCells(self._cells.get, self._add)
        self._agents.show(event)

    def result(self, event: ToolResultEvent) -> None:
        """Finish the cell of a call, and draw it in one row with those before it if they only read."""
        cell = self.cell(event.id, event.name)
        del self._cells[event.id]
        if event.arguments is not None:
            cell.argument = main_argument(event.arguments)
        cell.item = PaintedItem(event.id, event.arguments or (cell.item.arguments if cell.item else ""), event.content)
        blocks = list(event.display) or shown_content(event.content)
        state = ENDINGS.get(event.fate, "failed" if event.is_error else "ok")
        self._stopped = self._stopped or state == "stopped"
        printed = self._outputs.pop(event.id, "")
        if state == "stopped" and printed.strip():
            blocks.insert(0, TextDisplay(printed))
        self._began.pop(event.id, None)
        facts = agent_facts(self._run.agent(event.id))
        quiet = self._stored.only_reads(event.name, cell.item.arguments)
        cell.finish(state, blocks, self._run.took(event.id), [*facts, *FACTS.get(event.fate, ())], quiet=quiet)
        open_done_list(cell, blocks)
        shown = [each for each in self._transcript.cells[-FOLDED:] if each.shows]
        if cell in shown:
            at = shown.index(cell)
            join(shown[max(at - 1, 0) : at + 2])

    def withdraw(self) -> None:
        """Remove the calls of an answer that begins again."""
        for cell in self._cells.values():
            self._transcript.remove(cell)
        self._cells.clear()

    def stop(self) -> bool:
        """Finish the calls without a result, as the run has ended. Return whether any call of it was stopped."""
        for id, cell in self._cells.items():
            cell.finish("stopped", [TextDisplay(self._outputs[id])] if id in self._outputs else ())
        stopped, self._stopped = self._stopped or bool(self._cells), False
        self._cells.clear()
        self._began.clear()
        self._outputs.clear()
        return stopped

    def tick(self) -> None:
        """Update the duration of running calls."""
        now = self._clock()
        for id, began in self._began.items():
            self._cells[id].elapsed(now - began)
