"""`ConversationHits`: where the conversation on the screen has a phrase, and the way from one place to the next."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from zot_agent.ui.cells.history_pager import HistoryPager, LeftOutCell
from zot_core.aio import in_thread, spawn
from zot_core.display import Recaller
from zot_core.sessions.search.conversation import Phrase, search_messages
from zot_tui.text.find import RowPattern
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.marks import TranscriptMarks
from zot_tui.widgets.transcript.transcript import Transcript

SLICE = 0.004
"""Seconds of work between two looks at what else waits, such as a key."""

FOLLOWED = 0.5
"""Seconds after which what has grown is counted again."""

REPORTED = 0.05
"""Seconds between two reports of the hits that a thread has found."""


class HitPlace(NamedTuple):
    """A hit: its cell, the chunk in it, which hit of the chunk, and its number in the cell, counted from below."""

    cell: Cell
    chunk: int
    hit: int
    from_below: int


class ConversationHits:
    """Counts the hits of a phrase, the newest first, and goes to one of them.

    Cells are counted by their texts; messages that have no cells yet in a thread. Only the cell that is gone to is
    drawn: a cell that shows no hit although its text has some, such as an address behind a link, counts for nothing
    from then on. `changed` is called when there is something new to show.
    """

    def __init__(
        self, transcript: Transcript, history: HistoryPager, tools: Mapping[str, Recaller], changed: Callable[[], None]
    ) -> None:
        self._transcript, self._history, self._tools, self._changed = transcript, history, tools, changed
        self._phrase, self._pattern = Phrase(""), RowPattern((), exact=False)
        self._cells: dict[Cell, int] = {}
        self._live: set[Cell] = set()  # the cells that could still change when they were counted
        self._unread: dict[int, int] = {}  # hits in messages without cells
        self._opened: Cell | None = None  # a cell that was opened for its hit
        self._begin = transcript.last_row
        self._going = asyncio.Lock()
        self.place: HitPlace | None = None
        """The hit that is looked at."""
        self.counting = False
        """Whether there may be more hits than were counted."""

    @property
    def total(self) -> int:
        return sum(self._cells.values()) + sum(self._unread.values())

    @property
    def number(self) -> int:
        """The number of the hit that is looked at, counted from the newest, which is 1."""
        if self.place is None:
            return 0
        below = 0
        for cell in reversed(self._transcript.cells):
            if cell is self.place.cell:
                break
            below += self._of(cell)
        return min(below + self.place.from_below, self.total)

    def look_for(self, text: str) -> None:
        """Mark a text. `count` must follow."""
        self._phrase = Phrase(text)
        self._pattern = RowPattern(self._phrase.words, exact=self._phrase.exact)
        self._cells.clear()
        self._live.clear()
        self._unread.clear()
        self.place = None
        self._transcript.marks = TranscriptMarks(self._pattern)
        self.counting = bool(self._phrase)

    async def count(self) -> None:
        """Count the hits, and go to the first one at or above the end of what was in view at first."""
        phrase = self._phrase
        try:
            if phrase:
                await self._count_cells()
                await self._count_unread()
        finally:
            self.counting = self.counting and phrase is not self._phrase
        self._changed()

    async def step(self, *, older: bool) -> None:
        """Go to the next hit, older or newer; from the last one to the first."""
        async with self._going:
            self._follow()
            came = self.place or (await self._below_view() if older else None)
            found = None if came is None else await self._in_cell(came.cell, older=older, beyond=came)
            if found is None:
                found = await self._beyond(None if came is None else came.cell, older=older)
            if found is not None:
                self._go(found)
            self._changed()

    @property
    def outdated(self) -> bool:
        """Whether there are cells that were not counted, or may have changed since then."""
        cells = self._transcript.cells
        return not self.counting and bool(self._phrase and cells) and bool(self._live or cells[-1] not in self._cells)

    async def follow(self) -> None:
        """Count what has grown, after `FOLLOWED` seconds."""
        await asyncio.sleep(FOLLOWED)
        async with self._going:
            self._follow()
        self._changed()

    def close(self) -> None:
        """Take the marks away; what was opened for the last hit stays open."""
        self._transcript.marks = None

    # Counting.

    async def _count_cells(self) -> None:
        pause = _Pause()
        async with self._going:
            for cell in reversed([*self._transcript.cells]):
                self._count_cell(cell)
                await pause.take()
        if any(self._cells.values()):
            await self.step(older=True)

    def _count(self, cell: Cell) -> int:
        if isinstance(cell, LeftOutCell):
            return 0
        return sum(self._phrase.count(each.text, markdown=each.markdown) for each in cell.texts() if each.text)

    def _count_cell(self, cell: Cell) -> None:
        self._live.discard(cell)
        if cell.live:
            self._live.add(cell)
        self._cells[cell] = self._count(cell)

    def _follow(self) -> None:
        """Count the cells that are new or may have changed, and forget what is no longer there or has cells now."""
        known, unread = self._cells, self._history.unread
        cells, live = self._transcript.cells, self._live
        self._cells, self._live = {cell: known[cell] for cell in cells if cell in known and cell not in live}, set()
        for cell in cells:
            if cell not in self._cells:
                self._count_cell(cell)
        self._unread = {at: count for at, count in self._unread.items() if any(at in each for each in unread)}
        if self.place is not None:
            cell, chunk, hit, from_below = self.place
            grown = self._cells.get(cell, 0) - known.get(cell, 0)  # at its end
            self.place = HitPlace(cell, chunk, hit, max(from_below + grown, 1)) if cell in self._cells else None

    def _of(self, cell: Cell) -> int:
        """Return the counted hits of a cell, or of the messages in its place."""
        if not isinstance(cell, LeftOutCell):
            return self._cells.get(cell, 0)
        return sum(count for number, count in self._unread.items() if cell.start <= number < cell.stop)

    async def _count_unread(self) -> None:
        phrase, unread, first = self._phrase, self._history.unread, asyncio.Event()
        if not unread:
            return
        loop = asyncio.get_running_loop()

        def report(found: Mapping[int, int]) -> None:
            self._heard(phrase, found)
            first.set()

        def work(check: Callable[[], None]) -> None:
            found, reported = dict[int, int](), 0.0
            for numbers in unread:
                messages = self._history.messages[numbers.start : numbers.stop]
                for part in search_messages(messages, phrase, self._tools, check):
                    number = numbers.start + part.number
                    found[number] = found.get(number, 0) + part.count
                    if time.monotonic() - reported > REPORTED:
                        loop.call_soon_threadsafe(report, found)
                        found, reported = {}, time.monotonic()
            loop.call_soon_threadsafe(report, found)

        counting = spawn(in_thread(work), "count the hits")
        counting.add_done_callback(lambda _: first.set())
        try:
            await first.wait()
            if self.place is None and self._unread:
                await self.step(older=True)
            await counting
        finally:
            counting.cancel()
        if self.place is None and self._unread:  # the first one is not shown after all
            await self.step(older=True)

    def _heard(self, phrase: Phrase, found: Mapping[int, int]) -> None:
        """Add what a thread has found, unless another phrase is searched for by now, or the messages have cells."""
        if phrase is self._phrase:
            unread = self._history.unread
            self._unread |= {at: count for at, count in found.items() if any(at in each for each in unread)}
            self._changed()

    # Going.

    async def _below_view(self) -> HitPlace | None:
        """Return the place between the hits of a cell that were in view or above at first, and those below; None if it
        has none below."""
        if self._begin is None or not self._cells.get(self._begin[0]):
            return None
        (cell, chunk, row), width, pause, below = self._begin, self._transcript.columns, _Pause(), 0
        if not cell.expanded and cell.folds(width):
            return None
        for at in range(len(cell.chunks) - 1, chunk, -1):
            below += len(self._pattern.hits(cell.chunks[at].rows(width), width))
            await pause.take()
        hits = self._pattern.hits(cell.chunks[chunk].rows(width), width) if chunk < len(cell.chunks) else []
        shown = sum(hit[0].row <= row for hit in hits)
        below += len(hits) - shown
        return HitPlace(cell, chunk, shown, below) if below else None

    async def _beyond(self, came: Cell | None, *, older: bool) -> HitPlace | None:
        """Return the first hit beyond a cell, None for the beginning."""
        pause, wrapped = _Pause(), False
        at = self._next(came, older=older)
        while True:
            cells = self._transcript.cells
            if 0 <= at < len(cells):
                cell = cells[at]
                if isinstance(cell, LeftOutCell):
                    if number := self._nearest(range(cell.start, cell.stop), older=older):
                        self._load(number[0])
                        at = self._next(came, older=older)
                        continue
                elif self._cells.get(cell) and (found := await self._in_cell(cell, older=older)):
                    return found
                came, at = cell, at + (-1 if older else 1)
                await pause.take()
            elif at < 0 and (number := self._nearest(range(self._history.unread_above), older=older)):
                came = cells[0] if older and cells else None
                self._load(number[0])
                at = self._next(came, older=True) if older else 0
            elif wrapped or not self.total:
                return None
            else:
                wrapped, came = True, None
                above = range(self._history.unread_above)
                at = len(cells) - 1 if older else -1 if self._nearest(above, older=False) else 0

    def _next(self, came: Cell | None, *, older: bool) -> int:
        """Return the index of the cell after another one, in a direction."""
        cells = self._transcript.cells
        if came is None:
            return (
                cells.index(self._begin[0]) if self._begin is not None and self._begin[0] in cells else len(cells) - 1
            )
        return (cells.index(came) if came in cells else len(cells)) + (-1 if older else 1)

    def _nearest(self, numbers: range, *, older: bool) -> list[int]:
        """Return the first of these messages that has a hit, in a direction, if there is one."""
        found = [number for number in self._unread if number in numbers]
        return [max(found) if older else min(found)] if found else []

    def _load(self, number: int) -> None:
        """Make cells of a message and of those around it."""
        self._history.open(number)
        self._follow()

    async def _in_cell(self, cell: Cell, *, older: bool, beyond: HitPlace | None = None) -> HitPlace | None:
        """Return the first hit of a cell, or the first beyond another hit; None at the end. A folded cell is opened if
        it shows fewer hits than it has."""
        width, pause, wanted = self._transcript.columns, _Pause(), self._cells.get(cell, 0)
        if not wanted:
            return None
        if beyond is None and not cell.expanded and cell.folds(width):
            shown = sum(len(self._pattern.hits(chunk.rows(width), width)) for chunk in cell.chunks)
            if shown < wanted:
                self._fold()
                cell.expanded, self._opened = True, cell
        passed = 0 if beyond is None else beyond.from_below
        for chunk, hits in self._chunk_hits(cell, width, beyond, older=older):
            if hits:
                hit = hits[-1] if older else hits[0]
                from_below = passed + 1 if older else passed - 1 if beyond is not None else wanted
                return HitPlace(cell, chunk, hit, max(from_below, 1))
            await pause.take()
        if beyond is None:
            self._cells[cell] = 0
        return None

    def _chunk_hits(
        self, cell: Cell, width: int, beyond: HitPlace | None, *, older: bool
    ) -> Iterator[tuple[int, range]]:
        """Yield the chunks of a cell in a direction, each with the numbers of its hits beyond another hit."""
        count = len(cell.chunks)
        first = (count - 1 if older else 0) if beyond is None else beyond.chunk
        for at in range(first, -1, -1) if older else range(first, count):
            if at >= len(cell.chunks):  # it has changed meanwhile
                return
            found = len(self._pattern.hits(cell.chunks[at].rows(width), width))
            if beyond is None or at != beyond.chunk:
                yield at, range(found)
            else:
                yield at, range(min(beyond.hit, found)) if older else range(beyond.hit + 1, found)

    def _go(self, place: HitPlace) -> None:
        if self._opened is not None and self._opened is not place.cell:
            self._fold()
        self.place = place
        cell, chunk, hit, _ = place
        self._transcript.marks = TranscriptMarks(self._pattern, cell, chunk, hit)
        width = self._transcript.columns
        hits = self._pattern.hits(cell.chunks[chunk].rows(width), width) if chunk < len(cell.chunks) else []
        with suppress(ValueError):  # the cell has been removed
            self._transcript.show_row(cell, chunk, hits[hit][0].row if hit < len(hits) else 0)

    def _fold(self) -> None:
        if self._opened is not None:
            self._opened.expanded = self._transcript.all_expanded
        self._opened = None


class _Pause:
    """Lets others run once work has taken `SLICE` seconds."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    async def take(self) -> None:
        if time.monotonic() - self._began > SLICE:
            await asyncio.sleep(0)
            self._began = time.monotonic()
