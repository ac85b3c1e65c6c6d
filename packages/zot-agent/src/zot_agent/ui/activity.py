"""`WorkingRow`: the row that says what is being done. `ActivityLabel`: the words for it."""

from collections.abc import Callable

from zot_core.conversation.events import ConversationEvent, ShellEnd, ShellStart
from zot_core.events import (
    AssistantStart,
    CompactStart,
    Done,
    ReasoningDelta,
    TextDelta,
    ToolResultEvent,
    ToolStart,
    ToolUseStart,
    TurnStart,
)
from zot_tui.widgets.spinner import Spinner

THINKING = "thinking"
ASKING = "waiting for you"
"""While a person is asked about a call."""

_LABELS: dict[type[ConversationEvent], str] = {
    TurnStart: THINKING,
    AssistantStart: THINKING,
    ReasoningDelta: THINKING,
    TextDelta: "answering",
    CompactStart: "summarising the conversation",
}


class ActivityLabel:
    """What the working row says, from one event of a run to the next. Text comes in many pieces: an event that changes
    nothing costs next to nothing."""

    def __init__(self) -> None:
        self.label = ""
        """What is being done; empty between runs."""
        self._running: dict[str, str] = {}

    def follow(self, event: ConversationEvent) -> bool:
        """Take an event of a run; whether `label` is another one now."""
        label = _LABELS.get(type(event)) or self._of_calls(event)
        if label == self.label:
            return False
        self.label = label
        return True

    def _of_calls(self, event: ConversationEvent) -> str:
        """Calls that run side by side are counted; between two calls the label stays."""
        match event:
            case ToolUseStart(_, name):
                return f"calling {name}"
            case ToolStart(id, name):
                self._running[id] = name
            case ToolResultEvent(id):
                self._running.pop(id, None)
            case ShellStart():
                return "running"
            case Done() | ShellEnd():
                self._running.clear()
                return ""
            case _:
                return self.label
        names = list(self._running.values())
        if not names:
            return self.label
        return f"running {names[0]}" if len(names) == 1 else f"running {len(names)} calls"


class WorkingRow:
    """Drives the spinner: it is for the agent's work, else for a command of an extension that takes long."""

    def __init__(self, spinner: Spinner, busy: Callable[[], bool], command: Callable[[], str]) -> None:
        """`busy` says whether the agent works, and `command` names the slow command, empty if there is none."""
        self._spinner, self._busy, self._slow = spinner, busy, command
        self._activity = ActivityLabel()
        self._command = ""

    def follow(self, event: ConversationEvent) -> None:
        """Take an event of a run."""
        if self._activity.follow(event) and self._activity.label:
            self._spin(self._activity.label)

    def ask(self, open: bool) -> None:  # noqa: FBT001  it is all that is told
        """A question about a call is open, or no longer."""
        if self._spinner.spinning:
            self._spin(ASKING if open else self._activity.label or THINKING)

    def update(self) -> None:
        """Something begins, ends or waits, or another command is slow."""
        spinner, before, busy = self._spinner, self._command, self._busy()
        self._command = "" if busy else self._slow()
        label = self._command or (spinner.label if spinner.label != before else THINKING)
        if self._command != before or not (busy or self._command):
            spinner.stop()
        if (busy or self._command) and not spinner.spinning:
            self._spin(label if self._command or before else THINKING)

    def _spin(self, label: str) -> None:
        self._spinner.start(label, "esc to stop")
