"""The box around a tool call. No urwid."""

from typing import Any

from zot_tui.text.runs import Row, join, runs_width
from zot_tui.widgets.transcript.chunks import Chunk

FRAME = 20  # least width with a frame


def framed(head: Chunk) -> Chunk:
    """Return the head as the upper edge of a box; unchanged if the screen is too narrow."""

    def rows(width: int) -> list[Row[Any]]:
        if width < FRAME:
            return [*head.rows(width)]
        edged = []
        for index, row in enumerate(head.rows(width - 5)):
            free = width - 5 - runs_width(row)
            left, right = ("│ ", " " * free + "  │") if index else ("╭ ", " " + "─" * free + "─╮")
            edged.append(join([("border", left), *row, ("border", right)]))
        return edged

    return Chunk(rows)


def bottom(width: int) -> list[Row[Any]]:
    """Return the lower edge of a box, or a rule if the screen is too narrow."""
    return [[("border", "╰" + "─" * (width - 2) + "╯" if width >= FRAME else "─" * width)]]


def side(chunk: Chunk) -> Chunk:
    """Return the chunk between the left and right edges of a box."""

    def rows(width: int) -> list[Row[Any]]:
        if width < FRAME:
            return [*chunk.rows(width)]
        inner = width - 4
        return [
            join([("border", "│ "), *row, (None, " " * (inner - runs_width(row))), ("border", " │")])
            for row in chunk.rows(inner)
        ]

    return Chunk(rows, chunk.lines, chunk)
