"""Motions: functions from a text and a position to a target; pure.

They follow POSIX `vi`, and Vim where POSIX leaves something open. The kinds of motions have Vim's names: an operator
changes the text up to the target of an *exclusive* motion without the target, of an *inclusive* one with it, and
*lines* means all lines between.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

from zot_tui.editor.units import BLANK, Units

MotionKind: TypeAlias = Literal["exclusive", "inclusive", "lines"]

END = float("inf")
"""A column beyond all columns: vertical movement then keeps to the ends of lines."""


class MotionStart(NamedTuple):
    """The start of a motion. `number` is the count, 0 if none was typed.

    `char` is what a motion of `FINDS` looks for, `goal` the cells that vertical movement keeps, `operator` the operator
    that waits for the motion, or empty.
    """

    units: Units
    at: int
    number: int = 0
    char: str = ""
    goal: float = 0
    operator: str = ""

    @property
    def times(self) -> int:
        """The count; 1 if none was typed."""
        return max(self.number, 1)


class MotionTarget(NamedTuple):
    """The target of a motion: a unit, or the end of a line or of the text."""

    at: int
    kind: MotionKind = "exclusive"


Motion: TypeAlias = Callable[[MotionStart], MotionTarget | None]
"""Returns None if the motion is impossible."""


# Within a line


def left(place: MotionStart) -> MotionTarget | None:
    """h"""
    start = place.units.start(place.at)
    return MotionTarget(max(place.at - place.times, start)) if place.at > start or place.operator else None


def right(place: MotionStart) -> MotionTarget | None:
    """l"""
    end = place.units.end(place.at) if place.operator else place.units.last(place.at)
    return MotionTarget(min(place.at + place.times, end)) if place.at < end or place.operator else None


def line_start(place: MotionStart) -> MotionTarget:
    """0"""
    return MotionTarget(place.units.start(place.at))


def line_first(place: MotionStart) -> MotionTarget:
    """^"""
    return MotionTarget(place.units.first(place.at))


def line_end(place: MotionStart) -> MotionTarget | None:
    """$"""
    if place.times > 1 and place.units.end(place.at) == place.units.size:
        return None
    at = place.units.lines(place.at, place.times - 1)
    return MotionTarget(place.units.last(at), "inclusive")


def line_last(place: MotionStart) -> MotionTarget:
    """g_: to the last unit of the line that is not blank"""
    units = place.units
    start = units.lines(place.at, place.times - 1)
    at = units.last(start)
    while at > start and units.kind(at) == BLANK:
        at -= 1
    return MotionTarget(at, "inclusive")


def column(place: MotionStart) -> MotionTarget:
    """|"""
    return MotionTarget(place.units.at_cells(place.units.start(place.at), place.times - 1))


# Between lines


def line(place: MotionStart, *, by: int) -> MotionTarget | None:
    """j, k"""
    units = place.units
    start = units.lines(place.at, by * place.times)
    if start == units.start(place.at):
        return None
    return MotionTarget(units.at_cells(start, place.goal), "lines")


def text_start(place: MotionStart) -> MotionTarget:
    """gg"""
    return MotionTarget(place.units.first(place.units.lines(0, place.times - 1)), "lines")


def text_end(place: MotionStart) -> MotionTarget:
    """G"""
    units = place.units
    return MotionTarget(units.first(units.lines(0, place.number - 1) if place.number else units.size), "lines")


def paragraph(place: MotionStart, *, by: int) -> MotionTarget | None:
    """{, }: to the next empty line after one with text"""
    units = place.units
    line = units.start(place.at)
    for left_over in range(place.times - 1, -1, -1):
        text = first = False
        while True:
            text = text or not units.empty(line)
            if first and text and units.empty(line):
                break
            first = True
            following = units.lines(line, by)
            if following == line:
                if left_over:
                    return None
                if by < 0:
                    return MotionTarget(line)
                return MotionTarget(units.last(line), "exclusive" if units.empty(line) else "inclusive")
            line = following
    return MotionTarget(line)


# Words


def word(place: MotionStart, *, big: bool = False) -> MotionTarget | None:
    """w, W: to the beginning of the next word"""
    units, at, count = place.units, place.at, place.times
    if place.operator == "change" and units.kind(at) != BLANK:
        return word_end(place, big=big, stop=True)  # changing a word keeps the blanks behind it
    for left_over in range(count - 1, -1, -1):
        kind = units.kind(at, big=big)
        ends = bool(place.operator) and not left_over
        if at >= units.size:
            break
        at += 1
        if ends and (units.is_break(at) or units.empty(at - 1)):
            break
        if kind != BLANK:
            while at < units.size and units.kind(at, big=big) == kind:
                at += 1
            if ends and units.is_break(at):
                break
        while at < units.size and units.kind(at) == BLANK and not units.empty(at):
            at += 1
        if ends and at > place.at and at == units.start(at):
            at -= 1  # a word at the end of a line does not include the line break
    return MotionTarget(at) if at > place.at or place.operator else None


def word_end(place: MotionStart, *, big: bool = False, stop: bool = False) -> MotionTarget | None:
    """e, E: to the end of the next word; with `stop`, the end of the word at the start counts"""
    units, at = place.units, place.at
    for _ in range(place.times):
        kind = units.kind(at, big=big)
        if at >= units.size:
            break
        at += 1
        if units.kind(at, big=big) != kind or kind == BLANK:
            if not stop or kind == BLANK:
                while at < units.size and units.kind(at) == BLANK:
                    at += 1
                kind = units.kind(at, big=big)
            else:
                kind = -1
        while at < units.size and units.kind(at, big=big) == kind:
            at += 1
        at -= at < units.size or units.kind(at - 1) != BLANK
        stop = False
    return MotionTarget(at, "inclusive") if at > place.at or place.operator else None


def word_back(place: MotionStart, *, big: bool = False) -> MotionTarget | None:
    """b, B: to the beginning of this word, or of the word before"""
    units, at = place.units, place.at
    for _ in range(place.times):
        at -= at > 0
        while at and units.kind(at) == BLANK and not units.empty(at):
            at -= 1
        if not units.empty(at):
            while at and units.kind(at - 1, big=big) == units.kind(at, big=big) != BLANK:
                at -= 1
    return MotionTarget(at) if at < place.at else None


def word_end_back(place: MotionStart, *, big: bool = False) -> MotionTarget | None:
    """ge, gE: to the end of the word before"""
    units, at = place.units, place.at
    for _ in range(place.times):
        kind = units.kind(at, big=big)
        at -= at > 0
        if kind != BLANK:
            while at and units.kind(at, big=big) == kind:
                at -= 1
        while at and units.kind(at) == BLANK and not units.empty(at):
            at -= 1
    return MotionTarget(at, "inclusive") if at < place.at else None


# Searches


def find(place: MotionStart, *, by: int, short: int = 0) -> MotionTarget | None:
    """f, F: to the next occurrence of the character on the line; t, T: to `short` before it"""
    units, at = place.units, place.at
    start, end = units.start(at), units.end(at)
    for _ in range(place.times):
        at += by
        while start <= at < end and units.units[at] != place.char:
            at += by
        if not start <= at < end:
            return None
    return MotionTarget(at - by * short, "inclusive" if by > 0 else "exclusive")


_PAIRS = {"(": ")", "[": "]", "{": "}"}


def matching(place: MotionStart) -> MotionTarget | None:
    """%: to the bracket that matches this one, or the next one on the line"""
    units, at = place.units, place.at
    end = units.end(at)
    while at < end and units.units[at] not in "()[]{}":
        at += 1
    if at == end:
        return None
    opens = units.units[at] in _PAIRS
    found = closing(units, at) if opens else opening(units, at)
    return MotionTarget(found, "inclusive") if found is not None else None


def closing(units: Units, at: int) -> int | None:
    """Return the bracket that closes the bracket at `at`."""
    return _partner(units, at, units.units[at], _PAIRS[units.units[at]], 1)


def opening(units: Units, at: int) -> int | None:
    """Return the bracket that opens the bracket at `at`."""
    close = units.units[at]
    return _partner(units, at, close, next(key for key, value in _PAIRS.items() if value == close), -1)


def _partner(units: Units, at: int, same: str, other: str, by: int) -> int | None:
    depth = 0
    while 0 <= at < units.size:
        depth += (units.units[at] == same) - (units.units[at] == other)
        if not depth:
            return at
        at += by
    return None


MOTIONS: dict[str, Motion] = {
    "left": left,
    "right": right,
    "line_start": line_start,
    "line_first": line_first,
    "line_end": line_end,
    "line_last": line_last,
    "column": column,
    "down": partial(line, by=1),
    "up": partial(line, by=-1),
    "text_start": text_start,
    "text_end": text_end,
    "paragraph_back": partial(paragraph, by=-1),
    "paragraph": partial(paragraph, by=1),
    "word": word,
    "long_word": partial(word, big=True),
    "word_end": word_end,
    "long_word_end": partial(word_end, big=True),
    "word_back": word_back,
    "long_word_back": partial(word_back, big=True),
    "word_end_back": word_end_back,
    "long_word_end_back": partial(word_end_back, big=True),
    "bracket": matching,
    "find": partial(find, by=1),
    "find_back": partial(find, by=-1),
    "till": partial(find, by=1, short=1),
    "till_back": partial(find, by=-1, short=1),
}

FINDS = {"find": "find_back", "find_back": "find", "till": "till_back", "till_back": "till"}
"""Motions that take a character, each with its opposite."""

AGAIN = ("again", "again_back")
"""The last motion of `FINDS` once more, or its opposite."""
