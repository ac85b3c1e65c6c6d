"""Truncation of long texts for the context: the head is kept, limited by lines and bytes; pure.

Lines end at `\\n` alone; a last line without `\\n` counts too. A UTF-8 character is never cut.
"""

from codecs import getincrementaldecoder

from zot_core.display import DiffDisplay
from zot_provider.record import Record


class TextLimits(Record):
    """The largest text of one result."""

    lines: int = 2000
    bytes: int = 50 * 1024


class Head(Record):
    """The part of a text that was kept, and the limit that cut it: at most one of the two."""

    data: bytes
    lines_truncated: bool = False
    bytes_truncated: bool = False


def truncation_note(head: Head, limits: TextLimits) -> str:
    """Return the line that says what is missing, with its line break; empty if nothing is missing."""
    if head.lines_truncated:
        return f"... [truncated at {limits.lines} lines]\n"
    return f"... [truncated at {limits.bytes} bytes]\n" if head.bytes_truncated else ""


def count_lines(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") if data else 0)


def exceeds(data: bytes | bytearray, newlines: int, limits: TextLimits) -> bool:
    """Whether a text with `newlines` line breaks exceeds the limits."""
    open_line = bool(data) and not data.endswith(b"\n")
    return len(data) > limits.bytes or newlines + open_line > limits.lines


def head(data: bytes, limits: TextLimits) -> Head:
    """Return the first lines of `data` within the limits; the last line may be cut at the byte limit."""
    end = _line_end(data, limits.lines)
    if end > limits.bytes:
        return Head(_whole_characters(data[: limits.bytes]), bytes_truncated=True)
    return Head(data[:end], lines_truncated=end < len(data))


def head_lines(data: bytes, limits: TextLimits) -> Head:
    """Return the first whole lines of `data` within the limits; only a first line that alone is too long is cut.

    The line break after the last line does not count.
    """
    end = _line_end(data, limits.lines)
    if end - data[:end].endswith(b"\n") <= limits.bytes:
        return Head(data[:end], lines_truncated=end < len(data))
    last_break = data.rfind(b"\n", 0, limits.bytes + 1)
    whole = data[: last_break + 1] if last_break >= 0 else _whole_characters(data[: limits.bytes])
    return Head(whole, bytes_truncated=True)


def tail_lines(data: bytes, limits: TextLimits) -> bytes:
    """Return the last whole lines of `data` within the limits; only a last line that alone is too long is cut."""
    if len(data) > limits.bytes:
        cut = data.find(b"\n", len(data) - limits.bytes - 1) + 1
        data = data[cut:] if 0 < cut < len(data) else _from_character(data[len(data) - limits.bytes :])
    return data[_line_end(data, more) :] if (more := count_lines(data) - limits.lines) > 0 else data


class LineWindow:
    """Selects lines of a text that arrives in pieces, and counts all of its lines.

    Keeps `count` lines (None: all) starting with line `first` (from 1) and in it with `character` (from 1), never more
    than the limits and one piece.
    """

    def __init__(self, first: int, count: int | None, limits: TextLimits, character: int = 1) -> None:
        self._skip = first - 1
        self._skip_characters = character - 1
        self._limits = limits
        self._lines = limits.lines if count is None else min(count, limits.lines)
        self._count = count
        self._kept = bytearray()
        self._kept_newlines = 0
        self._newlines = 0
        self._open = False
        self._in_first = True
        """Whether the first line has not ended yet."""
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")
        self.characters = 0
        """The characters of the first line so far."""

    @property
    def total(self) -> int:
        """The number of lines so far."""
        return self._newlines + self._open

    def feed(self, piece: bytes) -> None:
        """Add the next piece of the text."""
        if not piece:
            return
        start = 0
        for _ in range(self._skip - self._newlines):
            start = piece.find(b"\n", start) + 1
            if start == 0:
                break
        else:
            self._take(piece[start:] if start else piece)
        self._newlines += piece.count(b"\n")
        self._open = not piece.endswith(b"\n")

    def _take(self, piece: bytes) -> None:
        """Add a piece that begins in the first line or after it."""
        if self._in_first:
            end = piece.find(b"\n")
            self._in_first = end < 0
            text = self._decoder.decode(piece if end < 0 else piece[:end], final=end >= 0)
            skip = self._skip_characters - self.characters
            self.characters += len(text)
            if self._skip_characters:
                kept = text[max(skip, 0) :].encode("utf-8", "surrogateescape")
                piece = kept if end < 0 else kept + piece[end:]
        if self._kept_newlines < self._lines and len(self._kept) <= self._limits.bytes + 1:
            self._kept += piece
            self._kept_newlines += piece.count(b"\n")

    def head(self) -> Head:
        """Return the selected lines within the limits; every line ends in a line break, even a cut one."""
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
    """Return the offset at which line number `lines` ends, including its line break."""
    if data.count(b"\n") < lines:
        return len(data)
    end = 0
    for _ in range(lines):
        end = data.index(b"\n", end) + 1
    return end


def _from_character(data: bytes) -> bytes:
    """Return `data` without the rest of a UTF-8 character at its beginning, if there is one."""
    return data[next((at for at, byte in enumerate(data[:3]) if byte & 0b1100_0000 != 0b1000_0000), 0) :]


def _whole_characters(data: bytes) -> bytes:
    """Return `data` without the incomplete UTF-8 character at its end, if there is one."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0b1100_0000 == 0b1000_0000:
            continue
        length = 1 if byte < 0b1100_0000 else 2 if byte < 0b1110_0000 else 3 if byte < 0b1111_0000 else 4
        return data if length <= back else data[:-back]
    return data


def cut_diff(path: str, diff: str, starts: list[tuple[int, int]]) -> DiffDisplay:
    """Return a diff, its beginning if it is long, with a note."""
    kept = head_lines(diff.encode("utf-8", "replace"), limits := TextLimits())
    rows = kept.data.decode() + truncation_note(kept, limits).removesuffix("\n")
    return DiffDisplay(path, rows, starts[: rows.count("\n...\n") + 1])
