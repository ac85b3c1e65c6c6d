"""`Chunk`: a small piece of a transcript that is drawn as a whole, and what cuts text into such pieces; no urwid."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from zot_tui.text.ansi import PLAIN, parse_ansi
from zot_tui.text.runs import Row, clip_runs, join, runs_width
from zot_tui.text.sanitize import detached, sanitize
from zot_tui.text.wrap import wrap

ROWS = 40  # lines of a chunk at most
SIZE = 2000  # characters of a chunk at most: some 40 rows of a screen of 80 cells
MARGIN = 2  # cells left of all text
TAB = 4

TextLine: TypeAlias = Row[Any]
"""A line of text before it is wrapped: runs without line breaks."""


class Keeps(Protocol):
    """Something that keeps rows, and can forget them."""

    def forget(self) -> None:
        """Keep no rows."""
        ...


class Chunk:
    """Rows for a width, made when they are asked for and kept for the last width.

    A chunk is a value: what changes becomes another chunk. `lines` is how many lines of text it holds, 1 at least; of a
    line that was cut, every piece counts as one. `source` gives rows that are not wider than the width it is called
    with (1 or more); if it gives none, the chunk is an empty row. `inner` is what its rows come from,
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


def wrapped(lines: Sequence[TextLine], first: Row[Any] | None = None, rest: Row[Any] | None = None) -> Chunk:
    """A chunk of whole lines, wrapped; `first` stands before the first row of each, `rest` before its others."""

    def rows(width: int) -> list[Row[Any]]:
        return [row for line in lines for row in wrap(line, width, first=first or (), rest=rest or (), tab_size=TAB)]

    return Chunk(rows, len(lines))


def beside(chunk: Chunk, first: Row[Any], rest: Row[Any] | None = None) -> Chunk:
    """The chunk with `first` left of its first row and `rest` (else as many spaces) left of its others.

    What stands left takes no cell that the chunk itself needs: on a screen of one cell it is left out.
    """
    behind = rest if rest is not None else [(None, " " * runs_width(first))]
    cells = runs_width(first)

    def rows(width: int) -> list[Row[Any]]:
        if width <= cells:
            return [*chunk.rows(width)]
        return [[*(behind if index else first), *row] for index, row in enumerate(chunk.rows(width - cells))]

    return Chunk(rows, chunk.lines, chunk)


def indented(chunk: Chunk, cells: int = MARGIN) -> Chunk:
    """The chunk moved to the right."""
    return beside(chunk, [(None, " " * cells)])


def text_lines(text: str, style: str) -> list[TextLine]:
    """The lines of any text, made harmless, in one style. TextLine breaks at its end are left out."""
    clean = sanitize(text).rstrip("\n")
    return [[(style, detached(line))] if line else [] for line in clean.split("\n")]


def ansi_lines(text: str, style: str) -> list[TextLine]:
    """The lines of what a program printed, made harmless, its colours kept; `style` is what it did not colour.

    A line that was written over (`\\r`) is what was written last. Empty lines at the end are left out.
    """
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    lines: list[TextLine] = [[]]
    for sgr, piece in parse_ansi(text)[0]:
        first, *others = sanitize(piece).split("\n")
        named = style if sgr == PLAIN else sgr
        lines[-1].append((named, detached(first)))
        lines += [[(named, detached(other))] for other in others]
    while len(lines) > 1 and not any(piece.strip() for _, piece in lines[-1]):
        lines.pop()
    return [join(line) for line in lines]


def line_groups(lines: Iterable[TextLine]) -> Iterator[list[TextLine]]:
    """The lines in groups that each make one chunk; a line that is too long is cut."""
    group: list[TextLine] = []
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


def preview(chunks: Sequence[Chunk], width: int, limit: int, *, tail: bool = False) -> tuple[list[Row[Any]], int]:
    """The first `limit` rows of the chunks, or with `tail` the last, and how much is left out.

    That is 0 if the rest would be a single row, which is shown instead. Else it counts the rows of the chunk where the
    preview ends and the lines of the chunks behind it: no chunk is drawn for the sake of a number.
    """
    rows: list[Row[Any]] = []
    ordered = chunks[::-1] if tail else chunks
    for index, chunk in enumerate(ordered):
        own = chunk.rows(width)
        rows = [*own, *rows] if tail else [*rows, *own]
        if len(rows) > limit + 1:
            hidden = len(rows) - limit + sum(other.lines for other in ordered[index + 1 :])
            return rows[len(rows) - limit :] if tail else rows[:limit], hidden
    return rows, 0


def folded(chunks: Sequence[Chunk], limit: int, hint: str, *, tail: bool = False) -> Chunk:
    """The chunks as one of about `limit` rows, with a row that says how much is left out and which key shows it."""

    def rows(width: int) -> list[Row[Any]]:
        shown, hidden = preview(chunks, width, limit, tail=tail)
        if not hidden:
            return shown
        more = f"… {hidden:,} {'earlier' if tail else 'more'} lines"
        row: Row[Any] = clip_runs([("dim", f"{more} ({hint})" if hint else more)], width)
        return [row, *shown] if tail else [*shown, row]

    return Chunk(rows)


def _cut(line: TextLine) -> Iterator[TextLine]:
    """The line in pieces of at most `SIZE` characters."""
    if sum(len(text) for _, text in line) <= SIZE:
        yield line
        return
    piece: TextLine = []
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
