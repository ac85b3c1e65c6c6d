"""Width of text in terminal cells, and cutting text by width: the only module that knows widths; pure.

The unit of text is the grapheme (Unicode UAX #29 extended cluster): what a reader sees as one character is measured,
kept and cut as a whole. Widths come from the tables of `wcwidth`, which urwid uses too. The width of a text is the sum
over its graphemes, so cutting between them does not change it. Control characters, tabs and line breaks have no width:
expand tabs and split rows first.
"""

import os
import re
from collections.abc import Iterator
from typing import Literal

from zot_tui.deferred import defer

_EXTENSION = "wcwidth._wcwidth_c"
_USED = ("grapheme_boundary_before", "iter_graphemes", "wcwidth", "width")  # here and by urwid

if not os.environ.get("WCWIDTH_PYTHON"):  # wcwidth's own switch: do not use the extension
    defer("wcwidth", dict.fromkeys(_USED, _EXTENSION))

import wcwidth  # noqa: E402  after `defer`
from wcwidth.table_zero import ZERO_WIDTH as ZERO_WIDTH  # noqa: E402

NARROW = (
    "!-~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e"
    "\u20a0-\u20c0\u2100-\u2319\u2500-\u25fc\u2800-\u28ff"
)
"""Characters that take one cell, with those around them too, for a regular expression: Latin, Greek, Cyrillic,
punctuation, signs, box drawing, Braille."""

_NARROW = re.compile(f"[ {NARROW}]*")

Align = Literal["left", "right", "center"]


def graphemes(text: str) -> Iterator[str]:
    """Yield the graphemes of `text`, in order; joined they are `text` again."""
    if text.isascii() and "\r\n" not in text:
        return iter(text)
    return wcwidth.iter_graphemes(text)


def grapheme_width(grapheme: str) -> int:
    """Return the cells of one grapheme: 0, 1 or 2, more for some conjuncts of Indic scripts."""
    return wcwidth.width(grapheme, control_codes="ignore")


def is_narrow(text: str) -> bool:
    """Whether each character of `text` surely is a grapheme of one cell, as nearly always."""
    return (text.isascii() and text.isprintable()) or _NARROW.fullmatch(text) is not None


def width(text: str) -> int:
    """Return the cells that `text` takes on one row."""
    if is_narrow(text):
        return len(text)
    return sum(grapheme_width(grapheme) for grapheme in graphemes(text))


def split_at(text: str, cells: int) -> tuple[str, str]:
    """Return the longest head of `text` that takes at most `cells`, and the rest, cut between two graphemes.

    Graphemes without width stay with the one before them.
    """
    if is_narrow(text):
        cut = max(cells, 0)
        return text[:cut], text[cut:]
    used = cut = 0
    for grapheme in graphemes(text):
        used += grapheme_width(grapheme)
        if used > cells:
            break
        cut += len(grapheme)
    return text[:cut], text[cut:]


def clip(text: str, cells: int, ellipsis: str = "…") -> str:
    """Return `text` cut to `cells`: unchanged if it fits, else its head with `ellipsis`, which may be cut as well."""
    rest = split_at(text, cells)[1]
    if not rest or not width(rest):
        return text
    mark = split_at(ellipsis, cells)[0]
    return split_at(text, cells - width(mark))[0] + mark


def pad(text: str, cells: int, align: Align = "left", ellipsis: str = "…") -> str:
    """Return `text` in exactly `cells` (0 or more): clipped if too long, else filled with spaces.

    If centred text has an odd remainder, the extra space is on the right. A text that begins with a combining mark
    joins the space before it and may take a cell more.
    """
    shown = clip(text, cells, ellipsis)
    free = max(cells, 0) - width(shown)
    left = {"left": 0, "right": free, "center": free // 2}[align]
    return " " * left + shown + " " * (free - left)


def expand_tabs(text: str, column: int = 0, size: int = 8) -> str:
    """Return `text` with spaces for tabs, to stops `size` cells apart. Its first row begins at cell `column`, others at
    0."""
    if "\t" not in text:
        return text
    rows = []
    for row in text.split("\n"):
        pieces = row.split("\t")
        for index, piece in enumerate(pieces):
            column += width(piece)
            if index < len(pieces) - 1:
                gap = size - column % size
                pieces[index] = piece + " " * gap
                column += gap
        rows.append("".join(pieces))
        column = 0
    return "\n".join(rows)
