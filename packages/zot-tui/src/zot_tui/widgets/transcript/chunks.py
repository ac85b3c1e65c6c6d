"""`Chunk`: a small piece of a transcript that is drawn as a whole; and splitting text into chunks. No urwid."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from zot_tui.lexing_time import LEXING_TIME
from zot_tui.text.ansi import PLAIN, parse_ansi
from zot_tui.text.runs import Row, Run, clip_runs, join, runs_width
from zot_tui.text.sanitize import detached, sanitize
from zot_tui.text.wrap import wrap

ROWS = 40  # most lines of a chunk
SIZE = 2000  # most characters of a chunk: some 40 rows of a screen of 80 cells
MARGIN = 2  # cells to the left of all text
BODY = 4  # cells to the left of what belongs to the row above it
TAB = 4

TextLine: TypeAlias = Row[Any]
"""A line of text before it is wrapped: runs without line breaks."""

DrawnRows: TypeAlias = list[Row[Any]]
"""Rows of a chunk. The type has a name because functions within functions evaluate annotations again and again."""


class RowCache(Protocol):
    """Something that caches rows and can drop them."""

    def forget(self) -> None:
        """Drop the cached rows."""


class Chunk:
    """Rows made on demand and cached for the last width, unless their colours are postponed (see `LexingTime`).

    A chunk never changes; changed text becomes another chunk. `lines` is the number of lines of text that begin in it.
    `source` returns rows no wider than the width it is called with
    (1 or more); if it returns none, the chunk is an empty row. `inner` is the origin of the rows, if it caches rows
    too.
    """

    __slots__ = ("_begins", "_inner", "_rows", "_source", "_width", "lines")

    def __init__(
        self,
        source: Callable[[int], Sequence[Row[Any]]],
        lines: int = 1,
        inner: RowCache | None = None,
        begins: Callable[[int], Sequence[bool]] | None = None,
    ) -> None:
        """`begins` returns for each row whether a line begins there; without it, all do."""
        self._source = source
        self._inner = inner
        self._begins = begins
        self._width = 0
        self._rows: Sequence[Row[Any]] = ()
        self.lines = lines

    def rows(self, width: int) -> Sequence[Row[Any]]:
        """Return the rows for a width of `width` cells."""
        if width != self._width:
            postponed = LEXING_TIME.postponed
            self._rows = self._source(width) or [[]]
            self._width = width if LEXING_TIME.postponed == postponed else 0
        return self._rows

    def begun(self, width: int, first: int, end: int) -> int:
        """Return how many lines begin in rows from `first` to before `end`."""
        return end - first if self._begins is None else sum(self._begins(width)[first:end])

    def forget(self) -> None:
        """Drop the cached rows."""
        self._width, self._rows = 0, ()
        if self._inner is not None:
            self._inner.forget()


_GOES_ON: Run[Any] = ("", "")
"""How a piece of a line begins that is not the first one."""

BLANK = Chunk(lambda _: [])
"""An empty row."""


def wrapped(lines: Sequence[TextLine], first: Row[Any] | None = None, rest: Row[Any] | None = None) -> Chunk:
    """Return a chunk of wrapped lines; `first` is put before the first row of each line, `rest` before the others."""

    def drawn(width: int) -> Iterator[tuple[TextLine, DrawnRows]]:
        return ((line, wrap(line, width, first=first or (), rest=rest or (), tab_size=TAB)) for line in lines)

    def rows(width: int) -> DrawnRows:
        return [row for _, rows in drawn(width) for row in rows]

    def begins(width: int) -> list[bool]:
        return [not at and line[:1] != [_GOES_ON] for line, rows in drawn(width) for at in range(len(rows))]

    return Chunk(rows, sum(line[:1] != [_GOES_ON] for line in lines), begins=begins)


def beside(chunk: Chunk, first: Row[Any], rest: Row[Any] | None = None) -> Chunk:
    """Return the chunk with `first` to the left of its first row and `rest` (default: spaces) left of the others.

    On a screen that is not wider than `first`, it is left out.
    """
    behind = rest if rest is not None else [(None, " " * runs_width(first))]
    cells = runs_width(first)

    def rows(width: int) -> DrawnRows:
        if width <= cells:
            return [*chunk.rows(width)]
        return [[*(behind if index else first), *row] for index, row in enumerate(chunk.rows(width - cells))]

    return Chunk(rows, chunk.lines, chunk)


def indented(chunk: Chunk, cells: int = MARGIN) -> Chunk:
    """Return the chunk moved to the right."""
    return beside(chunk, [(None, " " * cells)])


def text_lines(text: str, style: str) -> list[TextLine]:
    """Return the sanitized lines of `text` in one style, without trailing line breaks."""
    clean = sanitize(text).rstrip("\n")
    return [[(style, detached(line))] if line else [] for line in clean.split("\n")]


def ansi_lines(text: str, style: str) -> list[TextLine]:
    """Return the sanitized lines of a program's output with its colours; uncoloured text gets `style`.

    Of a line that was overwritten (`\\r`) the last version is kept. Trailing empty lines are dropped.
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
    """Yield the lines in groups, one for each chunk; a line that is too long is split."""
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
    """Return the first `limit` rows of the chunks (with `tail` the last), and how much is left out.

    The number is 0 if the rest would be a single row, which is then shown too. Otherwise it counts the lines that begin
    in what is hidden, 1 at least. Chunks are not drawn just to be counted.
    """
    rows: list[Row[Any]] = []
    ordered = chunks[::-1] if tail else chunks
    for index, chunk in enumerate(ordered):
        own = chunk.rows(width)
        rows = [*own, *rows] if tail else [*rows, *own]
        if (hidden := len(rows) - limit) > 1:
            begun = chunk.begun(width, 0, hidden) if tail else chunk.begun(width, len(own) - hidden, len(own))
            found = max(begun + sum(other.lines for other in ordered[index + 1 :]), 1)
            return rows[hidden:] if tail else rows[:limit], found
    return rows, 0


class Folding(Protocol):
    """How to fold: whether the end is kept, and how many lines are missing in its middle anyway."""

    tail: bool
    left_out: int


def folded(chunks: Sequence[Chunk], limit: int, hint: str, how: Folding | None = None) -> Chunk:
    """Return one chunk of about `limit` rows, with a row that says how much is left out and which key shows it."""
    tail, left_out = (how.tail, how.left_out) if how is not None else (False, 0)

    def rows(width: int) -> DrawnRows:
        shown, hidden = preview(chunks, width, limit, tail=tail)
        if not hidden:
            return shown
        count = hidden + left_out
        more = f"… {count:,} {'earlier' if tail else 'more'} line{'' if count == 1 else 's'}"
        row: Row[Any] = clip_runs([("muted", f"{more} ({hint})" if hint else more)], width)
        return [row, *shown] if tail else [*shown, row]

    return Chunk(rows)


def _cut(line: TextLine) -> Iterator[TextLine]:
    """Yield the line in pieces of at most `SIZE` characters."""
    if sum(len(text) for _, text in line) <= SIZE:
        yield line
        return
    piece: TextLine = []
    room = SIZE
    for style, text in line:
        start = 0
        while start < len(text):
            taken = text[start : start + room]
            piece.append((style, detached(taken) if piece in ([], [_GOES_ON]) else taken))
            start += len(taken)
            room -= len(taken)
            if not room:
                yield piece
                piece, room = [_GOES_ON], SIZE
    if piece != [_GOES_ON]:
        yield piece
