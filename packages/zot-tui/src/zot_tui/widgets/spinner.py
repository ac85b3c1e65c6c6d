"""`Spinner`: the row that shows that work is going on, and for how long."""

import math
import time
from collections.abc import Callable, Hashable
from typing import Protocol

from zot_tui.signal import Signal
from zot_tui.terminal.canvas import Rows
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import detached, sanitize_line
from zot_tui.text.width import width
from zot_tui.theme.theme import SpinnerStyle

FRAMES = ("·", "•", "·", " ")
INTERVAL_MS = 125
FASTEST_MS = 33  # the screen is not redrawn more often

_MARGIN = 2


class Timer(Protocol):
    """A scheduled call."""

    def cancel(self) -> object:
        """Cancel the call."""


class Spinner(Rows):
    """One row, empty and without a timer while nothing spins.

    It always takes a row, because urwid's CanvasCache does not notice changes of a widget without rows.

    `after` calls back after a number of seconds (`App.after`), `theme` is the part of a theme for spinners, `clock`
    returns seconds. `outdated` is emitted when the row must be drawn again, `turned` with the number of a frame that is
    new. An owner that calls `turn` before every drawing gets new frames with drawings that come anyway; the spinner
    asks for one only if none has come for the time of a frame.
    """

    def __init__(
        self,
        theme: SpinnerStyle,
        after: Callable[[float, Callable[[], None]], Timer],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(self._rows_at)
        self._after = after
        self.outdated: Signal[[]] = Signal()
        self.turned: Signal[[int]] = Signal()
        self._clock = clock
        self._label = ""
        self._hint = ""
        self._started: float | None = None
        self._until = 0.0
        self._starts = 0
        self._frame = 0
        self._timer: Timer | None = None
        self._message = ""
        self.theme = theme

    @property
    def theme(self) -> SpinnerStyle:
        """Frames, messages and interval; changes with the theme."""
        return self._theme

    @theme.setter
    def theme(self, theme: SpinnerStyle) -> None:
        self._theme = theme
        self.changed()

    @property
    def message(self) -> str:
        """Shown in place of any label, unless empty."""
        return self._message

    @message.setter
    def message(self, text: str) -> None:
        self._message = detached(sanitize_line(text))
        self.changed()

    @property
    def spinning(self) -> bool:
        return self._started is not None

    @property
    def elapsed(self) -> float:
        """Seconds since the start; 0 if it is not spinning."""
        return 0.0 if self._started is None else max(0.0, self._clock() - self._started)

    def start(self, label: str = "", hint: str = "", wait: float = 0.0) -> None:
        """Start spinning, or change the texts while spinning; the time continues.

        `label` defaults to the theme's messages, in turn; `hint` is shown after the time. For the next `wait` seconds
        the time left of them is shown in place of the time since the start.
        """
        self._until = self._clock() + wait
        if self._started is None:
            self._started = self._clock()
            self._starts += 1
            self._frame = 0
        self._hint = sanitize_line(hint)
        self.label = label
        if self._timer is None:
            self._schedule()

    def stop(self) -> None:
        self._cancel()
        if self._started is not None:
            self._started = None
            self._show()

    @property
    def label(self) -> str:
        """The text next to the frame."""
        return self._label

    @label.setter
    def label(self, text: str) -> None:
        messages = self._theme.messages or ()
        turn = messages[(self._starts - 1) % len(messages)] if messages else ""
        self._label = detached(sanitize_line(text or turn))
        self._show()

    def turn(self) -> None:
        """Show the frame of this moment, and ask for no drawing until the time of a frame has passed."""
        if self._started is None:
            return
        self._schedule()
        frame = int(self.elapsed / self._interval)
        if frame != self._frame:
            self._frame = frame
            self.changed()
            self.turned.emit(frame)

    @property
    def _interval(self) -> float:
        """Seconds of a frame."""
        return max(FASTEST_MS, self._theme.interval_ms or INTERVAL_MS) / 1000

    def _schedule(self) -> None:
        self._cancel()
        self._timer = self._after(self._interval, self._ask)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ask(self) -> None:
        self._timer = None
        self.turn()
        self.outdated.emit()

    def _show(self) -> None:
        self.changed()
        self.outdated.emit()

    def _rows_at(self, columns: int) -> list[Row[Hashable]]:
        if self._started is None:
            return [[]]
        frames = [each for each in self._theme.frames or () if width(each) == 1] or FRAMES
        runs: Row[Hashable] = [("spinner", f"{frames[self._frame % len(frames)]} {self._message or self._label}")]
        left = self._until - self._clock()
        runs.append(("muted", f"  in {duration(math.ceil(left))}" if left > 0 else f"  {duration(self.elapsed)}"))
        if self._hint:
            runs.append(("muted", f" · {self._hint}"))
        margin = _MARGIN if columns > 2 * _MARGIN else 0
        return [[("spinner", " " * margin), *clip_runs(runs, columns - margin)]]


def duration(seconds: float) -> str:
    """Format whole seconds: `7s`, `1m 05s`, `2h 03m`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    return f"{whole // 3600}h {whole // 60 % 60:02}m"
