"""`HistoryPager`: shows the messages of a session page by page, as the user scrolls or a search goes to one."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from zot_provider.messages import Message
from zot_tui.text.runs import Row, clip_runs
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.chunks import Chunk
from zot_tui.widgets.transcript.transcript import Transcript

PAGE = 100
"""Messages turned into cells at a time, or a few more: more than a screen shows, yet quick."""


class LeftOutCell(Cell):
    """Stands for the messages from number `start` to before `stop`, which have no cells yet. `seen` is called soon
    after it comes near the view."""

    __slots__ = ("_seen", "start", "stop")

    def __init__(self, start: int, stop: int, seen: "Callable[[LeftOutCell], None]") -> None:
        super().__init__()
        self.start, self.stop, self._seen = start, stop, seen

    def narrow(self, start: int, stop: int) -> None:
        """Stand for fewer messages."""
        self.start, self.stop = start, stop
        self._changed()

    def _make(self) -> list[Chunk]:
        asyncio.get_running_loop().call_soon(self._seen, self)
        row: Row[Any] = [("dim", f"  … {self.stop - self.start:,} messages")]
        return [Chunk(lambda width: [clip_runs(row, width)])]


class HistoryPager:
    """Adds to `transcript` the cells that `cells` makes of messages: first the newest page, above it one page after the
    other. What lies between those and a message that was gone to is left out until it is scrolled to. `above` returns
    the cells above the first message."""

    def __init__(
        self,
        transcript: Transcript,
        cells: Callable[[Sequence[Message]], list[Cell]],
        above: Callable[[], list[Cell]] = list,
    ) -> None:
        self._transcript, self._cells, self._above = transcript, cells, above
        self._messages: Sequence[Message] = ()
        self._first = 0  # the number of the first message that has cells
        self._gaps: list[LeftOutCell] = []  # from the top down

    @property
    def messages(self) -> Sequence[Message]:
        """The messages that were stored when the conversation was opened."""
        return self._messages

    @property
    def unread(self) -> list[range]:
        """The numbers of the messages that have no cells, from the last to the first."""
        gaps = [range(each.start, each.stop) for each in reversed(self._gaps)]
        return [*gaps, range(self._first)] if self._first else gaps

    @property
    def unread_above(self) -> int:
        """How many messages above the first cell have none."""
        return self._first

    def show(self, messages: Sequence[Message]) -> None:
        """Start with the newest page of `messages`, above any cells that are already in the transcript."""
        self._messages, self._first, self._gaps = messages, len(messages), []
        self.more()

    def more(self) -> None:
        """Show one more page of older messages, if there are any; then what was left out, from the top."""
        if not self._first and self._gaps:
            self._fill(self._gaps[0])
        else:
            self._add_above(self._begin(self._first - PAGE), self._first)

    def all(self) -> None:
        """Show all remaining messages."""
        while self._first or self._gaps:
            self.more()

    def open(self, number: int) -> None:
        """Show a message and those around it."""
        gap = next((each for each in self._gaps if each.start <= number < each.stop), None)
        stop = self._first if gap is None else gap.stop
        first, last = self._begin(max(number - PAGE // 2, 0)), min(self._end(number + PAGE // 2), stop)
        if gap is not None:
            self._split(gap, max(first, gap.start), last)
        elif number < self._first:
            self._add_above(first, last)

    # Internal.

    def _begin(self, number: int) -> int:
        """Return the number where a page can begin: results stay with their calls."""
        number = max(number, 0)
        while 0 < number < len(self._messages) and self._messages[number].role == "tool":
            number -= 1
        return number

    def _end(self, number: int) -> int:
        while number < len(self._messages) and self._messages[number].role == "tool":
            number += 1
        return number

    def _add_above(self, first: int, last: int) -> None:
        added = self._cells(self._messages[first:last])
        if last < self._first:
            self._gaps.insert(0, LeftOutCell(last, self._first, self._near))
            added.append(self._gaps[0])
        self._first = first
        self._transcript.prepend(added if first else [*self._above(), *added])
        self._transcript.older = bool(first or self._gaps)

    def _split(self, gap: LeftOutCell, first: int, last: int) -> None:
        """Show some of the messages that are left out."""
        start, stop = gap.start, gap.stop
        added = self._cells(self._messages[first:last])
        if start < first:
            gap.narrow(start, first)
            more = [LeftOutCell(last, stop, self._near)] if last < stop else []
            at = self._gaps.index(gap) + 1
            self._gaps[at:at] = more
            self._transcript.insert(gap, [*added, *more])
            return
        cells = self._transcript.cells
        at = cells.index(gap)
        self._transcript.insert(cells[at - 1] if at else None, added)
        if last < stop:
            gap.narrow(last, stop)
        else:
            self._gaps.remove(gap)
            self._transcript.remove(gap)

    def _fill(self, gap: LeftOutCell) -> None:
        """Show a page from both ends of what is left out. The view of what follows it does not move."""
        if self._transcript.in_view[:1] == [gap]:
            self._transcript.scroll(2)
        self._split(gap, self._begin(max(gap.stop - PAGE, gap.start)), gap.stop)
        if gap in self._gaps:
            self._split(gap, gap.start, min(self._end(gap.start + PAGE), gap.stop))
        self._transcript.older = bool(self._first or self._gaps)

    def _near(self, gap: LeftOutCell) -> None:
        if gap in self._gaps:
            self._fill(gap)
