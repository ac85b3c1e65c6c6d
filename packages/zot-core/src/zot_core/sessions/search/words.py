"""`SearchedWord`: a word as the bytes of a session file may have it. `excerpt`: the text around one."""

import re
from collections.abc import Iterator

from zot_core.printable import printable_line

EXCERPT_LENGTH = 160
"""Maximum characters of an excerpt."""
_BEFORE = 50  # characters of an excerpt before the word
_ESCAPED = re.compile(r'["\\<>&\x00-\x1f\x7f\u2028\u2029\x85\s]+')
"""Characters that JSON writers may escape, and white space, which is compared loosely."""
_OTHER_LETTERS = re.compile(r"[^\x00-\x7f]+")
_RARE = 3  # letters of ASCII that are rare enough to look for


class SearchedWord:
    """A word, as it must occur in the text of a message, and what the bytes of such a line contain, in lower case:
    one of `needles`, and all of `parts`."""

    __slots__ = ("needles", "parts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        runs = _ESCAPED.split(text)
        self.parts = [part.encode() for run in runs for part in _OTHER_LETTERS.split(run) if part]
        rare = max(self.parts, key=len, default=b"")
        run = max(runs, key=len)
        # Lower case of bytes changes ASCII only; for other letters the usual forms of a word are looked for.
        forms = [run, run.upper(), run.title()] if len(rare) < _RARE and not run.isascii() else [rare.decode()]
        self.needles = sorted({form.encode("utf-8", "replace").lower() for form in forms if form})

    def lines(self, lower: bytes) -> Iterator[tuple[int, int]]:
        """Yield the lines of `lower`, rows in lower case, that may have the word, as offsets."""
        at, size = 0, len(lower)
        places = [-1] * len(self.needles)  # where each is next: what is not there is looked for once
        while at < size:
            for number, needle in enumerate(self.needles):
                if places[number] < at:
                    found = lower.find(needle, at)
                    places[number] = found if found >= 0 else size
            at = min(places, default=at)  # a word of escaped characters alone may be in any line
            if at >= size:
                return
            start, end = lower.rfind(b"\n", 0, at) + 1, lower.find(b"\n", at)
            end = size if end < 0 else end
            if all(lower.find(part, start, end) >= 0 for part in self.parts):
                yield start, end
            at = end + 1


def plain_text(text: str) -> str:
    """Return `text` in lower case, with single spaces."""
    return " ".join(text.lower().split())


def excerpt(text: str, word: str) -> str:
    """Return the text around a word, in one line."""
    line = " ".join(text.split())
    at = max(line.lower().find(word), 0)
    start = max(at - _BEFORE, 0)
    if start:
        start = line.find(" ", start, at) + 1 or start
    end = start + EXCERPT_LENGTH - 2
    shown = printable_line(line[start:end])
    return ("…" if start else "") + shown + ("…" if end < len(line) else "")
