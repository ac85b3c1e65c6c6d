"""`Scroll`: rows that scroll in the room there is."""

from collections.abc import Sequence
from typing import Any

from zot_tui.terminal.canvas import Rows, Source, canvas
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import sanitize
from zot_tui.text.wrap import wrap

MARGIN = "  "


class Scroll(Rows):
    """Rows that scroll, as a box widget."""

    _sizing = frozenset([urwid.BOX])

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._count = 0  # rows when the source was asked last
        self._top = 0
        self._height = 1
        self._following = False

    def changed(self) -> None:
        """Ask the source again. If the last row was in view, the new last row will be."""
        self._following = self._following or self._top + self._height >= self._count
        super().changed()

    def wanted(self, columns: int) -> int:
        return len(self._at(columns))

    @property
    def position(self) -> str:
        """Which rows are in view; empty if all are."""
        count = self._count
        if count <= self._height:
            return ""
        return f"{span(self._top, min(self._height, count))}/{count}"

    def scroll(self, rows: int) -> None:
        """Scroll down, or up if negative, as far as there are rows."""
        self._following = False
        self._top = min(max(self._top + rows, 0), max(self._count - self._height, 0))
        self._invalidate()

    def page(self, pages: int) -> None:
        """Scroll by pages, which overlap by a row."""
        self.scroll(pages * max(self._height - 1, 1))

    def end(self, *, last: bool) -> None:
        """Go to the first or last row."""
        self.scroll(self._count if last else -self._count)

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        columns, self._height = size
        rows = self._at(columns)
        last = max(len(rows) - self._height, 0)
        self._top = last if self._following else min(self._top, last)
        self._following = False
        shown = [*rows[self._top : self._top + self._height]]
        return canvas([*shown, *([[]] * (self._height - len(shown)))], columns)

    def _at(self, columns: int) -> Sequence[Row[Any]]:
        rows = super()._at(columns)
        self._count = len(rows)
        return rows


def span(top: int, count: int) -> str:
    """Format a range of `count` rows from `top` on, counted from 0: `3–5`, or `3` for a single row."""
    return f"{top + 1}–{top + count}" if count > 1 else f"{top + 1}"


def text_source(text: str) -> Source:
    """Return a source for a wrapped text with the margin of dialogs. Lines keep their indentation when wrapped."""
    lines = [(line[: len(line) - len(line.lstrip(" "))], line.lstrip(" ")) for line in sanitize(text).split("\n")]

    def rows(columns: int) -> list[Row[Any]]:
        found: list[Row[Any]] = []
        for indent, line in lines:
            margin = [(None, MARGIN + indent)]
            found += wrap([("text", line)], columns, first=margin, rest=margin)
        return found

    return rows
