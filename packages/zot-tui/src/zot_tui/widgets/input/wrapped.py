"""`Wrapped`: the text of a buffer in rows of a width, and those of them that are in sight; no urwid here."""

from collections.abc import Callable
from typing import NamedTuple

from zot_tui.editor import motions
from zot_tui.editor.buffer import Buffer, alike
from zot_tui.editor.paste import Found
from zot_tui.widgets.input.layout import EditorLine, Span

CACHED_LINES = 512
LONG = 4096
"""Characters from which few lines are kept, and a change of one is laid out from what it was."""
LONG_LINES = 4


class EditorRow(NamedTuple):
    """A row of the text: the number of its line, where the line begins, and which of the line's rows it is."""

    number: int
    start: int
    row: int


class Wrapped:
    """Rows of `cells` cells, of which `max_rows` are in sight, the cursor's among them. `chips` finds those of a line;
    when they change, or anything else does that is not the text, `clear` is called."""

    __slots__ = ("_buffer", "_chips", "_lines", "_long", "_masked", "_top", "cells", "max_rows")

    def __init__(self, buffer: Buffer, chips: Callable[[str], list[Found]], max_rows: int, *, masked: bool) -> None:
        self._buffer, self._chips, self._masked = buffer, chips, masked
        self.cells, self.max_rows = 80, max_rows
        self._lines: dict[tuple[str, int], EditorLine] = {}
        self._long: list[EditorLine] = []  # the one that was used last at the end
        self._top = (0, 0)  # number of line and row within it that is drawn first

    def clear(self) -> None:
        """Lay everything out anew."""
        self._lines.clear()
        self._long.clear()

    def view(self) -> tuple[list[EditorRow], int]:
        """The rows that are drawn, and which of them has the cursor."""
        here = self.place()
        above = self._walk(here, self.above)
        below = self._walk(here, self.below)
        kept = sum((place.number, place.row) >= self._top for place in above)
        kept = max(kept, self.max_rows - 1 - len(below))
        kept = min(kept, len(above), self.max_rows - 1)
        places = [*reversed(above[:kept]), here, *below[: self.max_rows - 1 - kept]]
        self._top = (places[0].number, places[0].row)
        return places, kept

    def _walk(self, place: EditorRow, step: Callable[[EditorRow], EditorRow | None]) -> list[EditorRow]:
        found: list[EditorRow] = []
        following = step(place)
        while following is not None and len(found) < self.max_rows - 1:
            found.append(following)
            following = step(following)
        return found

    def place(self) -> EditorRow:
        """The row of the cursor."""
        number, column = self._buffer.position
        start = self._buffer.cursor - column
        return EditorRow(number, start, self._line_at(start).row_of(column))

    def above(self, place: EditorRow) -> EditorRow | None:
        """The row above, None on the first."""
        if place.row:
            return place._replace(row=place.row - 1)
        if not place.start:
            return None
        start = motions.line_start(self._buffer.text, place.start - 1)
        return EditorRow(place.number - 1, start, len(self._line_at(start).rows) - 1)

    def below(self, place: EditorRow) -> EditorRow | None:
        """The row below, None on the last."""
        line = self.line(place)
        if place.row + 1 < len(line.rows):
            return place._replace(row=place.row + 1)
        end = place.start + len(line.text)
        return EditorRow(place.number + 1, end + 1, 0) if end < len(self._buffer.text) else None

    def line(self, place: EditorRow) -> EditorLine:
        """The line of a row."""
        return self._line_at(place.start)

    def within(self, place: EditorRow, offsets: tuple[int, int] | None) -> Span | None:
        """What is selected of the line of a row, if something is from one offset of the text to another."""
        if offsets is None:
            return None
        length = len(self.line(place).text)
        start, end = (min(max(offset - place.start, 0), length) for offset in offsets)
        return Span(start, end, "selection")

    def _line_at(self, start: int) -> EditorLine:
        """The line that begins at `start`, laid out for the width at hand."""
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
