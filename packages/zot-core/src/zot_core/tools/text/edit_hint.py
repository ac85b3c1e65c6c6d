"""Says why a text is not in a file: what nearly is, where, and what differs; pure."""

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence

_SHOWN = 100
"""Characters of a line in a hint."""
_MOST_DIFFERENCES = 3
_MOST_LINES = 100_000
"""Lines at the beginning of a file that are compared."""
_MORE = 3
"""Lines behind the nearest lines, compared as well: a text may lack some."""
_MOST_CANDIDATES = 20
_ALIKE = 0.6
"""The least similarity of two lines, from 0 to 1, as difflib counts it."""
_ELLIPSIS = re.compile(r"\s*(?:#|//|/\*|--|<!--)?\s*(?:\.\.\.|\u2026)(?:.*(?:\.\.\.|\u2026))?\s*(?:\*/|-->)?\s*")
_NUMBER = re.compile(r"^[ \t]{0,10}\d{1,7}(?::|\||\u2192|\t)[ \t]?", re.MULTILINE)


def _without_signs(old: str) -> str:
    rows = old.split("\n")
    signed = any(row[:1] in ("-", "+") for row in rows) and all(row[:1] in ("-", "+", " ", "") for row in rows)
    return "\n".join(row[1:] for row in rows) if signed else old


def _unescaped(old: str) -> str:
    return re.sub(r"\\([nt\"'\\])", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), old)


def _unfenced(old: str) -> str:
    rows = old.strip("\n").split("\n")
    return "\n".join(rows[1:-1]) if rows[0].startswith("```") and rows[-1].startswith("```") else old


_MISTAKES: Sequence[tuple[Callable[[str], str], str]] = [
    (lambda old: _NUMBER.sub("", old), "line numbers before the lines, which the file does not have"),
    (_without_signs, "the signs of a diff before the lines, which the file does not have"),
    (_unescaped, "backslashes that escape once too often"),
    (html.unescape, "HTML entities, such as &lt; for <"),
    (_unfenced, "a Markdown fence around it"),
    (lambda old: old.strip(), "blanks or line breaks around it"),
]
"""How a text is often spoilt: what undoes it, and its description."""


def not_found_hint(plain: str, old: str) -> str:
    """Return the likely mistake in `old`, which is not in `plain`, and what to do."""
    for undo, mistake in _MISTAKES:
        if (text := undo(old)) != old and text.strip() and text in plain:
            number = plain.count("\n", 0, plain.index(text)) + 1
            return f"it has {mistake}; without them, line {number} has it"
    wanted = old.strip("\n").split("\n")
    if any(_ELLIPSIS.fullmatch(line) for line in wanted):
        return "it has `...` in place of lines; copy them, or make an edit for each part"
    lines = plain.split("\n", _MOST_LINES)
    at = _nearest(lines, wanted)
    if at is None:
        return "no line of the file is like it; read the file again and copy the text exactly"
    last = min(at + len(wanted), len(lines))
    where = f"line {at + 1} is" if last - at == 1 else f"lines {at + 1} to {last} are"
    if [_squeezed(line) for line in lines[at:last]] == [_squeezed(line) for line in wanted]:
        where = f"line {at + 1} has the same words with other white space"
    else:
        where += " the nearest"
    differences = "; ".join(_differences(lines[at : last + _MORE], wanted, at))
    return f"{where}: {differences}. Copy the text exactly as it is in the file"


def _squeezed(line: str) -> str:
    return " ".join(line.split())


def _nearest(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Return the index of the line at which the lines are most like the wanted ones; None if none is like them."""
    places: dict[str, list[int]] = {_squeezed(line): [] for line in wanted}
    for at, line in enumerate(lines):
        found = places.get(_squeezed(line))
        if found is not None and len(found) < _MOST_CANDIDATES:
            found.append(at)
    votes = Counter(at - offset for offset, line in enumerate(wanted) if line.strip() for at in places[_squeezed(line)])
    if votes:
        return max(min(votes, key=lambda start: (-votes[start], start)), 0)
    offset, longest = max(enumerate(wanted), key=lambda pair: len(pair[1].strip()))
    similar = _most_similar(lines, longest)
    return None if similar is None else max(similar - offset, 0)


def _most_similar(lines: Sequence[str], wanted: str) -> int | None:
    from difflib import SequenceMatcher  # noqa: PLC0415  only an edit needs it

    words = set(re.findall(r"\w+", wanted))
    shared = [(len(words.intersection(re.findall(r"\w+", line[:500]))), at) for at, line in enumerate(lines)]
    best: tuple[float, int] | None = None
    for count, at in sorted(shared, key=lambda pair: (-pair[0], pair[1]))[:_MOST_CANDIDATES]:
        alike = SequenceMatcher(None, lines[at][:500].strip(), wanted[:500].strip()).ratio() if count else 0
        if alike >= _ALIKE and (best is None or alike > best[0]):
            best = alike, at
    return None if best is None else best[1]


def _differences(lines: Sequence[str], wanted: Sequence[str], at: int) -> list[str]:
    from difflib import SequenceMatcher  # noqa: PLC0415  as above

    found: list[str] = []
    steps = SequenceMatcher(None, lines, wanted, autojunk=False).get_opcodes()
    if steps[-1][0] == "delete":  # lines behind the place
        steps.pop()
    for kind, first, last, start, end in steps:
        if kind == "replace":
            for number in range(min(last - first, end - start)):
                theirs, ours = _shown(lines[first + number], wanted[start + number])
                found.append(f"line {at + first + number + 1} is {theirs}, oldText has {ours}")
        elif kind == "delete":
            found.append(f"oldText lacks line {at + first + 1}, {_shown(lines[first])[0]}")
        elif kind == "insert":
            found.append(f"the file lacks {_shown(wanted[start])[0]} after line {at + first}")
    return found[:_MOST_DIFFERENCES]


def _shown(line: str, other: str | None = None) -> tuple[str, str]:
    """Return one or two lines in quotes, with escapes for tabs: the parts from shortly before the first difference."""
    texts = (line, "" if other is None else other)
    start = 0
    if other is not None and max(map(len, texts)) > _SHOWN:
        same = next((at for at, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
        start = max(same - _SHOWN // 2, 0)
    cut = ["..." * bool(start) + text[start : start + _SHOWN] + "..." * (len(text) > start + _SHOWN) for text in texts]
    return json.dumps(cut[0], ensure_ascii=False), json.dumps(cut[1], ensure_ascii=False)
