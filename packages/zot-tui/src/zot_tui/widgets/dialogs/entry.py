"""`ListEntry`: one entry of a list, as pickers and suggestions draw it; no urwid but its layered styles."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs, join
from zot_tui.text.sanitize import detached, sanitize_line
from zot_tui.text.width import graphemes, width
from zot_tui.text.wrap import wrap

CURSOR = "› "
BLANK = "  "
GAP = 2
EDGE = 2  # cells left free at the right of a wide list
WIDE = 40
MIN_DESCRIPTION = 8  # cells below which a description is left out
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
    """Return the same as `entry_row`, but the description is not cut: its other rows are below the first."""
    head: Row[Any] = [("accent", CURSOR if chosen else BLANK), ("accent", entry.mark), *_label(entry)]
    used = sum(width(text) for _, text in head)
    detail = sanitize_line(entry.detail)
    edge = columns - EDGE if columns >= WIDE else columns
    room = edge - GAP - width(detail)
    if not detail or room < min(used, LABEL):
        detail, room = "", edge
    row = clip_runs(head, room)
    used = sum(width(text) for _, text in row)
    description = sanitize_line(entry.description)
    start = max(width(CURSOR) + width(entry.mark) + label_cells, used) + GAP
    below: list[Row[Any]] = []
    if description and room - start >= min(MIN_DESCRIPTION, width(description)):
        whole: Row[Any] = [("muted", detached(description))]
        first, *others = wrap(whole, room - start) if wraps else [clip_runs(whole, room - start)]
        row += [("muted", " " * (start - used)), *first]
        below = [[("muted", " " * start), *each] for each in others]
        used = sum(width(text) for _, text in row)
    if detail:
        row += [("muted", " " * (edge - used - width(detail))), ("muted", detail)]
    rows = [clip_runs(each, columns) for each in (row, *below)]
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
