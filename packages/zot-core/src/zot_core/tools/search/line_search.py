"""A script that prints the lines of files that match a pattern; `search` runs it where ripgrep cannot do the work.

A pattern can keep the regular expression engine busy for hours while it holds the interpreter's lock: threads, time
limits and cancelling cannot interrupt it. Only a process can be ended. The script imports only the standard library, so
that the process starts in a few milliseconds.
"""

import json
import os
import re
import stat
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import BinaryIO

PROBE = 8192
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The marks at the beginning of a text in UTF-16."""
WIDE_BYTES = 8 * 1024 * 1024
"""Most bytes that are searched of such a text."""
LINE_BYTES = 1024 * 1024
CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"!-~",
    "lower": "a-z",
    "print": r" -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
"""The named classes of POSIX, as members of a set in Python's syntax."""
_SET = re.compile(r"\\.|\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)


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
    return re.sub(r"(?<!^)\[:(\w+):\]", lambda name: CLASSES.get(name[1], name[0]), found[0])


def rows(file: BinaryIO, matches: Callable[[str], object], context: int, length: int) -> Iterator[bytes]:
    """Yield the matching lines, and `context` lines around each, as `NUMBER:LINE` and `NUMBER-LINE`.

    A lone `\\r` ends a line for the pattern, but not for the number, as in ripgrep. A text with a NUL byte in its first
    8 KiB is binary and has no lines. Only the first MiB of a line is searched, and the first `length` bytes printed.
    """
    before: deque[bytes] = deque(maxlen=context)
    after = 0
    for number, line in enumerate(_lines(file), 1):
        if any(map(matches, line.removesuffix(b"\r").decode("utf-8", "replace").split("\r"))):
            yield from before
            before.clear()
            yield b"%d:%s\n" % (number, line[:length])
            after = context
        elif after:
            after -= 1
            yield b"%d-%s\n" % (number, line[:length])
        elif context:
            before.append(b"%d-%s\n" % (number, line[:length]))


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines without `\\n`, and without a byte order mark at the start of the file. To a last line that has no
    `\\n`, a `\\r` is added, as in ripgrep."""
    start = file.read(PROBE)
    if start.startswith(UTF_16):
        yield from _wide_lines(start + file.read(WIDE_BYTES))
        return
    if b"\0" in start:
        return
    file.seek(3 if start.startswith(b"\xef\xbb\xbf") else 0)
    while line := file.readline(LINE_BYTES):
        rest = line
        while not rest.endswith(b"\n") and (rest := file.readline(LINE_BYTES)):
            pass
        yield line[:-1] if line.endswith(b"\n") else line + b"\r"


def _wide_lines(content: bytes) -> Iterator[bytes]:
    lines = content.decode("utf-16", "replace").encode("utf-8", "replace").split(b"\n")
    yield from lines[:-1]
    if lines[-1]:
        yield lines[-1] + b"\r"


def is_binary(path: str) -> bool:
    """Whether the file has a NUL byte in its first 8 KiB and no mark of UTF-16, or cannot be read."""
    try:
        with open(path, "rb", opener=_regular) as file:
            start = file.read(PROBE)
            return b"\0" in start and not start.startswith(UTF_16)
    except OSError:
        return True


def _regular(path: str, flags: int) -> int:
    """Open a regular file, and nothing that would block."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # not on Windows
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("not a regular file")
    return descriptor


def main(options: str, *paths: str) -> int:
    """Print the rows of each file after `PATH` and a NUL byte. `options` is JSON: the arguments of `compiled`,
    `context` and `length`. If the pattern is invalid, print the reason and return 2."""
    values = json.loads(options)
    context, length = values.pop("context"), values.pop("length")
    try:
        matches = compiled(**values).search
    except ValueError as error:
        sys.stdout.write(str(error))
        return 2
    out = sys.stdout.buffer
    for path in paths:
        try:
            with open(path, "rb", opener=_regular) as file:
                for row in rows(file, matches, context, length):
                    out.write(os.fsencode(path) + b"\0" + row)
        except OSError:  # deleted, or not readable
            pass
        out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
