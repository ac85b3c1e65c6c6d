"""`Scroll`: a text or other rows that scroll in the room there is. Only what is in view is drawn."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from zot_tui.terminal.canvas import canvas
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import sanitize
from zot_tui.text.wrap import wrap
from zot_tui.widgets.transcript.chunks import ROWS, Chunk

MARGIN = "  "
COUNTED = 200
"""Rows that are counted exactly, which are more than a screen has. Below them each line counts as one row until it is
drawn."""

Content: TypeAlias = str | Callable[[], Sequence[Chunk]]
"""A text, or what returns chunks: it is called again when they have changed."""


class Scroll(urwid.Widget):
    """Rows that scroll, as a box widget."""

    _sizing = frozenset([urwid.BOX])
    _selectable = False

    def __init__(self, content: Content) -> None:
        super().__init__()
        self._source = content if callable(content) else lambda: text_chunks(content)
        self._chunks = self._source()
        self._heights = [max(chunk.lines, 1) for chunk in self._chunks]  # their rows, as far as they have been drawn
        self._columns = 80
        self._top = (0, 0)  # a chunk and a row of it
        self._height = 1
        self._at_end = True
        self._following = False

    def changed(self) -> None:
        """Ask for the chunks again. If the last row was in view, the new last row will be."""
        self._following = self._following or self._at_end
        self._chunks = self._source()
        self._heights = [max(chunk.lines, 1) for chunk in self._chunks]
        self._invalidate()

    def wanted(self, columns: int) -> int:
        """Return the rows needed to show everything; more than `COUNTED` are estimated."""
        self._use(columns)
        rows = 0
        for at in range(len(self._chunks)):
            rows += len(self._rows(at))
            if rows > COUNTED:
                break
        return sum(self._heights)

    @property
    def position(self) -> str:
        """Which rows are in view; empty if all are."""
        at, row = self._top
        count, top = sum(self._heights), sum(self._heights[:at]) + row
        if not top and self._at_end:
            return ""
        return f"{span(top, min(self._height, count))}/{count}"

    def scroll(self, rows: int) -> None:
        """Scroll down, or up if negative, as far as there are rows."""
        self._following = False
        at, row = self._top
        row += rows
        while row < 0 < at:
            at -= 1
            row += len(self._rows(at))
        row = max(row, 0)
        while at < len(self._chunks) and row >= len(self._rows(at)):
            row -= len(self._rows(at))
            at += 1
        self._top = at, row
        self._settle()
        self._invalidate()

    def page(self, pages: int) -> None:
        """Scroll by pages, which overlap by a row."""
        self.scroll(pages * max(self._height - 1, 1))

    def end(self, *, last: bool) -> None:
        """Go to the first or last row."""
        self._top = (len(self._chunks), 0) if last else (0, 0)
        self.scroll(0)

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        columns, self._height = size
        self._use(columns)
        if self._following:
            self._top = len(self._chunks), 0
        self._following = False
        shown = self._settle()
        return canvas([*shown, *([[]] * (self._height - len(shown)))], columns)

    def _use(self, columns: int) -> None:
        if columns == self._columns:
            return
        at, row = self._top
        before = self._heights[at] if at < len(self._chunks) else 1
        self._columns, self._heights = columns, [max(chunk.lines, 1) for chunk in self._chunks]
        if row:
            self._top = at, row * len(self._rows(at)) // before

    def _rows(self, at: int) -> Sequence[Row[Any]]:
        rows = self._chunks[at].rows(self._columns)
        self._heights[at] = len(rows)
        return rows

    def _settle(self) -> list[Row[Any]]:
        """Scroll back as far as there are empty rows below the last one, and return the rows in view."""
        first, row = min(self._top, (len(self._chunks), 0))
        found: list[Row[Any]] = []
        for at in range(first, len(self._chunks)):
            found += self._rows(at)
            if len(found) - row > self._height:
                break
        row = min(row, len(found))
        found = found[row:]
        self._at_end = len(found) <= self._height
        while len(found) < self._height and (first or row):
            if not row:
                first -= 1
                row = len(self._rows(first))
            start = max(row - (self._height - len(found)), 0)
            found = [*self._rows(first)[start:row], *found]
            row = start
        self._top = first, row
        return found[: self._height]


def span(top: int, count: int) -> str:
    """Format a range of `count` rows from `top` on, counted from 0: `3–5`, or `3` for a single row."""
    return f"{top + 1}–{top + count}" if count > 1 else f"{top + 1}"


def text_chunks(text: str) -> list[Chunk]:
    """Return a text with the margin of dialogs, wrapped. Lines keep their indentation when wrapped."""
    lines = [(line[: len(line) - len(line.lstrip(" "))], line.lstrip(" ")) for line in sanitize(text).split("\n")]

    def chunk(part: Sequence[tuple[str, str]]) -> Chunk:
        def rows(columns: int) -> list[Row[Any]]:
            found: list[Row[Any]] = []
            for indent, line in part:
                margin = [(None, MARGIN + indent)]
                found += wrap([("text", line)], columns, first=margin, rest=margin)
            return found

        return Chunk(rows, len(part))

    return [chunk(lines[at : at + ROWS]) for at in range(0, len(lines), ROWS)]
