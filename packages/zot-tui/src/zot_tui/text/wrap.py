"""Wraps styled runs into rows of a given width; pure.

Rows break at line breaks, at spaces, and before and after wide characters (CJK, emoji); inside a word only if the word
alone is too long for a row, and there between two graphemes. They do not break at hyphens, so that flags and paths stay
whole. The spaces at a break are dropped. Spaces at the beginning of a line are its indentation and stay, but only up to
half a row of them if the first word would not fit otherwise; spaces at its end stay as far as they fit. A no-break
space does not count as a space. Characters that must not begin a row (closing CJK punctuation) or end one (opening
brackets) stay with their neighbour (a short list after JIS X 4051).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Generic

from zot_tui.text.runs import Row, Run, S, clip_runs, join, runs_width
from zot_tui.text.width import NARROW, expand_tabs, grapheme_width, graphemes, is_narrow, split_at, width

SPACES = frozenset(" \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u200b\u205f\u3000")
NOT_FIRST = frozenset("、。，．・：；？！ー）］｝〕〉》」』】〙〗〟’”ゝゞ々ぁぃぅぇぉっゃゅょァィゥェォッャュョ")
NOT_LAST = frozenset("（［｛〔〈《「『【〘〖〝‘“")
TOO_WIDE = "…"

_ASCII_PIECES = re.compile(r" +|[^ ]+")
# Spaces; narrow words; other characters with their neighbours, which they may join. Compiled when there are such.
_PIECES = rf" +(?=[ {NARROW}]|\Z)|[{NARROW}]+(?=[ {NARROW}]|\Z)|[ {NARROW}]?(?:[^ {NARROW}]+[ {NARROW}]?)+"


@dataclass(slots=True)
class _Piece(Generic[S]):
    """A word, or the spaces between two words: kept on one row if possible."""

    space: bool
    runs: Row[S]
    cells: int


@dataclass(slots=True)
class _Rows(Generic[S]):
    """The rows so far; the last one is being filled."""

    width: int
    first: Row[S]
    rest: Row[S]
    indented: int  # cells of `rest`
    done: list[Row[S]] = field(default_factory=list)
    row: Row[S] = field(default_factory=list)
    room: int = 0
    fresh: bool = True  # the row holds nothing but its indent
    held: list[_Piece[S]] = field(default_factory=list)  # spaces that count only if a word follows on this row

    def begin(self) -> None:
        indent = self.rest if self.done else self.first
        self.row = list(indent)
        self.room = self.width - (self.indented if self.done else runs_width(indent))
        self.fresh = True
        self.held = []

    def finish(self) -> None:
        self.done.append(join(self.row))

    def put(self, runs: Row[S], cells: int) -> None:
        self.row += runs
        self.room -= cells
        self.fresh = self.fresh and not cells

    def put_held(self, cells: int) -> None:
        """Put the held spaces, as many as fit into `cells`."""
        if self.held:
            held = clip_runs([run for piece in self.held for run in piece.runs], cells, "")
            self.put(held, runs_width(held))
            self.held = []


def wrap(
    runs: Sequence[Run[S]], width: int, *, first: Sequence[Run[S]] = (), rest: Sequence[Run[S]] = (), tab_size: int = 8
) -> list[Row[S]]:
    """Return the rows of `runs`, each of at most `width` cells (1 or more; ValueError otherwise); at least one row.

    `first` is put before the first row and `rest` before all others: a bullet and its hanging indent. Each is cut to
    half of the width. A grapheme wider than a whole row is shown as `…`.
    """
    if width < 1:
        raise ValueError(f"a row needs at least one cell, not {width}")
    hanging = clip_runs(rest, width // 2, "")
    state = _Rows(width, clip_runs(first, width // 2, ""), hanging, runs_width(hanging))
    simple = _is_simple(runs)
    for line in [[*runs]] if simple else _lines(runs, tab_size):
        state.begin()
        if (simple or _is_simple(line)) and _keeps_indentation(line, state.room):
            _cut(state, line)
            continue
        for piece in _pieces(line):
            _add(state, piece)
        state.put_held(state.room)
        state.finish()
    return state.done


def _is_simple(line: Sequence[Run[S]]) -> bool:
    """Whether every character takes one cell and only spaces separate words."""
    return all(is_narrow(text) for _, text in line)


def _keeps_indentation(line: Row[S], room: int) -> bool:
    """Whether no indentation may have to be shortened."""
    return room > 0 and (not line or line[0][1][:1] not in ("", " ") or sum(len(text) for _, text in line) <= room)


def _cut(state: _Rows[S], line: Row[S]) -> None:
    """Do for a plain line what `_add` does with its pieces."""
    text = "".join([part for _, part in line])
    ends = [*accumulate(len(part) for _, part in line)]
    start, size = 0, len(text.rstrip(" "))
    while True:
        end = start + state.room
        if end >= size:
            state.row += _between(line, ends, start, end)
            state.finish()
            return
        space = text.rfind(" ", start, end + 1)
        if space > start:
            end = start + len(text[start:space].rstrip(" "))
        state.row += _between(line, ends, start, end)
        state.finish()
        state.begin()
        start = end
        while text[start] == " ":
            start += 1


def _between(line: Row[S], ends: Sequence[int], start: int, end: int) -> Row[S]:
    """Return the runs between two character positions; `ends` are the positions where the runs end."""
    found: Row[S] = []
    for index in range(bisect_right(ends, start), len(line)):
        style, text = line[index]
        begin = ends[index] - len(text)
        if begin >= end:
            break
        found.append((style, text[max(start - begin, 0) : end - begin]))
    return found


def _lines(runs: Sequence[Run[S]], tab_size: int) -> Iterator[Row[S]]:
    """Split the runs at line breaks, with tabs expanded according to their column."""
    tabs = any("\t" in text for _, text in runs)
    line: Row[S] = []
    column = 0
    for style, text in runs:
        for index, part in enumerate(text.replace("\r\n", "\n").split("\n")):
            if index:
                yield line
                line, column = [], 0
            shown = expand_tabs(part, column, tab_size) if tabs else part
            line.append((style, shown))
            column += width(shown) if tabs else 0
    yield line


def _pieces(line: Row[S]) -> Iterator[_Piece[S]]:
    """Yield the words and spaces of a line. A word may span several styles."""
    piece: _Piece[S] | None = None
    last, was_wide = "", False
    for style, text in line:
        for part, cells, wide in _parts(text):
            space = part in SPACES or (part[0] == " " and part.isascii())
            if piece is None:
                together = False
            elif piece.space or space:
                together = piece.space == space
            else:
                together = not (wide or was_wide) or part[0] in NOT_FIRST or last[-1] in NOT_LAST
            if piece is not None and together:
                piece.runs.append((style, part))
                piece.cells += cells
            else:
                if piece is not None:
                    yield piece
                piece = _Piece(space, [(style, part)], cells)
            last, was_wide = part, wide
    if piece is not None:
        yield piece


def _parts(text: str) -> Iterator[tuple[str, int, bool]]:
    """Yield parts of text without a break, their cells, and whether they are wide characters.

    They are words of narrow characters, spaces, and single graphemes.
    """
    if text.isascii():
        yield from ((part, width(part), False) for part in _ASCII_PIECES.findall(text))
        return
    for part in re.findall(_PIECES, text):
        if is_narrow(part):
            yield part, len(part), False
            continue
        for each in graphemes(part):
            cells = grapheme_width(each)
            yield each, cells, cells > 1


def _add(state: _Rows[S], piece: _Piece[S]) -> None:
    """Put a piece on this row, on the next, or on as many as it needs."""
    if piece.space:
        state.held.append(piece)
        return
    if sum(space.cells for space in state.held) + piece.cells <= state.room:
        state.put_held(state.room)
    elif state.fresh:
        state.put_held(state.room // 2)
    else:
        state.finish()
        state.begin()
    if piece.cells <= state.room:
        state.put(piece.runs, piece.cells)
    else:
        _break(state, piece)


def _break(state: _Rows[S], piece: _Piece[S]) -> None:
    """Spread a piece that is longer than a row over several rows."""
    for style, text in piece.runs:
        rest = text
        while rest:
            head, rest = split_at(rest, state.room)
            if not head and state.fresh:
                head, rest = TOO_WIDE, rest[len(next(graphemes(rest))) :]
            state.put([(style, head)], runs_width([(style, head)]))
            if rest:
                state.finish()
                state.begin()
