"""Parts of the first row of a tool call, the row of several, and the box around a call. No urwid."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

from zot_tui.text.runs import Row, join, runs_width
from zot_tui.text.sanitize import detached, sanitize_line
from zot_tui.widgets.amounts import duration
from zot_tui.widgets.transcript.blocks import MIN_DURATION, RenderableBlock
from zot_tui.widgets.transcript.chunks import Chunk

Ending: TypeAlias = Literal["ok", "failed", "stopped", "refused"]
"""`stopped` before or while it ran; `refused` by the user or an extension."""
State: TypeAlias = Literal["running"] | Ending

MARKS: dict[State, tuple[str, str]] = {
    "ok": ("success", "●"),
    "failed": ("error", "✗"),
    "stopped": ("warning", "■"),
    "refused": ("warning", "⊘"),
}


def summary(calls: Iterable[tuple[str, str, Sequence[RenderableBlock]]]) -> Row[Any]:
    """Return calls (name, argument, blocks of the result) by name: `read 3 files, grep total`."""
    named: dict[str, list[tuple[str, Sequence[RenderableBlock]]]] = {}
    for name, argument, blocks in calls:
        named.setdefault(name, []).append((argument, blocks))
    row: Row[Any] = []
    for name, found in named.items():
        files = all(block.kind == "code" for _, blocks in found for block in blocks)
        what = f"{len(found)}{' files' * files}" if len(found) > 1 else sanitize_line(found[0][0])
        row += [*([("muted", ", ")] if row else []), ("tool", detached(name)), ("text", f" {what}" if what else "")]
    return join(row)


def facts_row(notes: Sequence[Row[Any]], facts: Sequence[str], seconds: float | None) -> Row[Any]:
    """Return what follows the argument: notes of the blocks, facts, and how long the call took, if that is known."""
    found: list[Row[Any]] = [*notes, *([("muted", fact)] for fact in facts)]
    if seconds is not None and seconds >= MIN_DURATION:
        found.append([("muted", duration(seconds))])
    row: Row[Any] = []
    for index, fact in enumerate(found):
        row += [("muted", " · " if index else "  "), *fact]
    return join(row)


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
