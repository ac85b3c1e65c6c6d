"""`Part`: a small piece of a transcript that is drawn as a whole, and what cuts text into such pieces; no urwid."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from zot_tui.text.ansi import PLAIN, parse_ansi
from zot_tui.text.runs import Row, clip_runs, join, runs_width
from zot_tui.text.sanitize import detached, sanitize
from zot_tui.text.wrap import wrap

ROWS = 40  # lines of a part at most
SIZE = 2000  # characters of a part at most: some 40 rows of a screen of 80 cells
MARGIN = 2  # cells left of all text
TAB = 4

Line: TypeAlias = Row[Any]
"""A line of text before it is wrapped: runs without line breaks."""


class Keeps(Protocol):
    """Something that keeps rows, and can forget them."""

    def forget(self) -> None:
        """Keep no rows."""
        ...


class Part:
    """Rows for a width, made when they are asked for and kept for the last width.

    A part is a value: what changes becomes another part. `lines` is how many lines of text it holds, 1 at least; of a
    line that was cut, every piece counts as one. `source` gives rows that are not wider than the width it is called
    with (1 or more); if it gives none, the part is an empty row. `inner` is what its rows come from,
    where that keeps rows of its own.
    """

    __slots__ = ("_inner", "_rows", "_source", "_width", "lines")

    def __init__(self, source: Callable[[int], Sequence[Row[Any]]], lines: int = 1, inner: Keeps | None = None) -> None:
        self._source = source
        self._inner = inner
        self._width = 0
        self._rows: Sequence[Row[Any]] = ()
        self.lines = max(lines, 1)

    def rows(self, width: int) -> Sequence[Row[Any]]:
        """What is drawn in `width` cells."""
        if width != self._width:
            self._rows = self._source(width) or [[]]
            self._width = width
        return self._rows

    def forget(self) -> None:
        """Keep no rows."""
        self._width, self._rows = 0, ()
        if self._inner is not None:
            self._inner.forget()


def wrapped(lines: Sequence[Line], first: Row[Any] | None = None, rest: Row[Any] | None = None) -> Part:
    """A part of whole lines, wrapped; `first` stands before the first row of each, `rest` before its others."""

    def rows(width: int) -> list[Row[Any]]:
        return [row for line in lines for row in wrap(line, width, first=first or (), rest=rest or (), tab_size=TAB)]

    return Part(rows, len(lines))


def beside(part: Part, first: Row[Any], rest: Row[Any] | None = None) -> Part:
    """The part with `first` left of its first row and `rest` (else as many spaces) left of its others.

    What stands left takes no cell that the part itself needs: on a screen of one cell it is left out.
    """
    behind = rest if rest is not None else [(None, " " * runs_width(first))]
    cells = runs_width(first)

    def rows(width: int) -> list[Row[Any]]:
        if width <= cells:
            return [*part.rows(width)]
        return [[*(behind if index else first), *row] for index, row in enumerate(part.rows(width - cells))]

    return Part(rows, part.lines, part)


def indented(part: Part, cells: int = MARGIN) -> Part:
    """The part moved to the right."""
    return beside(part, [(None, " " * cells)])


def text_lines(text: str, style: str) -> list[Line]:
    """The lines of any text, made harmless, in one style. Line breaks at its end are left out."""
    clean = sanitize(text).rstrip("\n")
    return [[(style, detached(line))] if line else [] for line in clean.split("\n")]


def ansi_lines(text: str, style: str) -> list[Line]:
    """The lines of what a program printed, made harmless, its colours kept; `style` is what it did not colour.

    A line that was written over (`\\r`) is what was written last. Empty lines at the end are left out.
    """
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    lines: list[Line] = [[]]
    for sgr, piece in parse_ansi(text)[0]:
        first, *others = sanitize(piece).split("\n")
        named = style if sgr == PLAIN else sgr
        lines[-1].append((named, detached(first)))
        lines += [[(named, detached(other))] for other in others]
    while len(lines) > 1 and not any(piece.strip() for _, piece in lines[-1]):
        lines.pop()
    return [join(line) for line in lines]


def chunks(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """The lines in groups that each make one part; a line that is too long is cut."""
    group: list[Line] = []
    size = 0
    for line in lines:
        for piece in _cut(line):
            length = sum(len(text) for _, text in piece)
            if group and (len(group) >= ROWS or size + length > SIZE):
                yield group
                group, size = [], 0
            group.append(piece)
            size += length
    if group:
        yield group


def preview(parts: Sequence[Part], width: int, limit: int, *, tail: bool = False) -> tuple[list[Row[Any]], int]:
    """The first `limit` rows of the parts, or with `tail` the last, and how much is left out.

    That is 0 if the rest would be a single row, which is shown instead. Else it counts the rows of the part where the
    preview ends and the lines of the parts behind it: no part is drawn for the sake of a number.
    """
    rows: list[Row[Any]] = []
    ordered = parts[::-1] if tail else parts
    for index, part in enumerate(ordered):
        own = part.rows(width)
        rows = [*own, *rows] if tail else [*rows, *own]
        if len(rows) > limit + 1:
            hidden = len(rows) - limit + sum(other.lines for other in ordered[index + 1 :])
            return rows[len(rows) - limit :] if tail else rows[:limit], hidden
    return rows, 0


def folded(parts: Sequence[Part], limit: int, hint: str, *, tail: bool = False) -> Part:
    """The parts as one of about `limit` rows, with a row that says how much is left out and which key shows it."""

    def rows(width: int) -> list[Row[Any]]:
        shown, hidden = preview(parts, width, limit, tail=tail)
        if not hidden:
            return shown
        more = f"… {hidden:,} {'earlier' if tail else 'more'} lines"
        row: Row[Any] = clip_runs([("dim", f"{more} ({hint})" if hint else more)], width)
        return [row, *shown] if tail else [*shown, row]

    return Part(rows)


def _cut(line: Line) -> Iterator[Line]:
    """The line in pieces of at most `SIZE` characters."""
    if sum(len(text) for _, text in line) <= SIZE:
        yield line
        return
    piece: Line = []
    room = SIZE
    for style, text in line:
        start = 0
        while start < len(text):
            taken = text[start : start + room]
            piece.append((style, detached(taken) if not piece else taken))
            start += len(taken)
            room -= len(taken)
            if not room:
                yield piece
                piece, room = [], SIZE
    if piece:
        yield piece
