"""Cursor motions: offsets in a text by grapheme, word and line; pure.

Offsets count code points and lie between two graphemes. Lines end at `\\n`. A word consists of letters, digits, marks
and `_`.
"""

import re

from zot_tui.text.width import graphemes

# Characters that never join a neighbour (UAX #29: `Other`, no conjuncts): between two of them is a grapheme border.
_PLAIN = "[ -~\u00c0-\u02ff\u0400-\u0482\u048a-\u052f\u3041-\u3096\u309b-\u30ff\u4e00-\u9fff]"
_BORDER = re.compile(_PLAIN + "{2}")


def line_start(text: str, offset: int) -> int:
    """Return the beginning of the line that contains `offset`."""
    return text.rfind("\n", 0, offset) + 1


def line_end(text: str, offset: int) -> int:
    """Return the end of that line, before its line break."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def left(text: str, offset: int) -> int:
    """Return the offset one grapheme back, also across a line break; 0 at the beginning."""
    if offset == line_start(text, offset):
        return max(offset - 1, 0)
    *_, last = graphemes(text[_border(text, offset - 1) : offset])
    return offset - len(last)


def right(text: str, offset: int) -> int:
    """Return the offset one grapheme forward, also across a line break; the end at the end."""
    end = line_end(text, offset)
    if offset == end:
        return min(offset + 1, len(text))
    return offset + len(next(graphemes(text[offset:end])))


def snap(text: str, offset: int) -> int:
    """Return `offset` if it lies between two graphemes, else the end of the grapheme that contains it."""
    offset = min(max(offset, 0), len(text))
    border = _border(text, offset)
    for grapheme in graphemes(text[border : line_end(text, offset)]):
        if border >= offset:
            break
        border += len(grapheme)
    return border


def _border(text: str, offset: int) -> int:
    """Return a grapheme border at or before `offset` on its line; close to it in most texts."""
    start = line_start(text, offset)
    while offset > start and not _BORDER.match(text, offset - 1):
        offset -= 1
    return offset


def word_left(text: str, offset: int) -> int:
    """Return the beginning of the word before `offset`."""
    while offset and not in_word(text[offset - 1]):
        offset -= 1
    while offset and in_word(text[offset - 1]):
        offset -= 1
    return snap(text, offset)


def word_right(text: str, offset: int) -> int:
    """Return the end of the word after `offset`."""
    while offset < len(text) and not in_word(text[offset]):
        offset += 1
    while offset < len(text) and in_word(text[offset]):
        offset += 1
    return snap(text, offset)


def in_word(char: str) -> bool:
    """Whether a character is a letter, a digit, a mark or `_`."""
    if char.isalnum() or char == "_":
        return True
    import unicodedata  # noqa: PLC0415  not for the first screen

    return unicodedata.category(char).startswith("M")
