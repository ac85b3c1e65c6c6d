"""kitty's graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol), which Ghostty supports too; pure.

An image is sent once, under a number, for a virtual placement of a number of cells. Its position is plain text: cells
of `PLACEHOLDER` whose foreground colour is the number. Their diacritics are the row and the column within the image,
and the highest byte of the number, which a colour cannot hold. The image scrolls, is cut and is overwritten with that
text.
"""

import re
from collections.abc import Iterator
from typing import Any

from zot_tui.color import Color, from_rgb, indexed
from zot_tui.terminal.tmux import through_tmux
from zot_tui.text.ansi import Sgr
from zot_tui.text.runs import Row
from zot_tui.theme.detect import TRUE_COLOR, Depth

PLACEHOLDER = "\U0010eeee"
PLACEHOLDERS_SINCE = (0, 28)
"""The first version of kitty that knows `PLACEHOLDER`; earlier ones show boxes."""
QUERY_VERSION = "\x1b[>c"
"""Asks for the kind and version of the terminal (DA2, xterm's Secondary Device Attributes)."""
_VERSION = re.compile(r"\x1b\[>1;(4[0-9]{3});([0-9]{1,6})c", re.ASCII)  # kitty adds 4000 to the first number

CHUNK = 4096
"""Characters of base64 in one sequence."""

# kitty's gen/rowcolumn-diacritics.txt: marks of class 230 in Unicode 6.0 that no normalization changes.
_RANGES = """
0305 030D-030E 0310 0312 033D-033F 0346 034A-034C 0350-0352 0357 035B 0363-036F 0483-0487 0592-0595 0597-0599
059C-05A1 05A8-05A9 05AB-05AC 05AF 05C4 0610-0617 0657-065B 065D-065E 06D6-06DC 06DF-06E2 06E4 06E7-06E8 06EB-06EC
0730 0732-0733 0735-0736 073A 073D 073F-0741 0743 0745 0747 0749-074A 07EB-07F1 07F3 0816-0819 081B-0823 0825-0827
0829-082D 0951 0953-0954 0F82-0F83 0F86-0F87 135D-135F 17DD 193A 1A17 1A75-1A7C 1B6B 1B6D-1B73 1CD0-1CD2 1CDA-1CDB
1CE0 1DC0-1DC1 1DC3-1DC9 1DCB-1DCC 1DD1-1DE6 1DFE 20D0-20D1 20D4-20D7 20DB-20DC 20E1 20E7 20E9 20F0 2CEF-2CF1
2DE0-2DFF A66F A67C-A67D A6F0-A6F1 A8E0-A8F1 AAB0 AAB2-AAB3 AAB7-AAB8 AABE-AABF AAC1 FE20-FE26 10A0F 10A38
1D185-1D189 1D1AA-1D1AD 1D242-1D244
"""


def _marks() -> Iterator[str]:
    for words in _RANGES.split():
        first, _, last = words.partition("-")
        yield from map(chr, range(int(first, 16), int(last or first, 16) + 1))


DIACRITICS = tuple(_marks())
"""The mark for each row or column number, and so the most rows and columns of an image."""


def transmission(number: int, columns: int, rows: int, data: str, *, tmux: bool = False) -> str:
    """Return the sequence that sends an image, base64 of a PNG, for a number of cells. The terminal does not answer it
    (`q=2`)."""
    pieces = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)] or [""]
    sequences = []
    for index, piece in enumerate(pieces):
        head = f"a=T,U=1,i={number},c={columns},r={rows},f=100," if not index else ""
        more = int(index < len(pieces) - 1)
        sequences.append(_command(f"{head}q=2,m={more};{piece}", tmux=tmux))
    return "".join(sequences)


def knows_placeholders(reply: str) -> bool:
    """Whether `reply` is the answer to `QUERY_VERSION` of a kitty that shows placeholders."""
    found = _VERSION.fullmatch(reply)
    return found is not None and (int(found[1]) - 4000, int(found[2])) >= PLACEHOLDERS_SINCE


def deletion(number: int, *, tmux: bool = False) -> str:
    """Return the sequence that makes the terminal forget an image and its data."""
    return _command(f"a=d,d=I,i={number},q=2", tmux=tmux)


def placeholder_rows(number: int, columns: int, rows: int, depth: Depth) -> list[Row[Any]]:
    """Return the rows of text that show an image. Every cell names its row and column, so any part can be drawn.

    IndexError for more rows or columns than there are diacritics.
    """
    style = Sgr(foreground=number_color(number, depth))
    if columns > len(DIACRITICS):
        raise IndexError(f"an image has {len(DIACRITICS)} columns at most, not {columns}")
    high = DIACRITICS[number >> 24] if number >> 24 else ""
    across = [mark + high for mark in DIACRITICS[:columns]]
    return [[(style, "".join(PLACEHOLDER + DIACRITICS[row] + mark for mark in across))] for row in range(rows)]


def numbers(depth: Depth, high: int) -> range:
    """Return the possible numbers of images: all that a colour can express, except the first choices of other programs.

    With few colours there are few numbers, so the byte `high` above them distinguishes programs that share a window, as
    in tmux.
    """
    return range(1 << 16, 1 << 24) if depth == TRUE_COLOR else range((high << 24) + 16, (high << 24) + 256)


def number_color(number: int, depth: Depth) -> Color:
    """Return the colour that expresses a number except for its highest byte."""
    if depth == TRUE_COLOR:
        return from_rgb(number >> 16 & 0xFF, number >> 8 & 0xFF, number & 0xFF)
    return indexed(number & 0xFF)


def _command(text: str, *, tmux: bool) -> str:
    sequence = f"\x1b_G{text}\x1b\\"
    return through_tmux(sequence) if tmux else sequence
