"""The standard streams of one-shot modes: what one wake-up of the loop brings is written with one call."""

import asyncio
import json
import os
import select
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zot_tui.text.sanitize import Sanitizer

_LOOK = 0.1
"""Seconds between two looks at whether to wait on for a slow reader."""


def print_error(text: str, who: str = "zot") -> None:
    """One line on standard error, safe for a terminal."""
    line = " ".join(f"{who}: {text}".split())
    if not _is_plain(line):
        from zot_tui.text.sanitize import sanitize  # noqa: PLC0415  most lines do not need it

        line = sanitize(line, colors=True)
    try:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except OSError:
        pass  # nobody reads it


class Output:
    """Collects text for standard output and writes it when the loop comes round.

    `closed` is called once when the reader has gone (`head`, a closed pager): there is nobody left to work for. Another
    failure to write is kept in `failure`. On a terminal, text of models and tools is made safe; a pipe or a file gets
    it as it is.
    """

    def __init__(self, closed: Callable[[], None], *, plain: bool = False) -> None:
        """`plain`: the text is JSON. A terminal gets escapes in it for what does not print."""
        self._parts: list[str] = []
        self._closed = closed
        self._terminal = os.isatty(1)
        self._plain = plain
        self._sanitizer: Sanitizer | None = None
        self._hurried = False
        self._open = False  # a line without its end
        self.gone = False
        self.failure = ""

    def write(self, text: str) -> None:
        """Write `text` soon."""
        if not self._parts:
            asyncio.get_running_loop().call_soon(self.flush)
        self._parts.append(text)
        if text:
            self._open = not text.endswith("\n")

    def end_line(self) -> None:
        """Write the end of a line that was begun, if one was."""
        if self._open:
            self.write("\n")

    def flush_before_stderr(self) -> None:
        """To be called before something is written to standard error: it then stands below what has come so far, and
        on a line of its own if both streams are one terminal or one file. Elsewhere the text gets no line break."""
        if self._open and _one_stream():
            self.end_line()
        self.flush()

    def flush(self) -> None:
        """Write what was collected now."""
        text = "".join(self._parts)
        self._parts.clear()
        if self.gone or not text:
            return
        if self._terminal:
            text = self._safe(text)
        data = memoryview(text.encode("utf-8", "replace"))
        while data:
            try:
                data = data[os.write(1, data) :]
            except BlockingIOError:
                if not self._wait():
                    self.gone = True
                    return
            except OSError as error:
                self.gone = True
                if not isinstance(error, BrokenPipeError):
                    self.failure = f"cannot write to standard output: {error.strerror}"
                self._closed()
                return

    def _safe(self, text: str) -> str:
        if self._sanitizer is None:
            if _is_plain(text):
                return text
            if self._plain:
                return "".join(each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text)
            from zot_tui.text.sanitize import Sanitizer  # noqa: PLC0415  a pipe, and plain text, do not need it

            self._sanitizer = Sanitizer()
        return self._sanitizer.feed(text)

    def _wait(self) -> bool:
        """Wait until the reader takes more; False if it does not and nobody has the time."""
        while not select.select([], [1], [], _LOOK)[1]:
            if self._hurried:
                return False
        return True

    def hurry(self) -> None:
        """From now on give up where a reader has stopped reading. Meant for signal handlers, which interrupt a write
        that hangs; without blocking, it does not hang again."""
        if not self._hurried and not os.isatty(1):
            self._hurried = True
            self._blocking = os.get_blocking(1)
            os.set_blocking(1, False)

    def restore(self) -> None:
        """Undo `hurry`: others may share the pipe."""
        if self._hurried:
            self._hurried = False
            os.set_blocking(1, self._blocking)


def _is_plain(text: str) -> bool:
    """Whether `text` is printable ASCII and line feeds."""
    return text.isascii() and text.replace("\n", "").isprintable()


def _one_stream() -> bool:
    """Whether standard output and standard error lead to the same place."""
    try:
        return os.path.sameopenfile(1, 2)
    except OSError:  # one of them is closed
        return False
