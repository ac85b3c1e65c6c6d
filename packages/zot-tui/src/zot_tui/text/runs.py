"""Styled text as plain data: a row is a list of runs, a run is a style and its text; pure.

The caller decides what a style is: usually a theme token (`"muted"`), for program output an `Sgr`. It must be hashable,
as urwid's attributes are. The border between two runs is a border between two graphemes.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from zot_tui.text.width import split_at, width

S = TypeVar("S", bound=Hashable)


class Over(NamedTuple):
    """A style that is drawn on the background of another one, `band`."""

    style: Hashable
    band: str


class Mark(Over):
    """A style over a band that terminals without colours for bands show too."""

    __slots__ = ()


Run: TypeAlias = tuple[S, str]
Row: TypeAlias = list[tuple[S, str]]


def plain(runs: Iterable[Run[S]]) -> str:
    return "".join(text for _, text in runs)


def runs_width(runs: Iterable[Run[S]]) -> int:
    """Return the cells that the runs take on one row."""
    return sum(width(text) for _, text in runs)


def join(runs: Iterable[Run[S]]) -> Row[S]:
    """Return the same text in as few runs as possible: none is empty, and neighbours differ in style."""
    row: Row[S] = []
    for style, text in runs:
        if not text:
            continue
        if row and row[-1][0] == style:
            row[-1] = (style, row[-1][1] + text)
        else:
            row.append((style, text))
    return row


def clip_runs(runs: Sequence[Run[S]], cells: int, ellipsis: str = "…") -> Row[S]:
    """Return the runs cut to `cells`: all if they fit, else their head with `ellipsis` in the style it cuts off."""
    if runs_width(runs) <= cells:
        return join(runs)
    mark = split_at(ellipsis, cells)[0]
    room = cells - width(mark)
    row: Row[S] = []
    for style, text in runs:
        head, rest = split_at(text, room)
        row.append((style, head))
        room -= width(head)
        if rest:
            row.append((style, mark))
            break
    return join(row)
