"""`TerminalSignals`: the signals of a process that has a screen, and stopping and going on as shells ask for it."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

ORPHAN_WAIT = 0.25  # seconds after which a process that nobody has stopped goes on

INTERRUPTS = ("SIGINT", "SIGTERM", "SIGHUP")


class TerminalSignals:
    """Calls back, through `guard`, from `start` to `stop`: `resized`, `interrupted` with the signal's number, and
    around being stopped `off` and `on`. Outside the main thread, and where there are no such signals, it never does.
    """

    def __init__(
        self,
        guard: Callable[..., object],
        resized: Callable[[], object],
        interrupted: Callable[[int], object],
        off: Callable[[], object],
        on: Callable[[], object],
    ) -> None:
        self._guard = guard
        self._resized = resized
        self._interrupted = interrupted
        self._off = off
        self._on = on
        self._loop: asyncio.AbstractEventLoop | None = None
        self._before: dict[int, Any] = {}
        self._paused = False

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take the signals over."""
        if sys.platform == "win32":
            return
        calls: list[tuple[int, Callable[..., object], tuple[int, ...]]] = [
            (signal.SIGWINCH, self._resized, ()),
            (signal.SIGTSTP, self.pause, (os.getpid(),)),
            (signal.SIGCONT, self._continued, ()),
        ]
        calls += [(number, self._interrupted, (number,)) for number in map(signal.Signals.__getitem__, INTERRUPTS)]
        for number, call, arguments in calls:
            before = signal.getsignal(number)
            try:
                loop.add_signal_handler(number, self._guard, call, *arguments)
            except (RuntimeError, ValueError):
                return
            self._before[number] = before
        self._loop = loop

    def stop(self) -> None:
        """Give them back to whom they belonged."""
        loop, self._loop = self._loop, None
        for number, before in self._before.items():
            if loop is not None:
                loop.remove_signal_handler(number)
            if before is not None:
                signal.signal(number, before)
        self._before.clear()

    def pause(self, target: int) -> None:
        """Be stopped, with the screen off, until a shell lets the process go on: `target` is its id, or 0 for all that
        it was started with."""
        if self._loop is None or self._paused or sys.platform == "win32":
            return
        self._paused = True
        self._off()
        self._loop.remove_signal_handler(signal.SIGTSTP)  # back to stopping
        os.kill(target, signal.SIGTSTP)
        # Where no shell could let it go on (POSIX: an orphaned process group), the signal does nothing.
        self._loop.call_later(ORPHAN_WAIT, self._guard, self._continued)

    def _continued(self) -> None:
        if not self._paused or self._loop is None:
            return
        self._paused = False
        self._loop.add_signal_handler(signal.SIGTSTP, self._guard, self.pause, os.getpid())
        self._on()
