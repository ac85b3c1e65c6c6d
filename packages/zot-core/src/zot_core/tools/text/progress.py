"""`Progress`: output as text for whoever watches, a few times a second."""

import asyncio
import codecs
from collections.abc import Callable


class Progress:
    """Decodes the pieces of an output and hands them to `show`, at most one text each `pause` seconds.

    A text is at most `size` characters: of output that comes faster the start is left out.
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
        """Take the next piece; a character may be spread over two."""
        self._waiting = (self._waiting + self._decoder.decode(piece))[-self._size :]
        if self._timer is None:
            # Called in any case, so that a burst of small pieces is one text.
            self._timer = self._loop.call_at(self._next, self._flush)

    def close(self) -> None:
        """Show what waits; no more will come."""
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
