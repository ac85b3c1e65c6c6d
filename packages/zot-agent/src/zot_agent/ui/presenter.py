"""`Presenter`: turns events and messages into cells of the transcript."""

import time
from collections.abc import Callable, Mapping, Sequence

from zot_agent.ui.cells.history_pager import HistoryPager
from zot_agent.ui.cells.running_calls import RunningCalls
from zot_agent.ui.cells.stored_cells import StoredCells
from zot_agent.ui.cells.turn_text import TurnText
from zot_agent.ui.format.run_facts import worked_cell
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
from zot_core.display import Recaller
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
    UserMessage,
)
from zot_core.sessions.totals import RunCounter, SessionTotals
from zot_provider.messages import Message
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.cells import Level as NoteLevel
from zot_tui.widgets.transcript.cells import NoteCell
from zot_tui.widgets.transcript.tool_cell import ToolCell
from zot_tui.widgets.transcript.transcript import Transcript

_LEVELS: dict[str, NoteLevel] = {"warn": "warning", "info": "info", "success": "success", "error": "error"}


class Presenter:
    """Adds cells to `transcript`.

    `tools` are the agent's tools, which recreate their display of earlier sessions; `run` counts
    events before they are shown, `totals` returns the totals of the session's runs, `clock` seconds.
    """

    def __init__(
        self,
        transcript: Transcript,
        style: CellStyle,
        tools: Mapping[str, Recaller],
        run: RunCounter,
        totals: Callable[[], SessionTotals],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.transcript, self.style = transcript, style
        self.run, self._totals = run, totals
        self.stored = StoredCells(style, tools, totals)
        self.history = HistoryPager(transcript, self.stored.cells, self.stored.take)
        self._text = TurnText(transcript, style, run)
        self._calls = RunningCalls(transcript, self.stored, run, clock)
        self._failure: tuple[NoteCell, str, int] | None = None  # why the model was asked again last, and how often
        self._turn_error = ""
        self._notes: list[tuple[str, NoteCell]] = []
        self._shell = ToolCell("!", "", style)

    # Live

    def show(self, event: ConversationEvent) -> None:
        """Show an event, if it belongs in the transcript."""
        match event:
            case TextDelta(delta):
                self._text.add(delta)
            case ReasoningDelta(delta):
                self._text.think(delta)
            case ToolProgress(id, text):
                self._calls.output(id, text)
            case ToolUseStart(id, name):
                self._text.end()
                self._calls.cell(id, name)
            case ToolCall():
                self._calls.written(event)
            case ToolResultEvent():
                self._calls.result(event)
            case AssistantStart(deferred):
                self._text.end()
                self._note_failure("")
                self._calls.withdraw()
                self._text.begin_answer(deferred=deferred)
            case AssistantMessage(message):
                for each in self._text.complete(message):
                    self.stored.answered.emit(each)
                self._mark(message)
            case TurnStart():
                self._text.begin()
            case TurnEnd(_, error):
                self._text.end()
                self._turn_error = error
            case ToolStart(id, name):
                self._calls.start(id, name)
            case UserMessage(message):
                if not message.hidden:  # it repeats what an event has said
                    self.transcript.append(*user_cells(message, self.style))
                self._mark(message)
            case Notice(level, message):
                self.note(message, _LEVELS[level])
            case AutoRetryStart():
                self._text.end()
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
                self._calls.agent(event)
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

    def _end_run(self, reason: str) -> None:
        self._text.end()
        if not self._calls.stop() and reason == "aborted":
            self.note("stopped")
        if self._turn_error:  # a refused turn ends without an error event
            self.note(self._turn_error, "error")
        self._turn_error = ""
        if self.run.ended is not None:
            self.transcript.append(worked_cell(self.run.ended))

    def _note_failure(self, why: str) -> None:
        """Say why the model is asked again, and how often for the same reason. The first such note below text that was
        read says that this is cut off."""
        if self._failure is not None and why == self._failure[1] and self.transcript.cells[-1] is self._failure[0]:
            note, _, times = self._failure
            note.text = f"{why} ({times + 1} times)"
            self._failure = note, why, times + 1
        elif self._text.cut_off():
            self.note(f"cut off, and asked again: {why}" if why else "cut off, and asked again")
        elif why:
            self._failure = self.note(why, "warning"), why, 1

    def spin(self, frame: int) -> None:
        """Draw another frame of the spinner and update the duration of running calls."""
        self._calls.tick()
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
        self.resume(messages)

    def resume(self, messages: Sequence[Message]) -> None:
        """Show the stored messages of a conversation."""
        self.history.show(messages)
        self.run.resume(self._totals().last(messages))

    def _mark(self, message: Message) -> None:
        if self.transcript.cells:
            self.stored.last[message.id] = self.transcript.cells[-1]
