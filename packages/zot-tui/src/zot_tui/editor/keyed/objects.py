"""Parts of a text: a word, the text between quotes or brackets, a paragraph; pure.

Each is a function of a text, a position and a count, and returns a range of units, or None if there is no such object.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

from zot_tui.editor.keyed.motions import closing
from zot_tui.editor.units import BLANK, Units


class UnitRange(NamedTuple):
    """The units from `start` to before `end`. With `lines`, the first and last line count as a whole, with their line
    breaks."""

    start: int
    end: int
    lines: bool = False


TextObject: TypeAlias = Callable[[Units, int, int], UnitRange | None]


def _word(units: Units, at: int, count: int, *, big: bool, around: bool) -> UnitRange | None:
    """A word, or the blanks between two; `around` adds the blanks behind a word, or else those before it."""
    first, last = units.start(at), units.end(at)
    if first == last:
        return UnitRange(at, at) if not around else None

    def run(at: int) -> int:
        kind = units.kind(at, big=big)
        while at < last and units.kind(at, big=big) == kind:
            at += 1
        return at

    kind = units.kind(at, big=big)
    start = at
    while start > first and units.kind(start - 1, big=big) == kind:
        start -= 1
    end, blank = start, kind == BLANK
    for _ in range(count):
        if end == last:
            return None
        if around and blank and units.kind(end) == BLANK and (end := run(end)) == last:
            return None
        end = run(end)
        if around and not blank and end < last and units.kind(end) == BLANK:
            end = run(end)
    if around and not blank and units.kind(end - 1) != BLANK:  # no blanks behind it
        before = start
        while before > first and units.kind(before - 1) == BLANK:
            before -= 1
        start = before if before > first else start  # but keep the indentation of a line
    return UnitRange(start, end)


def _quoted(units: Units, at: int, count: int, *, quote: str, around: bool) -> UnitRange | None:
    """The text between two quotes on the line; `around` adds them, and the blanks behind or else before them."""
    first, last = units.start(at), units.end(at)
    quotes = []
    place = first
    while place < last:
        if units.units[place] == "\\":
            place += 1
        elif units.units[place] == quote:
            quotes.append(place)
        place += 1
    if at in quotes:  # the quotes before it decide whether it opens or closes
        number = quotes.index(at) // 2 * 2
    else:
        before = sum(place < at for place in quotes)
        number = max(before - 1, 0)
    pair = quotes[number : number + 2]
    if len(pair) < 2:
        return None
    start, end = pair
    if not around:
        return UnitRange(start, end + 1) if count > 1 else UnitRange(start + 1, end)
    end += 1
    blanks = end
    while blanks < last and units.kind(blanks) == BLANK:
        blanks += 1
    if blanks == end:
        while start > first and units.kind(start - 1) == BLANK:
            start -= 1
    return UnitRange(start, blanks)


def _bracketed(units: Units, at: int, count: int, *, bracket: str, around: bool) -> UnitRange | None:
    """The text between the `count`th brackets around `at`, or else the next ones; `around` adds the brackets."""
    close = {"(": ")", "[": "]", "{": "}"}[bracket]
    place, depth = min(at, units.size - 1), count
    if place >= 0 and units.units[place] == close:
        place -= 1
    while place >= 0 and (depth := depth + (units.units[place] == close) - (units.units[place] == bracket)):
        place -= 1
    if place < 0 and bracket in units.units[at:]:
        place = units.units.index(bracket, at)
    if place < 0 or (end := closing(units, place)) is None:
        return None
    if around:
        return UnitRange(place, end + 1)
    start = place + 1
    if start < end and units.is_break(start):  # brackets on their own lines keep their lines
        line = units.start(end)
        if line > start and all(units.kind(each) == BLANK for each in range(line, end)):
            return UnitRange(start + 1, line - 1, lines=True) if line > start + 1 else UnitRange(start, start)
        start += 1
    return UnitRange(start, end)


def _paragraph(units: Units, at: int, count: int, *, around: bool) -> UnitRange | None:
    """Lines up to a blank one, or blank lines; `around` adds lines of the other kind behind, or else before them."""

    def blank(line: int) -> bool:
        return all(units.kind(each) == BLANK for each in range(line, units.end(line)))

    def run(line: int, by: int) -> int:
        """Return the last line from `line` on that has the same kind."""
        same = blank(line)
        while (following := units.lines(line, by)) != line and blank(following) == same:
            line = following
        return line

    start = end = run(units.start(at), -1)
    empty = blank(start)
    parts = count * 2 if around else count
    for number in range(parts):
        end = run(end, 1)
        following = units.lines(end, 1)
        if number + 1 == parts:
            break
        if following == end:
            if not around or empty or number + 2 < parts:
                return None
            before = units.lines(start, -1)
            start = run(before, -1) if before != start else start
            break
        end = following
    return UnitRange(start, units.end(end), lines=True)


def _both(find: Callable[..., UnitRange | None], name: str, **named: object) -> dict[str, TextObject]:
    return {
        f"inner_{name}": partial(find, around=False, **named),
        f"a_{name}": partial(find, around=True, **named),
    }


OBJECTS: dict[str, TextObject] = {
    **_both(_word, "word", big=False),
    **_both(_word, "long_word", big=True),
    **_both(_quoted, "quotes", quote='"'),
    **_both(_quoted, "single_quotes", quote="'"),
    **_both(_quoted, "backquotes", quote="`"),
    **_both(_bracketed, "parentheses", bracket="("),
    **_both(_bracketed, "brackets", bracket="["),
    **_both(_bracketed, "braces", bracket="{"),
    **_both(_paragraph, "paragraph"),
}
