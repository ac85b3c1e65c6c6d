"""`LineReader`: the lines that come through a descriptor: a pipe, a socket, a terminal, a file, nothing."""

import asyncio
import os
from collections.abc import Callable

from zot_ext.protocol.splitter import FrameSplitter, Oversized
from zot_provider.errors import ConfigError

_PIECE = 16 * 1024
"""Bytes read with one call."""

_SLICE = 0.005
"""Seconds of reading in a row, after which others have their turn."""

_DRAINED = 1 << 20
"""Bytes that `drain` reads at most: what a pipe can hold. A process that is left over might write for ever."""


class LineReader:
    """Calls `line` for each line, of at most `limit` bytes, and `ended` once there are no more.

    Lines are cut and checked by `FrameSplitter`; one that is too long comes as `Oversized`. A read error counts as the
    end. With `owned` the descriptor belongs to the reader, which makes it non-blocking and closes it. Without, it may
    be shared with other processes, and its settings stay as they are: it is read once each time that it is ready.

    Raises `ConfigError` where the event loop cannot watch descriptors.
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
        self._owned = owned
        self._splitter = FrameSplitter(limit)
        self._line, self._ended = line, ended
        self._watched = True
        self._left: int | None = None
        self._turn: asyncio.Handle | None = None
        self.reading = False
        self.closed = False
        if owned:
            os.set_blocking(descriptor, False)
        self.resume()

    def resume(self) -> None:
        """Read on after `pause`. Harmless while reading, and at the end."""
        if self.reading or self.closed:
            return
        self.reading = True
        if self._watched:
            try:
                self._loop.add_reader(self._fd, self._read)
            except PermissionError:  # Linux watches neither files nor /dev/null, which always have something to read
                self._watched = False
            except NotImplementedError:
                raise ConfigError("this needs an event loop that can watch pipes; Windows has none") from None
        if not self._watched:
            self._turn = self._loop.call_soon(self._read)

    def pause(self) -> None:
        """Read nothing until `resume`. Lines that were read already, 16 KiB at most, still come."""
        if self._left is None:
            self._stop()

    def drain(self) -> None:
        """Read what is in the pipe now, 1 MiB at most, and take that for the end, in this call or in the next turns of
        the loop. For an owned descriptor, when the process that matters has ended: others may still hold the pipe.
        `pause` has no effect any more."""
        if self.closed or self._left is not None:
            return
        self._stop()
        self._left = _DRAINED
        self._watched = False
        self.reading = True
        self._read()

    def close(self) -> None:
        """Read no more, and close the descriptor if it is owned. `ended` is not called."""
        if self.closed:
            return
        self._stop()
        self.closed = True
        if self._owned:
            os.close(self._fd)

    def _stop(self) -> None:
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
        elif self.reading and self._watched:
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
                # What is left makes the loop call again. A second read from a shared descriptor might block.
                if not self._owned or len(piece) < _PIECE or self._loop.time() >= until:
                    return
            elif self._loop.time() >= until:
                if self.reading and self._turn is None:
                    self._turn = self._loop.call_soon(self._read)
                return

    def _piece(self) -> bytes | None:
        """The next bytes: empty at the end, None if there are none yet."""
        if self._left is not None and self._left <= 0:
            return b""
        try:
            piece = os.read(self._fd, _PIECE)
        except BlockingIOError:
            return None if self._left is None else b""
        except OSError:  # a terminal that is gone, a descriptor that is not open for reading
            return b""
        if self._left is not None:
            self._left -= len(piece)
        return piece
