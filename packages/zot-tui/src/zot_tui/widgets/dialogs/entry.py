"""`ListEntry`: one entry of a list, as pickers and suggestions draw it; no urwid but its layered styles."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs, join, runs_width
from zot_tui.text.sanitize import detached, sanitize_line
from zot_tui.text.width import graphemes, width
from zot_tui.text.wrap import wrap

CURSOR = "› "
BLANK = "  "
GAP = 2
EDGE = 2  # cells left free at the right of a wide list
WIDE = 40
MIN_DESCRIPTION = 8  # cells below which a description is left out
BESIDE = 16  # cells below which it is not wrapped beside its label, but below that
LABEL = 24  # cells for the label before anything else gets room


@dataclass(slots=True)
class ListEntry:
    """The content of a row. `positions` are the matched characters of `label`; `mark` is drawn before it."""

    label: str
    description: str = ""
    detail: str = ""
    mark: str = ""
    positions: Collection[int] = ()
    enabled: bool = True


def entry_row(entry: ListEntry, columns: int, label_cells: int, *, chosen: bool) -> Row[Any]:
    """Return a row of at most `columns` cells: cursor, mark, label, description at `label_cells`, detail at the right.

    If there is no room, the description is cut first, then the label beyond `LABEL` cells, then the detail.
    """
    return entry_rows(entry, columns, label_cells, chosen=chosen, wraps=False)[0]


def entry_rows(entry: ListEntry, columns: int, label_cells: int, *, chosen: bool, wraps: bool = True) -> list[Row[Any]]:
    """Return the same as `entry_row`, but nothing is cut: what has no room is below the first row."""
    mark: Row[Any] = [("accent", CURSOR if chosen else BLANK), ("accent", entry.mark)]
    label = _label(entry)
    used, indent = runs_width(mark) + runs_width(label), [("muted", " " * runs_width(mark))]
    detail = sanitize_line(entry.detail)
    edge = columns - EDGE if columns >= WIDE else columns
    room = edge - GAP - width(detail)
    beside = bool(detail) and room >= min(used, LABEL)
    room = room if beside else edge
    rows = (
        [*wrap(label, room, first=mark, rest=indent)] if wraps and used > room else [clip_runs([*mark, *label], room)]
    )
    used = runs_width(rows[0])
    whole: Row[Any] = [("muted", detached(sanitize_line(entry.description)))]
    cells = runs_width(whole)
    start = max(runs_width(mark) + label_cells, used) + GAP
    if cells and len(rows) == 1 and room - start >= min(BESIDE if wraps else MIN_DESCRIPTION, cells):
        first, *others = wrap(whole, room - start) if wraps else [clip_runs(whole, room - start)]
        rows = [
            [*rows[0], ("muted", " " * (start - used)), *first],
            *([("muted", " " * start), *each] for each in others),
        ]
        used = runs_width(rows[0])
    elif cells and wraps:
        rows += wrap(whole, edge, first=indent, rest=indent)
    if beside:
        rows[0] = [*rows[0], ("muted", " " * (edge - used - width(detail))), ("muted", detail)]
    elif detail and wraps:
        rows += wrap([("muted", detail)], edge, first=indent, rest=indent)
    rows = [clip_runs(each, columns) for each in rows]
    if chosen:
        return [[*((_on_selection(style), text) for style, text in each), ("selection", "")] for each in rows]
    return rows


def heading_row(text: str, columns: int) -> Row[Any]:
    return clip_runs([("muted", BLANK + sanitize_line(text))], columns)


def window(count: int, chosen: int, top: int, rows: int) -> int:
    """Return the first of `rows` rows in view out of `count`: `top`, moved no further than needed to show `chosen`."""
    top = min(max(top, chosen - rows + 1, 0), max(count - rows, 0))
    return min(top, chosen) if chosen >= 0 else top


def _label(entry: ListEntry) -> Row[Any]:
    label = sanitize_line(entry.label)
    shown = detached(label)
    style = "text" if entry.enabled else "dim"
    if label != entry.label or not entry.positions:
        return [(style, shown)]
    found = frozenset(entry.positions)
    runs: Row[Any] = []
    at = len(label) - len(shown)
    for grapheme in graphemes(shown):  # a combining mark has the style of its letter
        hit = any(position in found for position in range(at, at + len(grapheme)))
        runs.append(("match" if hit else style, grapheme))
        at += len(grapheme)
    return join(runs)


def _on_selection(style: str) -> Any:
    """Return a style for the chosen row: matched letters stay highlighted, the rest gets the selection's style."""
    return urwid.LayeredAttr.layer("match", "selection") if style == "match" else "selection"
