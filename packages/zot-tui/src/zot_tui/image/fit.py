"""How many cells an image takes; pure. Sizes are `Pixels`, width before height."""

from typing import NamedTuple

from zot_tui.image.size import Pixels

ASSUMED = Pixels(8, 16)
"""The size of a cell if the terminal does not report it."""

LEAST_ROWS, MOST_ROWS = 4, 20
"""Bounds of the most rows of an image that is not expanded, which is half of the screen."""

KEPT_ROWS = 6
"""Rows of the screen that an expanded image leaves free."""


class ImageRoom(NamedTuple):
    """The room for an image: its most columns and rows, the size of a terminal cell, and the size (`grain`) at which a
    cell is drawn.

    The grain is smaller than the cell where the terminal enlarges the image, or cannot draw finer.
    """

    columns: int
    rows: int
    cell: Pixels
    grain: Pixels

    def drawn(self, size: Pixels) -> Pixels:
        """Return the size at which to draw an image of `size` pixels on the terminal."""
        width = max(1, round(size.width * self.grain.width / self.cell.width))
        return Pixels(width, max(1, round(size.height * self.grain.height / self.cell.height)))

    def box(self, size: Pixels) -> Pixels:
        """Return the columns and rows that an image of `size` pixels on the terminal touches when it is drawn."""
        return cells(self.drawn(size), self.grain)


def most_rows(screen_rows: int, *, large: bool) -> int:
    """Return the most rows of an image on a screen of `screen_rows`; `large` if it is expanded."""
    folded = max(LEAST_ROWS, min(screen_rows // 2, MOST_ROWS))
    return max(folded, screen_rows - KEPT_ROWS) if large else folded


def fit(image: Pixels, cell: Pixels, columns: int, rows: int) -> Pixels:
    """Return the size of the image in pixels when fitted into the cells, never enlarged; at least 1 by 1."""
    scale = min(1.0, columns * cell.width / image.width, rows * cell.height / image.height)
    return Pixels(max(1, round(image.width * scale)), max(1, round(image.height * scale)))


def cells(image: Pixels, cell: Pixels) -> Pixels:
    """Return the columns and rows that an image of this size touches."""
    return Pixels(-(-image.width // cell.width), -(-image.height // cell.height))
