"""`HistoryPager`: shows the messages of a session page by page, as the user scrolls up."""

from collections.abc import Callable, Sequence

from zot_provider.messages import Message
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.transcript import Transcript

PAGE = 100
"""Messages turned into cells at a time, or a few more: more than a screen shows, yet quick."""


class HistoryPager:
    """Prepends to `transcript` the cells that `cells` makes of messages, the newest page first."""

    def __init__(self, transcript: Transcript, cells: Callable[[Sequence[Message]], list[Cell]]) -> None:
        self._transcript, self._cells = transcript, cells
        self._messages: Sequence[Message] = ()
        self.above: Callable[[], list[Cell]] = list
        """Returns the cells above the first message."""

    def show(self, messages: Sequence[Message]) -> None:
        """Start with the newest page of `messages`, above any cells that are already in the transcript."""
        self._messages = messages
        self.more()

    def more(self) -> None:
        """Show one more page of older messages, if there are any."""
        messages = self._messages
        start = max(len(messages) - PAGE, 0)
        while start > 0 and messages[start].role == "tool":  # keep results with their calls
            start -= 1
        self._messages = messages[:start]
        cells = self._cells(messages[start:])
        self._transcript.prepend(cells if start else [*self.above(), *cells])
        self._transcript.older = start > 0

    def all(self) -> None:
        """Show all remaining messages."""
        while self._messages:
            self.more()
