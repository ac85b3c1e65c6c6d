r"""`FrameSplitter`: splits a stream of bytes, which arrives in arbitrary chunks, into lines.

Only `\n` ends a line. `str.splitlines` would also split at characters that are allowed in JSON strings.
"""

from __future__ import annotations

from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.record import Record

_BOM = b"\xef\xbb\xbf"
_PIECES, _SMALL = 256, 4096  # so many chunks, of so few bytes on average, are joined early
_START_BYTES = 200  # enough to show `type` and `id` of a usual frame in a log line


class Oversized(Record):
    """Replaces a line that was too long and was dropped."""

    limit: int
    """The limit that the line exceeded, in bytes."""
    start: bytes
    """Its first bytes, at most 200."""


class FrameSplitter:
    r"""Takes chunks of bytes and returns the complete lines in them, without line ends.

    A carriage return before `\n` and a byte order mark before the first line are dropped, blank lines are
    skipped. A line of more than `limit` bytes before its `\n` is dropped up to its end; an `Oversized` replaces
    it in the results as soon as the limit is exceeded. Between calls at most `limit` bytes are held.
    """

    def __init__(self, limit: int = DEFAULT_LIMITS.frame_bytes) -> None:
        self.limit = limit
        self._held: list[bytes] = []  # joined once: a large line is not copied again with each chunk
        self._size = 0
        self._dropping = False
        self._first = True

    @property
    def held(self) -> int:
        """The bytes of the line that has not ended yet."""
        return self._size

    def feed(self, chunk: bytes) -> list[bytes | Oversized]:
        """Add the next bytes of the stream and return the lines that are now complete, in order."""
        found: list[bytes | Oversized] = []
        at = 0
        while (end := chunk.find(b"\n", at)) >= 0:
            self._add(chunk, at, end, found)
            self._end_line(found)
            at = end + 1
        self._add(chunk, at, len(chunk), found)
        return found

    def finish(self) -> list[bytes | Oversized]:
        """End the stream; return its last line if that had no newline."""
        found: list[bytes | Oversized] = []
        self._end_line(found)
        return found

    def _add(self, chunk: bytes, start: int, end: int, found: list[bytes | Oversized]) -> None:
        if self._dropping:
            return
        # Measured before copying, so that a giant chunk is never held twice.
        if self._size + end - start > self.limit:
            shown = min(_START_BYTES, self.limit)
            first = b"".join(self._held)[:shown]
            first += chunk[start : start + shown - len(first)]
            found.append(Oversized(self.limit, first))
            self._held, self._size = [], 0
            self._dropping = True
            return
        self._held.append(chunk[start:end])
        self._size += end - start
        if len(self._held) >= _PIECES and self._size < _PIECES * _SMALL:
            self._held = [b"".join(self._held)]  # tiny chunks take more memory than their bytes

    def _end_line(self, found: list[bytes | Oversized]) -> None:
        line = b"".join(self._held) if len(self._held) > 1 else self._held[0] if self._held else b""
        self._held, self._size = [], 0
        if self._dropping:
            self._dropping = False
            self._first = False
            return
        if self._first:
            line = line.removeprefix(_BOM)
            self._first = False
        if line and not line.isspace():
            found.append(line.removesuffix(b"\r"))
