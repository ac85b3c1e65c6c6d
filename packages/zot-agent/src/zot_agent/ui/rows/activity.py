"""`WorkingRow`: the row that shows what zot is doing. `ActivityLabel`: the words for it."""

from zot_agent.ui.dispatch import CommandDispatcher
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import Changed, ConversationEvent, ShellEnd, ShellStart
from zot_core.events import (
    AssistantStart,
    AutoRetryStart,
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
"""Shown while the user is asked about a tool call."""

_LABELS: dict[type[ConversationEvent], str] = {
    TurnStart: THINKING,
    AssistantStart: THINKING,
    ReasoningDelta: THINKING,
    TextDelta: "answering",
    CompactStart: "summarising the conversation",
}
_OF_CALLS = (ToolUseStart, ToolStart, ToolResultEvent, AutoRetryStart, ShellStart, Done, ShellEnd)


class ActivityLabel:
    """The text of the working row, updated by the events of a run. Events that change nothing are cheap."""

    def __init__(self) -> None:
        self.label = ""
        """The current activity; empty between runs."""
        self._running: dict[str, str] = {}

    def follow(self, event: ConversationEvent) -> bool:
        """Update `label` for an event of a run. Return whether it has changed."""
        label = _LABELS.get(type(event)) or self._of_calls(event)
        if label == self.label:
            return False
        self.label = label
        return True

    def _of_calls(self, event: ConversationEvent) -> str:
        """Return the label for the running calls. It stays between two calls."""
        match event:
            case ToolUseStart(_, name):
                return f"calling {name}"
            case ToolStart(id, name):
                self._running[id] = name
            case ToolResultEvent(id):
                self._running.pop(id, None)
            case AutoRetryStart(attempt, max_attempts):
                return f"trying again ({attempt} of {max_attempts})"
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
        return "running" if len(names) == 1 else f"running {len(names)} calls"  # the call says what runs


class WorkingRow:
    """Drives the spinner: for the agent's work, else for a slow command of an extension."""

    def __init__(self, spinner: Spinner, conversation: Conversation, dispatch: CommandDispatcher) -> None:
        self._spinner, self._conversation, self._dispatch = spinner, conversation, dispatch
        self._activity = ActivityLabel()
        self._command = ""
        conversation.events.add(self._follow, *_LABELS, *_OF_CALLS)
        conversation.events.add(self._queue_changed, Changed)
        dispatch.changed.connect(self._update)

    def _follow(self, event: ConversationEvent) -> None:
        if self._activity.follow(event) and self._activity.label:
            wait = event.delay_ms / 1000 if isinstance(event, AutoRetryStart) else 0.0
            self._spin(self._activity.label, wait)

    def ask(self, open: bool) -> None:  # noqa: FBT001  the only argument
        """Update the row when a question about a tool call opens or closes."""
        if self._spinner.spinning:
            self._spin(ASKING if open else self._activity.label or THINKING)

    def _queue_changed(self, event: ConversationEvent) -> None:
        if isinstance(event, Changed) and event.what == "queue":
            self._update()

    def _update(self) -> None:
        """Start, stop or relabel the spinner after work or a slow command has begun or ended."""
        spinner, before, busy = self._spinner, self._command, self._conversation.busy
        self._command = "" if busy else self._dispatch.slow_command
        label = self._command or (spinner.label if spinner.label != before else THINKING)
        if self._command != before or not (busy or self._command):
            spinner.stop()
        if (busy or self._command) and not spinner.spinning:
            self._spin(label if self._command or before else THINKING)

    def _spin(self, label: str, wait: float = 0.0) -> None:
        self._spinner.start(label, "esc to stop", wait)
