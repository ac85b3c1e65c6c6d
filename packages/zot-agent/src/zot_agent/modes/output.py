"""`Output`: standard output of the one-shot modes; the text of one loop iteration is written with one call."""

import asyncio
import json
import os
import select
from collections.abc import Callable
from typing import TYPE_CHECKING

from zot_agent.standard_error import is_plain

if TYPE_CHECKING:
    from zot_tui.text.sanitize import Sanitizer

_POLL_SECONDS = 0.1
"""Seconds between two checks whether to keep waiting for a slow reader."""


class Output:
    """Collects text for standard output and writes it in the next loop iteration.

    `closed` is called once when the reader has closed its end (`head`, a pager) or a write has failed; then the work
    can stop. `failure` says why a write failed. On a terminal, text of models and tools is sanitized; a pipe or a file
    gets it unchanged.
    """

    def __init__(self, closed: Callable[[], None], *, plain: bool = False) -> None:
        """`plain`: the text is JSON, in which unprintable characters are escaped on a terminal."""
        self._parts: list[str] = []
        self._closed = closed
        self._terminal = os.isatty(1)
        self._plain = plain
        self._sanitizer: Sanitizer | None = None
        self._waits = True  # for a slow reader
        self._line_open = False  # the last line has no line break yet
        self.disconnected = False
        self.failure = ""

    def write(self, text: str) -> None:
        """Write `text` in the next loop iteration."""
        if not self._parts:
            asyncio.get_running_loop().call_soon(self.flush)
        self._parts.append(text)
        if text:
            self._line_open = not text.endswith("\n")

    def end_line(self) -> None:
        if self._line_open:
            self.write("\n")

    def flush_before_stderr(self) -> None:
        """Flush before something is written to standard error, so that it appears below the text so far, and on a line
        of its own if both streams are one terminal or one file. Otherwise no line break is added to the text."""
        if self._line_open and _one_stream():
            self.end_line()
        self.flush()

    def flush(self) -> None:
        """Write the collected text now."""
        text = "".join(self._parts)
        self._parts.clear()
        if self.disconnected or not text:
            return
        if self._terminal:
            text = self._safe(text)
        data = memoryview(text.encode("utf-8", "replace"))
        while data:
            try:
                data = data[os.write(1, data) :]
            except BlockingIOError:
                if not self._wait():
                    self.disconnected = True
                    return
            except OSError as error:
                self.disconnected = True
                if not isinstance(error, BrokenPipeError):
                    self.failure = f"cannot write to standard output: {error.strerror}"
                self._closed()
                return

    def _safe(self, text: str) -> str:
        if self._sanitizer is None:
            if is_plain(text):
                return text
            if self._plain:
                return "".join(each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text)
            from zot_tui.text.sanitize import Sanitizer  # noqa: PLC0415  a pipe, and plain text, do not need it

            self._sanitizer = Sanitizer(colors=False)
        return self._sanitizer.feed(text)

    def _wait(self) -> bool:
        """Wait until the reader takes more; return False if it does not and `stop_waiting` was called."""
        while not select.select([], [1], [], _POLL_SECONDS)[1]:
            if not self._waits:
                return False
        return True

    def stop_waiting(self) -> None:
        """Give up on a reader that has stopped reading. Meant for signal handlers, which interrupt a hanging write; in
        non-blocking mode the next write does not hang."""
        if self._waits and not os.isatty(1) and hasattr(os, "get_blocking"):  # not on Windows before 3.12
            self._waits = False
            self._blocking = os.get_blocking(1)
            os.set_blocking(1, False)

    def restore(self) -> None:
        """Undo `stop_waiting`, because other processes may share the pipe."""
        if not self._waits:
            self._waits = True
            os.set_blocking(1, self._blocking)


def _one_stream() -> bool:
    """Whether standard output and standard error lead to the same place."""
    try:
        return os.path.sameopenfile(1, 2)
    except OSError:  # one of them is closed
        return False
