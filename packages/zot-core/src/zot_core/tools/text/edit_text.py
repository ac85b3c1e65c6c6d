"""Find-and-replace in a text, with a helpful error when it fails and a diff of the change; pure.

A text that is in the file is replaced exactly; `edit_match` looks for the one place that another can mean.

Line breaks are matched as `\\n` whatever they are in the file. Every line that is not replaced keeps its line break.

As a program, this edits the content that follows a line of JSON on standard input, see `main`.
"""

import json
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from zot_core.tools.text.diff_rows import LineRun, diff_rows, hunk_starts
from zot_core.tools.text.edit_hint import not_found_hint
from zot_core.tools.text.edit_match import Place, licence_lines, near_places, without_line_numbers
from zot_core.tools.text.encoding import decode, encode, missing, shown

_BOM = "\ufeff"
_MAX_LISTED_LINES = 5
_MAX_DESCRIBED = 3
_MAX_WRONG = 10
"""Wrong edits of a call that are described."""
_MEANINGFUL = 20
"""Characters of a text that is not in a file by accident."""
_DESCRIPTION = 60
"""Characters of a line that describes a place."""
_QUICK_BYTES = 128 * 1024
_QUICK_STEPS = 1_000_000
"""An edit of at most this many bytes and steps takes up to some 30 ms."""


class EditError(ValueError):
    """The edits cannot be applied; `str(error)` says how to correct them."""


class TextReplacement(NamedTuple):
    """Replaces `old`, which means exactly one place of the text, by `new`."""

    old: str
    new: str


class EditResult(NamedTuple):
    """The new text and a diff: each line starts with a space, `-` or `+`, or is `...`.

    `starts`: for each hunk (`...` separates hunks), the number of its first line before and after the change, from 1.
    `notes` say which texts were not in the file as they were given.
    """

    text: str
    diff: str
    starts: list[tuple[int, int]]
    notes: Sequence[str] = ()


class _Span(NamedTuple):
    """Replaces the characters from `start` to `end` by `text`; offsets count a line break as one character."""

    start: int
    end: int
    text: str


def edit_text(text: str, replacements: Sequence[TextReplacement]) -> EditResult:
    """Apply all replacements, each looked up in the original `text`; EditError, about all that fail, or if two
    overlap."""
    bom = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(_BOM)
    plain = _plain(body)
    read = shown(plain)
    if not replacements:
        raise EditError("there are no edits; give at least one")
    spans: list[tuple[int, int, int]] = []
    changes: list[_Span] = []
    notes: list[str] = []
    wrong: list[str] = []
    for number, replacement in enumerate(replacements, 1):
        name = f"edit {number} of {len(replacements)}: " if len(replacements) > 1 else ""
        old, new = (_plain(side.removeprefix(bom)) for side in replacement)
        try:
            span, note = _place(plain, read, old, new, name)
            odd = [each for each in plain[span.start : span.end] if shown(each) != each]
            change = _trim(plain if old in plain else read, span)
            changes.append(_as_in_file(plain, change, name) if odd else change)
        except EditError as error:
            wrong.append(str(error))
            continue
        spans.append((span.start, span.end, number))
        notes += [note] * bool(note)
    wrong += _overlaps(spans)
    if wrong:  # all of them: each call that only tells the next one costs a request
        more = len(wrong) - _MAX_WRONG
        raise EditError("\n".join([*wrong[:_MAX_WRONG], *([f"and {more} more of the edits"] * (more > 0))]))
    changes.sort()
    runs = list(_runs(plain, changes))
    diff, starts = "\n".join(diff_rows(runs)), list(hunk_starts(runs))
    return EditResult(bom + _splice(body, plain, changes), diff, starts, notes)


def _place(plain: str, read: str, old: str, new: str, name: str) -> tuple[_Span, str]:
    """Return where `old` is in the text, and a note if it is only like it there. `read` is the text as it is shown."""
    _check(old, new, name)
    whole = plain if old in plain else read
    if old in whole:
        return _locate(whole, old, new, name), ""
    place = _near(read, old, new, name)
    note = f"{name}line {place.line} was meant: apart from {place.apart_from}, oldText is there"
    return _Span(place.start, place.end, place.new), note


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _check(old: str, new: str, name: str) -> None:
    if not old:
        raise EditError(f"{name}oldText is empty; give the text to replace")
    if old == new:
        raise EditError(f"{name}oldText and newText are identical; there is nothing to change")


def _locate(plain: str, old: str, new: str, name: str) -> _Span:
    count = plain.count(old)
    start = plain.index(old)
    if count > 1:
        raise EditError(
            f"{name}oldText matches {count} times ({_places(plain, _offsets(plain, old))}); "
            "it must match once: add lines around it"
        )
    return _Span(start, start + len(old), new)


def _near(plain: str, old: str, new: str, name: str) -> Place:
    """Return the one place that a text can mean which is not in the file."""
    numbered = without_line_numbers(plain, old, new)
    places = [numbered] if numbered is not None else near_places(plain, old, new)
    done = _whole(plain, new)
    line = plain.count("\n", 0, done) + 1
    if done >= 0 and (not places or any(place.start <= done + len(new) and done <= place.end for place in places)):
        raise EditError(f"{name}oldText not found, but line {line} has newText: this edit seems to be done already")
    if not places:
        raise EditError(f"{name}oldText not found; {not_found_hint(plain, old)}")
    where = _places(plain, [place.start for place in places])
    if len(places) > 1:
        raise EditError(f"{name}oldText not found; several places are like it ({where}): copy one of them exactly")
    found = places[0]
    if plain[found.start : found.end] == found.new:
        raise EditError(f"{name}{where} has newText already; there is nothing to change")
    if found.line <= licence_lines(plain):
        raise EditError(f"{name}oldText not found; {where} is like it, but part of the licence: copy it exactly")
    return found


def _whole(plain: str, new: str) -> int:
    """Return where `new` is in the file, if that is no accident: as whole lines, or long. Otherwise -1."""
    at = plain.find(new) if new.strip() else -1
    if at < 0 or len(new.strip()) >= _MEANINGFUL:
        return at
    before = plain[plain.rfind("\n", 0, at) + 1 : at]
    after = plain[at + len(new) :].split("\n", 1)[0]
    return at if not before.strip() and (not after.strip() or new.endswith("\n")) else -1


def _offsets(plain: str, old: str) -> Iterator[int]:
    at = plain.find(old)
    while at >= 0:
        yield at
        at = plain.find(old, at + len(old))


def _places(plain: str, offsets: Iterable[int]) -> str:
    """Name the first places by their lines; two or three of them also by the line before."""
    numbers: list[int] = []
    more = False
    for at in offsets:
        if len(numbers) == _MAX_LISTED_LINES:
            more = True
            break
        numbers.append(plain.count("\n", 0, at) + 1)
    if len(set(numbers)) == len(numbers) and 1 < len(numbers) <= _MAX_DESCRIBED:
        lines = plain.split("\n", numbers[-1])
        return "; ".join(f"line {number}{_after(lines, number)}" for number in numbers)
    return f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}" + ", ..." * more


def _after(lines: Sequence[str], number: int) -> str:
    """Name the last line before line `number` that is not blank."""
    before = next((line.strip() for line in reversed(lines[: number - 1]) if line.strip()), "")
    return f" after `{before[:_DESCRIPTION]}`" if before else ""


def _overlaps(spans: list[tuple[int, int, int]]) -> list[str]:
    """Say which of the edits overlap; a span has its start, its end and the number of the edit."""
    return [
        f"edits {min(first, second)} and {max(first, second)} overlap; merge them into one"
        for (_, end, first), (start, _, second) in pairwise(sorted(spans))
        if start < end
    ]


def _trim(plain: str, span: _Span) -> _Span:
    """Return the span without the equal characters at its ends, which are then left as they are in the file."""
    start, end, new = span
    room = min(end - start, len(new))
    before = 0
    while before < room and plain[start + before] == new[before]:
        before += 1
    after = 0
    while after < room - before and plain[end - 1 - after] == new[len(new) - 1 - after]:
        after += 1
    return _Span(start + before, end - after, new[before : len(new) - after])


def _as_in_file(plain: str, span: _Span, name: str) -> _Span:
    """Return the span with what is in the file for each character that only shows it, see `encoding.shown`."""
    text = span.text
    odd = [each for each in plain[span.start : span.end] if shown(each) != each]
    for symbol in {shown(each) for each in odd} | {"\ufffd"}:
        there = [each for each in odd if shown(each) == symbol]
        parts = text.split(symbol)
        if len(parts) > 1 and len(there) != len(parts) - 1:
            raise EditError(
                f"{name}newText must have as many {symbol} (U+{ord(symbol):04X}) as oldText; each stands for something "
                "that cannot be shown: keep all of them, or leave them out of oldText"
            )
        if len(parts) > 1:
            text = "".join(part + each for part, each in zip(parts, [*there, ""], strict=True))
    return span._replace(text=text)


def _splice(body: str, plain: str, changes: list[_Span]) -> str:
    """Apply the changes to `body`; a new line break is like that of the line it is inserted into."""
    wide = _wide_breaks(body)
    parts = []
    done = 0
    for start, end, text in changes:
        parts.append(body[done : start + bisect_left(wide, start)])
        parts.append(text.replace("\n", _line_break(plain, wide, start)))
        done = end + bisect_left(wide, end)
    return "".join(parts) + body[done:]


def _wide_breaks(body: str) -> list[int]:
    """Return the offsets in the plain text of the line breaks that are `\\r\\n` in `body`."""
    found: list[int] = []
    at = body.find("\r\n")
    while at >= 0:
        found.append(at - len(found))
        at = body.find("\r\n", at + 2)
    return found


def _line_break(plain: str, wide: list[int], offset: int) -> str:
    """Return the line break of the line at `offset`, or of the line before if it has none."""
    at = plain.find("\n", offset)
    if at < 0:
        at = plain.rfind("\n", 0, offset)
    index = bisect_left(wide, at)
    return "\r\n" if index < len(wide) and wide[index] == at else "\n"


def _lines(text: str) -> list[str]:
    """Split into lines with their breaks: a last line without a break differs from the same line with one."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _runs(plain: str, changes: list[_Span]) -> Iterator[LineRun]:
    """Split the whole text into runs of kept, removed and added lines."""
    lines = _lines(plain)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    done = 0
    for first, last, group in _groups(starts, changes, open_end=not plain.endswith("\n")):
        yield LineRun(" ", lines[done:first])
        region = plain[starts[first] : starts[last]]
        yield from _changed_runs(lines[first:last], _lines(_replace(region, starts[first], group)))
        done = last
    yield LineRun(" ", lines[done:])


def _groups(starts: list[int], changes: list[_Span], *, open_end: bool) -> Iterator[tuple[int, int, list[_Span]]]:
    """Group changes that touch the same line; each group comes with its first line and the line after its last.

    `open_end`: the last line has no break, so that text appended to it belongs to it.
    """
    groups: list[tuple[int, int, list[_Span]]] = []
    count = len(starts) - 1
    for change in changes:
        first = max(min(bisect_right(starts, change.start) - 1, count - open_end), 0)
        last = min(bisect_right(starts, change.end), count)
        if groups and first < groups[-1][1]:
            previous = groups.pop()
            groups.append((previous[0], max(last, previous[1]), [*previous[2], change]))
        else:
            groups.append((first, last, [change]))
    return iter(groups)


def _replace(region: str, offset: int, changes: list[_Span]) -> str:
    parts = []
    done = 0
    for start, end, text in changes:
        parts += [region[done : start - offset], text]
        done = end - offset
    return "".join(parts) + region[done:]


def _changed_runs(old: list[str], new: list[str]) -> Iterator[LineRun]:
    from difflib import SequenceMatcher  # noqa: PLC0415  only an edit needs it

    for _, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new).get_opcodes():
        if old[old_start:old_end] == new[new_start:new_end]:
            yield LineRun(" ", old[old_start:old_end])
        else:
            yield LineRun("-", old[old_start:old_end])
            yield LineRun("+", new[new_start:new_end])


def is_quick(content: bytes, replacements: Sequence[TextReplacement]) -> bool:
    """Return whether `edit_bytes` certainly takes no longer than an event loop can wait.

    The comparison of the replaced lines with the new ones takes quadratic time or more, the search for a text linear
    time for each edit.
    """
    lines = content.count(b"\n") + 1
    steps = 0
    for old, new in replacements:
        steps += len(content) // 8 + (old.count("\n") + 1) * (lines + new.count("\n"))
    return (
        len(content) + sum(len(old) + len(new) for old, new in replacements) <= _QUICK_BYTES and steps <= _QUICK_STEPS
    )


def edit_bytes(
    content: bytes, replacements: Sequence[TextReplacement], codec: str = "utf-8"
) -> tuple[bytes, EditResult]:
    """Apply `edit_text` to the content of a file, in which bytes that are no text in its encoding are kept."""
    edited = edit_text(decode(content, codec), replacements)
    try:
        return encode(edited.text, codec), edited
    except UnicodeEncodeError as error:
        raise EditError(missing(error, codec)) from error


def main() -> int:
    """Edit the content on standard input after the first line, which is JSON: the codec and the replacements, each a
    list of two.

    Print a line of JSON, a list of the diff, the `starts` and the `notes`, then the new content; or the text of an
    error as JSON.
    """
    source = sys.stdin.buffer
    codec, replacements = json.loads(source.readline())
    try:
        content, edited = edit_bytes(source.read(), [TextReplacement(*each) for each in replacements], codec)
    except EditError as error:
        sys.stdout.write(json.dumps(str(error)))
        return 0
    sys.stdout.write(json.dumps([edited.diff, edited.starts, edited.notes]) + "\n")
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
