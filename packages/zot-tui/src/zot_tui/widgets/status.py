"""`Status`: rows with segments at the left and right; the least important are dropped if they do not fit."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from zot_tui.terminal.canvas import Rows
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import detached, sanitize_line
from zot_tui.text.width import clip, width

MARGIN = 2
ALWAYS = 9
"""The priority of segments that are shown even where something else takes the place of the row."""

GAP = 2  # least cells between the left and right group


@dataclass(slots=True)
class Segment:
    """A few words in a style. Lower `priority` is dropped first; of equal ones, the last in the row."""

    text: str
    style: Hashable = "status"
    priority: int = 0


@dataclass(slots=True)
class StatusLine:
    """One row: segments at the left, segments at the right edge."""

    left: Sequence[Segment] = ()
    right: Sequence[Segment] = field(default=())


class Status(Rows):
    """Draws each line in a row on a band of the style `base`."""

    def __init__(self, *lines: StatusLine, base: Hashable = "status", separator: str = " · ") -> None:
        super().__init__(self._rows_at)
        self._lines = lines
        self._base = base
        self._separator = separator

    @property
    def lines(self) -> tuple[StatusLine, ...]:
        """The lines that are shown; can be set."""
        return self._lines

    @lines.setter
    def lines(self, lines: Sequence[StatusLine]) -> None:
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            self.changed()

    def _rows_at(self, columns: int) -> list[Row[Hashable]]:
        return [row(line, columns, self._base, self._separator) for line in self._lines]


def row(line: StatusLine, columns: int, base: Hashable = "status", separator: str = " · ") -> Row[Hashable]:
    """Return a row of exactly `columns` cells; the last remaining segment is clipped if necessary. Pure."""
    margin = min(MARGIN, max(0, columns - 1) // 2)
    room = max(0, columns - 2 * margin)
    left, right = [[_clean(each) for each in group if each.text] for group in (line.left, line.right)]
    while len(left) + len(right) > 1 and _needed(left, right, separator) > room:
        lowest = min(each.priority for each in (*left, *right))
        # The last one in reading order: from the right group first.
        group = right if any(each.priority == lowest for each in right) else left
        last = max(index for index, each in enumerate(group) if each.priority == lowest)
        del group[last]
    for segment in (*left, *right):
        segment.text = clip(segment.text, room) if len(left) + len(right) == 1 else segment.text
    runs: Row[Hashable] = [(base, " " * margin), *_joined(left, base, separator)]
    used = _cells(left, separator) + _cells(right, separator)
    runs += [(base, " " * (room - used)), *_joined(right, base, separator), (base, " " * (columns - room - margin))]
    return [run for run in runs if run[1]]


def _clean(segment: Segment) -> Segment:
    return Segment(detached(sanitize_line(segment.text)), segment.style, segment.priority)


def _cells(group: Sequence[Segment], separator: str) -> int:
    return sum(width(each.text) for each in group) + width(separator) * max(0, len(group) - 1)


def _needed(left: Sequence[Segment], right: Sequence[Segment], separator: str) -> int:
    return _cells(left, separator) + _cells(right, separator) + (GAP if left and right else 0)


def _joined(group: Sequence[Segment], base: Hashable, separator: str) -> Row[Hashable]:
    runs: Row[Hashable] = []
    for index, segment in enumerate(group):
        if index:
            runs.append((base, separator))
        runs.append((segment.style, segment.text))
    return runs
