"""`FramedPanel`: lines of another program within a frame."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from zot_tui.terminal.canvas import RowCanvas, Rows, canvas
from zot_tui.text.runs import Row, clip_runs, runs_width
from zot_tui.text.sanitize import detached, sanitize_line
from zot_tui.text.width import clip
from zot_tui.theme.theme import Theme
from zot_tui.widgets.spans import line_runs

Line: TypeAlias = str | Sequence[Mapping[str, Any]]

_CORNERS = "╭╮╰╯"


class FramedPanel(Rows):
    """A title, lines and a footer: between rules, or with `boxed` in a box, which `width` and `height` cells limit.

    `closes` is the key that closes it while it is `focused`, shown beside the title unless the footer mentions it.
    Lines are clipped, not wrapped. A line that is the same as before is not read again.
    """

    def __init__(self, theme: Callable[[], Theme], *, boxed: bool = False, closes: str = "") -> None:
        super().__init__(self._drawn)
        self._theme, self._boxed, self._closes = theme, boxed, closes
        self._title = self._footer = ""
        self._lines: Sequence[Line] = ()
        self._read: list[tuple[Line, Row[Any]]] = []
        self._read_for = -1
        self._height = 0
        self.focused = False
        self.cursor: tuple[int, int] | None = None

    def update(
        self,
        title: str,
        lines: Sequence[Line],
        footer: str,
        *,
        height: int,
        focused: bool,
        cursor: tuple[int, int] | None = None,
    ) -> None:
        """Show something else. `height` is the number of rows, frame included. `cursor` is row and column within the
        lines; it is drawn while `focused`."""
        self._title, self._lines, self._footer = title, lines, footer
        self._height, self.focused, self.cursor = height, focused, cursor
        self.changed()

    def dress(self) -> None:
        """Follow another theme."""
        self._read_for = -1
        self.changed()

    def render(self, size: Any, focus: bool = False) -> RowCanvas:  # noqa: FBT001, FBT002  urwid's
        columns = size[0]
        rows = self._at(columns)
        side = 1 if self._boxed else 0
        place = None
        if self.focused and self.cursor is not None:
            row, column = self.cursor
            if row < len(rows) - 2 and 0 <= column < columns - 2 * side:
                place = column + side, row + 1
        return canvas(rows, columns, place)

    def _drawn(self, columns: int) -> list[Row[Any]]:
        style = "accent" if self.focused else "border"
        inner = max(columns - 2, 1) if self._boxed else columns
        left, right = ([(style, "│")], [(style, "│")]) if self._boxed else ([], [])
        rows = [self._edge(columns, style, self._title, "title", _CORNERS[:2], self._closing())]
        for row in self._shown(inner):
            rows.append([*left, *row, (None, " " * (inner - runs_width(row))), *right])
        rows.append(self._edge(columns, style, self._footer, "muted", _CORNERS[2:], []))
        return rows

    def _shown(self, inner: int) -> list[Row[Any]]:
        count = max(self._height - 2, 0)
        if inner != self._read_for:
            self._read, self._read_for = [], inner
        read, theme = self._read, self._theme()
        for at, line in enumerate(self._lines[:count]):
            if at >= len(read):
                read.append((line, clip_runs(line_runs(line, theme), inner)))
            elif read[at][0] != line:
                read[at] = line, clip_runs(line_runs(line, theme), inner)
        del read[min(len(self._lines), count) :]
        return [row for _, row in read] + [[]] * (count - len(read) if self._boxed else 0)

    def _closing(self) -> Row[Any]:
        mentioned = re.search(rf"\b{re.escape(self._closes)}", self._footer, re.IGNORECASE)
        return [] if not self.focused or mentioned or not self._closes else [("key", self._closes), ("muted", " close")]

    def _edge(self, columns: int, style: str, text: str, token: str, corners: str, more: Row[Any]) -> Row[Any]:
        """Return a row of the frame with a text at its left and another one at its right, as far as they fit."""
        first, last = (corners[0], corners[1]) if self._boxed else ("─", "─")
        if columns < 4:
            return [(style, f"{first}{'─' * (columns - 2)}{last}"[:columns])]
        shown = clip(detached(sanitize_line(text)), max(columns - 6, 0)) if text else ""
        row: Row[Any] = [(style, first + "─"), *([(token, f" {shown} ")] if shown else [])]
        free = columns - runs_width(row) - 2
        if more and runs_width(more) + 3 <= free:
            line = "─" * (free - runs_width(more) - 2)
            return [*row, (style, line), (None, " "), *more, (None, " "), (style, "─" + last)]
        return [*row, (style, "─" * free + "─" + last)]
