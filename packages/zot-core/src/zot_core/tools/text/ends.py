"""`Ends`: the beginning and the end of an output, folded, within limits."""

from zot_core.tools.text.fold import Fold, folded
from zot_core.tools.text.truncate import TextLimits, count_lines, head_lines, tail_lines
from zot_provider.record import Record

_HEAD = 0.4
"""The share of the beginning; a failure gives its reason at the end more often."""
_RECENT = 96 * 1024
"""Bytes of the end that are kept before they are folded."""


class Shown(Record):
    """A folded output, and the limit that cut it: at most one of the two."""

    data: bytes
    lines_truncated: bool = False
    bytes_truncated: bool = False


class Ends:
    """Collects output in pieces; memory, and the time for a piece, do not depend on how much came before."""

    def __init__(self, limits: TextLimits) -> None:
        self._limits = limits
        self._fold = Fold()
        self._start = bytearray()
        self._lines = 0
        self._recent: bytearray | None = None
        """The end that is not folded yet, once the beginning is longer than the limits."""
        self._dropped = self._dropped_lines = 0

    def feed(self, piece: bytes) -> None:
        """Add the next piece."""
        if self._recent is None:
            self._keep(self._fold.feed(piece))
            return
        self._recent += piece
        if len(self._recent) > 2 * _RECENT:
            rest = len(self._recent) - _RECENT
            cut = self._recent.find(b"\n", rest, rest + _RECENT // 2) + 1 or rest
            self._dropped_lines += self._recent.count(b"\n", 0, cut)
            self._dropped += cut
            del self._recent[:cut]

    def _keep(self, made: bytes) -> None:
        self._start += made
        self._lines += made.count(b"\n")
        open_line = bool(self._start) and not self._start.endswith(b"\n")
        if len(self._start) > self._limits.bytes or self._lines + open_line > self._limits.lines:
            head = TextLimits(max(int(self._limits.lines * _HEAD), 1), max(int(self._limits.bytes * _HEAD), 1))
            kept = len(head_lines(bytes(self._start), head).data)
            self._recent = self._start[kept:] + self._fold.release()
            del self._start[kept:]

    def shown(self) -> Shown:
        """Return the output so far, with a line in place of what is left out. To be called once, at the end."""
        if self._recent is None:
            self._keep(self._fold.end())
        if self._recent is None:
            return Shown(bytes(self._start))
        start, rest = bytes(self._start), folded(bytes(self._recent))
        left = TextLimits(max(self._limits.lines - count_lines(start), 1), max(self._limits.bytes - len(start), 1))
        tail = tail_lines(rest, left)
        by_lines = count_lines(start) + self._dropped_lines + count_lines(rest) > self._limits.lines
        size = self._dropped + len(rest) - len(tail)
        if not size:
            return Shown(start + tail)
        lines = self._dropped_lines + count_lines(rest[: len(rest) - len(tail)])
        gap = f"... [{lines:,} line{'s' * (lines != 1)} of {size:,} bytes left out here]\n".encode()
        gap = gap if start.endswith(b"\n") else b"\n" + gap
        return Shown(start + gap + tail, lines_truncated=by_lines, bytes_truncated=not by_lines)
