"""Rows of a line that is being edited, which know the characters they show; no urwid here.

Unlike in `zot_tui.text.wrap` nothing is dropped where a row breaks: the cursor can stand on every character. Spaces
hang over the edge of a row by one at most; those behind it begin the next row.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from zot_tui.editor.buffer import alike
from zot_tui.text.runs import Row, join
from zot_tui.text.sanitize import REPLACEMENT, detached, sanitize
from zot_tui.text.width import grapheme_width, graphemes, width
from zot_tui.text.wrap import NOT_FIRST, NOT_LAST, TOO_WIDE

TAB = "    "
MASK = "•"

_PLAIN_PIECES = re.compile(r" +|[^ ]+")


class Span(NamedTuple):
    """Characters of a line that are one thing, drawn in a style of their own and broken only if they must be."""

    start: int
    end: int
    style: str


class LineRow(NamedTuple):
    """The characters of a line from `start` to `end`."""

    start: int
    end: int


class EditorLine:
    """One line without its line break, laid out in rows of `cells` cells (2 or more) and one for the cursor.

    Characters that do not print are drawn as `�`, tabs as spaces; with `masked` every one is a dot. `before` is a line
    that this one was, of as many cells, before it was changed: rows that are the same are taken from it.
    """

    __slots__ = ("_masked", "_simple", "cells", "rows", "spans", "text")

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
        if before is None or before.cells != cells or masked or before._masked or spans or before.spans:
            self.rows = [*self._laid_out(0)]
        else:
            self.rows = self._changed(before)

    def row_of(self, offset: int) -> int:
        """The row on which a cursor at `offset` stands: where a row breaks, the lower one."""
        for index in range(len(self.rows) - 1, 0, -1):
            if self.rows[index].start <= offset:
                return index
        return 0

    def column(self, row: int, offset: int) -> int:
        """Cells from the beginning of a row to `offset`, at most to the cell behind its end."""
        start = self.rows[row].start
        if self._simple:
            return min(offset - start, self.cells)
        return min(sum(cells for _, _, cells in self._units(start, offset)), self.cells)

    def offset(self, row: int, column: int) -> int:
        """The offset nearest to `column` (at or left of it) on a row, from which the cursor stands on that row."""
        start, end = self.rows[row]
        used, at = 0, start
        for length, _, cells in self._units(start, end):
            if used + cells > column or (row < len(self.rows) - 1 and at + length >= end):
                break
            used += cells
            at += length
        return at

    def runs(self, row: int, style: str, over: Span | None = None) -> Row[str]:
        """What a row shows, in `style` where no span has one, and in that of `over`, which holds spans as wholes."""
        start, end = self.rows[row]
        drawn: Row[str] = []
        at = start
        spans: Sequence[Span] = self.spans
        if over is not None:
            spans = sorted([over, *(each for each in spans if not over.start <= each.start < over.end)])
        for span in spans:
            first, last = max(span.start, start), min(span.end, end)
            if first < last:
                drawn += [(style, self._shown(at, first)), (span.style, self._shown(first, last))]
                at = last
        return join([*drawn, (style, self._shown(at, end))])

    def _shown(self, start: int, end: int) -> str:
        if self._simple and not self._masked:
            return self.text[start:end]
        return "".join(shown if cells <= self.cells else TOO_WIDE for _, shown, cells in self._units(start, end))

    def _units(self, start: int, end: int) -> Iterator[tuple[int, str, int]]:
        """The graphemes between two offsets: length, what is drawn for one, its cells."""
        for grapheme in graphemes(self.text[start:end]):
            shown, cells = (MASK, 1) if self._masked else drawn(grapheme)
            yield len(grapheme), shown, cells

    def _changed(self, before: "EditorLine") -> list[LineRow]:
        """The rows before a change and behind it, and new ones between them, up to one that begins where one did."""
        same = alike(before.text, self.text)
        behind = len(self.text) - alike(before.text[same:][::-1], self.text[same:][::-1])
        more = len(self.text) - len(before.text)
        # A row may take back what the one before it did not have room for.
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
        """The rows from the one that begins at `start`."""
        at, used = start, 0
        for length, cells, space in self._pieces(start):
            if used + cells <= self.cells:
                at, used = at + length, used + cells
                continue
            if not space and at > start:
                yield LineRow(start, at)
                start, used = at, 0
            if cells <= self.cells and not space:
                at, used = at + length, cells
                continue
            for unit, _, wide in self._units(at, at + length):
                if used + wide > self.cells + space and at > start:
                    yield LineRow(start, at)
                    start, used = at, 0
                at, used = at + unit, used + wide
        yield LineRow(start, at)

    def _pieces(self, at: int) -> Iterator[tuple[int, int, bool]]:
        """Stretches that a row takes as a whole if it can: length, cells, whether it is spaces."""
        for span in self.spans:
            yield from self._words(at, span.start)
            yield span.end - span.start, sum(cells for _, _, cells in self._units(span.start, span.end)), False
            at = span.end
        yield from self._words(at, len(self.text))

    def _words(self, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        if self._masked:  # where it breaks must not tell where its words end
            yield end - start, sum(cells for _, _, cells in self._units(start, end)), False
            return
        if self._simple:
            yield from self._plain_words(start, end)
            return
        length = total = 0
        last = ""
        for grapheme in graphemes(self.text[start:end]):
            _, cells = drawn(grapheme)
            if length and not _together(last, grapheme):
                yield length, total, _space(last)
                length = total = 0
            length, total, last = length + len(grapheme), total + cells, grapheme
        if length:
            yield length, total, _space(last)

    def _plain_words(self, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        """The same where every character takes one cell."""
        for found in _PLAIN_PIECES.finditer(self.text, start, end):
            length = found.end() - found.start()
            yield length, length, found[0][0] == " "


@lru_cache(maxsize=8192)
def drawn(grapheme: str) -> tuple[str, int]:
    """What is drawn for a grapheme of a buffer, which may hold anything, and its cells, 1 at least."""
    if grapheme == "\t":
        return TAB, len(TAB)
    shown = grapheme if sanitize(grapheme) == grapheme and "\n" not in grapheme else REPLACEMENT
    shown = detached(shown)
    cells = width(shown)
    return (shown, cells) if cells else (REPLACEMENT, 1)


def _space(grapheme: str) -> bool:
    return grapheme in (" ", "\t", "\u3000")


def _together(last: str, grapheme: str) -> bool:
    """Whether no row breaks between two graphemes; the rules of `zot_tui.text.wrap`."""
    if _space(last) or _space(grapheme):
        return _space(last) == _space(grapheme)
    if grapheme[0] in NOT_FIRST or last[-1] in NOT_LAST:
        return True
    return (last.isascii() or grapheme_width(last) < 2) and (grapheme.isascii() or grapheme_width(grapheme) < 2)
