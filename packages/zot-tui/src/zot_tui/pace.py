"""`Pace`: when a screen is drawn that has changed."""

import asyncio
from collections.abc import Callable

from zot_tui.signal import Signal

RATE = 25.0  # redraws a second, keys aside


class Pace:
    """Calls `draw` soon after a change, together with all other changes until then. `rate` is the most draws a second,
    `last` when it was drawn last, in seconds of the loop. `due` is emitted before everything is drawn.

    A change that `waits` lets a key be drawn first: its owner shows it only when `due` is emitted.
    """

    def __init__(self, draw: Callable[[], object]) -> None:
        self.rate = RATE
        self.due: Signal[[]] = Signal()
        self._draw = draw
        self._timer: asyncio.TimerHandle | None = None
        self._waits = False
        self.last = float("-inf")

    @property
    def pending(self) -> bool:
        """Whether a change has not been drawn yet."""
        return self._timer is not None

    @property
    def patient(self) -> bool:
        """Whether a change has not been drawn yet that a key need not wait for."""
        return self._waits and self._timer is not None

    def request(self, *, waits: bool) -> None:
        """Draw as soon as the rate allows."""
        self._waits = self._waits or waits
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(self.last + 1 / self.rate, self._draw)

    def cancel(self) -> None:
        """Take back what was requested."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._waits = None, False

    def drawn(self) -> None:
        """Note that it was drawn just now."""
        self.last = asyncio.get_running_loop().time()
