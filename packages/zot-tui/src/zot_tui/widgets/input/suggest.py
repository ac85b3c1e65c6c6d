"""`Suggest`: the list of completions above an editor."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from zot_tui.terminal.canvas import Rows
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.width import width
from zot_tui.widgets.dialogs.entry import BLANK, ListEntry, entry_row, heading_row, window
from zot_tui.widgets.scroll import span

if TYPE_CHECKING:
    from zot_tui.editor.completion import Candidate, Popup

_Line: TypeAlias = "Candidate | str"
"""A candidate, or the name of a group."""

MAX_ROWS = 9
COUNTED = 5  # rows from which the last row shows the count, if not all candidates fit
LABEL_CELLS = 32


class Suggest(Rows):
    """Draws the candidates of a `Completer` in at most `max_rows` rows. Takes no keys.

    Commands are shown with their slash. If not all candidates fit, the last row says which are in view. `show` must be
    called after every change of the completer. Without a search, each group has a row with its name; a search sorts by
    how well a name matches.
    """

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        super().__init__(self._drawn)
        self._max_rows = max(max_rows, 1)
        self._popup: Popup | None = None
        self._lines: list[_Line] = []
        self._cells: dict[str, int] = {}  # the widest name of each group, after which descriptions begin
        self._chosen = 0
        self._top = 0
        self._page = 1  # rows of candidates in the last drawing

    @property
    def max_rows(self) -> int:
        """The most rows to draw, 1 or more."""
        return self._max_rows

    @max_rows.setter
    def max_rows(self, rows: int) -> None:
        if max(rows, 1) != self._max_rows:
            self._max_rows = max(rows, 1)
            self.changed()

    def show(self, popup: "Popup | None") -> None:
        """Draw these candidates from now on; None to hide."""
        if popup is not self._popup or popup is None:
            self._popup, self._top = popup, 0
            self._lines = _lines(popup) if popup else []
            self._cells = {}
            for each in popup.candidates if popup else ():
                group = self._group(each)
                self._cells[group] = max(width(each.name), self._cells.get(group, 0))
        if popup is not None:
            chosen = popup.candidates[popup.chosen]
            self._chosen = next(index for index, line in enumerate(self._lines) if line is chosen)
        self.changed()

    def page(self, pages: int) -> int:
        """Turn the view by pages, up if negative, and return how many candidates below the chosen one there is the one
        in its row."""
        self._top += pages * self._page
        wanted = min(max(self._chosen + pages * self._page, 0), len(self._lines) - 1)
        wanted += isinstance(self._lines[wanted], str)  # a name is above its group
        first, last = sorted((self._chosen, wanted))
        moved = sum(not isinstance(line, str) for line in self._lines[first:last])
        return moved if wanted > self._chosen else -moved

    def _drawn(self, columns: int) -> list[Row[Any]]:
        rows = min(len(self._lines), self._max_rows)
        count = rows - (rows >= COUNTED and rows < len(self._lines))
        self._page = max(count, 1)
        self._top = window(len(self._lines), self._chosen, self._top, count)
        if self._chosen == 1 and count > 1:
            self._top = 0  # the name of the first group
        shown = self._lines[self._top : self._top + count]
        drawn = [self._row(line, columns) for line in shown]
        return [*drawn, *([self._counted(count, columns)] if count < rows else [])]

    @property
    def _mark(self) -> str:
        return "" if self._popup is None else self._popup.source.mark

    def _group(self, candidate: "Candidate") -> str:
        """Return the group under which a candidate is listed; empty during a search."""
        return "" if self._popup is None or self._popup.query.text else candidate.group

    def _row(self, line: _Line, columns: int) -> Row[Any]:
        if isinstance(line, str):
            return heading_row(line, columns)
        mark = self._mark
        cells = min(len(mark) + self._cells[self._group(line)], LABEL_CELLS, columns // 2)
        entry = ListEntry(
            mark + line.name, line.description, positions=[position + len(mark) for position in line.positions]
        )
        return entry_row(entry, columns, cells, chosen=line is self._lines[self._chosen])

    def _counted(self, count: int, columns: int) -> Row[Any]:
        """Return the row that says which candidates are in view; `+` marks that the search was limited."""
        from zot_tui.editor.completion import LIMIT  # noqa: PLC0415  not before the first drawing

        before, shown, all_of_them = (
            sum(not isinstance(line, str) for line in lines)
            for lines in (self._lines[: self._top], self._lines[self._top : self._top + count], self._lines)
        )
        more = "+" if all_of_them == LIMIT else ""
        text = f"{span(before, shown)} of {all_of_them}{more}"
        return clip_runs([("muted", BLANK + text)], columns)


def _lines(popup: "Popup") -> list[_Line]:
    candidates: Sequence[Candidate] = popup.candidates
    if popup.query.text:
        return [*candidates]
    lines: list[_Line] = []
    group = ""
    for candidate in candidates:
        if candidate.group != group:
            group = candidate.group
            if group:
                lines.append(group)
        lines.append(candidate)
    return lines
