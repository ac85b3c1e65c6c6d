"""`Transcript`: a scrolling conversation. Only the rows in view are drawn."""

# Longer than 400 lines: what is done with the cells of one widget is in one class.

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from zot_tui.lexing_time import LEXING_TIME
from zot_tui.signal import Signal
from zot_tui.terminal.canvas import RowCanvas, blank, canvas, column, cut
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs, join, runs_width
from zot_tui.widgets.actions import Action
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.chunks import Chunk
from zot_tui.widgets.transcript.marks import TranscriptMarks
from zot_tui.widgets.transcript.viewport import RowAddress, View, Viewport

WHEEL = 3  # rows per step of the mouse wheel
OVERLAP = 2  # rows that stay in view when scrolling by a page
DRAWN = 512  # most chunks whose canvases and rows are cached


class TranscriptHeading(NamedTuple):
    """A cell with a heading (a prompt): its number, for `show`, and its first line."""

    number: int
    text: str


class Transcript(urwid.Widget):
    """A box of cells that scrolls and follows its end. It takes no keys; its owner does the `TRANSCRIPT_ACTIONS`.

    Cells are numbered from 0 in the order they were appended; prepended cells have negative numbers. `outdated` is
    emitted when the widget must be redrawn. With `patient`, `grown` is emitted in its place where a cell has changed:
    the owner calls `show_growth` before it redraws, and a key can be drawn before that. `older_wanted` is emitted when
    the user scrolls near the first cell while `older` is set; this clears `older`, and a listener that prepends cells
    sets it again if there are more.
    """

    _sizing = frozenset([urwid.BOX])
    _selectable = False

    def __init__(self) -> None:
        super().__init__()
        self.older = False
        self.outdated: Signal[[]] = Signal()
        self.patient = False
        self.grown: Signal[[]] = Signal()
        self.older_wanted: Signal[[]] = Signal()
        self._viewport = Viewport()
        self._size: tuple[int, int] | None = None
        self._seen = 0  # the number after the last cell that was in view
        self._expanded = False
        self._opened: dict[Cell, tuple[RowAddress, RowAddress]] = {}  # top row before and after a cell was expanded
        self._canvases: OrderedDict[Chunk, RowCanvas] = OrderedDict()
        self._running: list[Cell] = []  # live cells in view
        self._stale = False  # a change was reported and not drawn yet
        self._marks: TranscriptMarks | None = None
        self._growing = False  # such a change waits for `show_growth`

    # Content

    @property
    def cells(self) -> Sequence[Cell]:
        return self._viewport.cells

    def append(self, *cells: Cell) -> None:
        self._adopt(cells)
        self._viewport.append(cells)
        self.changed()

    def prepend(self, cells: Iterable[Cell]) -> None:
        """Add older cells before the first one. The view stays where it is."""
        older = list(cells)
        self._adopt(older)
        self._viewport.prepend(older)
        self.changed()

    def insert(self, after: Cell | None, cells: Sequence[Cell]) -> None:
        """Add cells after another one, None for the beginning. The view stays where it is. Raises ValueError if the
        other one is not here."""
        self._adopt(cells)
        number = self._viewport.insert(after, cells)
        self._opened.clear()  # the addresses may belong to other rows now
        if number < self._seen:
            self._seen += len(cells)
        self.changed()

    def remove(self, cell: Cell) -> None:
        """Remove a cell. Raises ValueError if it is not here."""
        number = self._viewport.remove(cell)
        cell.watch(None)
        self._opened.clear()  # the addresses may belong to other rows now
        self._seen -= number < self._seen
        self.changed()

    def clear(self) -> None:
        """Remove all cells and follow the end."""
        for cell in self._viewport.cells:
            cell.watch(None)
        self._viewport.clear()
        self._opened.clear()
        self._canvases.clear()
        self._seen = 0
        self.older = False
        self.changed()

    def refresh(self) -> None:
        """Make every cell again, because `CellStyle` has changed."""
        for cell in self._viewport.cells:
            cell.restyle()
        self._canvases.clear()
        self.changed()

    def headings(self) -> list[TranscriptHeading]:
        """Return the cells with a heading, including older cells that are not loaded yet."""
        self._fetch()
        headings = ((self._viewport.first + index, cell.heading) for index, cell in enumerate(self._viewport.cells))
        return [TranscriptHeading(number, heading) for number, heading in headings if heading is not None]

    def last_rows(self, width: int, count: int) -> list[Row[Any]]:
        """Return the last `count` rows (1 or more), as drawn in `width` cells."""
        return [
            row
            for _, chunk, first, rows in self._viewport.end_view(width, count).slices
            for row in ([[]] * rows if chunk is None else chunk.rows(width)[first : first + rows])
        ]

    # Position

    @property
    def columns(self) -> int:
        """The width of the last drawing in cells; 80 before the first one."""
        return 80 if self._size is None else self._size[0]

    @property
    def following(self) -> bool:
        return self._viewport.following

    @property
    def new_below(self) -> int:
        """The number of cells that were added out of view and have not been seen since."""
        return 0 if self._viewport.following else max(self._viewport.end - self._seen, 0)

    @property
    def position(self) -> float:
        """How far down the view ends, from 0 to 1, each cell counting the same; 1 before the first drawing."""
        return self._position(self._view())

    def scroll(self, rows: int) -> None:
        """Scroll down by `rows`, or up if negative, as far as possible."""
        top = self._view().top
        if top is not None and self._size is not None:
            self._hold(self._viewport.moved(top, rows, self._size[0]))
        if rows < 0 and top is not None:
            self._ask_for_older()

    def page(self, pages: int) -> None:
        """Scroll by pages."""
        height = self._size[1] if self._size is not None else 0
        self.scroll(pages * max(height - OVERLAP, 1))

    def home(self) -> None:
        """Go to the first cell, including older ones."""
        self._fetch()
        start = self._viewport.start()
        if start is not None:
            self._hold(start)
            self._ask_for_older()

    def to_end(self) -> None:
        """Go to the end and follow it."""
        self._viewport.follow()
        self.changed()

    def show(self, number: int) -> None:
        """Scroll so that the first row of a cell is at the top of the view, or as near as possible."""
        address = self._viewport.at(number)
        if address is not None:
            self._hold(address)

    @property
    def in_view(self) -> list[Cell]:
        """The cells in view, from top to bottom; empty before the first drawing."""
        return [self._viewport.cell(number) for number in dict.fromkeys(each.number for each in self._view().slices)]

    @property
    def last_row(self) -> tuple[Cell, int, int] | None:
        """The last row in view: its cell, its chunk, the row in the chunk. None before the first drawing."""
        found = self._view().bottom
        return None if found is None else (self._viewport.cell(found.number), found.chunk, found.row)

    def show_row(self, cell: Cell, chunk: int, row: int) -> None:
        """Scroll so that a row of a chunk is in view, unless it is. Raises ValueError if the cell is not here."""
        width, height = self._size or (80, 24)
        address, view = RowAddress(self._viewport.number(cell), chunk, row), self._view()
        if view.top is None or view.bottom is None or not view.top <= address <= view.bottom:
            self._hold(self._viewport.moved(address, -(height // 3), width))

    @property
    def marks(self) -> TranscriptMarks | None:
        """The places that are marked; can be set."""
        return self._marks

    @marks.setter
    def marks(self, marks: TranscriptMarks | None) -> None:
        self._marks = marks
        self.changed()

    def previous_heading(self) -> None:
        """Go to the last heading above the top row."""
        top = self._view().top
        if top is not None:
            self._show_heading(range(top.number - (top.chunk == 0 and top.row <= 0), self._viewport.first - 1, -1))

    def next_heading(self) -> None:
        """Go to the next heading, or to the end."""
        top = self._view().top
        if top is not None and not self._show_heading(range(top.number + 1, self._viewport.end)):
            self.to_end()

    # Expanding

    def toggle_expanded(self) -> None:
        """Expand or fold the lowest cell in view that can be expanded or folded.

        The view scrolls no further than needed to show the beginning of the expanded cell and as much of it as fits. It
        scrolls back when the cell is folded again, unless the user has scrolled above it. If the top row belongs to the
        cell and still exists, it stays at the top.
        """
        if self._size is None:
            return
        view = self._view()
        for number in dict.fromkeys(piece.number for piece in reversed(view.slices)):
            cell = self._viewport.cell(number)
            if view.top is not None and (cell.expanded or cell.folds(self._size[0])):
                if self._viewport.following and (cell.live or cell.expanded):
                    self._opened.pop(cell, None)
                    cell.expanded = not cell.expanded
                elif cell.expanded:
                    self._fold(number, view.top)
                else:
                    self._expand(number, view.top)
                return

    def _expand(self, number: int, top: RowAddress) -> None:
        cell, (width, height) = self._viewport.cell(number), self._size or (80, 24)
        before = self._row(top, width)
        cell.expanded = True
        address = top
        if top.number != number or self._row(top, width) != before:
            address = self._viewport.bringing(number, top, width, height)
        self._opened[cell] = (top, address)
        end = self._viewport.end_view(width, height).top
        if not (self._viewport.following and end is not None and end <= RowAddress(number, 0, 0)):
            self._hold(address)

    def _fold(self, number: int, top: RowAddress) -> None:
        cell = self._viewport.cell(number)
        before, after = self._opened.pop(cell, (top, top))
        cell.expanded = False
        self._hold(before if top >= after else top)

    def _row(self, address: RowAddress, width: int) -> Row[Any] | None:
        """Return a row; None if it is an empty row between cells, or does not exist any more."""
        chunks = self._viewport.chunks(address.number)
        rows = chunks[address.chunk].rows(width) if address.chunk < len(chunks) else []
        return rows[address.row] if 0 <= address.row < len(rows) else None

    @property
    def all_expanded(self) -> bool:
        """Whether all cells were expanded last, and new ones are."""
        return self._expanded

    def toggle_all_expanded(self) -> None:
        """Expand all cells, including new ones, or fold them all again."""
        self._expanded = not self._expanded
        self._opened.clear()
        top = self._view().top
        following = self._viewport.following
        for cell in self._viewport.cells:
            cell.expanded = self._expanded
        if top is not None and not following:
            self._hold(top)
        self.changed()

    def spin(self, frame: int) -> bool:
        """Show frame number `frame` of the spinner in live cells in view. Return False if no cell is live."""
        return any([cell.spin(frame) for cell in self._running])

    # Drawing

    def changed(self) -> None:
        """Report that the widget must be redrawn."""
        if self._stale:
            return
        self._stale = True
        self._invalidate()
        self.outdated.emit()

    def show_growth(self) -> None:
        """Let the next drawing show the cells that have grown."""
        if self._growing:
            self._growing = False
            self._invalidate()

    def _cell_changed(self) -> None:
        if not self.patient:
            self.changed()
        elif not self._stale and not self._growing:
            self._growing = True
            self.grown.emit()

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        columns, height = size
        if columns != self.columns:
            self._canvases.clear()
        self._size = (columns, height)
        self._stale = self._growing = False
        view = self._view()
        seen = dict.fromkeys(piece.number for piece in view.slices)
        self._running = [cell for number in seen if (cell := self._viewport.cell(number)).live]
        self._seen = max(self._seen, view.bottom.number + 1 if view.bottom is not None else 0)
        mark = [] if view.at_end else self._mark(view, columns)
        pieces: list[RowCanvas] = []
        for index, (number, chunk, first, count) in enumerate(view.slices):
            shown = count - (1 if mark and index == len(view.slices) - 1 else 0)
            if shown:
                marked = chunk and self._marks and self._marks.draw(self._viewport.cell(number), chunk, columns)
                pieces.append(cut(marked, first, shown) if marked else self._canvas(chunk, first, shown, columns))
        if mark:
            last = view.slices[-1]
            row = last.chunk.rows(columns)[last.first + last.rows - 1] if last.chunk is not None else []
            pieces.append(canvas([_marked(row, mark, columns)], columns))
        missing = height - sum(piece.rows() for piece in pieces)
        if missing:
            pieces.append(blank(columns, missing))
        return column(pieces, columns)

    def mouse_event(self, size: Any, event: str, button: int, col: int, row: int, focus: bool) -> bool:  # noqa: FBT001  urwid's
        """See urwid: the wheel scrolls."""
        if "press" not in event or button not in (4, 5):
            return False
        self.scroll(-WHEEL if button == 4 else WHEEL)
        return True

    def _canvas(self, chunk: Chunk | None, first: int, count: int, columns: int) -> RowCanvas:
        """Return `count` rows of a chunk from `first` on, or empty rows."""
        if chunk is None:
            return blank(columns, count)
        found = self._canvases.get(chunk)
        if found is None:
            postponed = LEXING_TIME.postponed
            found = canvas(chunk.rows(columns), columns)
            if LEXING_TIME.postponed != postponed:
                return cut(found, first, count)
            if len(self._canvases) >= DRAWN:
                self._canvases.popitem(last=False)[0].forget()
        self._canvases[chunk] = found
        self._canvases.move_to_end(chunk)
        if count == found.rows():
            return found
        return cut(found, first, count)

    def _position(self, view: View) -> float:
        bottom = view.bottom
        if bottom is None or view.at_end or self._size is None:
            return 1.0
        chunks = self._viewport.chunks(bottom.number)
        rows = len(chunks[bottom.chunk].rows(self._size[0]))
        within = (bottom.chunk + (bottom.row + 1) / rows) / len(chunks)
        return (bottom.number - self._viewport.first + within) / len(self._viewport.cells)

    def _mark(self, view: View, columns: int) -> Row[Any]:
        """Return the mark with the position and the number of new cells below."""
        row: Row[Any] = []
        if self.new_below:
            row = [("accent", f" ↓ {self.new_below:,} new"), ("dim", " ·")]
        return clip_runs([*row, ("dim", f" {min(int(self._position(view) * 100), 99)}% ")], columns)

    def _view(self) -> View:
        return self._viewport.view(*self._size) if self._size is not None else View()

    def _hold(self, address: RowAddress) -> None:
        width, height = self._size or (80, 24)
        self._viewport.hold(address, width, height)
        self.changed()

    def _show_heading(self, numbers: Iterable[int]) -> bool:
        """Go to the first of these cells that has a heading. Return False if no cell has one."""
        for number in numbers:
            if self._viewport.cell(number).heading is not None:
                self.show(number)
                return True
        return False

    def _ask_for_older(self) -> None:
        """Emit `older_wanted` if the first cell is at most a screen above the view."""
        top = self._view().top
        if not self.older or top is None or self._size is None:
            return
        width, height = self._size
        if self._viewport.moved(top, -height, width) == self._viewport.start():
            self.older = False
            self.older_wanted.emit()

    def _fetch(self) -> None:
        """Load all older cells, as far as listeners of `older_wanted` prepend them before they return."""
        while self.older:
            self.older = False
            self.older_wanted.emit()

    def _adopt(self, cells: Iterable[Cell]) -> None:
        for cell in cells:
            if self._expanded:
                cell.expanded = True
            cell.watch(self._cell_changed)


def _marked(row: Row[Any], mark: Row[Any], columns: int) -> Row[Any]:
    """Return the row with the mark at its right end."""
    room = columns - runs_width(mark)
    band = row[-1][0] if row and not row[-1][1] else None
    shown = clip_runs(row, room)
    return [*join([*shown, (band, " " * (room - runs_width(shown)))]), *mark]


TRANSCRIPT_ACTIONS: tuple[Action[Transcript], ...] = (
    Action("scroll_up", lambda transcript: transcript.scroll(-1), "scroll up", ("shift+up",)),
    Action("scroll_down", lambda transcript: transcript.scroll(1), "scroll down", ("shift+down",)),
    Action("scroll_page_up", lambda transcript: transcript.page(-1), "scroll up a page", ("pageup",)),
    Action("scroll_page_down", lambda transcript: transcript.page(1), "scroll down a page", ("pagedown",)),
    Action("scroll_home", Transcript.home, "go to the first message", ("shift+home",)),
    Action("scroll_end", Transcript.to_end, "go to the end and follow it", ("shift+end",)),
    Action("turn_previous", Transcript.previous_heading, "go to the previous prompt", ("alt+pageup",)),
    Action("turn_next", Transcript.next_heading, "go to the next prompt", ("alt+pagedown",)),
    Action("expand", Transcript.toggle_expanded, "expand or fold output", ("ctrl+o",)),
    Action("expand_all", Transcript.toggle_all_expanded, "expand or fold everything", ("alt+o",)),
)
