"""`FrameWriter`: writes frames to the host, one at a time; a call returns when its frame is written."""

from __future__ import annotations

import os
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class FrameWriter:
    """Writes lines to a file descriptor, which it owns. A reader that is gone is not an error.

    `on_closed` is called when nobody reads any more, from the thread that noticed it.
    """

    def __init__(self, target: int, on_closed: Callable[[], None]) -> None:
        self.closed = False
        self._target = target
        self._on_closed = on_closed
        self._lock = threading.Lock()
        os.set_blocking(target, True)

    def write(self, line: bytes, *, last: bool = False) -> None:
        """Write a whole line; after the `last` line nothing more is written. Safe from any thread."""
        lost = False
        with self._lock:
            if self.closed:
                return
            try:
                rest = memoryview(line)
                while rest:
                    rest = rest[os.write(self._target, rest) :]
            except OSError:
                lost = True
            self.closed = lost or last
        if lost:
            self._on_closed()

    def close(self) -> None:
        """Close the descriptor; later writes do nothing."""
        with self._lock:
            self.closed = True
            if self._target >= 0:
                os.close(self._target)
                self._target = -1
