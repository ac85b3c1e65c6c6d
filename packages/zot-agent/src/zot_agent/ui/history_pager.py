"""`HistoryPager`: a conversation that was, put into the transcript page by page as the person scrolls to it."""

from collections.abc import Callable, Sequence

from zot_provider.messages import Message
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.transcript import Transcript

PAGE = 100
"""Messages that become cells at a time, or a few more: more than a screen shows, and quickly made."""


class HistoryPager:
    """Gives `transcript` the cells that `cells` makes of messages, the newest page first; each message once."""

    def __init__(self, transcript: Transcript, cells: Callable[[Sequence[Message]], list[Cell]]) -> None:
        self._transcript, self._cells = transcript, cells
        self._messages: Sequence[Message] = ()

    def show(self, messages: Sequence[Message]) -> None:
        """Begin with another conversation. The transcript is empty, or has what belongs below it."""
        self._messages = messages
        self.more()

    def more(self) -> None:
        """One more page, if there is one: the messages before those that are shown."""
        messages = self._messages
        start = max(len(messages) - PAGE, 0)
        while start > 0 and messages[start].role == "tool":  # results stand with their calls
            start -= 1
        self._messages = messages[:start]
        self._transcript.prepend(self._cells(messages[start:]))
        self._transcript.older = start > 0

    def all(self) -> None:
        """All that is left."""
        while self._messages:
            self.more()
