"""`Presenter`: turns events and messages into cells of the transcript."""

import time
from collections.abc import Callable, Iterable, Mapping

from zot_agent.ui.format.amounts import tokens
from zot_agent.ui.history_pager import HistoryPager
from zot_core.conversation.events import (
    ClearNotes,
    ConversationEvent,
    Display,
    Notify,
    ShellEnd,
    ShellOutput,
    ShellStart,
    Submit,
)
from zot_core.display import DisplayBlock, ImageDisplay, TextDisplay, main_argument
from zot_core.events import (
    AssistantMessage,
    AssistantStart,
    AutoRetryStart,
    CompactDone,
    Done,
    ErrorEvent,
    Fate,
    JobEnd,
    Notice,
    ReasoningDelta,
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
from zot_provider.messages import (
    Block,
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from zot_tui.widgets.transcript.cell import Cell, CellStyle
from zot_tui.widgets.transcript.cells import AnswerCell, NoteCell, ThoughtCell, UserCell, WorkedCell
from zot_tui.widgets.transcript.cells import Level as NoteLevel
from zot_tui.widgets.transcript.tool_cell import Ending, ToolCell
from zot_tui.widgets.transcript.transcript import Transcript

KEPT_OUTPUT = 4000
"""Characters of a tool's output that are kept for a call that is stopped."""

LONG = 10.0
"""Seconds of work from which its duration is shown."""

_ENDINGS: dict[Fate, Ending] = {"refused": "refused", "not_run": "failed", "stopped": "stopped"}
_FACTS: dict[Fate, list[str]] = {"refused": ["refused"], "not_run": ["not run"]}
_LEVELS: dict[str, NoteLevel] = {"warn": "warning", "info": "info", "success": "success", "error": "error"}


class Presenter:
    """Adds cells to `transcript`.

    `tools` returns the agent's tools, which recreate their display of earlier sessions; `clock` returns seconds.
    """

    def __init__(
        self,
        transcript: Transcript,
        style: CellStyle,
        tools: Callable[[], Mapping[str, object]] = dict,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.transcript, self.style = transcript, style
        self._agent_tools, self._clock = tools, clock
        self.history = HistoryPager(transcript, self.cells)
        self._deferred = False
        self._answer: AnswerCell | None = None
        self._answers: list[AnswerCell] = []
        self._thought: ThoughtCell | None = None
        self._tools: dict[str, ToolCell] = {}
        self._tool_started: dict[str, float] = {}
        self._outputs: dict[str, str] = {}
        self._stopped = False
        self._started = 0.0
        self._turn_error = ""
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
                if id in self._tools:
                    self._tools[id].append_output(text)
                    self._outputs[id] = (self._outputs.get(id, "") + text)[-KEPT_OUTPUT:]
            case ToolUseStart(id, name):
                self._end_text()
                self._tool(id, name)
            case ToolCall(id, name, arguments):
                self._tool(id, name).argument = main_argument(arguments)
            case ToolResultEvent():
                self._result(event)
            case AssistantStart(deferred):
                self._deferred = deferred
                self._answers.clear()
            case AssistantMessage(message):
                self._replace_answer(message)
            case TurnStart():
                self._end_text()
            case TurnEnd(_, error):
                self._end_text()
                self._turn_error = error
            case _:
                self._show_step(event)

    def _show_step(self, event: ConversationEvent) -> None:
        """Show the start and end of calls and runs, prompts and notes of the agent."""
        match event:
            case ToolStart(id, name):
                self._tool(id, name)
                self._tool_started[id] = self._clock()
            case UserMessage(message):
                self._started = self._started or self._clock()  # a later one steers the same run
                if not message.hidden:  # it repeats what an event has said
                    self.transcript.append(*self._user(message))
            case Notice(level, message):
                self.note(message, _LEVELS[level])
            case AutoRetryStart():
                self._end_text()
                self.note(event.error_message, "warning")
            case ErrorEvent(message):
                self._turn_error = ""
                self.note(message, "error")
            case CompactDone():
                kept = f"{event.kept} kept"
                self.transcript.append(self._summary(event.summary, event.tokens_before, event.tokens_after, kept))
            case Done(reason):
                self._end_text()
                self._stop_tools()
                if reason == "aborted" and not self._stopped:
                    self.note("stopped")
                self._stopped = False
                if self._turn_error:  # a refused turn ends without an error event
                    self.note(self._turn_error, "error")
                self._turn_error = ""
                took = self._clock() - self._started
                if self._started and took >= LONG:
                    self.transcript.append(WorkedCell(took))
                self._started = 0.0
            case _:
                self._show_extension_or_shell(event)

    def _show_extension_or_shell(self, event: ConversationEvent) -> None:
        """Show notes of extensions, shell commands of the user and ends of jobs."""
        match event:
            case JobEnd():
                self.note(job_line(event), "info" if event.state == "stopped" or event.exit_code == 0 else "warning")
            case Notify(extension, level, message):
                self.note(message, _LEVELS[level], extension)
            case Display(extension, text):
                self.note(text, "info", extension)
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
            self._thought = ThoughtCell()
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
            self.transcript.append(AnswerCell(message.text, finished=True))

    def _tool(self, id: str, name: str) -> ToolCell:
        if id not in self._tools:
            self._tools[id] = ToolCell(name, "", self.style)
            self.transcript.append(self._tools[id])
        return self._tools[id]

    def _result(self, event: ToolResultEvent) -> None:
        cell = self._tool(event.id, event.name)
        del self._tools[event.id]
        if event.arguments is not None:
            cell.argument = main_argument(event.arguments)
        blocks = list(event.display) or shown_content(event.content)
        state = _ENDINGS.get(event.fate, "failed" if event.is_error else "ok")
        self._stopped = self._stopped or state == "stopped"
        printed = self._outputs.pop(event.id, "")
        if state == "stopped" and printed.strip():
            blocks.insert(0, TextDisplay(printed))
        began = self._tool_started.pop(event.id, None)
        cell.finish(state, blocks, None if began is None else self._clock() - began, _FACTS.get(event.fate, ()))

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

    # From the session

    def cells(self, messages: Iterable[Message]) -> list[Cell]:
        """Return cells for stored messages; text that an extension replaced or hid stays replaced or hidden."""
        cells: list[Cell] = []
        calls: dict[str, tuple[ToolCell, ToolCallBlock]] = {}
        for message in messages:
            if message.role == "user":
                cells += self._user(message)
            elif message.hidden:
                cells.append(NoteCell(message.hidden, "warning"))
            for block in message.shown if message.role != "user" else ():
                if isinstance(block, ToolResultBlock) and block.call_id in calls:
                    cell, call = calls.pop(block.call_id)
                    state = _ENDINGS.get(block.fate, "failed" if block.is_error else "ok")
                    cell.finish(state, self._recalled_display(call, block), None, _FACTS.get(block.fate, ()))
                elif isinstance(block, ToolCallBlock):
                    calls[block.id] = ToolCell(block.name, main_argument(block.arguments), self.style), block
                    cells.append(calls[block.id][0])
                else:
                    cells += self._cells_of(block)
        for cell, _ in calls.values():
            cell.finish("stopped")
        return cells

    def _recalled_display(self, call: ToolCallBlock, result: ToolResultBlock) -> list[DisplayBlock]:
        """Return the display of a stored call as its tool recreates it, or the content that the model read."""
        plain = shown_content(result.content)
        recall = getattr(self._agent_tools().get(call.name), "recall", None)
        if recall is None or len(plain) != 1 or not isinstance(plain[0], TextDisplay):
            return plain
        try:
            arguments = call.parsed()
        except ValueError:
            return plain
        return recall(arguments, plain[0].text, failed=result.is_error) or plain

    def _cells_of(self, block: Block) -> list[Cell]:
        if isinstance(block, ReasoningBlock) and block.summary.strip():
            return [ThoughtCell(block.summary, finished=True)]
        if not isinstance(block, TextBlock) or not block.text.strip():
            return []
        return [AnswerCell(block.text, finished=True)]

    def _user(self, message: Message) -> list[Cell]:
        if message.summarized_tokens is not None:
            return [self._summary(message.text, message.summarized_tokens)]
        if message.hidden:
            return [NoteCell(message.hidden, "info")]
        attached = shown_content([block for block in message.content if isinstance(block, ImageBlock)])
        commands = message.commands
        if commands:
            attached.append(TextDisplay(f"+ output of {commands} command{'' if commands == 1 else 's'}"))
        if message.files:
            attached.append(TextDisplay(f"+ {message.files} file{'' if message.files == 1 else 's'}"))
        text = message.text if message.display_text is None else message.display_text
        whole = "" if text == message.text or commands or message.files else message.text
        return [UserCell(text, self.style, attached, whole)] if text or attached else []

    def _summary(self, text: str, before: int, after: int = 0, *facts: str) -> Cell:
        """Return the cell for the summary of a compacted conversation; 0 stands for an unknown number of tokens."""
        from zot_core.compaction.summary import without_heading  # noqa: PLC0415  few conversations get that long
        from zot_tui.widgets.transcript.fold_cell import FoldCell  # noqa: PLC0415  as above

        # Tokens of messages only: a request also has the system prompt and the tools.
        size = f"{tokens(before)} → {tokens(after)}" if after else f"of {tokens(before)}" if before else ""
        shown = [f"{size} tokens of messages", *facts] if size else facts
        return FoldCell("Summary of the conversation", without_heading(text), shown, self.style)


def job_line(event: JobEnd) -> str:
    """Return the line about the end of a command in the background."""
    how = {"failed": "could not be started", "stopped": "was stopped"}.get(event.state, "has ended")
    code = f" with exit code {event.exit_code}" if event.exit_code else ""
    first = event.command.partition("\n")[0]
    return f"job {event.id} {how}{code}: {first}"


def shown_content(content: Iterable[TextBlock | ImageBlock]) -> list[DisplayBlock]:
    """Return display blocks for the content that the model read, for a result without its own display."""
    blocks: list[DisplayBlock] = []
    for block in content:
        if isinstance(block, ImageBlock):
            blocks.append(ImageDisplay(block.mime_type, block.data))
        elif block.text:
            blocks.append(TextDisplay(block.text))
    return blocks
