"""How many terminal cells a text takes, and how to cut it there: the one module that knows width; pure.

The unit of text is the grapheme (Unicode UAX #29 extended cluster): what a person sees as one character is measured,
kept and cut as a whole. Widths come from the tables of `wcwidth`, which urwid measures with too. A text's width is the
sum over its graphemes, so that it stays the same when the text is cut between them. Control characters, tabs and line
breaks take no cells: expand tabs and split rows first.
"""

import os
from collections.abc import Iterator
from typing import Literal

from zot_tui.deferred import defer

_EXTENSION = "wcwidth._wcwidth_c"
_USED = ("grapheme_boundary_before", "iter_graphemes", "wcwidth", "width")  # here and by urwid

if not os.environ.get("WCWIDTH_PYTHON"):  # wcwidth's own switch: do without the extension
    defer("wcwidth", dict.fromkeys(_USED, _EXTENSION))

import wcwidth  # noqa: E402  after `defer`
from wcwidth.table_zero import ZERO_WIDTH as ZERO_WIDTH  # noqa: E402

Align = Literal["left", "right", "center"]


def graphemes(text: str) -> Iterator[str]:
    """The graphemes of `text`, in order; joined they are `text` again."""
    if text.isascii() and "\r\n" not in text:
        return iter(text)
    return wcwidth.iter_graphemes(text)


def grapheme_width(grapheme: str) -> int:
    """Cells that one grapheme takes: 0, 1 or 2, more for some conjuncts of Indic scripts."""
    return wcwidth.width(grapheme, control_codes="ignore")


def width(text: str) -> int:
    """Cells that `text` takes on one row."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(grapheme_width(grapheme) for grapheme in graphemes(text))


def split_at(text: str, cells: int) -> tuple[str, str]:
    """The longest head of `text` that takes at most `cells`, and the rest; the border is between two graphemes.

    Graphemes without width go with the one before them.
    """
    if text.isascii() and text.isprintable():
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
    """`text` in at most `cells`: unchanged if it fits, else its head with `ellipsis`, which is cut if need be."""
    rest = split_at(text, cells)[1]
    if not rest or not width(rest):
        return text
    mark = split_at(ellipsis, cells)[0]
    return split_at(text, cells - width(mark))[0] + mark


def pad(text: str, cells: int, align: Align = "left", ellipsis: str = "…") -> str:
    """`text` in exactly `cells` (of which there may be none): clipped if too long, else filled with spaces.

    Centred text that cannot stand in the middle stands half a cell left of it. A text that begins with a combining
    mark joins the space before it and may take a cell more.
    """
    shown = clip(text, cells, ellipsis)
    free = max(cells, 0) - width(shown)
    left = {"left": 0, "right": free, "center": free // 2}[align]
    return " " * left + shown + " " * (free - left)


def expand_tabs(text: str, column: int = 0, size: int = 8) -> str:
    """`text` with spaces for tabs. Its first row begins at cell `column`, others at 0; stops are `size` cells apart."""
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
