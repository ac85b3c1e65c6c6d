"""`Ends`: the beginning and the end of an output, folded, within limits."""

import re
from collections.abc import Callable

from zot_core.tools.text.fold import Fold, folded, like_lines_folded
from zot_core.tools.text.truncate import TextLimits, count_lines, head_lines, tail_lines
from zot_provider.record import Record

_HEAD = 0.4
"""The share of the beginning; a failure gives its reason at the end more often."""
_START, _RECENT = 64 * 1024, 96 * 1024
"""Bytes of the beginning that are kept at least, folded but for like lines, and of the end before it is folded."""


_GAPS = (
    r"(?m)^\.\.\. \[(?:([\d,]+) lines? of [\d,]+ bytes left out here"
    r"|the line above (\d+) more times|(\d+) lines like these, with other numbers)\]$"
)


def left_out(text: str) -> int:
    """Return how many more lines an output had before it was folded, as the lines say that are in place of others."""
    gaps = re.findall(_GAPS, text) if "... [" in text else ()
    return sum(int("".join(counts).replace(",", "")) - 1 for counts in gaps)


class Shown(Record):
    """A folded output, and the limit that cut it: at most one of the two. `like_folded`: lines that differ in numbers
    are missing."""

    data: bytes
    lines_truncated: bool = False
    bytes_truncated: bool = False
    like_folded: bool = False


class Ends:
    """Collects output in pieces; memory, and the time for a piece, do not depend on how much came before."""

    def __init__(self, limits: TextLimits, is_log: Callable[[], bool]) -> None:
        """`is_log` says whether lines that differ only in numbers are folded. It is asked if there are any."""
        self._limits = limits
        self._is_log = is_log
        self._fold = Fold()
        self._start = bytearray()
        self._room = max(_START, limits.bytes)
        self._recent: bytearray | None = None
        """The end that is not folded yet, once there is no room for more of the beginning."""
        self._dropped = self._dropped_lines = 0

    def feed(self, piece: bytes) -> None:
        if self._recent is None:
            self._start += self._fold.feed(piece)
            if len(self._start) > self._room:
                kept = len(head_lines(bytes(self._start), TextLimits(len(self._start), self._room)).data)
                self._recent = self._start[kept:] + self._fold.release()
                del self._start[kept:]
            return
        self._recent += piece
        if len(self._recent) > 2 * _RECENT:
            rest = len(self._recent) - _RECENT
            cut = self._recent.find(b"\n", rest, rest + _RECENT // 2) + 1 or rest
            self._dropped_lines += self._recent.count(b"\n", 0, cut)
            self._dropped += cut
            del self._recent[:cut]

    def shown(self) -> Shown:
        """Return the output so far, with a line in place of what is left out. To be called once, at the end."""
        start = bytes(self._start) + (self._fold.end() if self._recent is None else b"")
        rest = folded(bytes(self._recent or b""))
        if not self._dropped:
            start, rest = start + rest, b""
        first, last = like_lines_folded(start), like_lines_folded(rest)
        like = (first, last) != (start, rest) and self._is_log()
        if not like:
            first, last = start, rest
        limits, lines, size = self._limits, count_lines(first) + count_lines(last), len(first) + len(last)
        if not self._dropped and lines <= limits.lines and size <= limits.bytes:
            return Shown(first, like_folded=like)
        share = TextLimits(
            max(int(limits.lines * _HEAD), limits.lines - count_lines(last) if last else 1),
            max(int(limits.bytes * _HEAD), limits.bytes - len(last) if last else 1),
        )
        head = head_lines(first, share).data
        left = TextLimits(max(limits.lines - count_lines(head), 1), max(limits.bytes - len(head), 1))
        tail = tail_lines(last or first[len(head) :], left)
        by_lines = lines + self._dropped_lines > limits.lines
        size += self._dropped - len(head) - len(tail)
        lines += self._dropped_lines - count_lines(head) - count_lines(tail)
        if not size:
            return Shown(head + tail, like_folded=like)
        gap = f"... [{max(lines, 1):,} line{'s' * (lines > 1)} of {size:,} bytes left out here]\n".encode()
        gap = gap if head.endswith(b"\n") else b"\n" + gap
        return Shown(head + gap + tail, by_lines, not by_lines, like)
