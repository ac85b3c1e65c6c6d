"""`LineSearch`: finds the lines of texts that match a pattern; pure, and also a script that runs as a search process.

A pattern can keep the regular expression engine busy for hours while it holds the interpreter's lock: threads, time
limits and cancelling cannot interrupt it. Only a process can be ended, so this module is run as one. It imports only
the standard library, so that the process starts in a few milliseconds.
"""

import json
import re
import sys
import warnings
from collections import deque
from typing import Any, NamedTuple

PROBE = 8192
LINE_BYTES = 1024 * 1024
_PIECE = 256 * 1024
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
}
_SET = re.compile(r"\\.|\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)


class FoundLine(NamedTuple):
    """A line: the index of its text (from 0), its number (from 1), whether it matches or is context, and the line."""

    text: int
    number: int
    matches: bool
    line: str


def compiled(pattern: str, *, literal: bool = False, ignore_case: bool = False) -> "re.Pattern[str]":
    """Compile a pattern in Python's syntax, with `[[:alpha:]]` as in grep. ValueError says what is wrong with it."""
    text = re.escape(pattern) if literal else _SET.sub(_with_names, pattern)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about syntax that may change in a later Python
            return re.compile(text, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error) or type(error).__name__) from error


def _with_names(found: "re.Match[str]") -> str:
    """Replace the named classes in a set of characters; leave other text unchanged."""
    return re.sub(r"(?<!^)\[:(\w+):\]", lambda name: _CLASSES.get(name[1], name[0]), found[0])


class LineSearch:
    """Searches texts that arrive in pieces. Lines end at `\\n`; a `\\r` before it belongs to the line break.

    `found` has the matching lines and `context` lines around each. The search stops at the first match after `limit`
    matches and sets `more`. Lines longer than `width` characters are cut. A text with a NUL byte in its first 8 KiB is
    binary and never matches; a line is only searched up to 1 MiB.
    """

    def __init__(
        self,
        pattern: str,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        context: int = 0,
        limit: int = 100,
        width: int = 500,
    ) -> None:
        self._matches = compiled(pattern, literal=literal, ignore_case=ignore_case).search
        self._left = limit
        self._width = width
        self._context = context
        self._before: deque[tuple[int, str]] = deque(maxlen=context)
        self._text = -1
        self.found: list[FoundLine] = []
        self.more = False
        self.cut = False
        self._open()

    def _open(self) -> None:
        self._text += 1
        self._number = 0
        self._after = 0
        self._before.clear()
        self._start: bytes | None = b""
        self._rest = b""
        self._binary = False

    def feed(self, piece: bytes) -> None:
        """Add the next piece of the current text."""
        if self._start is None:
            self._search(piece)
            return
        self._start += piece
        if len(self._start) >= PROBE:
            self._begin()

    @property
    def wants_more(self) -> bool:
        """Whether the rest of the current text can still match."""
        return not self._binary and not self.more

    def close(self) -> None:
        """End the current text; the next piece belongs to another text."""
        if self._start is not None:
            self._begin()
        if self._rest:
            self._line(self._rest)
        self._open()

    def _begin(self) -> None:
        start, self._start = self._start or b"", None
        self._binary = b"\0" in start[:PROBE]
        self._search(start.removeprefix(b"\xef\xbb\xbf"))

    def _search(self, piece: bytes) -> None:
        if self._binary or self.more:
            return
        first, *others = piece.split(b"\n")
        if len(self._rest) < LINE_BYTES:
            self._rest += first[: LINE_BYTES - len(self._rest)]
        for other in others:
            self._line(self._rest)
            if self.more:
                return
            self._rest = other[:LINE_BYTES]

    def _line(self, data: bytes) -> None:
        self._number += 1
        line = data.decode("utf-8", "replace")
        if line.endswith("\r"):
            line = line[:-1]
        if self._matches(line):
            if self._left == 0:
                self.more = True
                return
            self._left -= 1
            for number, earlier in self._before:
                self._add(number, earlier, matches=False)
            self._before.clear()
            self._add(self._number, line, matches=True)
            self._after = self._context
        elif self._after:
            self._after -= 1
            self._add(self._number, line, matches=False)
        else:
            self._before.append((self._number, line))

    def _add(self, number: int, line: str, *, matches: bool) -> None:
        if len(line) > self._width:
            self.cut = True
            line = f"{line[: self._width]}... [truncated]"
        self.found.append(FoundLine(self._text, number, matches, line))


def respond(search: LineSearch, question: bytes) -> bytes:
    """Carry out the steps in a line of JSON, and return the lines found as a line of JSON.

    The steps are a list: `["path", p]` searches a local file, `["piece", s]` feeds bytes, which are the code points of
    the characters of `s`, and `["close", ""]` ends a text. The answer has the lines found since the last answer.
    """
    for step, value in json.loads(question):
        if search.more:
            break
        if step == "path":
            _feed_file(search, value)
        elif step == "piece":
            search.feed(value.encode("latin-1"))
        else:
            search.close()
    answer: dict[str, Any] = {"found": search.found, "more": search.more, "cut": search.cut}
    search.found = []
    return json.dumps(answer).encode() + b"\n"


def _feed_file(search: LineSearch, path: str) -> None:
    try:
        with open(path, "rb", buffering=0) as file:
            while search.wants_more and (piece := file.read(_PIECE)):
                search.feed(piece)
    except OSError:  # deleted, or not readable
        pass
    search.close()


def main() -> None:
    """Read the arguments of a `LineSearch` from the first line of stdin, then answer each further line with a line."""
    options = json.loads(sys.stdin.buffer.readline())
    search = LineSearch(options.pop("pattern"), **options)
    for question in sys.stdin.buffer:
        sys.stdout.buffer.write(respond(search, question))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
