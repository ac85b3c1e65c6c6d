"""`Suggest`: the list of completions above an editor."""

from collections.abc import Sequence
from typing import Any

from zot_tui.editor.completion import Candidate, Popup
from zot_tui.text.runs import Row
from zot_tui.text.width import width
from zot_tui.urwid_parts import urwid
from zot_tui.widgets.entry import Entry, entry_row, heading_row, window
from zot_tui.widgets.rows import canvas

MAX_ROWS = 8
LABEL_CELLS = 32


class Suggest(urwid.Widget):
    """Draws what a `Completer` offers in at most `max_rows` rows, none while there is nothing. Takes no keys.

    `show` is called after each change of the completer. Groups are parted by a row with their name as long as nothing
    is searched for: a search orders by how well a name fits.
    """

    _sizing = frozenset([urwid.FLOW])
    _selectable = False

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        super().__init__()
        self._max_rows = max(max_rows, 1)
        self._popup: Popup | None = None
        self._lines: list[Candidate | str] = []  # candidates, and the names of groups above them
        self._chosen = 0
        self._top = 0

    @property
    def max_rows(self) -> int:
        """Rows it takes at most, 1 or more."""
        return self._max_rows

    @max_rows.setter
    def max_rows(self, rows: int) -> None:
        self._max_rows = max(rows, 1)
        self._invalidate()

    def show(self, popup: Popup | None) -> None:
        """Draw this from now on; None for nothing."""
        if popup is not self._popup or popup is None:
            self._popup, self._top = popup, 0
            self._lines = _lines(popup) if popup else []
        if popup is not None:
            chosen = popup.candidates[popup.chosen]
            self._chosen = next(index for index, line in enumerate(self._lines) if line is chosen)
        self._invalidate()

    def rows(self, size: Any, focus: bool = False) -> int:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        return min(len(self._lines), self._max_rows)

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        columns = size[0]
        count = min(len(self._lines), self._max_rows)
        self._top = window(len(self._lines), self._chosen, self._top, count)
        if self._chosen == 1 and count > 1:
            self._top = 0  # the name of the first group
        shown = self._lines[self._top : self._top + count]
        names = [width(line.name) for line in self._lines if isinstance(line, Candidate)]
        cells = min(max(names, default=0), LABEL_CELLS, columns // 2)
        return canvas([self._row(line, columns, cells) for line in shown], columns)

    def _row(self, line: Candidate | str, columns: int, cells: int) -> Row[Any]:
        if isinstance(line, str):
            return heading_row(line, columns)
        entry = Entry(line.name, line.description, positions=line.positions)
        return entry_row(entry, columns, cells, chosen=line is self._lines[self._chosen])


def _lines(popup: Popup) -> list[Candidate | str]:
    candidates: Sequence[Candidate] = popup.candidates
    if popup.query.text:
        return [*candidates]
    lines: list[Candidate | str] = []
    group = ""
    for candidate in candidates:
        if candidate.group != group:
            group = candidate.group
            if group:
                lines.append(group)
        lines.append(candidate)
    return lines
