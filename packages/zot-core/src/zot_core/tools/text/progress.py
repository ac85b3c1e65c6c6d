"""`Progress`: shows the output of a running command as text, a few times a second."""

import asyncio
import codecs
from collections.abc import Callable


class Progress:
    """Decodes pieces of output and passes them to `show`, at most one text every `pause` seconds.

    A text has at most `size` characters: of faster output, the start is dropped.
    """

    def __init__(self, show: Callable[[str], None], pause: float, size: int) -> None:
        self._show = show
        self._pause = pause
        self._size = size
        self._loop = asyncio.get_running_loop()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting = ""
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0

    def feed(self, piece: bytes) -> None:
        """Add the next piece; a character may be split between two pieces."""
        self._waiting = (self._waiting + self._decoder.decode(piece))[-self._size :]
        if self._timer is None:
            # Always through the timer, so that a burst of small pieces becomes one text.
            self._timer = self._loop.call_at(self._next, self._flush)

    def close(self) -> None:
        """Show the rest; no more pieces follow."""
        if self._timer is not None:
            self._timer.cancel()
        self._waiting += self._decoder.decode(b"", final=True)
        self._flush()

    def _flush(self) -> None:
        self._timer = None
        self._next = self._loop.time() + self._pause
        if self._waiting:
            text, self._waiting = self._waiting, ""
            self._show(text)
