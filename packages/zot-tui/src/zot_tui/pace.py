"""`Pace`: when a screen is drawn that has changed."""

import asyncio
from collections.abc import Callable

from zot_tui.signal import Signal

RATE = 25.0  # redraws a second, keys aside


class Pace:
    """Calls `draw` soon after a change, together with all other changes until then. `rate` is the most draws a second,
    `last` when it was drawn last, in seconds of the loop.

    What `waits` is not drawn with a key that comes before: its owner holds it back until `due` is emitted, which is
    before everything is drawn.
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

    def request(self, *, waits: bool, within: float) -> None:
        """Draw soon. A change that may wait is drawn `within` a number of seconds, together with the next one."""
        self._waits = self._waits or waits
        loop = asyncio.get_running_loop()
        at = max(loop.time() + within, self.last + 1 / self.rate)
        if self._timer is not None:
            if self._timer.when() <= at:
                return
            self._timer.cancel()
        self._timer = loop.call_at(at, self._draw)

    def cancel(self) -> None:
        """Take back what was requested."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._waits = None, False

    def drawn(self) -> None:
        """Note that it was drawn just now."""
        self.last = asyncio.get_running_loop().time()
