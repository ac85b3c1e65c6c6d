"""Context diffs as styled rows with line numbers, in one column or side by side; pure.

A row of such a diff begins with a space (unchanged), `-` or `+`, or is `...` between two hunks. There are no hunk
headers; the first line number of each hunk is passed separately.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise, zip_longest
from typing import Any, Literal, TypeAlias

from zot_tui.highlight import lex
from zot_tui.text.runs import Over, Row, Run, runs_width
from zot_tui.text.sanitize import detached, sanitize
from zot_tui.text.wrap import wrap

Sign: TypeAlias = Literal[" ", "-", "+", "..."]
Span: TypeAlias = tuple[int, int]
"""Characters of a line, from the first to before the second."""

TAB = 4
NUMBER = 4
"""The least cells of a line number, so that the lines of nearly all files begin in the same column."""
SIDES = 96
"""The least width with room for two sides: a screen of 100 cells, without the margins around a diff."""
LINES, SIZE = 40, 8000
"""The most lines and characters of a part."""
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
_BETWEEN: Run[Any] = ("border", "│ ")


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

    @property
    def shown(self) -> str:
        """The text as a screen shows it."""
        return detached(sanitize(self.text.removesuffix("\r"), tab_size=TAB).replace("\n", " "))


Pair: TypeAlias = tuple[DiffLine, DiffLine | None]
"""A changed line and its counterpart before or after the change, if it has one."""


@dataclass(slots=True)
class DiffPart:
    """Some lines of a diff, which are drawn together: in the colours of the language of `path`, behind their numbers in
    `cells` cells, and as two `sides` where these have room."""

    pairs: Sequence[Pair]
    path: str
    cells: int
    sides: bool

    @property
    def lines(self) -> int:
        """How many rows it has, if no line is wrapped."""
        if not self.sides:
            return len(self.pairs)
        return sum(max(len(gone), len(come)) for gone, come in _changes(line for line, _ in self.pairs))

    def rows(self, width: int) -> list[Row[Any]]:
        """Return rows of at most `width` cells (1 or more): the number, the sign, and the text, wrapped under itself.
        Added and removed lines are bands, in which changed words are marked. Without `cells` there is no column of
        numbers.
        """
        drawn = self._runs()
        if self.sides and width >= SIDES:
            return self._two_sides(drawn, width)
        lines = [line for line, _ in self.pairs]
        if self.sides:  # the pairs are in the order of two sides
            lines = [line for gone, come in _changes(lines) for line in ([*gone, *come] if gone is not come else gone)]
        return [row for line in lines for row in self._rows(line, line.number, drawn[id(line)], width)]

    def _two_sides(self, drawn: dict[int, Row[Any]], width: int) -> list[Row[Any]]:
        left = (width - runs_width([_BETWEEN])) // 2
        right = width - left - runs_width([_BETWEEN])
        rows: list[Row[Any]] = []
        for gone, come in _changes([line for line, _ in self.pairs]):
            for old, new in zip_longest(gone, come):
                before = [] if old is None else self._rows(old, old.old, drawn[id(old)], left)
                after = [] if new is None else self._rows(new, new.new, drawn[id(new)], right)
                for one, other in zip_longest(before, after):
                    rows.append([*_filled(one or [], left), _BETWEEN, *(other or [])])
        return rows

    def _rows(self, line: DiffLine, number: int | None, runs: Row[Any], width: int) -> list[Row[Any]]:
        gutter: list[Run[Any]] = [("dim", f"{number or '':>{self.cells}} ")] if self.cells else []
        style, bands = _STYLES[line.sign], _BANDS.get(line.sign)
        if line.sign == "...":
            return wrap([*gutter, (style, "⋯")], width)
        margin: Run[Any] = ("dim", " " * (self.cells + 1 if self.cells else 0))
        if bands is None:
            return wrap(runs, width, first=[*gutter, (style, "  ")], rest=[margin, (style, "  ")])
        band, _ = bands
        rows = wrap(runs, width, first=[*gutter, (band, f"{line.sign} ")], rest=[margin, (band, "  ")])
        return [[*row, (band, "")] for row in rows]

    def _runs(self) -> dict[int, Row[Any]]:
        """Return the text of each line in its colours, by the id of the line: what is there now as one text, and what
        was there."""
        found: dict[int, Row[Any]] = {}
        for signs in ((" ", "+", "..."), ("-",)):
            pairs = [(line, line.shown, other) for line, other in self.pairs if line.sign in signs]
            colored = lex([text for _, text, _ in pairs], self.path).rows
            for (line, text, other), row in zip(pairs, colored, strict=True):
                runs = row if any(style != "syntax.text" for style, _ in row) else [(_STYLES[line.sign], text)]
                if line.sign in _BANDS:
                    spans = () if other is None else _differing(text, other.shown, gone=line.sign == "-")
                    runs = _marked(runs, spans, *_BANDS[line.sign])
                found[id(line)] = runs
        return found


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


def diff_parts(lines: Sequence[DiffLine], path: str = "", *, sides: bool = False) -> list[DiffPart]:
    """Return the lines in parts, each of which takes about as long to draw as a screen."""
    highest = max((line.number or 0 for line in lines), default=0)
    cells = max(len(str(highest)), NUMBER) if highest else 0
    found: list[list[Pair]] = []
    room = size = 0
    for unit in _beside(lines) if sides else _below(lines):
        length = sum(len(line.text) for line, _ in unit)
        if not room or length > size:
            found.append([])
            room, size = LINES, SIZE
        found[-1] += unit
        room, size = room - 1, size - length
    return [DiffPart(pairs, path, cells, sides) for pairs in found]


def diff_rows(
    diff: str, width: int, starts: Sequence[tuple[int, int]] = (), path: str = "", *, sides: bool = False
) -> list[Row[Any]]:
    """Return the diff as rows of at most `width` cells (1 or more): see `parse_diff` and `DiffPart.rows`."""
    return [row for part in diff_parts(parse_diff(diff, starts), path, sides=sides) for row in part.rows(width)]


def _changes(lines: Iterable[DiffLine]) -> Iterator[tuple[Sequence[DiffLine], Sequence[DiffLine]]]:
    """Yield the old lines of each place and its new ones; the same list twice where nothing has changed."""
    for changed, group in groupby(lines, key=lambda line: line.sign in _BANDS):
        found = [*group]
        if changed:
            yield [line for line in found if line.sign == "-"], [line for line in found if line.sign == "+"]
        else:
            yield found, found


def _beside(lines: Sequence[DiffLine]) -> Iterator[list[Pair]]:
    """Yield what is side by side: an unchanged line, or one or two changed ones."""
    for gone, come in _changes(lines):
        if gone is come:
            for line in gone:
                yield [(line, None)]
            continue
        for old, new in zip_longest(gone, come):
            yield [(line, other) for line, other in ((old, new), (new, old)) if line is not None]


def _below(lines: Sequence[DiffLine]) -> Iterator[list[Pair]]:
    """Yield the lines in their order."""
    others: dict[int, DiffLine] = {}
    for gone, come in _changes(lines):
        for old, new in zip(gone, come, strict=False) if gone is not come else ():
            others[id(old)], others[id(new)] = new, old
    yield from ([(line, others.get(id(line)))] for line in lines)


def _filled(row: Row[Any], width: int) -> Row[Any]:
    """Return the row with spaces up to `width` cells, on its band if it has one."""
    band = row[-1][0] if row and not row[-1][1] else None
    return [*row, (band, " " * (width - runs_width(row)))]


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


def _differing(text: str, other: str, *, gone: bool) -> Sequence[Span]:
    """Return the words that another text has not; none if they have little in common, or are long. `gone`: the other
    one has come in the place of this one."""
    if max(len(text), len(other)) > COMPARED:
        return ()
    return _compared(text, other)[0] if gone else _compared(other, text)[1]


@lru_cache(maxsize=2 * LINES)
def _compared(old: str, new: str) -> tuple[Sequence[Span], Sequence[Span]]:
    """Return the words of each text that the other one has not; none if they have little in common."""
    from difflib import SequenceMatcher  # noqa: PLC0415  only for a diff

    words, others = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    if matcher.quick_ratio() < ALIKE or matcher.ratio() < ALIKE:
        return (), ()
    places, other_places = _starts(words), _starts(others)
    changed = [(first, last, *rest) for kind, first, last, *rest in matcher.get_opcodes() if kind != "equal"]
    return (
        [(places[first], places[last]) for first, last, _, _ in changed],
        [(other_places[start], other_places[end]) for _, _, start, end in changed],
    )


def _starts(words: Sequence[str]) -> list[int]:
    """Return where each word begins, and where the last one ends."""
    places = [0]
    for word in words:
        places.append(places[-1] + len(word))
    return places
