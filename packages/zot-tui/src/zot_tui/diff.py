"""Context diffs as styled rows with line numbers; pure.

A row of such a diff begins with a space (unchanged), `-` or `+`, or is `...` between two hunks. There are no hunk
headers; the first line number of each hunk is passed separately.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Literal, TypeAlias

from zot_tui.highlight import lex
from zot_tui.text.runs import Over, Row, Run
from zot_tui.text.sanitize import detached, sanitize
from zot_tui.text.wrap import wrap

Sign: TypeAlias = Literal[" ", "-", "+", "..."]
Span: TypeAlias = tuple[int, int]
"""Characters of a line, from the first to before the second."""

TAB = 4
COMPARED = 400
"""Characters of a line from which changed words are not looked for."""
ALIKE = 0.5
"""The share of two lines that is the same, below which all of them is new."""

_STYLES: dict[Sign, str] = {" ": "diff.context", "-": "diff.removed", "+": "diff.added", "...": "dim"}
_BANDS: dict[Sign, tuple[str, str]] = {
    "-": ("diff.removed_line", "diff.removed_word"),
    "+": ("diff.added_line", "diff.added_word"),
}
_WORDS = re.compile(r"\w+|\s+|.")


@dataclass(slots=True)
class DiffLine:
    """A row of a diff: its sign, its text, and its line number in the old and in the new file, from 1; None where the
    line does not exist or its number is unknown."""

    sign: Sign
    text: str
    old: int | None = None
    new: int | None = None

    @property
    def number(self) -> int | None:
        """The number in the new file, or in the old file for a removed line."""
        return self.old if self.sign == "-" else self.new


def parse_diff(diff: str, starts: Sequence[tuple[int, int]] = ()) -> list[DiffLine]:
    """Return the lines of `diff`.

    `starts` holds the first line number, old and new, of each hunk (`...` separates hunks); lines of further hunks have
    no numbers. A row without a sign counts as unchanged.
    """
    lines: list[DiffLine] = []
    places = iter(starts)
    old, new = next(places, (0, 0))
    for row in diff.removesuffix("\n").split("\n") if diff else []:
        if row.rstrip("\r") == "...":
            lines.append(DiffLine("...", ""))
            old, new = next(places, (0, 0))
        elif row.startswith("-"):
            lines.append(DiffLine("-", row[1:], old or None))
            old += bool(old)
        elif row.startswith("+"):
            lines.append(DiffLine("+", row[1:], None, new or None))
            new += bool(new)
        else:
            lines.append(DiffLine(" ", row.removeprefix(" "), old or None, new or None))
            old += bool(old)
            new += bool(new)
    return lines


def number_cells(lines: Iterable[DiffLine]) -> int:
    """Return the width of the numbers of these lines, 0 without any."""
    return max((len(str(line.number)) for line in lines if line.number), default=0)


def diff_rows(diff: str, width: int, starts: Sequence[tuple[int, int]] = (), path: str = "") -> list[Row[Any]]:
    """Return the diff as rows of at most `width` cells (1 or more): see `parse_diff` and `line_rows`."""
    lines = parse_diff(diff, starts)
    return line_rows(lines, width, number_cells(lines), path)


def line_rows(lines: Sequence[DiffLine], width: int, cells: int, path: str = "") -> list[Row[Any]]:
    """Return lines as rows of at most `width` cells: the number in `cells` cells, the sign, and the text, wrapped under
    itself, in the colours of the language of `path`. Added and removed lines are bands, in which changed words are
    marked. Without `cells` there is no column of numbers.
    """
    texts = [detached(sanitize(line.text.removesuffix("\r"), tab_size=TAB).replace("\n", " ")) for line in lines]
    changed = _changed(lines, texts)
    rows: list[Row[Any]] = []
    for at, (line, runs) in enumerate(zip(lines, _colored(lines, texts, path), strict=True)):
        gutter: list[Run[Any]] = [("dim", f"{line.number or '':>{cells}} ")] if cells else []
        style = _STYLES[line.sign]
        if line.sign == "...":
            rows += wrap([*gutter, (style, "⋯")], width)
            continue
        margin: Run[Any] = ("dim", " " * (cells + 1 if cells else 0))
        bands = _BANDS.get(line.sign)
        if bands is None:
            rows += wrap(runs, width, first=[*gutter, (style, "  ")], rest=[margin, (style, "  ")])
            continue
        band, word = bands
        marked = _marked(runs, changed.get(at, ()), band, word)
        first = [*gutter, (band, f"{line.sign} ")]
        rows += [[*row, (band, "")] for row in wrap(marked, width, first=first, rest=[margin, (band, "  ")])]
    return rows


def _colored(lines: Sequence[DiffLine], texts: Sequence[str], path: str) -> list[Row[Any]]:
    """Return the texts in the colours of their language: what is there now as one text, and what was there."""
    found: list[Row[Any]] = [[(_STYLES[line.sign], text)] for line, text in zip(lines, texts, strict=True)]
    for signs in ((" ", "+"), ("-",)) if path else ():
        own = [at for at, line in enumerate(lines) if line.sign in signs]
        lexed = lex([texts[at] for at in own], path)
        for at, row in zip(own, lexed.rows, strict=True):
            found[at] = row if any(style != "syntax.text" for style, _ in row) else found[at]
    return found


def _marked(runs: Row[Any], spans: Sequence[Span], band: str, word: str) -> Row[Any]:
    """Return the runs on their band, the characters in `spans` on that of changed words."""
    row: Row[Any] = []
    at = 0
    for style, text in runs:
        plain = style in ("diff.added", "diff.removed")
        cuts = sorted({0, len(text), *(min(max(edge - at, 0), len(text)) for span in spans for edge in span)})
        for start, end in pairwise(cuts):
            under = word if any(first <= at + start < last for first, last in spans) else band
            row.append((under if plain else Over(style, under), text[start:end]))
        at += len(text)
    return row


def _changed(lines: Sequence[DiffLine], texts: Sequence[str]) -> dict[int, list[Span]]:
    """Return what is changed in each line that takes the place of another one, or gives its place to it."""
    found: dict[int, list[Span]] = {}
    for removed, added in _pairs(lines):
        old, new = texts[removed], texts[added]
        if max(len(old), len(new)) <= COMPARED:
            found[removed], found[added] = _differing(old, new)
    return found


def _pairs(lines: Sequence[DiffLine]) -> Iterator[tuple[int, int]]:
    """Yield the places of removed lines, and of the lines that come in their place."""
    before: list[int] = []
    for sign, group in groupby(range(len(lines)), key=lambda at: lines[at].sign):
        places = [*group]
        if sign == "+":
            yield from zip(before, places, strict=False)
        before = places if sign == "-" else []


def _differing(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """Return the words of each text that the other one has not; none if they have little in common."""
    from difflib import SequenceMatcher  # noqa: PLC0415  only for a diff

    words, others = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    if matcher.ratio() < ALIKE:
        return [], []
    places, other_places = _starts(words), _starts(others)
    spans: tuple[list[Span], list[Span]] = [], []
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "equal":
            spans[0].append((places[first], places[last]))
            spans[1].append((other_places[start], other_places[end]))
    return spans


def _starts(words: Sequence[str]) -> list[int]:
    """Return where each word begins, and where the last one ends."""
    places = [0]
    for word in words:
        places.append(places[-1] + len(word))
    return places
