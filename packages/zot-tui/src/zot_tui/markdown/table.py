"""Tables: the widths of their columns, and their rows; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from zot_tui.markdown.inline import inline
from zot_tui.text.runs import Row, Run, join, plain, runs_width
from zot_tui.text.width import Align
from zot_tui.text.wrap import wrap

RULE = "markdown.rule"
GAP = " │ "
CROSS = "─┼─"
NARROW = 5  # least cells of a column, if its text needs them; with less room every cell is on its own row


Cell: TypeAlias = tuple[Run[str], ...]
Cells: TypeAlias = tuple[Cell, ...]


@dataclass(slots=True)
class TableShape:
    """The common parts of all pieces of a table: head, alignment, and the preferred width of each column.

    Preferred widths come from the first piece, so that drawn rows do not change when more rows arrive.
    """

    head: Cells
    aligns: tuple[Align, ...]
    wishes: list[int]


def cells(row: Sequence[str], count: int, style: str = "text") -> Cells:
    """Return the text of `count` cells of a row as runs; missing cells are empty, extra ones are dropped."""
    return tuple([_cell(row[index], style) if index < len(row) else () for index in range(count)])


# The last piece of a table is drawn again for each bit of new text, so its finished cells and rows are cached.
@lru_cache(maxsize=1024)
def _cell(text: str, style: str) -> Cell:
    return tuple(inline(text, style))


def shape(head: Sequence[str], aligns: Sequence[Align], rows: Sequence[Cells]) -> TableShape:
    """Return the shape of the table that begins with these rows."""
    top = cells(head, len(head), "markdown.strong")
    wishes = [max((_wish(row[index]) for row in (top, *rows)), default=1) for index in range(len(top))]
    return TableShape(top, tuple(aligns), wishes)


def columns(wishes: Sequence[int], width: int) -> list[int] | None:
    """Return the cells of each column for rows of at most `width`; narrow columns get their preferred width.

    None if there is no room for readable columns.
    """
    room = width - len(GAP) * (len(wishes) - 1)
    if sum(wishes) <= room:
        return list(wishes)
    if sum(min(wish, NARROW) for wish in wishes) > room:
        return None
    given = [0] * len(wishes)
    left = sorted(range(len(wishes)), key=lambda index: wishes[index])
    while left:
        share = room // len(left)
        index = left.pop(0)
        given[index] = min(wishes[index], share)
        room -= given[index]
    return given


def table_rows(form: TableShape, body: Sequence[Cells], width: int, *, top: bool) -> list[Row[str]]:
    """Return the rows of a piece of a table; `top` says whether to draw its head above them."""
    given = columns(form.wishes, width)
    if given is None:
        return _listed(form, body, width, top=top)
    rows: list[Row[str]] = []
    if top:
        rows += _row(form.head, form.aligns, tuple(given))
        rows.append([(RULE, CROSS.join("─" * cells for cells in given))])
    for row in body:
        rows += _row(row, form.aligns, tuple(given))
    return rows


@lru_cache(maxsize=1024)
def _wish(cell: Cell) -> int:
    return max([1, *(runs_width(line) for line in _split(cell))])


def _split(cell: Cell) -> Sequence[Sequence[Run[str]]]:
    if not any("\n" in text for _, text in cell):
        return [cell]
    lines: list[Row[str]] = [[]]
    for style, text in cell:
        first, *others = text.split("\n")
        lines[-1].append((style, first))
        lines += [[(style, other)] for other in others]
    return lines


@lru_cache(maxsize=256)
def _row(row: Cells, aligns: tuple[Align, ...], given: tuple[int, ...]) -> Sequence[Row[str]]:
    """Return one table row, on as many screen rows as its highest cell needs."""
    wrapped = [wrap(cell, cells) for cell, cells in zip(row, given, strict=True)]
    rows = []
    for index in range(max(len(cell) for cell in wrapped)):
        out: Row[str] = []
        for column, cell in enumerate(wrapped):
            if column:
                out.append((RULE, GAP))
            out += _aligned(cell[index] if index < len(cell) else [], given[column], aligns[column])
        rows.append(join(_without_end(out)))
    return rows


def _aligned(runs: Row[str], cells: int, align: Align) -> Row[str]:
    free = cells - runs_width(runs)
    left = {"left": 0, "right": free, "center": free // 2}[align]
    return [("text", " " * left), *runs, ("text", " " * (free - left))]


def _without_end(row: Row[str]) -> Row[str]:
    """Return the row without the padding of its last column."""
    return row[:-1] if row[-1][0] == "text" and not row[-1][1].strip(" ") else row


def _listed(form: TableShape, body: Sequence[Cells], width: int, *, top: bool) -> list[Row[str]]:
    """Put every cell on its own rows after the name of its column, for screens too narrow for columns."""
    line: Row[str] = [(RULE, "─" * width)]
    if not body:
        return [row for cell in form.head for row in wrap(cell, width)] if top else []
    rows: list[Row[str]] = []
    for number, row in enumerate(body):
        if number or not top:
            rows.append(line)
        for name, cell in zip(form.head, row, strict=True):
            if plain(cell).strip():
                rows += wrap([*name, ("muted", ": "), *cell], width, rest=[("text", "  ")])
    return rows
