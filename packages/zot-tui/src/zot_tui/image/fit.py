"""How many cells an image takes; pure. Sizes are `Pixels`, width before height."""

from typing import NamedTuple

from zot_tui.image.pixel_size import Pixels

ASSUMED = Pixels(8, 16)
"""The pixels of a cell where the terminal does not say."""

LEAST_ROWS, MOST_ROWS = 4, 20
"""The most rows of an image that is not expanded: half of the screen, within these."""

KEPT_ROWS = 6
"""Rows of the screen that an expanded image leaves to others."""


class Room(NamedTuple):
    """The most columns and rows that an image may take, the pixels of a cell of the terminal, and into how many pixels
    (`grain`) a cell of it is drawn: fewer where the terminal makes the image larger, or can draw no more."""

    columns: int
    rows: int
    cell: Pixels
    grain: Pixels

    def drawn(self, size: Pixels) -> Pixels:
        """How large to draw what has so many pixels on the terminal."""
        width = max(1, round(size.width * self.grain.width / self.cell.width))
        return Pixels(width, max(1, round(size.height * self.grain.height / self.cell.height)))

    def box(self, size: Pixels) -> Pixels:
        """Columns and rows that are touched by what has so many pixels on the terminal and is drawn as `drawn` says."""
        return cells(self.drawn(size), self.grain)


def most_rows(screen_rows: int, *, large: bool) -> int:
    """The most rows of an image on a screen of so many; `large` if it is expanded."""
    folded = max(LEAST_ROWS, min(screen_rows // 2, MOST_ROWS))
    return max(folded, screen_rows - KEPT_ROWS) if large else folded


def fit(image: Pixels, cell: Pixels, columns: int, rows: int) -> Pixels:
    """The image's size in pixels, as large as fits into so many cells, never larger than it is; 1 by 1 at least."""
    scale = min(1.0, columns * cell.width / image.width, rows * cell.height / image.height)
    return Pixels(max(1, round(image.width * scale)), max(1, round(image.height * scale)))


def cells(image: Pixels, cell: Pixels) -> Pixels:
    """Columns and rows that an image of this size touches."""
    return Pixels(-(-image.width // cell.width), -(-image.height // cell.height))
