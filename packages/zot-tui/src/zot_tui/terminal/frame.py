"""The difference of two screens as control sequences and text; pure."""

import re
from collections.abc import Callable, Hashable, Sequence
from itertools import count, takewhile
from typing import TypeAlias

ScreenRow: TypeAlias = list[tuple[Hashable, None, bytes]]
"""A row in urwid's form: attribute, character set (always None, the terminal's own), text in UTF-8."""

FEWEST = 4
"""The least number of moved rows for which the terminal is asked to move them."""

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_PLAIN = "\x1b[0m"


def frame(
    rows: Sequence[ScreenRow],
    before: Sequence[ScreenRow],
    style: Callable[[Hashable], str],
    erases: Callable[[Hashable], bool],
) -> str:
    """Return the output that turns a screen of `before` into one of `rows`; empty if they are the same.

    An empty `before` means that the content of the screen is unknown. `style` returns the sequence that switches from
    any style to an attribute's; `erases` returns whether a blank in that attribute looks like the result of "erase to
    the end of the line" (ECMA-48: EL). Rows that have moved up, as happens while an answer grows, are moved by the
    terminal (DECSTBM and DL, VT102). The cursor position afterwards is undefined.
    """
    shown = before if len(before) == len(rows) else [[]] * len(rows)
    output: list[str] = []
    changed = _changed(rows, shown)
    if len(changed) > FEWEST:
        moved, by = _moved(rows, shown, changed[0], changed[-1])
        if by:
            top, bottom = changed[0], changed[0] + moved + by
            output.append(f"{_PLAIN}\x1b[{top + 1};{bottom}r\x1b[{top + 1};1H\x1b[{by}M\x1b[r")
            shown = [*shown[:top], *shown[top + by : bottom], *[[]] * by, *shown[bottom:]]
            changed = _changed(rows, shown)
    for number in changed:
        output.append(f"\x1b[{number + 1};1H")
        output += written(rows[number], style, erases)
    return "".join(output)


def _changed(rows: Sequence[ScreenRow], shown: Sequence[ScreenRow]) -> list[int]:
    return [number for number, row in enumerate(rows) if row is not shown[number] and row != shown[number]]


def _moved(rows: Sequence[ScreenRow], shown: Sequence[ScreenRow], first: int, last: int) -> tuple[int, int]:
    """Return how many rows from `first` on have moved up, and by how much; 0 and 0 if too few have."""
    for by in range(1, last - first - FEWEST + 2):
        if shown[first + by] == rows[first]:
            moved = sum(1 for _ in takewhile(lambda at: at + by <= last and rows[at] == shown[at + by], count(first)))  # noqa: B023  used at once
            if moved >= FEWEST:
                return moved, by
    return 0, 0


def written(row: ScreenRow, style: Callable[[Hashable], str], erases: Callable[[Hashable], bool]) -> list[str]:
    """Return the output that writes a row from where the cursor is."""
    output: list[str] = []
    end = len(row) - 1
    for index, (attribute, _, data) in enumerate(row):
        text = _CONTROLS.sub("?", data.decode(errors="replace"))
        output.append(style(attribute))
        if index == end and text.endswith(" ") and erases(attribute):
            output.append(f"{text.rstrip(' ')}\x1b[K")
        else:
            output.append(text)
    return output
