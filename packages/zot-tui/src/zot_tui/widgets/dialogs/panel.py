"""`PanelWidget`: a panel that a program of someone else fills with lines of text."""

import re
from collections.abc import Sequence
from typing import Any

from zot_tui.terminal.canvas import canvas
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.ansi import PLAIN, parse_ansi, strip_ansi
from zot_tui.text.runs import Row, clip_runs, runs_width
from zot_tui.text.sanitize import detached, sanitize, sanitize_line
from zot_tui.text.width import clip, width
from zot_tui.text.wrap import wrap
from zot_tui.widgets.dialogs.entry import window
from zot_tui.widgets.scroll import MARGIN, span

MAX_ROWS = 20
CHROME = 3  # rule, title, footer
CHARACTERS = 100_000

_SELECTED = ("▸ ", "● ", "\u200b")
_DONE = "✓"


class PanelWidget(urwid.Widget):
    """Title, lines and footer in at most `max_rows` rows (4 or more), of which the lines scroll. Takes no keys.

    `closes` is the key that closes it, which is said at the right of the title unless the footer speaks of it.

    Terminal colours of a line are kept, every other control sequence is dropped; a long line is wrapped. A line that
    begins with `▸ `, `● ` or U+200B is drawn as selected and kept in sight; a `✓` at the beginning is a success. Lines
    after the first 100,000 characters are left out.
    """

    _sizing = frozenset([urwid.FLOW])
    _selectable = False

    def __init__(
        self, title: str, lines: Sequence[str], footer: str = "", *, max_rows: int = MAX_ROWS, closes: str = ""
    ) -> None:
        super().__init__()
        self._closes = closes
        self._title = title
        self._lines: list[str] = []
        self._footer = ""
        self._max_rows = max_rows
        self._columns = 0
        self._rows: list[Row[Any]] = []
        self._selected = (-1, -1)  # the first and the last row of the selected line
        self._top = 0
        self.update(title, lines, footer)

    @property
    def max_rows(self) -> int:
        """Rows it takes at most."""
        return self._max_rows

    @max_rows.setter
    def max_rows(self, rows: int) -> None:
        self._max_rows = rows
        self._invalidate()

    def update(self, title: str, lines: Sequence[str], footer: str = "") -> None:
        """Draw this from now on. An empty title leaves the one there is; the footer is always replaced."""
        self._title = title or self._title
        self._lines = _bounded(lines)
        self._footer = footer
        self._columns = 0
        self._invalidate()

    def scroll(self, rows: int) -> None:
        """Go down (up, if negative) as far as there are lines; a selected line stays in sight."""
        self._top = max(self._top + rows, 0)
        self._invalidate()

    def rows(self, size: Any, focus: bool = False) -> int:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        self._lay_out(size[0])
        return CHROME - (not self._footer) + self._height()

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        columns = size[0]
        self._lay_out(columns)
        height = self._height()
        first, last = self._selected
        self._top = window(len(self._rows), last, self._top, height)
        if first >= 0:
            self._top = min(self._top, first)  # of a line taller than the panel the beginning
        drawn: list[Row[Any]] = [[("border", "─" * columns)], self._title_row(columns, height)]
        drawn += self._rows[self._top : self._top + height]
        if self._footer:
            drawn.append(clip_runs([("muted", MARGIN + detached(sanitize_line(self._footer)))], columns))
        return canvas(drawn, columns)

    def _height(self) -> int:
        return min(len(self._rows), max(self._max_rows - CHROME + (not self._footer), 1))

    def _title_row(self, columns: int, height: int) -> Row[Any]:
        """The title, and at the right which rows are shown and how to close: what fits, the former first."""
        title = MARGIN + detached(sanitize_line(self._title))
        count = len(self._rows)
        place: Row[Any] = [("muted", f"{span(self._top, height)}/{count}")] if count > height else []
        closing = self._closing()
        more: Row[Any] = [("dim", " · "), *closing] if place and closing else closing
        for detail in ([*place, *more], place):
            free = columns - runs_width(detail) - 2
            if detail and free >= 8:
                shown = clip(title, free - 1)
                return [("title", shown), (None, " " * (free - width(shown))), *detail]
        return clip_runs([("title", title)], columns)

    def _closing(self) -> Row[Any]:
        told = re.search(rf"\b{re.escape(self._closes)}", sanitize_line(self._footer), re.IGNORECASE)
        return [] if told or not self._closes else [("key", self._closes), ("muted", " close")]

    def _lay_out(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns, self._rows, self._selected = columns, [], (-1, -1)
        for line in self._lines:
            runs, _ = parse_ansi(line)
            selected = strip_ansi(line).startswith(_SELECTED)
            rows = wrap(_styled(runs), columns, first=[(None, MARGIN)], rest=[(None, MARGIN)])
            if selected:
                rows = [[("selection", "".join(text for _, text in row)), ("selection", "")] for row in rows]
                if self._selected[0] < 0:
                    self._selected = (len(self._rows), len(self._rows) + len(rows) - 1)
            self._rows += rows


def _bounded(lines: Sequence[str]) -> list[str]:
    """What of the lines is drawn: a program that sends more than anybody reads must not stop the screen."""
    kept: list[str] = []
    room = CHARACTERS
    for line in lines:
        if room <= 0:
            break
        kept.append(line[:room])
        room -= len(line) + 1
    return kept


def _styled(runs: Sequence[tuple[Any, str]]) -> Row[Any]:
    """The runs of a line in styles of the theme where it has no colours of its own, made harmless."""
    row: Row[Any] = []
    for index, (style, text) in enumerate(runs):
        shown = detached(sanitize(text).replace("\n", " "))
        token = "text" if style == PLAIN else style
        if index == 0 and token == "text" and shown.lstrip().startswith(_DONE):
            before, mark, shown = shown.partition(_DONE)
            row += [("text", before), ("success", mark)]
        row.append((token, shown))
    return row
