"""`Reader`: the lines on standard input, whatever it is: a pipe, a socket, a terminal, a file, nothing."""

import asyncio
import os
from collections.abc import Callable

from zot_ext.protocol.splitter import FrameSplitter, Oversized
from zot_provider.errors import ConfigError

_PIECE = 64 * 1024


class Reader:
    """Calls `line` for each line, of at most `limit` bytes, and `ended` once there are no more.

    A descriptor that is ready gives what it has without waiting, so that its settings, which others may share, need no
    change. Raises `ConfigError` where the event loop cannot watch pipes.
    """

    def __init__(
        self, limit: int, line: Callable[[bytes | Oversized], None], ended: Callable[[], None], *, descriptor: int = 0
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._fd = descriptor
        self._splitter = FrameSplitter(limit)
        self._line, self._ended = line, ended
        self._watched = True
        self._turn: asyncio.Handle | None = None
        self.reading = False
        self.closed = False
        self.go_on()

    def go_on(self) -> None:
        """Read on after `pause`; harmless while reading, or at the end."""
        if self.reading or self.closed:
            return
        self.reading = True
        try:
            if self._watched:
                self._loop.add_reader(self._fd, self._read)
        except PermissionError:  # Linux watches neither files nor /dev/null: they never make anybody wait
            self._watched = False
        except NotImplementedError:
            raise ConfigError("zot rpc needs an event loop that can watch pipes, which Windows has not") from None
        if not self._watched:
            self._turn = self._loop.call_soon(self._read)

    def pause(self) -> None:
        """Read nothing until `go_on`."""
        if self.reading:
            self.reading = False
            if self._turn is not None:
                self._turn.cancel()
            elif self._watched:
                self._loop.remove_reader(self._fd)

    def close(self) -> None:
        """Read no more. `ended` is not called."""
        self.pause()
        self.closed = True

    def _read(self) -> None:
        try:
            piece = os.read(self._fd, _PIECE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # a terminal that is gone, a descriptor that is not for reading
            piece = b""
        for line in self._splitter.feed(piece) if piece else self._splitter.finish():
            if self.closed:
                return
            self._line(line)
        if not piece and not self.closed:
            self.close()
            self._ended()
        elif self.reading and not self._watched:
            self._turn = self._loop.call_soon(self._read)
