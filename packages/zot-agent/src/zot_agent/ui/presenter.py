"""`Presenter`: turns events and messages into cells of the transcript."""

import time
from collections.abc import Callable, Mapping, Sequence

from zot_agent.ui.cells.history_pager import HistoryPager
from zot_agent.ui.cells.stored_cells import ENDINGS, FACTS, StoredCells, join, open_done_list
from zot_agent.ui.format.run_facts import RunFacts
from zot_agent.ui.format.user_cells import summary_cell, user_cells
from zot_core.conversation.events import (
    ClearNotes,
    ConversationEvent,
    Display,
    MessageAdded,
    Notify,
    ShellEnd,
    ShellOutput,
    ShellStart,
    Submit,
)
from zot_core.display import Recaller, TextDisplay, main_argument, shown_content
from zot_core.events import (
    AssistantMessage,
    AssistantStart,
    AutoRetryStart,
    CompactDone,
    Done,
    ErrorEvent,
    JobEnd,
    Notice,
    ReasoningDelta,
    SubagentEvent,
    TextDelta,
    ToolCall,
    ToolProgress,
    ToolResultEvent,
    ToolStart,
    ToolUseStart,
    TurnEnd,
    TurnStart,
    UsageEvent,
    UserMessage,
)
from zot_provider.messages import Message
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.cells import AnswerCell, NoteCell, ThoughtCell
from zot_tui.widgets.transcript.cells import Level as NoteLevel
from zot_tui.widgets.transcript.paint import PaintedItem
from zot_tui.widgets.transcript.tool_cell import ToolCell
from zot_tui.widgets.transcript.transcript import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_agent.ui.cells.agent_cells import AgentCells

FOLDED = 200
"""Cells at the end among which a call looks for those beside it."""

KEPT_OUTPUT = 4000
"""Characters of a tool's output that are kept for a call that is stopped."""

_LEVELS: dict[str, NoteLevel] = {"warn": "warning", "info": "info", "success": "success", "error": "error"}


class Presenter:
    """Adds cells to `transcript`.

    `tools` returns the agent's tools, which recreate their display of earlier sessions; `clock` returns seconds.
    """

    def __init__(
        self,
        transcript: Transcript,
        style: CellStyle,
        tools: Callable[[], Mapping[str, Recaller]] = dict,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.transcript, self.style = transcript, style
        self._clock = clock
        self.stored = StoredCells(style, tools)
        self.history = HistoryPager(transcript, self.stored.cells)
        self._deferred = False
        self._answer: AnswerCell | None = None
        self._answers: list[AnswerCell] = []
        self._thought: ThoughtCell | None = None
        self._thoughts: list[ThoughtCell] = []
        self._tools: dict[str, ToolCell] = {}
        self._tool_started: dict[str, float] = {}
        self._outputs: dict[str, str] = {}
        self._agents: AgentCells | None = None
        self._stopped = False
        self._started = 0.0
        self.run = RunFacts()
        self._failure: tuple[NoteCell, str, int] | None = None  # why the model was asked again last, and how often
        self._turn_error = ""
        self._cut = False  # whether a note says that the text of this turn is cut off
        self._notes: list[tuple[str, NoteCell]] = []
        self._shell = ToolCell("!", "", style)

    # Live

    def show(self, event: ConversationEvent) -> None:
        """Show an event, if it belongs in the transcript."""
        match event:
            case TextDelta(delta):
                self._add_answer("" if self._deferred else delta, shows=bool(delta.strip()))
            case ReasoningDelta(delta):
                self._add_thought(delta)
            case ToolProgress(id, text):
                self._progress(id, text)
            case ToolUseStart(id, name):
                self._end_text()
                self._tool(id, name)
            case ToolCall(id, name, arguments):
                cell = self._tool(id, name)
                cell.argument, cell.item = main_argument(arguments), PaintedItem(id, arguments)
            case ToolResultEvent():
                self._result(event)
            case AssistantStart(deferred):
                self._deferred = deferred
                self._begin_anew()
            case AssistantMessage(message):
                self._replace_answer(message)
                for each in self._answers:
                    self.stored.answered(each)
                self._mark(message)
            case TurnStart():
                self._end_text()
                self._begin_turn()
            case UsageEvent(usage):
                self.run.spend(usage)
            case TurnEnd(_, error):
                self._end_text()
                self._turn_error = error
            case ToolStart(id, name):
                self._tool(id, name)
                self._tool_started[id] = self._clock()
            case UserMessage(message):
                if not self._started:  # a later one steers the same run
                    self._started = self._clock()
                    self.run.begin()
                if not message.hidden:  # it repeats what an event has said
                    self.transcript.append(*user_cells(message, self.style))
                self._mark(message)
            case Notice(level, message):
                self.note(message, _LEVELS[level])
            case AutoRetryStart():
                self._end_text()
                self._note_failure(event.error_message)
            case ErrorEvent(message):
                self._turn_error = ""
                self.note(message, "error")
            case CompactDone():
                kept = f"{event.kept} kept"
                self.transcript.append(
                    summary_cell(self.style, event.summary, event.tokens_before, event.tokens_after, kept)
                )
            case Done(reason):
                self._end_run(reason)
            case _ if isinstance(event, SubagentEvent):
                self._show_agent(event)
            case JobEnd():
                self.note(event.line, "info" if event.state == "stopped" or event.exit_code == 0 else "warning")
            case Notify(extension, level, message):
                self.note(message, _LEVELS[level], extension)
            case Display(extension, text):
                self.note(text, "info", extension)
            case MessageAdded(_, message) if not message.hidden:
                self.transcript.append(*user_cells(message, self.style))
                self._mark(message)
            case ClearNotes(extension):
                self.clear_notes(extension)
            case Submit(extension, _, refused) if refused:
                self.note(refused, "warning", extension)
            case ShellStart(command):
                self._shell = ToolCell("!", command.command, self.style)
                self.transcript.append(self._shell)
            case ShellOutput(text):
                self._shell.append_output(text)
            case ShellEnd(result):
                display = [] if result.display is None else [result.display]
                ok = all(each.exit_code == 0 for each in display) and bool(display)
                self._shell.finish("stopped" if result.stopped else "ok" if ok else "failed", display)
                if not display:
                    self.note(result.text, "error")

    def _progress(self, id: str, text: str) -> None:
        of_agent = self._agents is not None and self._agents.shows(id)  # of which the last line is enough
        if id in self._tools and not of_agent:
            self._tools[id].append_output(text)
            self._outputs[id] = (self._outputs.get(id, "") + text)[-KEPT_OUTPUT:]

    def _end_run(self, reason: str) -> None:
        self._end_text()
        self._stop_tools()
        if reason == "aborted" and not self._stopped:
            self.note("stopped")
        self._stopped = False
        if self._turn_error:  # a refused turn ends without an error event
            self.note(self._turn_error, "error")
        self._turn_error = ""
        if self._started and (cell := self.run.cell(self._clock() - self._started)) is not None:
            self.transcript.append(cell)
        self._started = 0.0

    def _show_agent(self, event: SubagentEvent) -> None:
        if self._agents is None:
            from zot_agent.ui.cells.agent_cells import AgentCells  # noqa: PLC0415  many runs have no sub-agents

            self._agents = AgentCells(self._tools.get, self._new_tool)
        self._agents.show(event)

    def _new_tool(self, name: str, argument: str) -> ToolCell:
        cell = self.stored.tool_cell(name, argument)
        self.transcript.append(cell)
        return cell

    def _add_answer(self, delta: str, *, shows: bool) -> None:
        """Append to the answer. A deferred one gets an empty cell, so that its text appears in the right place."""
        self._end_thought()
        if self._answer is None:
            if not shows:
                return
            self._answer = AnswerCell()
            self._answers.append(self._answer)
            self.transcript.append(self._answer)
        self._answer.append(delta)

    def _add_thought(self, delta: str) -> None:
        if self._thought is None:
            self._thought = ThoughtCell(label=self.style.thinking)
            self._thoughts.append(self._thought)
            self._thought_began = self._clock()
            self.transcript.append(self._thought)
        self._thought.append(delta)

    def _end_thought(self) -> None:
        if self._thought is not None:
            self._thought.finish(self._clock() - self._thought_began)
            self._thought = None

    def _end_text(self) -> None:
        self._end_thought()
        if self._answer is not None:
            self._answer.finish()
            self._answer = None

    def _note_failure(self, why: str) -> None:
        """Say why the model is asked again, and how often for the same reason. The first such note below text that was
        read says that this is cut off."""
        if self._failure is not None and why == self._failure[1] and self.transcript.cells[-1] is self._failure[0]:
            note, _, times = self._failure
            note.text = f"{why} ({times + 1} times)"
            self._failure = note, why, times + 1
        elif not self._cut and any(cell.shows for cell in self._answers):
            self._cut = True
            self.note(f"cut off, and asked again: {why}" if why else "cut off, and asked again")
        elif why:
            self._failure = self.note(why, "warning"), why, 1

    def _begin_anew(self) -> None:
        """Remove the thoughts and calls of an answer that begins again. Text that was read stays above it."""
        self._end_text()
        self._note_failure("")
        unread = [cell for cell in self._answers if not cell.shows]
        for cell in (*self._thoughts, *self._tools.values(), *unread):
            self.transcript.remove(cell)
        self._begin_turn()
        self._tools.clear()

    def _begin_turn(self) -> None:
        self._thoughts, self._answers, self._cut = [], [], False

    def _replace_answer(self, message: Message) -> None:
        """Show the complete answer, which differs from its deltas if an extension has changed it."""
        self._end_text()
        shown = "".join(cell.text for cell in self._answers)
        if shown.split() == message.text.split():
            return
        if self._answers and not shown:
            self._answers[0].append(message.text)
            return
        for cell in self._answers:
            self.transcript.remove(cell)
        self._answers.clear()
        if message.text.strip():
            self._answers.append(AnswerCell(message.text, finished=True))
            self.transcript.append(*self._answers)

    def _tool(self, id: str, name: str) -> ToolCell:
        if id not in self._tools:
            self._tools[id] = self._new_tool(name, "")
        return self._tools[id]

    def _result(self, event: ToolResultEvent) -> None:
        cell = self._tool(event.id, event.name)
        del self._tools[event.id]
        if event.arguments is not None:
            cell.argument = main_argument(event.arguments)
        cell.item = PaintedItem(event.id, event.arguments or (cell.item.arguments if cell.item else ""), event.content)
        blocks = list(event.display) or shown_content(event.content)
        state = ENDINGS.get(event.fate, "failed" if event.is_error else "ok")
        self._stopped = self._stopped or state == "stopped"
        printed = self._outputs.pop(event.id, "")
        if state == "stopped" and printed.strip():
            blocks.insert(0, TextDisplay(printed))
        began = self._tool_started.pop(event.id, None)
        facts = [] if self._agents is None else self._agents.facts.pop(event.id, [])
        took = None if began is None else self._clock() - began
        cell.finish(state, blocks, took, [*facts, *FACTS.get(event.fate, ())])
        self.run.call(event.display, wrote=state == "ok" and not self.stored.only_reads(event.name))
        open_done_list(cell, blocks)
        self._fold(cell)

    def _fold(self, cell: ToolCell) -> None:
        """Draw calls that only read as one row, where they follow one another."""
        shown = [each for each in self.transcript.cells[-FOLDED:] if each.shows]
        if cell in shown:
            at = shown.index(cell)
            join(shown[max(at - 1, 0) : at + 2])

    def _stop_tools(self) -> None:
        for id, cell in self._tools.items():
            cell.finish("stopped", [TextDisplay(self._outputs[id])] if id in self._outputs else ())
        self._stopped = self._stopped or bool(self._tools)
        self._tools.clear()
        self._tool_started.clear()
        self._outputs.clear()

    def spin(self, frame: int) -> None:
        """Draw another frame of the spinner and update the duration of running calls."""
        now = self._clock()
        for id, began in self._tool_started.items():
            self._tools[id].elapsed(now - began)
        self.transcript.spin(frame)

    # Notes

    def note(self, text: str, level: NoteLevel = "info", name: str = "") -> NoteCell:
        """Show a line that is not part of the conversation; `name` is the extension it comes from."""
        cell = NoteCell(text, level, name)
        self.transcript.append(cell)
        if name:
            self._notes.append((name, cell))
        return cell

    def clear_notes(self, extension: str = "") -> bool:
        """Remove the notes of an extension, or of all extensions. Return False if nothing was removed."""
        removed = [cell for name, cell in self._notes if extension in ("", name)]
        self._notes = [] if not extension else [each for each in self._notes if each[0] != extension]
        for cell in removed:
            if cell in self.transcript.cells:
                self.transcript.remove(cell)
        return bool(removed)

    def start_over(self, messages: Sequence[Message]) -> None:
        """Show another conversation."""
        self.clear_notes()
        self.transcript.clear()
        self.stored.last.clear()
        self.history.show(messages)

    def _mark(self, message: Message) -> None:
        if self.transcript.cells:
            self.stored.last[message.id] = self.transcript.cells[-1]
