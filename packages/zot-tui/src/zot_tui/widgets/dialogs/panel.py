"""`PanelWidget`: a panel with lines of text from another program."""

import re
from collections.abc import Sequence
from typing import Any

from zot_tui.terminal.canvas import Rows
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


class PanelWidget(Rows):
    """Title, scrolling lines and footer in at most `max_rows` rows (4 or more). Takes no keys.

    `closes` is the key that closes it, shown at the right of the title unless the footer mentions it.

    Terminal colours are kept, other control sequences are dropped, long lines are wrapped. A line that begins with
    `▸ `, `● ` or U+200B is drawn as selected and kept in view; a leading `✓` is drawn as a success. Lines after the
    first 100,000 characters are left out.
    """

    def __init__(
        self, title: str, lines: Sequence[str], footer: str = "", *, max_rows: int = MAX_ROWS, closes: str = ""
    ) -> None:
        super().__init__(self._drawn)
        self._closes = closes
        self._title = title
        self._lines: list[str] = []
        self._footer = ""
        self._max_rows = max_rows
        self._content: tuple[int, list[Row[Any]]] = (0, [])  # the rows of all lines, for a width
        self._selected = (-1, -1)  # first and last row of the selected line
        self._top = 0
        self.update(title, lines, footer)

    @property
    def max_rows(self) -> int:
        return self._max_rows

    @max_rows.setter
    def max_rows(self, rows: int) -> None:
        if rows != self._max_rows:
            self._max_rows = rows
            self.changed()

    def update(self, title: str, lines: Sequence[str], footer: str = "") -> None:
        """Replace lines and footer, and the title unless it is empty."""
        self._title = title or self._title
        self._lines = _bounded(lines)
        self._footer = footer
        self._content = (0, [])
        self.changed()

    def scroll(self, rows: int) -> None:
        """Scroll down, or up if negative, as far as there are lines; a selected line stays in view."""
        self._top = max(self._top + rows, 0)
        self.changed()

    def _drawn(self, columns: int) -> list[Row[Any]]:
        if columns != self._content[0]:
            self._content = columns, self._laid_out(columns)
        rows = self._content[1]
        height = min(len(rows), max(self._max_rows - CHROME + (not self._footer), 1))
        first, last = self._selected
        self._top = window(len(rows), last, self._top, height)
        if first >= 0:
            self._top = min(self._top, first)  # show the beginning of a line taller than the panel
        title = self._title_row(columns, height, len(rows))
        drawn: list[Row[Any]] = [[("border", "─" * columns)], title, *rows[self._top : self._top + height]]
        if self._footer:
            drawn.append(clip_runs([("muted", MARGIN + detached(sanitize_line(self._footer)))], columns))
        return drawn

    def _title_row(self, columns: int, height: int, count: int) -> Row[Any]:
        """Return the title with the range of rows in view and the closing key, as far as they fit, in this order."""
        title = MARGIN + detached(sanitize_line(self._title))
        position: Row[Any] = [("muted", f"{span(self._top, height)}/{count}")] if count > height else []
        closing = self._closing()
        more: Row[Any] = [("dim", " · "), *closing] if position and closing else closing
        for detail in ([*position, *more], position):
            free = columns - runs_width(detail) - 2
            if detail and free >= 8:
                shown = clip(title, free - 1)
                return [("title", shown), (None, " " * (free - width(shown))), *detail]
        return clip_runs([("title", title)], columns)

    def _closing(self) -> Row[Any]:
        mentioned = re.search(rf"\b{re.escape(self._closes)}", sanitize_line(self._footer), re.IGNORECASE)
        return [] if mentioned or not self._closes else [("key", self._closes), ("muted", " close")]

    def _laid_out(self, columns: int) -> list[Row[Any]]:
        """Return the rows of all lines, and note which of them are selected."""
        laid_out: list[Row[Any]] = []
        self._selected = (-1, -1)
        for line in self._lines:
            runs, _ = parse_ansi(line)
            selected = strip_ansi(line).startswith(_SELECTED)
            rows = wrap(_styled(runs), columns, first=[(None, MARGIN)], rest=[(None, MARGIN)])
            if selected:
                rows = [[("selection", "".join(text for _, text in row)), ("selection", "")] for row in rows]
                if self._selected[0] < 0:
                    self._selected = (len(laid_out), len(laid_out) + len(rows) - 1)
            laid_out += rows
        return laid_out


def _bounded(lines: Sequence[str]) -> list[str]:
    """Return the lines up to `CHARACTERS`: a program that sends too much text must not block the screen."""
    kept: list[str] = []
    room = CHARACTERS
    for line in lines:
        if room <= 0:
            break
        kept.append(line[:room])
        room -= len(line) + 1
    return kept


def _styled(runs: Sequence[tuple[Any, str]]) -> Row[Any]:
    """Return the sanitized runs of a line; uncoloured text gets styles of the theme."""
    row: Row[Any] = []
    for index, (style, text) in enumerate(runs):
        shown = detached(sanitize(text).replace("\n", " "))
        token = "text" if style == PLAIN else style
        if index == 0 and token == "text" and shown.lstrip().startswith(_DONE):
            before, mark, shown = shown.partition(_DONE)
            row += [("text", before), ("success", mark)]
        row.append((token, shown))
    return row
