"""Folds the output of a command into what it says: no colours, no progress bars, no line a thousand times; pure.

Escape sequences of terminals and control characters are left out, NUL is shown as U+2400. Of a line that was written
over (`\\r`), the last version stays. Equal lines that follow each other become a few and a count, and so do, at the
end, lines that differ only in numbers: see `like_lines_folded`.
"""

import re
from itertools import groupby

LINE_BYTES = 64 * 1024
"""A longer line is passed on in parts, which are not compared with others."""
FEWEST = 4
"""Equal lines that are counted; fewer stay as they are."""
LIKE_FEWEST, LIKE_FIRST = 8, 3
"""Lines that differ only in numbers from which on they are folded, and how many of their beginning are kept."""
_NOTE = 60
"""Bytes that are not worth a line about them."""

_BINARY = 1000
"""Characters of an output from which on it is worth leaving out what is no text."""

_NUMBER = rb"[ \t]*\d[\d.,:]*"
_WORD = rb"[A-Za-z]{3}|[\x80-\xff]"
"""Lines without a word are data, which numbers are the point of."""
_POINTS = (
    rb"[ \t]*[\w@+-]*[./][\w./\\@+-]*[:(]\d+[:,)]"  # a place: `path:line:`, `path(line,`
    rb"|\d+:(?!\d)"  # a hit of `grep -n`
    rb"|[ \t]*File \".*\", line \d"
    rb"|.*(?:FAIL|\bfailed\b|\bnot ok\b|\b[Ee]rror\b|\bERROR\b|\xe2\x9c[\x95-\x98]|\xc3\x97)"  # what failed
)
"""The beginning of lines whose numbers a model needs: a place in a file, or what has failed."""

_ESCAPE = (
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # a control sequence, such as a colour
    rb"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # a string, such as a title or a link
    rb"|[ -/]*[0-Z\\^-~])"
)
_CONTROLS = bytes({*range(1, 32), 127} - {*b"\t\n\r\x1b"})
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_ANY_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")


class Fold:
    """Folds output that arrives in pieces. A piece costs time for its own length, whatever came before."""

    def __init__(self) -> None:
        self._open = b""
        """The line that is not complete yet, or an escape sequence at its end."""
        self._passed = False
        """Whether a part of the open line was passed on already."""
        self._last = b""
        self._count = 0
        """The last line, and how often it has come; all but the first ones were held back."""
        self._raw = b""
        """The last line as it came, with its break."""

    def feed(self, piece: bytes) -> bytes:
        """Add the next piece; return what is complete."""
        data = self._open + piece
        cut = data.rfind(b"\n") + 1
        whole, self._open = data[:cut], data[cut:]
        if len(self._open) > LINE_BYTES and b"\r" in self._open:
            self._open = _last_version(self._open, keep_end=True)
        made = self._lines(whole) if whole else b""
        if len(self._open) > LINE_BYTES:
            made += self._end_of_run() + _plain(self._open)
            self._open, self._passed = b"", True
        return made

    def end(self) -> bytes:
        """Return the rest; no more pieces follow."""
        rest = _plain(_last_version(self._open))
        self._open = b""
        return self._end_of_run() + rest

    def release(self) -> bytes:
        """Return what was held back, the open line as it came; what follows is folded elsewhere."""
        rest, self._open = self._open, b""
        return self._end_of_run() + rest

    def _lines(self, whole: bytes) -> bytes:
        made: list[bytes] = []
        if self._passed:  # the end of a long line
            first, _, whole = whole.partition(b"\n")
            made, self._passed = [_plain(first), b"\n"], False
        whole = self._without_repetition(whole)
        if not whole:
            return b"".join(made)
        self._raw = whole[whole.rfind(b"\n", 0, -1) + 1 :]
        if _ANY_CONTROL.search(whole):
            whole = _plain(whole.replace(b"\r\n", b"\n"))
            if b"\r" in whole:
                whole = b"\n".join(_last_version(line) if b"\r" in line else line for line in whole.split(b"\n"))
        for line, equal in groupby(whole[:-1].split(b"\n")):
            made.append(self._take(line, sum(1 for _ in equal)))
        return b"".join(made)

    def _without_repetition(self, whole: bytes) -> bytes:
        """Count the last line again as often as it comes at once: a command may print one line for ever."""
        last = self._raw
        if self._count < FEWEST - 1 or not whole.startswith(last):
            return whole
        times = len(whole) // len(last)
        if whole[: times * len(last)] != last * times:
            return whole
        self._count += times
        return whole[times * len(last) :]

    def _take(self, line: bytes, times: int) -> bytes:
        made = b""
        if line != self._last or not self._count:
            made = self._end_of_run()
            self._last, self._count = line, 0
        shown = max(min(FEWEST - 1 - self._count, times), 0)
        self._count += times
        return made + (line + b"\n") * shown

    def _end_of_run(self) -> bytes:
        held, line, self._count = self._count - FEWEST + 1, self._last, 0
        if held <= 0:
            return b""
        return line + b"\n" if held == 1 else b"... [the line above %d more times]\n" % held


def folded(data: bytes) -> bytes:
    """Fold a whole output."""
    fold = Fold()
    return fold.feed(data) + fold.end()


def like_lines_folded(data: bytes) -> bytes:
    """Return a folded output with a count in place of most lines that follow each other and differ only in numbers: a
    download counts its percent, a test run its cases. The first ones and the last one stay, and so do lines that name
    a place in a file or what has failed."""
    if data.count(b"\n") < LIKE_FEWEST - 1:  # as of most commands, for which no pattern is compiled
        return data
    lines = data.split(b"\n")
    made: list[bytes] = []
    at = 0
    for key, run in groupby(re.sub(_NUMBER, b"0", data).split(b"\n")):
        end = at + sum(1 for _ in run)
        held = end - at - LIKE_FIRST - 1
        few = end - at < LIKE_FEWEST or held * len(key) < _NOTE
        if few or not re.search(_WORD, key) or re.match(_POINTS, lines[at]):
            made += lines[at:end]
        else:
            made += [
                *lines[at : at + LIKE_FIRST],
                b"... [%d lines like these, with other numbers]" % held,
                lines[end - 1],
            ]
        at = end
    return b"\n".join(made)


def binary_left_out(text: str) -> str:
    """Return an output with a line in place of all from the first to the last line that is no text (U+FFFD), if a tenth
    of a long output is that: a model can do nothing with it, and pays for each character."""
    if len(text) < _BINARY or text.count("\ufffd") * 10 < len(text):
        return text
    start, end = text.rfind("\n", 0, text.index("\ufffd")) + 1, text.find("\n", text.rindex("\ufffd"))
    return f"{text[:start]}... [binary output is left out here]{text[end:] if end >= 0 else ''}"


def plain_text(text: str) -> str:
    """Return a text without escape sequences and control characters; form feeds stay in a text that has no others."""
    if text.isprintable() or _CONTROL.search(text) is None:
        return text
    return _plain(text.encode("utf-8", "replace")).decode()


def _plain(data: bytes) -> bytes:
    """Leave out escape sequences and control characters."""
    if b"\x1b" in data:
        data = re.sub(_ESCAPE, b"", data)
    if b"\x08" in data:
        data = re.sub(rb"[^\n\x08]\x08", b"", data)
    return data.translate(None, _CONTROLS).replace(b"\x1b", b"").replace(b"\0", "\u2400".encode())


def _last_version(line: bytes, *, keep_end: bool = False) -> bytes:
    """Return what stays of a line after its carriage returns. `keep_end`: the last of them, which may begin another
    version."""
    body = line.rstrip(b"\r")
    return body[body.rfind(b"\r") + 1 :] + (b"\r" if keep_end and len(body) < len(line) else b"")
