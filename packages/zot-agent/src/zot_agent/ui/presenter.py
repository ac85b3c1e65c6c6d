"""`Presenter`: what happens, as cells of the transcript. It knows events and messages, and no widgets but cells."""

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
    CompactDone,
    Done,
    ErrorEvent,
    Fate,
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
from zot_tui.widgets.transcript.cell import Cell, Look
from zot_tui.widgets.transcript.cells import AnswerCell, NoteCell, ThoughtCell, UserCell, WorkedCell
from zot_tui.widgets.transcript.cells import Level as NoteLevel
from zot_tui.widgets.transcript.tool_cell import Ending, ToolCell
from zot_tui.widgets.transcript.transcript import Transcript

KEPT = 4000
"""Characters of a call's output that are still shown when it was stopped."""

LONG = 10.0
"""Seconds from which it is told how long a turn took."""

_ENDINGS: dict[Fate, Ending] = {"refused": "refused", "not_run": "failed", "stopped": "stopped"}
_FACTS: dict[Fate, list[str]] = {"refused": ["refused"], "not_run": ["not run"]}
_LEVELS: dict[str, NoteLevel] = {"warn": "warning", "info": "info", "success": "success", "error": "error"}


class Presenter:
    """Puts cells into `transcript`. `tools` are those of the agent, which recall what they had shown in an earlier
    session.

    `clock` gives seconds.
    """

    def __init__(
        self,
        transcript: Transcript,
        look: Look,
        tools: Callable[[], Mapping[str, object]] = dict,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.transcript, self.look = transcript, look
        self._tools_of, self._clock = tools, clock
        self.past = HistoryPager(transcript, self.cells)
        self._held = False
        self._answer: AnswerCell | None = None
        self._answers: list[AnswerCell] = []
        self._thought: ThoughtCell | None = None
        self._tools: dict[str, ToolCell] = {}
        self._began: dict[str, float] = {}
        self._printed: dict[str, str] = {}
        self._stopped = False
        self._started = 0.0
        self._why = ""
        self._notes: list[tuple[str, NoteCell]] = []
        self._shell = ToolCell("!", "", look)

    # Live

    def show(self, event: ConversationEvent) -> None:
        """Show an event, if it belongs into the transcript."""
        match event:
            case TextDelta(delta):
                self._text("" if self._held else delta, shows=bool(delta.strip()))
            case ReasoningDelta(delta):
                self._think(delta)
            case ToolProgress(id, text):
                if id in self._tools:
                    self._tools[id].append_output(text)
                    self._printed[id] = (self._printed.get(id, "") + text)[-KEPT:]
            case ToolUseStart(id, name):
                self._end_text()
                self._tool(id, name)
            case ToolCall(id, name, arguments):
                self._tool(id, name).argument = main_argument(arguments)
            case ToolResultEvent():
                self._result(event)
            case AssistantStart(deferred):
                self._held = deferred
                self._answers.clear()
            case AssistantMessage(message):
                self._said(message)
            case TurnStart():
                self._end_text()
            case TurnEnd(_, error):
                self._end_text()
                self._why = error
            case _:
                self._aside(event)

    def _aside(self, event: ConversationEvent) -> None:
        match event:
            case ToolStart(id, name):
                self._tool(id, name)
                self._began[id] = self._clock()
            case UserMessage(message):
                self._started = self._started or self._clock()  # more may be said into the work
                self.transcript.append(*self._user(message))
            case Notice(level, message):
                self.note(message, _LEVELS[level])
            case ErrorEvent(message):
                self._why = ""
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
                if self._why:  # a turn that was refused ends without an error
                    self.note(self._why, "error")
                self._why = ""
                took = self._clock() - self._started
                if self._started and took >= LONG:
                    self.transcript.append(WorkedCell(took))
                self._started = 0.0
            case _:
                self._beside(event)

    def _beside(self, event: ConversationEvent) -> None:
        """Notes of extensions, and shell commands of the person's."""
        match event:
            case Notify(extension, level, message):
                self.note(message, _LEVELS[level], extension)
            case Display(extension, text):
                self.note(text, "info", extension)
            case ClearNotes(extension):
                self.clear_notes(extension)
            case Submit(extension, _, refused) if refused:
                self.note(refused, "warning", extension)
            case ShellStart(command):
                self._shell = ToolCell("!", command.command, self.look)
                self.transcript.append(self._shell)
            case ShellOutput(text):
                self._shell.append_output(text)
            case ShellEnd(result):
                display = [] if result.display is None else [result.display]
                well = all(each.exit_code == 0 for each in display) and bool(display)
                self._shell.finish("stopped" if result.stopped else "ok" if well else "failed", display)
                if not display:
                    self.note(result.text, "error")

    def _text(self, delta: str, *, shows: bool) -> None:
        """More of an answer. One that is held has a cell without text, so that what comes then has its place."""
        self._end_thought()
        if self._answer is None:
            if not shows:
                return
            self._answer = AnswerCell()
            self._answers.append(self._answer)
            self.transcript.append(self._answer)
        self._answer.append(delta)

    def _think(self, delta: str) -> None:
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

    def _said(self, message: Message) -> None:
        """The whole answer: the same as its pieces unless an extension has changed it."""
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
            self._tools[id] = ToolCell(name, "", self.look)
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
        printed = self._printed.pop(event.id, "")
        if state == "stopped" and printed.strip():
            blocks.insert(0, TextDisplay(printed))
        began = self._began.pop(event.id, None)
        cell.finish(state, blocks, None if began is None else self._clock() - began, _FACTS.get(event.fate, ()))

    def _stop_tools(self) -> None:
        for id, cell in self._tools.items():
            cell.finish("stopped", [TextDisplay(self._printed[id])] if id in self._printed else ())
        self._stopped = self._stopped or bool(self._tools)
        self._tools.clear()
        self._began.clear()
        self._printed.clear()

    def spin(self, frame: int) -> None:
        """Another frame of the spinner, and the time that running calls take."""
        now = self._clock()
        for id, began in self._began.items():
            self._tools[id].elapsed(now - began)
        self.transcript.spin(frame)

    # Notes

    def note(self, text: str, level: NoteLevel = "info", name: str = "") -> NoteCell:
        """A line beside the conversation."""
        cell = NoteCell(text, level, name)
        self.transcript.append(cell)
        if name:
            self._notes.append((name, cell))
        return cell

    def clear_notes(self, extension: str = "") -> bool:
        """Take the notes of an extension away, of all of them without a name; whether there were any."""
        gone = [cell for name, cell in self._notes if extension in ("", name)]
        self._notes = [] if not extension else [each for each in self._notes if each[0] != extension]
        for cell in gone:
            if cell in self.transcript.cells:
                self.transcript.remove(cell)
        return bool(gone)

    # From the session

    def cells(self, messages: Iterable[Message]) -> list[Cell]:
        """A conversation that was, as cells; what an extension replaced or hid stays so."""
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
                    cell.finish(state, self._recalled(call, block), None, _FACTS.get(block.fate, ()))
                elif isinstance(block, ToolCallBlock):
                    calls[block.id] = ToolCell(block.name, main_argument(block.arguments), self.look), block
                    cells.append(calls[block.id][0])
                else:
                    cells += self._was_said(block)
        for cell, _ in calls.values():
            cell.finish("stopped")
        return cells

    def _recalled(self, call: ToolCallBlock, result: ToolResultBlock) -> list[DisplayBlock]:
        """What was shown of a call, as its tool recalls it; else what the model read."""
        plain = shown_content(result.content)
        recall = getattr(self._tools_of().get(call.name), "recall", None)
        if recall is None or len(plain) != 1 or not isinstance(plain[0], TextDisplay):
            return plain
        try:
            blocks: list[DisplayBlock] = recall(call.parsed(), plain[0].text)
        except (KeyError, TypeError, ValueError):  # arguments that the tool has refused, most likely
            return plain
        return blocks or plain

    def _was_said(self, block: Block) -> list[Cell]:
        if isinstance(block, ReasoningBlock) and block.summary.strip():
            return [ThoughtCell(block.summary, finished=True)]
        if not isinstance(block, TextBlock) or not block.text.strip():
            return []
        return [AnswerCell(block.text, finished=True)]

    def _user(self, message: Message) -> list[Cell]:
        if message.summarized_tokens is not None:
            return [self._summary(message.text, message.summarized_tokens)]
        beside = shown_content([block for block in message.content if isinstance(block, ImageBlock)])
        commands = message.commands
        if commands:
            beside.append(TextDisplay(f"+ output of {commands} command{'' if commands == 1 else 's'}"))
        text = message.text if message.display_text is None else message.display_text
        return [UserCell(text, self.look, beside)] if text or beside else []

    def _summary(self, text: str, before: int, after: int = 0, *facts: str) -> Cell:
        """What stands for a conversation that was compacted; 0 for numbers of tokens that nobody knows."""
        from zot_core.compaction.summary import HEADING  # noqa: PLC0415  few conversations get so long
        from zot_tui.widgets.transcript.fold_cell import FoldCell  # noqa: PLC0415  as above

        # Of what was said and done alone: a request has the system prompt and the tools besides.
        size = f"{tokens(before)} → {tokens(after)}" if after else f"of {tokens(before)}" if before else ""
        shown = [f"{size} tokens of messages", *facts] if size else facts
        return FoldCell("Summary of the conversation", text.removeprefix(HEADING).strip(), shown, self.look)


def shown_content(content: Iterable[TextBlock | ImageBlock]) -> list[DisplayBlock]:
    """What a person sees of a result that brings no display of its own: what the model read."""
    blocks: list[DisplayBlock] = []
    for block in content:
        if isinstance(block, ImageBlock):
            blocks.append(ImageDisplay(block.mime_type, block.data))
        elif block.text:
            blocks.append(TextDisplay(block.text))
    return blocks
