"""The layout of a line that is being edited: its rows and the characters they show; no urwid.

Unlike in `zot_tui.text.wrap`, nothing is dropped at the end of a row, because the cursor can be on every character. At
most one space hangs over the edge of a row; further spaces begin the next row.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from zot_tui.editor.buffer import alike
from zot_tui.text.runs import Row, join
from zot_tui.text.sanitize import REPLACEMENT, detached, sanitize
from zot_tui.text.width import grapheme_width, graphemes, width
from zot_tui.text.wrap import NOT_FIRST, NOT_LAST, TOO_WIDE

TAB = 4
"""Cells from one stop of tabs to the next, counted from the beginning of a row."""
MASK = "•"

_PLAIN_PIECES = re.compile(r" +|[^ ]+")


class Span(NamedTuple):
    """A range of characters with its own style, broken across rows only if necessary."""

    start: int
    end: int
    style: str


class LineRow(NamedTuple):
    """The characters of a line from `start` to `end`."""

    start: int
    end: int


class EditorLine:
    """A line without its line break, laid out in rows of `cells` cells (2 or more) and one for the cursor.

    Unprintable characters are drawn as `�`, tabs as spaces up to the next stop of the row; with `masked` every
    character is a dot. `before` is the line before a change, laid out for as many cells; its unchanged rows are reused.
    """

    __slots__ = ("_masked", "_simple", "_tabs", "cells", "rows", "spans", "text")

    def __init__(
        self,
        text: str,
        cells: int,
        spans: Sequence[Span] = (),
        *,
        masked: bool = False,
        before: "EditorLine | None" = None,
    ) -> None:
        self.text = text
        self.spans = tuple(spans)
        self.cells = cells
        self._masked = masked
        self._simple = text.isascii() and text.isprintable()
        self._tabs = "\t" in text and not masked
        if before is None or before.cells != cells or masked or before._masked or spans or before.spans:
            self.rows = [*self._laid_out(0)]
        else:
            self.rows = self._changed(before)

    def row_of(self, offset: int) -> int:
        """Return the row of a cursor at `offset`; at a break between rows, the lower one."""
        for index in range(len(self.rows) - 1, 0, -1):
            if self.rows[index].start <= offset:
                return index
        return 0

    def column(self, row: int, offset: int) -> int:
        """Return the cells from the start of a row to `offset`, at most up to the cell after its end."""
        start = self.rows[row].start
        return min(self._used(start, offset), self.cells)

    def offset(self, row: int, column: int) -> int:
        """Return the offset at or left of `column` on a row, such that the cursor is drawn on that row."""
        start, end = self.rows[row]
        used, at = 0, start
        for length, _, cells in self._units(start, end):
            if used + cells > column or (row < len(self.rows) - 1 and at + length >= end):
                break
            used += cells
            at += length
        return at

    def runs(self, row: int, style: str, over: Span | None = None, marks: Sequence[Any] = ()) -> Row[Any]:
        """Return the runs of a row in `style`, spans in theirs; the span `over` replaces spans that begin inside it.

        `marks` are the styles of the characters of the line; None for `style`.
        """
        start, end = self.rows[row]
        drawn: Row[Any] = []
        at = start
        spans: Sequence[Span] = self.spans
        if over is not None:
            spans = sorted([over, *(each for each in spans if not over.start <= each.start < over.end)])
        for span in spans:
            first, last = max(span.start, start), min(span.end, end)
            if first < last:
                drawn += [*self._marked(start, at, first, style, marks), (span.style, self._shown(start, first, last))]
                at = last
        return join([*drawn, *self._marked(start, at, end, style, marks)])

    def _marked(self, row: int, start: int, end: int, style: str, marks: Sequence[Any]) -> Row[Any]:
        """Return the runs between two offsets of the row that begins at `row`, each grapheme in the style of its first
        character."""
        if not marks or self._masked:
            return [(style, self._shown(row, start, end))]
        runs: Row[Any] = []
        at = start
        for length, shown, _ in self._units(start, end, self._used(row, start)):
            runs.append((marks[at] or style, shown))
            at += length
        return join(runs)

    def _shown(self, row: int, start: int, end: int) -> str:
        if self._simple and not self._masked:
            return self.text[start:end]
        return "".join(shown for _, shown, _ in self._units(start, end, self._used(row, start)))

    def _used(self, start: int, end: int, column: int = 0) -> int:
        """Return the cells between two offsets of a row, the first of which is drawn at `column`."""
        if self._simple:
            return end - start
        return sum(cells for _, _, cells in self._units(start, end, column))

    def _units(self, start: int, end: int, column: int = 0) -> Iterator[tuple[int, str, int]]:
        """Yield the graphemes between two offsets, the first of which is drawn at `column`: length, text to draw,
        cells."""
        for grapheme in graphemes(self.text[start:end]):
            shown, cells = self._unit(grapheme, column)
            yield len(grapheme), shown, cells
            column += cells

    def _unit(self, grapheme: str, column: int) -> tuple[str, int]:
        """Return the text to draw for a grapheme at `column`, and its cells, at most as many as a row has."""
        if self._masked:
            return MASK, 1
        if grapheme == "\t":
            cells = min(TAB - column % TAB, self.cells)
            return " " * cells, cells
        shown, cells = drawn(grapheme)
        return (shown, cells) if cells <= self.cells else (TOO_WIDE, 1)

    def _changed(self, before: "EditorLine") -> list[LineRow]:
        """Return the rows after a change; those before it and those from the next equal row break on are reused."""
        same = alike(before.text, self.text)
        behind = len(self.text) - alike(before.text[same:][::-1], self.text[same:][::-1])
        more = len(self.text) - len(before.text)
        # The row before the change may now have room for what had moved to the next row.
        kept = max(bisect_left(before.rows, same, key=lambda row: row.end) - 1, 0)
        rows = before.rows[:kept]
        following = bisect_left(before.rows, behind - more, key=lambda row: row.start)
        for row in self._laid_out(before.rows[kept].start):
            if row.start >= behind:
                while following < len(before.rows) and before.rows[following].start + more < row.start:
                    following += 1
                if following < len(before.rows) and before.rows[following].start + more == row.start:
                    rest = before.rows[following:]
                    return rows + ([LineRow(start + more, end + more) for start, end in rest] if more else rest)
            rows.append(row)
        return rows

    def _laid_out(self, start: int) -> Iterator[LineRow]:
        """Yield the rows, the first of which begins at `start`."""
        at, used = start, 0
        for length, cells, space in self._pieces(start):
            if self._tabs:
                cells = self._used(at, at + length, used)
            if used + cells <= self.cells:
                at, used = at + length, used + cells
                continue
            if not space and at > start:
                yield LineRow(start, at)
                start, used = at, 0
                if self._tabs:
                    cells = self._used(at, at + length)
            if cells <= self.cells and not space:
                at, used = at + length, cells
                continue
            for grapheme in graphemes(self.text[at : at + length]):
                wide = self._unit(grapheme, used)[1]
                if used + wide > self.cells + space and at > start:
                    yield LineRow(start, at)
                    start, used = at, 0
                    wide = self._unit(grapheme, used)[1]
                at, used = at + len(grapheme), used + wide
        yield LineRow(start, at)

    def _pieces(self, at: int) -> Iterator[tuple[int, int, bool]]:
        """Yield the pieces that are kept on one row if possible: length, cells, whether it is white space."""
        for span in self.spans:
            yield from self._words(at, span.start)
            yield span.end - span.start, self._used(span.start, span.end), False
            at = span.end
        yield from self._words(at, len(self.text))

    def _words(self, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        if self._masked:  # breaks must not reveal the ends of words
            yield end - start, self._used(start, end), False
            return
        if self._simple:
            yield from self._plain_words(start, end)
            return
        length = total = 0
        last = ""
        for grapheme in graphemes(self.text[start:end]):
            _, cells = self._unit(grapheme, 0)
            if length and not _together(last, grapheme):
                yield length, total, _space(last)
                length = total = 0
            length, total, last = length + len(grapheme), total + cells, grapheme
        if length:
            yield length, total, _space(last)

    def _plain_words(self, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        """As `_words`, if every character takes one cell."""
        for found in _PLAIN_PIECES.finditer(self.text, start, end):
            length = found.end() - found.start()
            yield length, length, found[0][0] == " "


@lru_cache(maxsize=8192)
def drawn(grapheme: str) -> tuple[str, int]:
    """Return the text to draw for any grapheme of a buffer but a tab, and its cells, 1 or more."""
    shown = grapheme if sanitize(grapheme) == grapheme and "\n" not in grapheme else REPLACEMENT
    shown = detached(shown)
    cells = width(shown)
    return (shown, cells) if cells else (REPLACEMENT, 1)


def _space(grapheme: str) -> bool:
    return grapheme in (" ", "\t", "\u3000")


def _together(last: str, grapheme: str) -> bool:
    """Return whether two graphemes stay on one row, by the rules of `zot_tui.text.wrap`."""
    if _space(last) or _space(grapheme):
        return _space(last) == _space(grapheme)
    if grapheme[0] in NOT_FIRST or last[-1] in NOT_LAST:
        return True
    return (last.isascii() or grapheme_width(last) < 2) and (grapheme.isascii() or grapheme_width(grapheme) < 2)
