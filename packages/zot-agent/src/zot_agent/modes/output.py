"""Standard output for one-shot modes: what one wake-up of the loop brings is written with one call."""

import asyncio
import os
import sys
from collections.abc import Callable

from zot_core.terminal import strip_controls


class Output:
    """Collects text and writes it when the loop comes round.

    `closed` is called once when the reader has gone (`head`, a closed pager): there is nobody left to work for. Another
    failure to write is kept in `failure`. On a terminal, control sequences from models and tools are stripped.
    """

    def __init__(self, closed: Callable[[], None], *, plain: bool = False) -> None:
        """`plain`: the text is ours (JSON) and holds no control characters."""
        self._parts: list[str] = []
        self._closed = closed
        self._strip = not plain and sys.stdout.isatty()
        self.gone = False
        self.failure = ""

    def write(self, text: str) -> None:
        """Write `text` soon."""
        if not self._parts:
            asyncio.get_running_loop().call_soon(self.flush)
        self._parts.append(text)

    def flush(self) -> None:
        """Write what was collected now."""
        text = "".join(self._parts)
        self._parts.clear()
        if self.gone or not text:
            return
        if self._strip:
            text = strip_controls(text)
        data = memoryview(text.encode("utf-8", "replace"))
        try:
            while data:
                data = data[os.write(1, data) :]
        except OSError as error:
            self.gone = True
            if not isinstance(error, BrokenPipeError):
                self.failure = f"cannot write to standard output: {error.strerror}"
            self._closed()
