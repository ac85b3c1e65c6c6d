"""`TerminalReader`: reads what comes from a terminal while an app listens."""

import asyncio
import os
from collections.abc import Callable, Mapping

from zot_tui.terminal.input import InputSplitter, TerminalInput

READ = 65536
"""Bytes that are read at once."""


class TerminalReader:
    """Reads a terminal until it is closed. `waits` are the seconds until what has come of a sequence is all.

    `on_inputs` returns the name of the wait for what it keeps, if it keeps something. If nothing comes for so long, it
    is called without inputs.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        descriptor: int,
        waits: Mapping[str, float],
        on_inputs: Callable[[list[TerminalInput]], str],
        on_hangup: Callable[[], None],
    ) -> None:
        self._loop, self._descriptor, self._waits = loop, descriptor, waits
        self._on_inputs, self._on_hangup = on_inputs, on_hangup
        self._splitter = InputSplitter()
        self._kept = ""
        self._timers: list[asyncio.TimerHandle] = []
        self._closed = False
        loop.add_reader(descriptor, self._readable)

    def close(self) -> None:
        self._closed = True
        self._loop.remove_reader(self._descriptor)
        self._stop_waiting()

    def _stop_waiting(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _readable(self) -> None:
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
        if not self._closed:
            self._pass_on(self._splitter.feed(data))

    def _pass_on(self, inputs: list[TerminalInput]) -> None:
        self._stop_waiting()
        if inputs:
            self._kept = self._on_inputs(inputs)
        if self._closed:
            return
        for name, over in ((self._splitter.unfinished, self._flush), (self._kept, self._pause)):
            if name:
                self._timers.append(self._loop.call_later(self._waits[name], over))

    def _flush(self) -> None:
        self._pass_on(self._splitter.flush())

    def _pause(self) -> None:
        self._kept = self._on_inputs([])
