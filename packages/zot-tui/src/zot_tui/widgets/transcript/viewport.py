"""`Viewport`: which rows of a long list of cells are in view; no urwid.

Only chunks in view, and those that a move passes, are looked at: what a step costs does not depend on how many cells
there are. The view stands still while cells above or below it come, go or change their height: it is held by a place,
not by a count of rows.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.chunks import Chunk

KEPT = 256  # cells whose chunks are kept; more than a screen has rows


class RowAddress(NamedTuple):
    """A row: the number of its cell, its chunk there, its row there; rows below 0 are the empty ones above a cell."""

    number: int
    chunk: int
    row: int


class Slice(NamedTuple):
    """Rows in view that belong together: `rows` of a chunk from `first` on, or empty ones (no chunk)."""

    number: int
    chunk: Chunk | None
    first: int
    rows: int


@dataclass(slots=True)
class View:
    """What is in view, from `top` on; `at_end` is whether the last row of all is. `bottom` is the last row's place."""

    slices: list[Slice] = field(default_factory=list)
    top: RowAddress | None = None
    bottom: RowAddress | None = None
    at_end: bool = True


@dataclass(slots=True)
class _Anchor:
    """The place at the top of the view, and how high its chunk was in which width: what a resize goes by."""

    place: RowAddress
    width: int = 0
    rows: int = 0


class Viewport:
    """Cells under numbers that stay theirs: those put before the first get smaller ones, below 0 at last.

    It follows the end until it is moved away from there, and again once the end comes into view.
    """

    __slots__ = ("_anchor", "_cells", "_first", "_kept")

    def __init__(self) -> None:
        self._cells: list[Cell] = []
        self._first = 0
        self._anchor: _Anchor | None = None
        self._kept: OrderedDict[Cell, None] = OrderedDict()

    @property
    def cells(self) -> Sequence[Cell]:
        """All cells, the oldest first."""
        return self._cells

    @property
    def first(self) -> int:
        """The number of the first cell."""
        return self._first

    @property
    def end(self) -> int:
        """The number after that of the last cell."""
        return self._first + len(self._cells)

    @property
    def following(self) -> bool:
        """Whether the end stays in view whatever comes."""
        return self._anchor is None

    def append(self, cells: Iterable[Cell]) -> None:
        """Cells after the last."""
        self._cells += cells

    def prepend(self, cells: Sequence[Cell]) -> None:
        """Cells before the first, in their order."""
        self._cells[:0] = cells
        self._first -= len(cells)

    def remove(self, cell: Cell) -> int:
        """Take a cell out; the numbers after its own, which is returned, move down. ValueError if it is not here."""
        number = self.number(cell)
        del self._cells[number - self._first]
        self._kept.pop(cell, None)
        anchor = self._anchor
        if anchor is not None and anchor.place.number == number == self.end:
            self._anchor = None
        elif anchor is not None and anchor.place.number == number:
            anchor.place = RowAddress(number, 0, 0)
        elif anchor is not None and anchor.place.number > number:
            anchor.place = anchor.place._replace(number=anchor.place.number - 1)
        return number

    def clear(self) -> None:
        """Take all cells out."""
        self._cells.clear()
        self._kept.clear()
        self._first = 0
        self._anchor = None

    def number(self, cell: Cell) -> int:
        """The number of a cell; ValueError if it is not here."""
        for index in range(len(self._cells) - 1, -1, -1):
            if self._cells[index] is cell:
                return self._first + index
        raise ValueError(f"{cell!r} is not in this transcript")

    def cell(self, number: int) -> Cell:
        """The cell of a number that there is."""
        return self._cells[number - self._first]

    def chunks(self, number: int) -> Sequence[Chunk]:
        """The chunks of a cell; those that were not looked at for longest are forgotten."""
        cell = self.cell(number)
        kept = self._kept
        kept[cell] = None
        kept.move_to_end(cell)
        if len(kept) > KEPT:
            kept.popitem(last=False)[0].release()
        return cell.chunks

    def gap(self, number: int) -> int:
        """Empty rows above a cell that shows something: none above the first, and none between two tight ones."""
        above = self._shown(number - 1, -1)
        if above is None:
            return 0
        return 0 if self.cell(number).tight and self.cell(above).tight else 1

    def view(self, width: int, height: int) -> View:
        """What is in view in so many cells and rows, 1 or more each. If there is more than a view, the view is full."""
        top = self._from_end(width, height) if self._anchor is None else self._resolved(self._anchor, width)
        view = self._fill(top, width, height)
        if self._anchor is not None and sum(piece.rows for piece in view.slices) < height:
            view = self._fill(self._from_end(width, height), width, height)
        return view

    def hold(self, place: RowAddress, width: int, height: int) -> View:
        """Have the view begin at a place (of its cell, if it is no more), or follow the end if that comes into view by
        it: what is in view then."""
        if place.chunk >= len(self.chunks(place.number)):
            place = self.at(place.number) or place
        self._anchor = _Anchor(place, width, self._rows(place.number, place.chunk, width))
        view = self.view(width, height)
        if view.at_end:
            self._anchor = None
        return view

    def follow(self) -> None:
        """Go to the end, and stay there."""
        self._anchor = None

    def ending(self, width: int, height: int) -> RowAddress | None:
        """Where the view begins that ends with the last row of all; None if nothing is shown."""
        return self._from_end(width, height)

    def bringing(self, number: int, top: RowAddress, width: int, height: int) -> RowAddress:
        """The place nearest to `top` from which a view shows the beginning of a cell and as much of it as it can."""
        first = RowAddress(number, 0, 0)
        shown = sum(piece.rows for piece in self._fill(first, width, height).slices if piece.number == number)
        return min(max(top, self.moved(first, shown - height, width)), first)

    def moved(self, place: RowAddress, rows: int, width: int) -> RowAddress:
        """The place so many rows further down, or up if negative, as far as there are any."""
        number, chunk, row = place
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
        """The first row of all; None if nothing is shown."""
        number = self._shown(self._first, 1)
        return None if number is None else RowAddress(number, 0, 0)

    def at(self, number: int) -> RowAddress | None:
        """The first row of a cell, of the next one that shows something if it does not, or of the last such."""
        found = self._shown(max(number, self._first), 1)
        found = self._shown(min(number, self.end - 1), -1) if found is None else found
        return None if found is None else RowAddress(found, 0, 0)

    def _rows(self, number: int, chunk: int, width: int) -> int:
        return len(self.chunks(number)[chunk].rows(width))

    def _shown(self, number: int, step: int) -> int | None:
        """The first cell from `number` on, in the direction of `step`, that shows something."""
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
        """The place from which the rest fills the view, or the first of all."""
        number = self._shown(self.end - 1, -1)
        if number is None:
            return None
        chunk = len(self.chunks(number)) - 1
        last = self._rows(number, chunk, width)
        return self.moved(RowAddress(number, chunk, last), -height, width)

    def _resolved(self, anchor: _Anchor, width: int) -> RowAddress | None:
        """The anchor's place as it is now."""
        number, chunk, row = anchor.place
        found = self.at(number)
        if found is not None and found.number != number:
            anchor.place = found  # its cell shows nothing any more: another one's from now on
        if found is None or found.number != number or chunk >= len(self.chunks(number)):
            return found
        count = self._rows(number, chunk, width)
        if row > 0 and width != anchor.width and anchor.rows:
            row = row * count // anchor.rows
        return RowAddress(number, chunk, max(min(row, count - 1), 0 if chunk else -self.gap(number)))

    def _fill(self, top: RowAddress | None, width: int, height: int) -> View:
        """The rows from a place on."""
        view = View(top=top)
        left = height
        place = top
        while place is not None and left > 0:
            number, index, row = place
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
            place = None if after is None else RowAddress(*after, 0 if after[1] else -self.gap(after[0]))
        view.at_end = place is None
        return view

    def rows(self, width: int, last: int | None = None) -> Iterator[tuple[Chunk | None, int]]:
        """The chunks of all cells, or of the last so many, with their heights; None for empty rows between cells."""
        begin = self._first if last is None else max(self.end - last, self._first)
        for number in range(begin, self.end):
            chunks = self.chunks(number)
            if chunks and number > begin and (gap := self.gap(number)):
                yield None, gap
            for chunk in chunks:
                yield chunk, len(chunk.rows(width))
