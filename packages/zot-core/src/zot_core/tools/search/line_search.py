"""`LineSearch`: the lines of texts in which a pattern occurs; pure, and as a script a process that does nothing else.

A pattern can keep the expression engine busy for hours, with the interpreter's lock held: no thread, no time limit and
no cancelling gets through to it. Only a process can be ended, and so this module is run as one. It knows nothing but
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


class Row(NamedTuple):
    """A line: which text it is from (counted from 0), its number (from 1), whether it matches, its words."""

    text: int
    number: int
    matches: bool
    line: str


def compiled(pattern: str, *, literal: bool = False, ignore_case: bool = False) -> "re.Pattern[str]":
    """The pattern as Python understands it, and `[[:alpha:]]` as grep does. ValueError says what is wrong with it."""
    text = re.escape(pattern) if literal else _SET.sub(_with_names, pattern)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what a later Python may read otherwise
            return re.compile(text, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error) or type(error).__name__) from error


def _with_names(found: "re.Match[str]") -> str:
    """A set of characters as Python writes it; other text as it is."""
    return re.sub(r"(?<!^)\[:(\w+):\]", lambda name: _CLASSES.get(name[1], name[0]), found[0])


class LineSearch:
    """Takes texts in pieces. Lines end at `\\n`; a `\\r` before it belongs to the break.

    `context` lines around a match are rows too. After `limit` matches it stops at the next one and `more` is set. Rows
    longer than `width` characters are cut. A text with a NUL byte in its first 8 KiB is binary and has no rows; of a
    line longer than 1 MiB the rest is not looked at.
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
        self._found = compiled(pattern, literal=literal, ignore_case=ignore_case).search
        self._left = limit
        self._width = width
        self._context = context
        self._before: deque[tuple[int, str]] = deque(maxlen=context)
        self._text = -1
        self.rows: list[Row] = []
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
        """The next piece of the text at hand."""
        if self._start is None:
            self._take(piece)
            return
        self._start += piece
        if len(self._start) >= PROBE:
            self._begin()

    @property
    def wants_more(self) -> bool:
        """Whether the rest of the text at hand can still have rows."""
        return not self._binary and not self.more

    def close(self) -> None:
        """The text at hand has ended; the next piece is of another one."""
        if self._start is not None:
            self._begin()
        if self._rest:
            self._line(self._rest)
        self._open()

    def _begin(self) -> None:
        start, self._start = self._start or b"", None
        self._binary = b"\0" in start[:PROBE]
        self._take(start.removeprefix(b"\xef\xbb\xbf"))

    def _take(self, piece: bytes) -> None:
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
        if self._found(line):
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
        self.rows.append(Row(self._text, number, matches, line))


def respond(search: LineSearch, question: bytes) -> bytes:
    """Do what a line of JSON says, and say as one what was found.

    The question is a list of steps: `["path", p]` reads a file of this machine, `["piece", s]` feeds the bytes that
    the characters of `s` stand for, `["close", ""]` ends a text. The answer has the rows since the last one.
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
    answer: dict[str, Any] = {"rows": search.rows, "more": search.more, "cut": search.cut}
    search.rows = []
    return json.dumps(answer).encode() + b"\n"


def _feed_file(search: LineSearch, path: str) -> None:
    try:
        with open(path, "rb", buffering=0) as file:
            while search.wants_more and (piece := file.read(_PIECE)):
                search.feed(piece)
    except OSError:  # gone, or not for us to read
        pass
    search.close()


def main() -> None:
    """The first line of stdin is the arguments of a `LineSearch`, each further one a question; a line answers each."""
    options = json.loads(sys.stdin.buffer.readline())
    search = LineSearch(options.pop("pattern"), **options)
    for question in sys.stdin.buffer:
        sys.stdout.buffer.write(respond(search, question))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
