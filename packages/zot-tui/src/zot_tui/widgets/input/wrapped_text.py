"""`Wrapped`: the text of a buffer wrapped into rows, and the rows in view; no urwid."""

from collections.abc import Callable
from typing import NamedTuple

from zot_tui.editor import motions
from zot_tui.editor.buffer import Buffer, alike
from zot_tui.editor.paste import ChipSpan
from zot_tui.widgets.input.layout import EditorLine, Span

CACHED_LINES = 512
LONG = 4096
"""Length from which a line is long: few are cached, and after a change it is laid out again only in part."""
LONG_LINES = 4


class EditorRow(NamedTuple):
    """A row of the text: the number of its line, where the line begins, and which of the line's rows it is."""

    number: int
    start: int
    row: int


class Wrapped:
    """Rows of `cells` cells, of which `max_rows` are in view, including the cursor's.

    `chips` finds the chips of a line. Call `clear` when they, or anything but the text, have changed.
    """

    __slots__ = ("_buffer", "_chips", "_lines", "_long", "_masked", "_top", "cells", "max_rows")

    def __init__(self, buffer: Buffer, chips: Callable[[str], list[ChipSpan]], max_rows: int, *, masked: bool) -> None:
        self._buffer, self._chips, self._masked = buffer, chips, masked
        self.cells, self.max_rows = 80, max_rows
        self._lines: dict[tuple[str, int], EditorLine] = {}
        self._long: list[EditorLine] = []  # the most recently used one is last
        self._top = (0, 0)  # line number and row of the first row in view

    def clear(self) -> None:
        """Lay everything out again."""
        self._lines.clear()
        self._long.clear()

    def view(self) -> tuple[list[EditorRow], int]:
        """Return the rows in view, and the index of the cursor's row."""
        here = self.cursor_row()
        above = self._walk(here, self.above)
        below = self._walk(here, self.below)
        kept = sum((row.number, row.row) >= self._top for row in above)
        kept = max(kept, self.max_rows - 1 - len(below))
        kept = min(kept, len(above), self.max_rows - 1)
        rows = [*reversed(above[:kept]), here, *below[: self.max_rows - 1 - kept]]
        self._top = (rows[0].number, rows[0].row)
        return rows, kept

    def _walk(self, row: EditorRow, step: Callable[[EditorRow], EditorRow | None]) -> list[EditorRow]:
        found: list[EditorRow] = []
        following = step(row)
        while following is not None and len(found) < self.max_rows - 1:
            found.append(following)
            following = step(following)
        return found

    def cursor_row(self) -> EditorRow:
        number, column = self._buffer.position
        start = self._buffer.cursor - column
        return EditorRow(number, start, self._line_at(start).row_of(column))

    def above(self, row: EditorRow) -> EditorRow | None:
        """Return the row above, or None on the first."""
        if row.row:
            return row._replace(row=row.row - 1)
        if not row.start:
            return None
        start = motions.line_start(self._buffer.text, row.start - 1)
        return EditorRow(row.number - 1, start, len(self._line_at(start).rows) - 1)

    def below(self, row: EditorRow) -> EditorRow | None:
        """Return the row below, or None on the last."""
        line = self.line(row)
        if row.row + 1 < len(line.rows):
            return row._replace(row=row.row + 1)
        end = row.start + len(line.text)
        return EditorRow(row.number + 1, end + 1, 0) if end < len(self._buffer.text) else None

    def line(self, row: EditorRow) -> EditorLine:
        return self._line_at(row.start)

    def within(self, row: EditorRow, offsets: tuple[int, int] | None) -> Span | None:
        """Return the part of a row's line that is selected, if `offsets` select a range of the text."""
        if offsets is None:
            return None
        length = len(self.line(row).text)
        start, end = (min(max(offset - row.start, 0), length) for offset in offsets)
        return Span(start, end, "selection")

    def _line_at(self, start: int) -> EditorLine:
        """Return the line that begins at `start`, laid out for the current width."""
        text = self._buffer.text
        text = text[start : motions.line_end(text, start)]
        if len(text) >= LONG:
            return self._long_line(text)
        found = self._lines.get((text, self.cells))
        if found is None:
            if len(self._lines) >= CACHED_LINES:
                self._lines.clear()
            found = self._lines[text, self.cells] = self._laid_out(text)
        return found

    def _long_line(self, text: str) -> EditorLine:
        for index, kept in enumerate(self._long):
            if kept.text == text and kept.cells == self.cells:
                self._long.append(self._long.pop(index))
                return kept
        nearest = max(self._long, key=lambda kept: alike(kept.text, text), default=None)
        self._long.append(self._laid_out(text, nearest))
        del self._long[:-LONG_LINES]
        return self._long[-1]

    def _laid_out(self, text: str, before: EditorLine | None = None) -> EditorLine:
        spans = [Span(chip.start, chip.end, "accent") for chip in self._chips(text)]
        return EditorLine(text, self.cells, spans, masked=self._masked, before=before)
