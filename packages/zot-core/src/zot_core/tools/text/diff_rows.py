"""The rows of a diff, from runs of kept, removed and added lines; pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

CONTEXT_LINES = 3
LINE = 2000
"""Characters of a line of a diff; a longer one is cut."""


class LineRun(NamedTuple):
    """Adjacent lines with the same sign: a space (kept), `-` or `+`."""

    sign: str
    lines: Sequence[str]


def hunk_starts(runs: Iterable[LineRun]) -> Iterator[tuple[int, int]]:
    """Yield the line numbers, old and new, at which the hunks of `diff_rows` begin."""
    old = new = 1
    kept = 0
    changed = False
    for sign, lines in runs:
        count = len(lines)
        if count and sign != " ":
            if not changed or kept > 2 * CONTEXT_LINES:
                shown = min(kept, CONTEXT_LINES)
                yield old - shown, new - shown
            kept, changed = 0, True
        elif sign == " ":
            kept += count
        old += count if sign != "+" else 0
        new += count if sign != "-" else 0


def diff_rows(runs: Iterable[LineRun]) -> Iterator[str]:
    """Yield the changed lines with a few kept lines around them, and `...` where more lines were kept. Of a long line,
    what is around the change is shown."""
    kept: list[str] = []
    changed = False
    for sign, lines in _with_short_lines(runs):
        if sign == " ":
            kept += lines
            continue
        if not lines:
            continue
        yield from _context(kept, after_change=changed)
        kept, changed = [], True
        yield from (sign + line.removesuffix("\n") for line in lines)
    if changed:
        yield from (" " + line.removesuffix("\n") for line in kept[:CONTEXT_LINES])


def _context(kept: list[str], *, after_change: bool) -> Iterator[str]:
    rows = [" " + line.removesuffix("\n") for line in kept]
    if not after_change:
        yield from rows[-CONTEXT_LINES:]
    elif len(rows) <= 2 * CONTEXT_LINES:
        yield from rows
    else:
        yield from rows[:CONTEXT_LINES]
        yield "..."
        yield from rows[-CONTEXT_LINES:]


def _with_short_lines(runs: Iterable[LineRun]) -> Iterator[LineRun]:
    """Cut lines of more than `LINE` characters."""
    removed: Sequence[str] = ()
    for sign, lines in runs:
        if sign == "-":
            removed = lines
            continue
        if removed:  # the added lines follow, if there are any
            added = lines if sign == "+" else ()
            pairs = [(one, removed[at] if at < len(removed) else "") for at, one in enumerate(added)]
            yield LineRun("-", [_cut(one, added[at] if at < len(added) else "") for at, one in enumerate(removed)])
            removed = ()
            if sign == "+":
                yield LineRun("+", [_cut(*pair) for pair in pairs])
                continue
        yield LineRun(sign, [_cut(one, one) for one in lines])
    if removed:
        yield LineRun("-", [_cut(one, "") for one in removed])


def _cut(line: str, other: str) -> str:
    """Return a line, of a long one the part from shortly before where it begins to differ from `other`."""
    if len(line) <= LINE:
        return line
    pairs = enumerate(zip(line, other, strict=False))
    same = 0 if other == line else next((at for at, (ours, theirs) in pairs if ours != theirs), len(other))
    start = max(min(same - LINE // 4, len(line) - LINE), 0)
    end = min(start + LINE, len(line))
    before = f"... [{start} characters] " if start else ""
    after = f" ... [{len(line) - end} characters]\n" if end < len(line) else ""
    return before + line[start:end] + after
