"""iTerm2's inline images (iterm2.com/documentation-images.html), which WezTerm supports too; pure except for Pillow.

An image is one strip for each row of cells, so that scrolling, cutting and redrawing concern only rows, and the
terminal keeps no state: a strip disappears when its row is overwritten. A row is spaces as wide as the image, and one
more with the style `Strip`, for which the screen writes the strip's sequence.
"""

from base64 import b64encode
from typing import TYPE_CHECKING, Any, NamedTuple

from zot_tui.image.scale import png
from zot_tui.text.runs import Row

if TYPE_CHECKING:
    from PIL.Image import Image

_SAVE, _RESTORE = "\x1b7", "\x1b8"  # DECSC and DECRC: cursor and colours


class Strip(NamedTuple):
    """The style of the cell behind a row of an image: the number of the image and of the row."""

    kind: str
    image: int
    row: int


def strips(image: "Image", columns: int, rows: int) -> list[str]:
    """Return the sequence for each row of an image of these cells: it moves back over them, draws, and returns.

    The image has at least one row of pixels for each row of cells.
    """
    sequences = []
    for row in range(rows):
        data = png(image.crop((0, row * image.height // rows, image.width, (row + 1) * image.height // rows)))
        settings = f"inline=1;size={len(data)};width={columns};height=1;preserveAspectRatio=0;doNotMoveCursor=1"
        drawing = f"\x1b]1337;File={settings}:{b64encode(data).decode()}\a"
        sequences.append(f"{_SAVE}\x1b[{columns}D{drawing}{_RESTORE}")
    return sequences


def strip_styles(image: int, rows: int) -> list[Strip]:
    """Return the styles of the cells behind an image's rows."""
    return [Strip("strip", image, row) for row in range(rows)]


def strip_rows(image: int, columns: int, rows: int) -> list[Row[Any]]:
    """Return the rows, each one cell wider than the image."""
    return [[(None, " " * columns), (style, " ")] for style in strip_styles(image, rows)]
