"""`LatestRun`: the prompt of the latest run of a conversation, and its failure."""

from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import Changed, ConversationEvent, SessionStart, SessionTreeMove
from zot_core.events import ErrorEvent, TurnEnd


class LatestRun:
    """`prompt` is what was typed. `cut_off`: the last model call failed or was stopped before the end of its answer."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self.prompt = ""
        self.cut_off = False
        self._failure: ErrorEvent | None = None
        conversation.events.add(self._follow, Changed, ErrorEvent, TurnEnd, SessionStart, SessionTreeMove)

    def _follow(self, event: ConversationEvent) -> None:
        running = self._conversation.running
        if isinstance(event, ErrorEvent):
            self._failure = event
        elif isinstance(event, TurnEnd):
            self.cut_off = event.stop in ("error", "aborted")
        elif not isinstance(event, Changed):
            self.cut_off = False
        elif running is not None:
            self.prompt = running.typed

    def take_failure(self) -> ErrorEvent | None:
        """Return why the run has failed, if it has, and forget it."""
        failure, self._failure = self._failure, None
        return failure
