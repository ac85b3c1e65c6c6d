"""`TerminalReader`: reads what comes from a terminal while an app listens."""

import asyncio
import os
from collections.abc import Callable, Mapping

from zot_tui.terminal.input import InputSplitter, TerminalInput

READ = 65536
"""Bytes that are read at once."""


class TerminalReader:
    """Reads a terminal until it is closed. `waits` are the seconds until what has come of a sequence is all."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        descriptor: int,
        waits: Mapping[str, float],
        on_inputs: Callable[[list[TerminalInput]], None],
        on_hangup: Callable[[], None],
    ) -> None:
        self._loop, self._descriptor, self._waits = loop, descriptor, waits
        self._on_inputs, self._on_hangup = on_inputs, on_hangup
        self._splitter = InputSplitter()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        loop.add_reader(descriptor, self._readable)

    def close(self) -> None:
        self._closed = True
        self._loop.remove_reader(self._descriptor)
        if self._timer is not None:
            self._timer.cancel()

    def _readable(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        try:
            data = os.read(self._descriptor, READ)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""  # EIO: the terminal hung up
        if data:
            self.received(data)
        else:
            self._on_hangup()

    def received(self, data: bytes) -> None:
        """Pass on data, unless the reader is closed."""
        if self._closed:
            return
        inputs = self._splitter.feed(data)
        if self._splitter.unfinished:
            self._timer = self._loop.call_later(self._waits[self._splitter.unfinished], self._flush)
        self._on_inputs(inputs)

    def _flush(self) -> None:
        self._timer = None
        self._on_inputs(self._splitter.flush())
