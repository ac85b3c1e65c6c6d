"""`StoredCells`: makes cells of stored messages, as they looked when they came."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from zot_agent.ui.format.run_facts import agent_facts, worked_cell
from zot_agent.ui.format.user_cells import user_cells
from zot_core.display import DisplayBlock, Recaller, TodoDisplay, main_argument, recalled_display, received
from zot_core.events import Fate
from zot_core.sessions.totals import SessionTotals
from zot_provider.json_text import read_object
from zot_provider.messages import Block, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_tui.signal import Signal
from zot_tui.widgets.transcript.call_row import Ending
from zot_tui.widgets.transcript.cell import Cell, CellStyle, PaintedItem
from zot_tui.widgets.transcript.cells import AnswerCell, NoteCell, ThoughtCell
from zot_tui.widgets.transcript.tool_cell import ToolCell

ENDINGS: dict[Fate, Ending] = {"refused": "refused", "not_run": "failed", "stopped": "stopped"}
FACTS: dict[Fate, list[str]] = {"refused": ["refused"], "not_run": ["not run"]}


class StoredCells:
    """`tools` are the agent's tools, which make the display of stored calls again; `totals` returns the totals
    of the session's runs."""

    def __init__(self, style: CellStyle, tools: Mapping[str, Recaller], totals: Callable[[], SessionTotals]) -> None:
        self._style, self._tools, self._totals = style, tools, totals
        self.last: dict[str, Cell] = {}
        """The last cell of each message that is shown, by the id of the message."""
        self.waiting: dict[str, Callable[[], list[Cell]]] = {}
        """Make the cells after messages that are not shown yet, by their ids; with no id those above the first."""
        self.answered: Signal[[AnswerCell]] = Signal()
        """Emitted with every complete answer."""

    def cells(self, messages: Iterable[Message]) -> list[Cell]:
        """Return cells for stored messages; text that an extension replaced or hid stays replaced or hidden."""
        cells: list[Cell] = []
        calls: dict[str, tuple[ToolCell, ToolCallBlock, float | None, list[str]]] = {}
        totals = self._totals()
        for message in messages:
            first = len(cells)
            if message.role == "user":
                cells += user_cells(message, self._style)
            elif message.hidden:
                cells.append(NoteCell(message.hidden, "warning"))
            for block in message.shown if message.role != "user" else ():
                if isinstance(block, ToolResultBlock) and block.call_id in calls:
                    self._finish(*calls.pop(block.call_id), block)
                elif isinstance(block, ToolCallBlock):
                    took = totals.calls.get(message.id, {}).get(block.id)
                    facts = agent_facts(totals.agents.get(message.id, {}).get(block.id))
                    calls[block.id] = (*self._call(block), took, facts)
                    cells.append(calls[block.id][0])
                else:
                    cells += self._cells_of(block)
            thoughts = [each for each in cells[first:] if isinstance(each, ThoughtCell)]
            for thought, took in zip(thoughts, totals.thoughts.get(message.id, ()), strict=False):
                thought.finish(took)
            if message.id in totals.runs:
                cells.append(worked_cell(totals.runs[message.id]))
            if cells:
                self.last[message.id] = cells[-1]
            cells += self.take(message.id)
        for cell, *_ in calls.values():
            cell.finish("stopped")
        join(cells)
        return cells

    def take(self, message: str = "") -> list[Cell]:
        make = self.waiting.pop(message, None)
        return [] if make is None else make()

    def _call(self, block: ToolCallBlock) -> tuple[ToolCell, ToolCallBlock]:
        """Return the cell of a stored call, and the call with the arguments that its tool received."""
        arguments = received(block, self._tools)
        if arguments != read_object(block.arguments):
            block = block.replace(arguments=json.dumps(arguments, ensure_ascii=False))
        return self.tool_cell(block.name, main_argument(arguments)), block

    def tool_cell(self, name: str, argument: str) -> ToolCell:
        """Return the cell of a call that has begun."""
        return ToolCell(name, argument, self._style)

    def only_reads(self, name: str, arguments: str) -> bool:
        """Return whether a call, with the JSON text of its arguments, changes nothing, as far as that is known."""
        tool = self._tools.get(name)
        return tool is not None and tool.only_reads(read_object(arguments))

    def _finish(
        self, cell: ToolCell, call: ToolCallBlock, took: float | None, facts: list[str], result: ToolResultBlock
    ) -> None:
        state = ENDINGS.get(result.fate, "failed" if result.is_error else "ok")
        cell.item = PaintedItem(call.id, call.arguments, result.content)
        blocks = recalled_display(call, result, self._tools)
        quiet = self.only_reads(call.name, call.arguments)
        cell.finish(state, blocks, took, [*facts, *FACTS.get(result.fate, ())], quiet=quiet)
        open_done_list(cell, blocks)

    def _cells_of(self, block: Block) -> list[Cell]:
        if isinstance(block, ReasoningBlock) and block.summary.strip():
            return [ThoughtCell(block.summary, finished=True, style=self._style)]
        if not isinstance(block, TextBlock) or not block.text.strip():
            return []
        cell = AnswerCell(block.text, finished=True)
        self.answered.emit(cell)
        return [cell]


def join(cells: Iterable[Cell]) -> None:
    """Draw calls that only read as one row, where they follow one another."""
    for one, other in pairwise(cells):
        if isinstance(one, ToolCell) and isinstance(other, ToolCell):
            other.join(one)


def open_done_list(cell: ToolCell, blocks: Sequence[DisplayBlock]) -> None:
    """Show a to-do list of which all is done: it is above the editor until then."""
    items = [item for block in blocks if isinstance(block, TodoDisplay) for item in block.items]
    if items and all(item.status == "completed" for item in items):
        cell.open()
