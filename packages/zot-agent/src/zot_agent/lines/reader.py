"""`LineReader`: reads lines from a descriptor: a pipe, a socket, a terminal, a file or the null device."""

import asyncio
import os
import select
from collections.abc import Callable

from zot_core.aio import spawn
from zot_core.machine.posix import missing_posix
from zot_ext.protocol.splitter import FrameSplitter, Oversized
from zot_provider.errors import ConfigError

_PIECE = 16 * 1024
"""Bytes read with one call."""

_LARGE_PIECE = 64 * 1024
"""The same of a reader of long lines."""

_LONG = 256 * 1024
"""Bytes of a line that has not ended yet, from which on a thread reads: the loop does other work meanwhile."""

_GAP = 20
"""Milliseconds without input after which the thread ends, and the loop waits for more."""

_SLICE = 0.005
"""Seconds of uninterrupted reading, after which other work of the loop gets its turn."""

_DRAINED = 1 << 20
"""The most bytes that `drain` reads: the capacity of a pipe. A surviving child process might write for ever."""


class LineReader:
    """Calls `line` for each line of at most `limit` bytes, and `ended` once at the end of the input.

    `FrameSplitter` splits and checks the lines; a line that is too long is passed as `Oversized`. A read error counts
    as the end. With `owned`, the descriptor belongs to the reader, which makes it non-blocking and closes it. Without
    it, other processes may share the descriptor, whose settings are not changed: it is read once every time it is
    ready.

    Raises `ConfigError` if the event loop cannot watch descriptors.
    """

    def __init__(
        self,
        descriptor: int,
        limit: int,
        line: Callable[[bytes | Oversized], None],
        ended: Callable[[], None],
        *,
        owned: bool = False,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._fd = descriptor
        self._piece_bytes = _PIECE
        self._owned = owned
        self._splitter = FrameSplitter(limit)
        self._line, self._ended = line, ended
        self._watched = True
        self._left: int | None = None
        self._turn: asyncio.Handle | None = None
        self._thread: asyncio.Task[None] | None = None
        self.reading = False
        self.closed = False
        if owned:
            os.set_blocking(descriptor, False)
        self.resume()

    def set_limit(self, limit: int) -> None:
        """Change the longest line, from the next piece of input on, and read larger pieces."""
        self._splitter.limit = limit
        self._piece_bytes = _LARGE_PIECE

    def resume(self) -> None:
        """Continue to read after `pause`. Does nothing while reading, and at the end."""
        if self.reading or self.closed:
            return
        self.reading = True
        if self._thread is not None:
            return
        if self._watched:
            try:
                self._loop.add_reader(self._fd, self._read)
            except PermissionError:  # Linux watches neither files nor /dev/null, which always have something to read
                self._watched = False
            except NotImplementedError:
                raise ConfigError(missing_posix("clients on pipes")) from None
        if not self._watched:
            self._turn = self._loop.call_soon(self._read)

    def pause(self) -> None:
        """Stop reading until `resume`. Lines that were already read, at most one piece, are still passed on."""
        if self._left is None:
            self._stop()

    def drain(self) -> None:
        """Read what is in the pipe now, at most 1 MiB, and treat that as the end, in this call or the next iterations
        of the loop. Meant for an owned descriptor whose process has ended: its children may still hold the pipe.
        `pause` has no effect afterwards."""
        if self.closed or self._left is not None:
            return
        self._stop()
        self._left = _DRAINED
        self._watched = False
        self.reading = True
        if self._thread is None:
            self._read()

    def close(self) -> None:
        """Stop reading for good, and close the descriptor if it is owned. `ended` is not called."""
        if self.closed:
            return
        self._stop()
        self.closed = True
        if self._owned and self._thread is None:
            os.close(self._fd)

    def _stop(self) -> None:
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
        elif self.reading and self._watched and self._thread is None:
            self._loop.remove_reader(self._fd)
        self.reading = False

    def _read(self) -> None:
        self._turn = None
        until = self._loop.time() + _SLICE
        while self.reading:
            piece = self._piece()
            if piece is None:
                return
            for line in self._splitter.feed(piece) if piece else self._splitter.finish():
                if self.closed:
                    return
                self._line(line)
            if self.closed:
                return
            if not piece:
                self.close()
                self._ended()
            elif self._watched:
                if self._owned and self.reading and self._splitter.held >= _LONG:
                    self._loop.remove_reader(self._fd)
                    self._thread = spawn(self._read_long(), "read a long line")
                    return
                # The loop calls again while input is left. A second read from a shared descriptor might block.
                if not self._owned or len(piece) < self._piece_bytes or self._loop.time() >= until:
                    return
            elif self._loop.time() >= until:
                if self.reading and self._turn is None:
                    self._turn = self._loop.call_soon(self._read)
                return

    async def _read_long(self) -> None:
        """Read in a thread, at most to the end of the line."""
        try:
            lines = await asyncio.to_thread(self._rest_of_line)
        finally:
            self._thread = None
            if self.closed:
                os.close(self._fd)
        for line in lines:
            if self.closed:
                return
            self._line(line)
        if self.closed or not self.reading:
            return
        if self._left is not None:
            self._read()
        else:
            self._loop.add_reader(self._fd, self._read)

    def _rest_of_line(self) -> list[bytes | Oversized]:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        lines: list[bytes | Oversized] = []
        while not lines and self.reading and self._left is None and poll.poll(_GAP):
            try:
                piece = os.read(self._fd, _LONG)
            except OSError:
                break
            if not piece:  # the loop reads the end again
                break
            lines = self._splitter.feed(piece)
        return lines

    def _piece(self) -> bytes | None:
        """Read the next bytes: empty at the end, None while no input is available."""
        if self._left is not None and self._left <= 0:
            return b""
        try:
            piece = os.read(self._fd, self._piece_bytes)
        except BlockingIOError:
            return None if self._left is None else b""
        except OSError:  # the terminal was closed, or the descriptor is not open for reading
            return b""
        if self._left is not None:
            self._left -= len(piece)
        return piece
