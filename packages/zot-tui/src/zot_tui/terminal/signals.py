"""`TerminalSignals`: signals of a process with a screen, and job control: being stopped and continued by a shell."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

ORPHAN_WAIT = 0.25  # seconds after which a process that was not actually stopped continues

INTERRUPTS = ("SIGINT", "SIGTERM", "SIGHUP")


class TerminalSignals:
    """Calls back, through `guard`, between `start` and `stop`.

    `resized` is called for SIGWINCH, `interrupted` with the number of a signal that asks the process to end, `off` and
    `on` around being stopped. Nothing is ever called outside the main thread, or on systems without these signals.
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
        if sys.platform == "win32":
            return
        calls: list[tuple[int, Callable[..., object], tuple[int, ...]]] = [
            (signal.SIGWINCH, self._resized, ()),
            (signal.SIGTSTP, self.pause, (os.getpid(),)),
            (signal.SIGCONT, self._continued, ()),
        ]
        for number, call, arguments in calls:
            before = signal.getsignal(number)
            try:
                loop.add_signal_handler(number, self._guard, call, *arguments)
            except (RuntimeError, ValueError):
                return
            self._before[number] = before
        self._loop = loop
        # Given to the loop, these would have their default action before their handler of before is back. They wake the
        # loop nevertheless, as every signal does while it has one of its own.
        for number in map(signal.Signals.__getitem__, INTERRUPTS):
            self._before[number] = signal.signal(number, self._interrupt)

    def _interrupt(self, number: int, _frame: object) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._guard, self._interrupted, number)

    def stop(self) -> None:
        """Restore the previous handlers."""
        loop, self._loop = self._loop, None
        if sys.platform == "win32" or not self._before:
            return
        for number, before in reversed(self._before.items()):
            if loop is not None:
                loop.remove_signal_handler(number)
            if before is not None:
                signal.signal(number, before)
        self._before.clear()

    def pause(self, target: int) -> None:
        """Turn the screen off and stop the process until a shell continues it. `target` is its process id, or 0 for its
        process group."""
        if self._loop is None or self._paused or sys.platform == "win32":
            return
        self._paused = True
        self._off()
        self._loop.remove_signal_handler(signal.SIGTSTP)  # back to its default: stop
        os.kill(target, signal.SIGTSTP)
        # The signal has no effect where no shell could continue the process (POSIX: an orphaned process group).
        self._loop.call_later(ORPHAN_WAIT, self._guard, self._continued)

    def _continued(self) -> None:
        if not self._paused or self._loop is None:
            return
        self._paused = False
        self._loop.add_signal_handler(signal.SIGTSTP, self._guard, self.pause, os.getpid())
        self._on()
