"""Context diffs as styled rows with line numbers; pure.

A row of such a diff begins with a space (unchanged), `-` or `+`, or is `...` between two hunks. There are no hunk
headers; the first line number of each hunk is passed separately.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from zot_tui.text.runs import Row, Run
from zot_tui.text.sanitize import detached, sanitize
from zot_tui.text.wrap import wrap

Sign: TypeAlias = Literal[" ", "-", "+", "..."]

TAB = 4

_STYLES: dict[Sign, str] = {" ": "diff.context", "-": "diff.removed", "+": "diff.added", "...": "dim"}


@dataclass(slots=True)
class DiffLine:
    """A row of a diff: its sign, its text, and its line number in the old and in the new file, from 1; None where the
    line does not exist or its number is unknown."""

    sign: Sign
    text: str
    old: int | None = None
    new: int | None = None


def parse_diff(diff: str, starts: Sequence[tuple[int, int]] = ()) -> list[DiffLine]:
    """Return the lines of `diff`.

    `starts` holds the first line number, old and new, of each hunk (`...` separates hunks); lines of further hunks have
    no numbers. A row without a sign counts as unchanged.
    """
    lines: list[DiffLine] = []
    places = iter(starts)
    old, new = next(places, (0, 0))
    for row in diff.removesuffix("\n").split("\n") if diff else []:
        if row.rstrip("\r") == "...":
            lines.append(DiffLine("...", ""))
            old, new = next(places, (0, 0))
        elif row.startswith("-"):
            lines.append(DiffLine("-", row[1:], old or None))
            old += bool(old)
        elif row.startswith("+"):
            lines.append(DiffLine("+", row[1:], None, new or None))
            new += bool(new)
        else:
            lines.append(DiffLine(" ", row.removeprefix(" "), old or None, new or None))
            old += bool(old)
            new += bool(new)
    return lines


def diff_rows(diff: str, width: int, starts: Sequence[tuple[int, int]] = ()) -> list[Row[str]]:
    """Return the diff as rows of at most `width` cells (1 or more): number, sign, text; long lines are wrapped.

    The number is the one in the new file, or in the old file for a removed line; without numbers there is no number
    column. See `parse_diff` for `starts`.
    """
    lines = parse_diff(diff, starts)
    cells = max((len(str(_number(line))) for line in lines if _number(line)), default=0)
    rows: list[Row[str]] = []
    for line in lines:
        gutter: list[Run[str]] = [("dim", f"{_number(line) or '':>{cells}} ")] if cells else []
        style = _STYLES[line.sign]
        if line.sign == "...":
            rows += wrap([*gutter, (style, "⋯")], width)
            continue
        text = detached(sanitize(line.text.removesuffix("\r"), tab_size=TAB).replace("\n", " "))
        first = [*gutter, (style, f"{line.sign} ")]
        rest = [("dim", " " * (cells + 1 if cells else 0)), (style, "  ")]
        rows += wrap([(style, text)], width, first=first, rest=rest)
    return rows


def _number(line: DiffLine) -> int | None:
    return line.old if line.sign == "-" else line.new
