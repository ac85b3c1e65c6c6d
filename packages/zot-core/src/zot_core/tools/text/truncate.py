"""What of a long text enters the context: its head, by lines and bytes; pure.

A text's lines end at `\\n` alone; a rest without one is a line too. Nothing is cut inside a UTF-8 character.
"""

from zot_provider.record import Record, record


@record
class Limits(Record):
    """What one result may bring into the context."""

    lines: int = 2000
    bytes: int = 50 * 1024


@record
class Head(Record):
    """The part of a text that was kept, and which limit ended it: one of them at most."""

    data: bytes
    lines_truncated: bool = False
    bytes_truncated: bool = False


def notes(head: Head, limits: Limits) -> str:
    """The row that tells a reader what is missing, with its line break; empty if nothing is."""
    if head.lines_truncated:
        return f"... [truncated at {limits.lines} lines]\n"
    return f"... [truncated at {limits.bytes} bytes]\n" if head.bytes_truncated else ""


def count_lines(data: bytes) -> int:
    """How many lines the text has."""
    return data.count(b"\n") + (not data.endswith(b"\n") if data else 0)


def exceeds(data: bytes | bytearray, newlines: int, limits: Limits) -> bool:
    """Whether a text, which has `newlines` line breaks, is longer than the limits."""
    open_line = bool(data) and not data.endswith(b"\n")
    return len(data) > limits.bytes or newlines + open_line > limits.lines


def head(data: bytes, limits: Limits) -> Head:
    """The first lines of `data` within the limits; the last of them may be cut at the byte limit."""
    end = _line_end(data, limits.lines)
    if end > limits.bytes:
        return Head(_whole_characters(data[: limits.bytes]), bytes_truncated=True)
    return Head(data[:end], lines_truncated=end < len(data))


def head_lines(data: bytes, limits: Limits) -> Head:
    """As `head`, but of whole lines: only a first line that is too long alone is cut.

    The line break after the last line is not counted.
    """
    end = _line_end(data, limits.lines)
    if end - data[:end].endswith(b"\n") <= limits.bytes:
        return Head(data[:end], lines_truncated=end < len(data))
    last_break = data.rfind(b"\n", 0, limits.bytes + 1)
    whole = data[: last_break + 1] if last_break >= 0 else _whole_characters(data[: limits.bytes])
    return Head(whole, bytes_truncated=True)


class Window:
    """Some lines of a text that comes in pieces, and how many lines it has in all.

    Keeps `count` lines (None: all) from number `first` (from 1) on, never more than the limits and one piece.
    """

    def __init__(self, first: int, count: int | None, limits: Limits) -> None:
        self._skip = first - 1
        self._limits = limits
        self._lines = limits.lines if count is None else min(count, limits.lines)
        self._count = count
        self._kept = bytearray()
        self._kept_newlines = 0
        self._newlines = 0
        self._open = False

    @property
    def total(self) -> int:
        """The lines seen so far."""
        return self._newlines + self._open

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the text."""
        if not piece:
            return
        newlines = piece.count(b"\n")
        if self._kept_newlines < self._lines and len(self._kept) <= self._limits.bytes + 1:
            self._take(piece, newlines)
        self._newlines += newlines
        self._open = not piece.endswith(b"\n")

    def _take(self, piece: bytes, newlines: int) -> None:
        start = 0
        for _ in range(self._skip - self._newlines):
            start = piece.find(b"\n", start) + 1
            if start == 0:
                return
        self._kept += piece[start:] if start else piece
        self._kept_newlines += piece.count(b"\n", start) if start else newlines

    def head(self) -> Head:
        """The lines asked for, as far as the limits allow; every one ends in a line break, also a cut one."""
        asked = self.total - self._skip
        if self._count is not None:
            asked = min(asked, self._count)
        data = bytes(self._kept)
        kept = head_lines(data[: _line_end(data, self._lines)], self._limits)
        if not kept.bytes_truncated:
            kept.lines_truncated = asked > self._limits.lines
        if kept.data and not kept.data.endswith(b"\n"):
            kept.data += b"\n"
        return kept


def _line_end(data: bytes, lines: int) -> int:
    """Where line number `lines` ends, its line break included."""
    if data.count(b"\n") < lines:
        return len(data)
    end = 0
    for _ in range(lines):
        end = data.index(b"\n", end) + 1
    return end


def _whole_characters(data: bytes) -> bytes:
    """`data` without a UTF-8 character that was cut at its end."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0b1100_0000 == 0b1000_0000:
            continue
        length = 1 if byte < 0b1100_0000 else 2 if byte < 0b1110_0000 else 3 if byte < 0b1111_0000 else 4
        return data if length <= back else data[:-back]
    return data
