"""Finds the one place of a file that a text can mean although it differs in white space or typography; pure.

Only whole lines match, apart from the indentation of the first one. What may differ: white space at line ends, the
indentation, if each indentation of the text stands for one of the file, and quotes, dashes and blanks of Unicode. The
replacement then keeps the file's own, in each line that it does not change and at both ends of a line that it does.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

_LIKE = {"'": "\u2018\u2019\u201a\u201b\u2032", '"': "\u201c\u201d\u201e\u201f\u2033"}
_LIKE |= {"-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"}
_LIKE |= {" ": "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))}
_PLAIN = str.maketrans({other: plain for plain, others in _LIKE.items() for other in others})

_NUMBERED = re.compile(r"[ \t]{0,10}(\d{1,7})(?::|\||\u2192|\t)[ \t]?(.*)", re.DOTALL)
_BLOCKS = {"/*": "*/", "<!--": "-->", '"""': '"""', "'''": "'''"}
_COMMENTS = ("#", "//", "--", ";", "%", *_BLOCKS)
_MOST_FITS = 1000
_MOST_PLACES = 10
"""How many places are compared, and how many are returned."""
_HEADER = 20_000
"""Characters at the beginning of a file in which the comments about a licence are looked for."""
_LICENCE = re.compile(r"copyright|licen[cs]e|SPDX", re.IGNORECASE)


_INDENTATION = "indentation"


class Place(NamedTuple):
    """Characters `start` to `end` of a file are meant; `new` replaces them. `line` is the number of the first line, and
    `apart_from` says in what the text differs from the file."""

    start: int
    end: int
    new: str
    line: int
    apart_from: str


class _Line(NamedTuple):
    """A line without its break: indentation, body, white space at its end; `key` is the body as it is compared."""

    indent: str
    body: str
    trail: str
    key: str


class _Indents(NamedTuple):
    """The indentations of the text, as they are in the file: each known pair, and the rule behind them.

    An indentation of n characters is `(n * times + plus) / parts` times the character `unit`. Without a `unit` there is
    no rule.
    """

    known: dict[str, str]
    unit: str = ""
    times: int = 1
    plus: int = 0
    parts: int = 1

    def of(self, indent: str) -> str | None:
        """Return an indentation of the replacement as the file has it; None if it does not follow from the known."""
        if indent in self.known:
            return self.known[indent]
        if not self.unit or not _is_uniform([indent]):
            return None
        if indent[:1] == self.unit and not any(ours[:1] == self.unit for ours in self.known):
            return indent  # the text is not written in the file's style, the replacement is
        return self.by_rule(indent)

    def by_rule(self, indent: str) -> str | None:
        """Return what the rule makes of an indentation; None for a part of a character."""
        count, rest = divmod(len(indent) * self.times + self.plus, self.parts)
        return None if rest or count < 0 else self.unit * count


def near_places(plain: str, old: str, new: str) -> list[Place]:
    """Return the first places that `old`, which is not in `plain`, can mean: those with its own indentation, if there
    are."""
    wanted, broken = _split(old)
    keys = [line.key for line in wanted]
    anchor = max(range(len(keys)), key=lambda at: len(keys[at]))
    text = plain if plain.isascii() else plain.translate(_PLAIN)
    # Most texts that are not found have a line that the file does not have at all.
    if not keys[anchor] or any(key not in text for key in keys):
        return []
    rows = plain.split("\n")
    fits: list[tuple[int, _Fit]] = []
    bodies = [row.strip() for row in text.split("\n")]
    for at in islice(_occurrences(bodies, keys, anchor), _MOST_FITS):
        lines = [_line(row) for row in rows[at : at + len(keys)]]
        fit = _fit(lines, wanted, inside=True) or _fit(lines, wanted, inside=False)
        if fit is not None:
            fits.append((at, fit))
    same = [(at, fit) for at, fit in fits if _INDENTATION not in fit.apart_from]
    found: list[Place] = []
    for at, fit in (same or fits)[:_MOST_PLACES]:
        made = _with_style(fit.lines, wanted, new, fit.indents, broken=broken)
        if made is None:
            continue
        start, apart_from = sum(len(row) + 1 for row in rows[:at]), fit.apart_from
        end = start + sum(len(row) + 1 for row in rows[at : at + len(keys)]) - 1
        if broken and end < len(plain):
            end += 1
        elif broken:
            made, apart_from = made.removesuffix("\n"), [*apart_from, "the line break at the end"]
        found.append(Place(start + fit.start, end, made, at + 1, " and ".join(apart_from)))
    return found


def without_line_numbers(plain: str, old: str, new: str) -> Place | None:
    """Return the place whose lines `old` has with their numbers before them, as other tools print them."""
    rows = old.removesuffix("\n").split("\n")
    numbered = [_NUMBERED.fullmatch(row) for row in rows]
    pairs = [(int(row[1]), row[2]) for row in numbered if row is not None]
    if len(pairs) < len(rows) or [number for number, _ in pairs] != list(range(pairs[0][0], pairs[0][0] + len(rows))):
        return None
    lines = plain.split("\n")
    first = pairs[0][0]
    if first < 1 or lines[first - 1 : first - 1 + len(rows)] != [text for _, text in pairs]:
        return None
    start = sum(len(line) + 1 for line in lines[: first - 1])
    end = start + sum(len(text) + 1 for _, text in pairs) - 1
    numbers = [_NUMBERED.fullmatch(row) for row in new.removesuffix("\n").split("\n")]
    if all(numbers):
        new = "\n".join(row[2] for row in numbers if row is not None) + "\n" * new.endswith("\n")
    if old.endswith("\n") and end < len(plain):
        end += 1
    return Place(start, end, new, first, "the line numbers")


def licence_lines(plain: str) -> int:
    """Return how many lines the comments at the beginning of a file have, if they are about a licence; else 0."""
    count, end = 0, ""
    rows = plain[:_HEADER].split("\n")
    for row in map(str.strip, rows):
        if not end:
            if row and not row.startswith(_COMMENTS):
                break
            begin = next((each for each in _BLOCKS if row.startswith(each)), "")
            end, row = _BLOCKS.get(begin, ""), row.removeprefix(begin)
        if end and end in row:
            end = ""
        count += 1
    return count if _LICENCE.search("\n".join(rows[:count])) else 0


def _split(text: str) -> tuple[list[_Line], bool]:
    """Return the lines of a text, and whether the last one has its line break."""
    rows = text.split("\n")
    broken = len(rows) > 1 and not rows[-1]
    return [_line(row) for row in (rows[:-1] if broken else rows)], broken


def _line(row: str) -> _Line:
    body = row.strip()
    if not body:
        return _Line("", "", row, "")
    at = row.index(body)
    return _Line(row[:at], body, row[at + len(body) :], body.translate(_PLAIN).strip())


def _occurrences(bodies: list[str], keys: list[str], anchor: int) -> Iterator[int]:
    """Yield the lines at which the wanted lines begin."""
    at = anchor - 1
    while True:
        try:
            at = bodies.index(keys[anchor], at + 1)
        except ValueError:
            return
        first = at - anchor
        if bodies[first : first + len(keys)] == keys:
            yield first


class _Fit(NamedTuple):
    """The text begins `start` characters into the first of these lines, which is without them."""

    start: int
    lines: "Sequence[_Line]"
    indents: "_Indents"
    apart_from: list[str]


def _fit(lines: Sequence[_Line], wanted: Sequence[_Line], *, inside: bool) -> _Fit | None:
    """Return how the text fits lines with the same keys; None if they are not indented alike. `inside`: it begins
    behind the first indentation."""
    start = 0
    if inside:
        if wanted[0].indent or not wanted[0].body:
            return None
        start, lines = len(lines[0].indent), [lines[0]._replace(indent=""), *lines[1:]]
    pairs = list(zip(wanted, lines, strict=True))
    indents = _indents([(ours.indent, theirs.indent) for ours, theirs in pairs if ours.body])
    if indents is None or (inside and any(ours != theirs for ours, theirs in indents.known.items())):
        return None
    differ = {
        "white space at line ends": any(ours.trail != theirs.trail for ours, theirs in pairs),
        _INDENTATION: any(ours != theirs for ours, theirs in indents.known.items()),
        "the kind of quotes, dashes or blanks": any(ours.body != theirs.body for ours, theirs in pairs),
    }
    return _Fit(start, lines, indents, [name for name, does in differ.items() if does])


def _indents(pairs: Sequence[tuple[str, str]]) -> _Indents | None:
    """Return what the indentations of the text are in the file; None if one would be two, or two would be one."""
    known = dict(pairs)
    if any(known[ours] != theirs for ours, theirs in pairs) or len(set(known.values())) < len(known):
        return None
    if all(ours == theirs for ours, theirs in known.items()):
        return _SameIndents(known)
    if not _is_uniform(known) or not _is_uniform(known.values()):
        return _Indents(known)
    unit = next((theirs[0] for theirs in known.values() if theirs), " ")
    counts = sorted((len(ours), len(theirs)) for ours, theirs in known.items())
    (low, first), (high, last) = counts[0], counts[-1]
    if low != high:
        rule = _Indents(known, unit, last - first, first * (high - low) - low * (last - first), high - low)
    elif low and first and any(ours[0] != unit for ours in known):
        rule = _Indents(known, unit, first, 0, low)  # tabs for blanks: no indentation stays none
    else:
        rule = _Indents(known, unit, 1, first - low)
    fits = last > first or low == high
    return rule if fits and all(rule.by_rule(ours) == theirs for ours, theirs in known.items()) else None


class _SameIndents(_Indents):
    """The file has the indentations of the text."""

    def of(self, indent: str) -> str | None:
        return indent


def _is_uniform(indents: Iterable[str]) -> bool:
    """Whether indentations consist of one character, a tab or a blank."""
    return len(set("".join(indents))) <= 1


def _with_style(
    lines: Sequence[_Line], wanted: Sequence[_Line], new: str, indents: _Indents, *, broken: bool
) -> str | None:
    """Return the replacement with the file's own characters where it repeats the text's. None if an indentation
    in it cannot be turned into one of the file. `broken`: the last line of the text has its line break."""
    from difflib import SequenceMatcher  # noqa: PLC0415  only an edit that is not exact needs it

    rows = new.split("\n")
    ours, theirs = (["".join(line[:3]) for line in each] + [""] * broken for each in (wanted, lines))
    before = _equal(ours, rows)
    after = _equal(ours[before:][::-1], rows[before:][::-1])
    made: list[str | None] = [*theirs[:before]]
    steps = SequenceMatcher(None, ours[before : len(ours) - after], rows[before : len(rows) - after], autojunk=False)
    for kind, first, last, start, end in steps.get_opcodes():
        if kind == "equal":
            made += theirs[before + first : before + last]
            continue
        for at, row in enumerate(rows[before + start : before + end], before + first):
            paired = at < min(before + last, len(wanted))
            made.append(_styled(_line(row), (wanted[at], lines[at]) if paired else None, indents))
    made += theirs[len(theirs) - after :]
    kept = [row for row in made if row is not None]
    return "\n".join(kept) if len(kept) == len(made) else None


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines at the beginning are the same."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _styled(one: _Line, like: "tuple[_Line, _Line] | None", indents: _Indents) -> str | None:
    """Return a line of the replacement in the file's style. `like` are the line of the text that it replaces, and the
    line of the file."""
    if not one.body:
        return one.trail
    indent = indents.of(one.indent)
    if indent is None:
        return None
    if like is None:
        return indent + one.body + one.trail
    ours, theirs = like
    room = min(len(ours.body), len(one.body), len(theirs.body))
    before = 0
    while before < room and ours.body[before] == one.body[before]:
        before += 1
    after = 0
    while after < room - before and ours.body[-1 - after] == one.body[-1 - after]:
        after += 1
    body = theirs.body[:before] + one.body[before : len(one.body) - after] + theirs.body[len(theirs.body) - after :]
    return indent + body + (theirs.trail if one.trail == ours.trail else one.trail)
