"""Context diffs to styled rows with line numbers; pure.

The rows of such a diff begin with a space (kept), `-` or `+`, or are `...` between two places of the file. There is no
header; where each place begins is told apart from the diff.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from zot_tui.text.runs import Row, Run
from zot_tui.text.sanitize import detached, sanitize
from zot_tui.text.wrap import wrap

Sign: TypeAlias = Literal[" ", "-", "+", "..."]
T = TypeVar("T")

SHOWN_ROWS = 12
TAB = 4

_STYLES: dict[Sign, str] = {" ": "diff.context", "-": "diff.removed", "+": "diff.added", "...": "dim"}


@dataclass(slots=True)
class DiffLine:
    """A row of a diff: its sign, the text behind it, and its line's number in the old and in the new file, from 1, as
    far as there is one and it is known."""

    sign: Sign
    text: str
    old: int | None = None
    new: int | None = None


def parse_diff(diff: str, starts: Sequence[tuple[int, int]] = ()) -> list[DiffLine]:
    """The lines of `diff`. `starts` has the number of the first line, old and new, of each place that `...` parts from
    the one before; lines of a place that it does not mention have no numbers. A row without a sign counts as kept."""
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
    """The diff in rows of at most `width` cells (1 or more): number, sign, text, long lines on several rows.

    The number is that of the new file, of the old one for a line that went; without numbers there is no column for
    them. See `parse_diff` for `starts`.
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


def fold(rows: Sequence[T], limit: int = SHOWN_ROWS) -> tuple[list[T], int]:
    """The first `limit` rows, and how many are left out: none if that would spare a single one."""
    if len(rows) <= limit + 1:
        return [*rows], 0
    return [*rows[:limit]], len(rows) - limit


def _number(line: DiffLine) -> int | None:
    return line.old if line.sign == "-" else line.new
