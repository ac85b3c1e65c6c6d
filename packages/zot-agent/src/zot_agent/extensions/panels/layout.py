"""`Layout`: where a panel wants to be, and `place`, where it is on a screen of a size; pure.

Sizes are cells: a number, or a percentage of the screen such as `"50%"`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from zot_ext.protocol.calls.panels import MOST_CELLS
from zot_provider.record import Record

Size: TypeAlias = int | str

FRAME = 2
"""Columns and rows of the frame around an overlay; rows of that around other panels."""

USUAL_WIDTH = 60
BESIDE = 8
"""Rows of the screen that a panel above the editor leaves free."""


class Layout(Record):
    """The place of a panel, from `panels.open`. None is a missing field."""

    anchor: str = "center"
    width: Size | None = None
    height: Size | None = None
    min_width: int = 0
    offset_x: int = 0
    offset_y: int = 0
    row: Size | None = None
    column: Size | None = None
    margin: int = 0
    z: int = 0
    min_terminal_width: int = 0
    min_terminal_height: int = 0


class Area(NamedTuple):
    """A rectangle of the screen, frame included, and the room within the frame."""

    column: int
    row: int
    width: int
    height: int
    inner_width: int
    inner_height: int


_SIZES = ("width", "height", "row", "column")


def read_layout(given: Mapping[str, Any], before: Layout) -> Layout:
    """Return `before` with the members of `given` that are not None. Raises ValueError with one line."""
    changes: dict[str, Any] = {}
    for name in Layout.__match_args__:
        value = given.get(name)
        if value is None:
            continue
        if name in _SIZES:
            _cells(name, value, 100)
        changes[name] = value
    return before.replace(**changes)


def _cells(name: str, value: object, whole: int) -> int:
    """Return a size in cells. Raises ValueError."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_CELLS:
        return value
    if isinstance(value, str) and value.endswith("%") and value[:-1].isdecimal() and len(value) <= 4:
        return whole * int(value[:-1]) // 100
    raise ValueError(f'{name} must be a number of cells, 0 to {MOST_CELLS}, or a percentage such as "50%"')


def place(layout: Layout, mode: str, screen: tuple[int, int], lines: int) -> Area | None:
    """Return the area of a panel of `lines` lines; `screen` has columns and rows. None if it is too small.

    An overlay is moved and made smaller until it is within the margins. The rows of other panels are chosen by what
    draws them; only their sizes count.
    """
    columns, rows = screen
    if columns < layout.min_terminal_width or rows < layout.min_terminal_height:
        return None
    if mode != "overlay":
        room = max(rows - BESIDE, 2)
        height = min(room if layout.height is None else _cells("height", layout.height, rows), room)
        return Area(0, 0, columns, min(lines, height) + FRAME, columns, height) if height > 0 else None
    margin = min(layout.margin, (columns - 3) // 2, (rows - 3) // 2)
    if margin < 0:
        return None
    free_columns, free_rows = columns - 2 * margin, rows - 2 * margin
    wanted = USUAL_WIDTH if layout.width is None else _cells("width", layout.width, columns)
    if isinstance(layout.width, str):
        wanted -= FRAME  # a percentage is one of the whole screen, frame included
    width = min(max(wanted, layout.min_width, 1), free_columns - FRAME)
    most = free_rows - FRAME
    if layout.height is not None:
        asked = _cells("height", layout.height, rows) - (FRAME if isinstance(layout.height, str) else 0)
        most = min(max(asked, 1), most)
    height = most if layout.height is not None else min(max(lines, 1), most)
    outer_width, outer_height = width + FRAME, height + FRAME
    across, down = _anchored(layout.anchor)
    column = margin + (free_columns - outer_width) * across // 2 + layout.offset_x
    row = margin + (free_rows - outer_height) * down // 2 + layout.offset_y
    if layout.column is not None:
        column = margin + _cells("column", layout.column, free_columns - outer_width)
    if layout.row is not None:
        row = margin + _cells("row", layout.row, free_rows - outer_height)
    column = max(margin, min(column, columns - margin - outer_width))
    row = max(margin, min(row, rows - margin - outer_height))
    return Area(column, row, outer_width, outer_height, width, most)


def _anchored(anchor: str) -> tuple[int, int]:
    """Return the halves of the free space that are to the left of the panel and above it: 0, 1 or 2."""
    across = 0 if "left" in anchor else 2 if "right" in anchor else 1
    return across, 0 if anchor.startswith("top") else 2 if anchor.startswith("bottom") else 1
