"""`ActivityLabel`: the words for what the agent does at the moment."""

from zot_core.conversation.events import ConversationEvent, ShellEnd, ShellStart
from zot_core.events import (
    AssistantStart,
    CompactStart,
    Done,
    ReasoningDelta,
    TextDelta,
    ToolOutput,
    ToolStart,
    ToolUseStart,
    TurnStart,
)

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
            case ToolOutput(id):
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
