"""`RowPattern`: where a phrase is in drawn rows, also over the end of a row; pure."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from zot_tui.text.runs import Mark, Over, Row, plain, runs_width
from zot_tui.text.width import graphemes

_SOFT = "\x1f"  # between a full row and the next, which may be the same word
_EDGES = r"[ │▌]*"  # what is drawn beside a text


class RowSpan(NamedTuple):
    """Characters of a row, from `start` to before `end`."""

    row: int
    start: int
    end: int


RowHit: TypeAlias = tuple[RowSpan, ...]
"""A place that has the phrase: a part of one row or of several."""


class RowPattern:
    """Finds `words` with white space between them; their case counts if `exact`."""

    def __init__(self, words: Sequence[str], *, exact: bool) -> None:
        within = f"(?:{_EDGES}{_SOFT}{_EDGES})?"
        patterns = (within.join(map(re.escape, word)) for word in words)
        between = rf"[\s{_SOFT}│▌]+"
        self._find = re.compile(between.join(patterns), 0 if exact else re.IGNORECASE) if words else None

    def hits(self, rows: Sequence[Row[Any]], columns: int) -> list[RowHit]:
        """Return the places in rows that were drawn for a width of `columns`, from top to bottom."""
        if self._find is None:
            return []
        texts = [plain(row) for row in rows]
        starts, whole = [0], ""
        for row, text in zip(rows, texts, strict=True):
            whole += text + (_SOFT if runs_width(row) >= columns - 1 else "\n")
            starts.append(len(whole))
        return [_spans(found.start(), found.end(), starts, texts) for found in self._find.finditer(whole)]


def _spans(start: int, end: int, starts: Sequence[int], texts: Sequence[str]) -> RowHit:
    found: list[RowSpan] = []
    for row, (first, text) in enumerate(zip(starts, texts, strict=False)):
        left, right = max(start - first, 0), min(end - first, len(text))
        if left < right:
            right = _whole(text, right)
            edge = len(text) - len(text.lstrip(" │▌")) if left == 0 and found else left
            found.append(RowSpan(row, min(edge, right), right))
    return tuple(found)


def _whole(text: str, end: int) -> int:
    """Return the end of the letter, with its marks, to which the last character before `end` belongs."""
    if text[end : end + 1].isascii():
        return end
    at = 0
    for grapheme in graphemes(text):
        at += len(grapheme)
        if at >= end:
            break
    return at


def mark_hits(
    rows: Sequence[Row[Any]], hits: Sequence[RowHit], style: str, current: int = -1, here: str = ""
) -> list[Row[Any]]:
    """Return the rows with the hits in the style `style` on their background, and number `current` in the style
    `here`."""
    marked = [*rows]
    for number in range(len(hits) - 1, -1, -1):
        for span in hits[number]:
            marked[span.row] = _mark(marked[span.row], span, here if number == current else "", style)
    return marked


def _mark(row: Row[Any], span: RowSpan, here: str, style: str) -> Row[Any]:
    marked: Row[Any] = []
    at = 0
    for own, text in row:
        first, last = max(span.start - at, 0), max(min(span.end - at, len(text)), 0)
        at += len(text)
        if first >= last:
            marked.append((own, text))
            continue
        band = own.band if isinstance(own, Over) else own if isinstance(own, str) else ""
        inside = here or (Mark(style, band) if band else style)
        parts = [(own, text[:first]), (inside, text[first:last]), (own, text[last:])]
        marked += [part for part in parts if part[1]]
    return marked
