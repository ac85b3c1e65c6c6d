"""`Units`: a text as cursor positions: graphemes, line breaks, and chips as wholes; pure.

vi counts and moves in these units, so no chip or grapheme is ever split. A unit is identified by its index; the end of
the text is the index after the last unit.
"""

from bisect import bisect_right
from collections.abc import Iterable

from zot_tui.editor.motions import in_word
from zot_tui.text.width import graphemes, width

BREAK, BLANK, PUNCTUATION, WORD, CHIP = 0, 1, 2, 3, 100

# Scripts without spaces between words: a word ends where the script changes. First and last character.
_SCRIPTS = (
    (0x3041, 0x309F),  # Hiragana
    (0x30A0, 0x30FF),  # Katakana
    (0x3400, 0x9FFF),  # Han
    (0xAC00, 0xD7A3),  # Hangul
    (0x20000, 0x3FFFF),  # Han, the supplements
)


class Units:
    """The units of `text`. Each of `chips` (start and end offsets, in order) is one unit.

    `kinds` has the kind of each unit: `BREAK`, `BLANK`, `PUNCTUATION`, `WORD`, numbers above `WORD` for other scripts,
    and a number from `CHIP` up for each chip.
    """

    __slots__ = ("kinds", "offsets", "size", "text", "units")

    def __init__(self, text: str, chips: Iterable[tuple[int, int]] = ()) -> None:
        self.text = text
        self.units: list[str] = []
        self.kinds: list[int] = []
        self.offsets: list[int] = []
        spans = iter(chips)
        start, end = next(spans, (len(text), len(text)))
        at = chip = 0
        for grapheme in graphemes(text):
            while at >= end < len(text):
                start, end = next(spans, (len(text), len(text)))
            if start < at < end:
                self.units[-1] += grapheme
            else:
                chip += at == start
                self.units.append(grapheme)
                self.offsets.append(at)
                self.kinds.append(CHIP + chip if at == start else _kind(grapheme))
            at += len(grapheme)
        self.size = len(self.units)
        self.offsets.append(at)

    def index(self, offset: int) -> int:
        """Return the index of the unit that contains `offset`."""
        return bisect_right(self.offsets, offset) - 1

    def kind(self, at: int, *, big: bool = False) -> int:
        """Return the kind of the unit at `at`; line ends are blanks. With `big`, everything but blanks is a word."""
        kind = self.kinds[at] if at < self.size else BREAK
        kind = BLANK if kind == BREAK else kind
        return WORD if big and kind != BLANK else kind

    def is_break(self, at: int) -> bool:
        """Return whether a line ends at `at`."""
        return at >= self.size or self.kinds[at] == BREAK

    def start(self, at: int) -> int:
        """Return the first unit of the line that contains `at`."""
        while at and self.kinds[at - 1] != BREAK:
            at -= 1
        return at

    def end(self, at: int) -> int:
        """Return the end of that line: its line break, or the end of the text."""
        while not self.is_break(at):
            at += 1
        return at

    def last(self, at: int) -> int:
        """Return the last cursor position of that line: its last unit, or its end if it is empty."""
        return max(self.end(at) - 1, self.start(at))

    def empty(self, at: int) -> bool:
        """Return whether `at` is on an empty line."""
        return self.is_break(at) and (not at or self.kinds[at - 1] == BREAK)

    def first(self, at: int) -> int:
        """Return the first unit of that line that is not blank, or its last unit."""
        at, last = self.start(at), self.last(at)
        while at < last and self.kinds[at] == BLANK:
            at += 1
        return at

    def cells(self, at: int) -> int:
        """Return the cells between the beginning of the line and `at`."""
        return width(self.text[self.offsets[self.start(at)] : self.offsets[at]])

    def at_cells(self, start: int, cells: float) -> int:
        """Return the unit nearest to `cells`, at or left of it, on the line that begins at `start`."""
        used, last = 0, self.last(start)
        while start < last:
            used += width(self.units[start])
            if used > cells:
                break
            start += 1
        return start

    def lines(self, at: int, by: int) -> int:
        """Return the first unit of the line `by` lines below (above, if negative), or of the last line on the way."""
        start = self.start(at)
        for _ in range(abs(by)):
            end = self.end(start)
            if by > 0 and end < self.size:
                start = end + 1
            elif by < 0 and start:
                start = self.start(start - 1)
            else:
                break
        return start

    def slice(self, start: int, end: int) -> str:
        """Return the text from one unit to another."""
        return self.text[self.offsets[start] : self.offsets[end]]


def _kind(grapheme: str) -> int:
    char = grapheme[0]
    if char == "\n":
        return BREAK
    if char.isspace():
        return BLANK
    if not in_word(char):
        return PUNCTUATION
    if not char.isascii():
        for number, (first, last) in enumerate(_SCRIPTS, start=WORD + 1):
            if first <= ord(char) <= last:
                return number
    return WORD
