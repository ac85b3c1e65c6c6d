"""`LineReader`: the lines that one extension writes, without letting it take the loop for itself."""

import asyncio
import os
from collections.abc import Callable

from zot_ext.protocol.splitter import FrameSplitter, Oversized

_PIECE = 16 * 1024
_SLICE = 0.005
"""Seconds of reading in a row, after which others have their turn."""

_REST = 1 << 20
"""Bytes read after the end of a process: what a pipe can hold. What it left running might write for ever."""


class LineReader:
    """Reads a pipe that does not block, which it owns, and calls `line` for each line in it.

    `ended` is called once, when there is nothing more to read. Lines are as `FrameSplitter` gives them, with `limit`
    bytes at most.
    """

    def __init__(
        self, descriptor: int, limit: int, line: Callable[[bytes | Oversized], None], ended: Callable[[], None]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._splitter = FrameSplitter(limit)
        self._line = line
        self._ended = ended
        self._rest: int | None = None
        self.closed = False
        self._loop.add_reader(descriptor, self._read)

    def drain(self) -> None:
        """Read what is in the pipe now, and take that for its end: nobody who matters holds the other end."""
        if not self.closed and self._rest is None:
            self._rest = _REST
            self._loop.remove_reader(self._descriptor)
            self._read()

    def close(self) -> None:
        """Read no more. `ended` is not called."""
        if not self.closed:
            self.closed = True
            if self._rest is None:
                self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)

    def _read(self) -> None:
        until = self._loop.time() + _SLICE
        while not self.closed:
            try:
                piece = os.read(self._descriptor, _PIECE)
            except BlockingIOError:
                if self._rest is not None:
                    self._end()
                return
            if not piece or (self._rest is not None and self._rest < 0):
                self._end()
                return
            self._hand_on(self._splitter.feed(piece))
            if self._rest is not None:
                self._rest -= len(piece)
            elif len(piece) < _PIECE:
                return  # that was all; if more comes, the loop says so
            if self._loop.time() >= until:
                if self._rest is not None:
                    self._loop.call_soon(self._read)
                return

    def _hand_on(self, lines: list[bytes | Oversized]) -> None:
        for line in lines:
            if self.closed:
                return
            self._line(line)

    def _end(self) -> None:
        self._hand_on(self._splitter.finish())
        if not self.closed:
            self.close()
            self._ended()
