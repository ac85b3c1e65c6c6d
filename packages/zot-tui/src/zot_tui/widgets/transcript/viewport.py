"""`Viewport`: which rows of a long list of cells are in view; no urwid.

Only chunks in view or passed by scrolling are drawn, so the cost does not depend on the number of cells. The
view stays still while cells above or below it are added, removed or change their height: it is anchored to a row
address, not to a number of rows.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.chunks import Chunk

CACHED = 256  # most cells whose chunks are kept; more than a screen has rows


class RowAddress(NamedTuple):
    """A row: the number of its cell, its chunk, the row in the chunk; negative rows are the gap above the cell."""

    number: int
    chunk: int
    row: int


class Slice(NamedTuple):
    """Adjacent rows in view: `rows` of a chunk from `first` on, or empty rows (no chunk)."""

    number: int
    chunk: Chunk | None
    first: int
    rows: int


@dataclass(slots=True)
class View:
    """The rows in view, from `top` to `bottom`; `at_end` is whether the very last row is in view."""

    slices: list[Slice] = field(default_factory=list)
    top: RowAddress | None = None
    bottom: RowAddress | None = None
    at_end: bool = True


@dataclass(slots=True)
class _Anchor:
    """The row at the top of the view, with the width and rows of its chunk, which are needed after a resize."""

    address: RowAddress
    width: int = 0
    rows: int = 0


class Viewport:
    """Cells with fixed numbers, and the part of them in view. Prepended cells get smaller numbers, below 0.

    The view follows the end until it is moved away, and again when the end comes back into view.
    """

    __slots__ = ("_anchor", "_cached", "_cells", "_first")

    def __init__(self) -> None:
        self._cells: list[Cell] = []
        self._first = 0
        self._anchor: _Anchor | None = None
        self._cached: OrderedDict[Cell, None] = OrderedDict()

    @property
    def cells(self) -> Sequence[Cell]:
        """All cells, the oldest first."""
        return self._cells

    @property
    def first(self) -> int:
        return self._first

    @property
    def end(self) -> int:
        """The number after that of the last cell."""
        return self._first + len(self._cells)

    @property
    def following(self) -> bool:
        return self._anchor is None

    def append(self, cells: Iterable[Cell]) -> None:
        self._cells += cells

    def prepend(self, cells: Sequence[Cell]) -> None:
        """Add cells before the first one."""
        self._cells[:0] = cells
        self._first -= len(cells)

    def insert(self, after: Cell | None, cells: Sequence[Cell]) -> int:
        """Add cells after another one, None for the beginning, and return the number of the first. Later numbers
        increase. Raises ValueError if the other one is not here."""
        number = self._first if after is None else self.number(after) + 1
        self._cells[number - self._first : number - self._first] = cells
        anchor = self._anchor
        if anchor is not None and anchor.address.number >= number:
            anchor.address = anchor.address._replace(number=anchor.address.number + len(cells))
        return number

    def remove(self, cell: Cell) -> int:
        """Remove a cell and return its number; later numbers decrease by one. Raises ValueError if it is not here."""
        number = self.number(cell)
        del self._cells[number - self._first]
        self._cached.pop(cell, None)
        anchor = self._anchor
        if anchor is not None and anchor.address.number == number == self.end:
            self._anchor = None
        elif anchor is not None and anchor.address.number == number:
            anchor.address = RowAddress(number, 0, 0)
        elif anchor is not None and anchor.address.number > number:
            anchor.address = anchor.address._replace(number=anchor.address.number - 1)
        return number

    def clear(self) -> None:
        self._cells.clear()
        self._cached.clear()
        self._first = 0
        self._anchor = None

    def number(self, cell: Cell) -> int:
        """Return the number of a cell. Raises ValueError if it is not here."""
        for index in range(len(self._cells) - 1, -1, -1):
            if self._cells[index] is cell:
                return self._first + index
        raise ValueError(f"{cell!r} is not in this transcript")

    def cell(self, number: int) -> Cell:
        """Return the cell with this number, which must exist."""
        return self._cells[number - self._first]

    def chunks(self, number: int) -> Sequence[Chunk]:
        """Return the chunks of a cell, and release the cell that was used least recently if too many are cached."""
        cell = self.cell(number)
        cached = self._cached
        cached[cell] = None
        cached.move_to_end(cell)
        if len(cached) > CACHED:
            cached.popitem(last=False)[0].release()
        return cell.chunks

    def gap(self, number: int) -> int:
        """Return the empty rows above a visible cell: none above the first, and none between two tight cells."""
        above = self._shown(number - 1, -1)
        if above is None:
            return 0
        return 0 if self.cell(number).tight and self.cell(above).tight else 1

    def view(self, width: int, height: int) -> View:
        """Return the rows in view; `width` and `height` are 1 or more. The view is full if there are enough rows."""
        top = self._from_end(width, height) if self._anchor is None else self._resolved(self._anchor, width)
        view = self._fill(top, width, height)
        if self._anchor is not None and sum(piece.rows for piece in view.slices) < height:
            view = self.end_view(width, height)
        return view

    def hold(self, address: RowAddress, width: int, height: int) -> View:
        """Put a row at the top of the view, or its cell if the row does not exist any more, and return the new view.

        If that brings the end into view, the view follows the end from then on.
        """
        if address.chunk >= len(self.chunks(address.number)):
            address = self.at(address.number) or address
        self._anchor = _Anchor(address, width, self._rows(address.number, address.chunk, width))
        view = self.view(width, height)
        if view.at_end:
            self._anchor = None
        return view

    def follow(self) -> None:
        self._anchor = None

    def end_view(self, width: int, height: int) -> View:
        """Return the view that ends with the last row."""
        return self._fill(self._from_end(width, height), width, height)

    def bringing(self, number: int, top: RowAddress, width: int, height: int) -> RowAddress:
        """Return the top row nearest to `top` that shows the beginning of a cell and as much of it as fits."""
        first = RowAddress(number, 0, 0)
        shown = sum(piece.rows for piece in self._fill(first, width, height).slices if piece.number == number)
        return min(max(top, self.moved(first, shown - height, width)), first)

    def moved(self, address: RowAddress, rows: int, width: int) -> RowAddress:
        """Return the address `rows` further down, or up if negative, as far as there are rows."""
        number, chunk, row = address
        row += rows
        while row >= (count := self._rows(number, chunk, width)):
            after = self._next(number, chunk)
            if after is None:
                return RowAddress(number, chunk, count - 1)
            row -= count
            number, chunk = after
            row -= 0 if chunk else self.gap(number)
        while row < (least := 0 if chunk else -self.gap(number)):
            before = self._previous(number, chunk)
            if before is None:
                return RowAddress(number, chunk, least)
            row -= least
            number, chunk = before
            row += self._rows(number, chunk, width)
        return RowAddress(number, chunk, row)

    def start(self) -> RowAddress | None:
        """Return the first row; None if nothing is shown."""
        number = self._shown(self._first, 1)
        return None if number is None else RowAddress(number, 0, 0)

    def at(self, number: int) -> RowAddress | None:
        """Return the first row of a cell. If it is not visible, the next visible cell's, else the last one's."""
        found = self._shown(max(number, self._first), 1)
        found = self._shown(min(number, self.end - 1), -1) if found is None else found
        return None if found is None else RowAddress(found, 0, 0)

    def _rows(self, number: int, chunk: int, width: int) -> int:
        return len(self.chunks(number)[chunk].rows(width))

    def _shown(self, number: int, step: int) -> int | None:
        """Return the first visible cell from `number` on, in the direction of `step`."""
        while self._first <= number < self.end:
            if self.cell(number).shows:
                return number
            number += step
        return None

    def _next(self, number: int, chunk: int) -> tuple[int, int] | None:
        if chunk + 1 < len(self.chunks(number)):
            return number, chunk + 1
        after = self._shown(number + 1, 1)
        return None if after is None else (after, 0)

    def _previous(self, number: int, chunk: int) -> tuple[int, int] | None:
        if chunk:
            return number, chunk - 1
        before = self._shown(number - 1, -1)
        return None if before is None else (before, len(self.chunks(before)) - 1)

    def _from_end(self, width: int, height: int) -> RowAddress | None:
        """Return the row from which the rest fills the view, or the first row."""
        number = self._shown(self.end - 1, -1)
        if number is None:
            return None
        chunk = len(self.chunks(number)) - 1
        last = self._rows(number, chunk, width)
        return self.moved(RowAddress(number, chunk, last), -height, width)

    def _resolved(self, anchor: _Anchor, width: int) -> RowAddress | None:
        """Return the current address of the anchor."""
        number, chunk, row = anchor.address
        found = self.at(number)
        if found is not None and found.number != number:
            anchor.address = found  # its cell is not visible any more: use another cell from now on
        if found is None or found.number != number or chunk >= len(self.chunks(number)):
            return found
        count = self._rows(number, chunk, width)
        if row > 0 and width != anchor.width and anchor.rows:
            row = row * count // anchor.rows
        return RowAddress(number, chunk, max(min(row, count - 1), 0 if chunk else -self.gap(number)))

    def _fill(self, top: RowAddress | None, width: int, height: int) -> View:
        view = View(top=top)
        left = height
        address = top
        while address is not None and left > 0:
            number, index, row = address
            if row < 0:
                blank = min(-row, left)
                view.slices.append(Slice(number, None, 0, blank))
                left -= blank
                row += blank
            chunk = self.chunks(number)[index]
            count = len(chunk.rows(width))
            taken = min(count - row, left) if row >= 0 else 0
            if taken > 0:
                view.slices.append(Slice(number, chunk, row, taken))
                left -= taken
                view.bottom = RowAddress(number, index, row + taken - 1)
            if row + taken < count:
                view.at_end = False
                return view
            after = self._next(number, index)
            address = None if after is None else RowAddress(*after, 0 if after[1] else -self.gap(after[0]))
        view.at_end = address is None
        return view
