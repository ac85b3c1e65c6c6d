"""`lay_over`: draws one canvas over a part of another."""

from collections.abc import Hashable, Iterator

from zot_tui.terminal.canvas import RowCanvas, rows_of
from zot_tui.terminal.frame import ScreenRow
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.width import split_at, width


def lay_over(below: urwid.Canvas, above: RowCanvas, column: int, row: int) -> RowCanvas:
    """Return `below` with `above` from a cell on. What is outside of `below` is left out. The cursor is that of
    `above`, else that of `below` where nothing is over it. Half of a wide character at an edge becomes a blank."""
    columns, drawn = below.cols(), [*rows_of(below)]
    cells = min(above.columns, columns - column)
    for at, upper in enumerate(above.drawn, row):
        if 0 <= at < len(drawn) and cells > 0:
            shown = upper if cells == above.columns else _cells(upper, 0, cells)
            drawn[at] = [*_cells(drawn[at], 0, column), *shown, *_cells(drawn[at], column + cells, columns)]
    cursor = below.cursor
    if cursor is not None and column <= cursor[0] < column + cells and row <= cursor[1] < row + len(above.drawn):
        cursor = None
    if above.cursor is not None:
        cursor = above.cursor[0] + column, above.cursor[1] + row
        cursor = cursor if cursor[0] < columns and 0 <= cursor[1] < len(drawn) else None
    return RowCanvas(drawn, columns, cursor, [(0, below), (row, above)])


def _cells(row: ScreenRow, first: int, end: int) -> Iterator[tuple[Hashable, None, bytes]]:
    """Yield the parts of a row from cell `first` to cell `end`."""
    at = 0
    for style, charset, encoded in row:
        if at >= end:
            return
        text = encoded.decode()
        cells = width(text)
        if at + cells > first:
            shown = text if at >= first else _without(text, first - at)
            room = end - max(at, first)
            if width(shown) > room:
                shown = split_at(shown, room)[0]
                shown += " " * (room - width(shown))
            yield style, charset, shown.encode()
        at += cells


def _without(text: str, cells: int) -> str:
    """Return the text after `cells` cells."""
    head, rest = split_at(text, cells)
    if width(head) == cells:
        return rest
    broken, rest = split_at(rest, 2)  # a wide character that begins before and ends after
    return " " * (width(head) + width(broken) - cells) + rest
