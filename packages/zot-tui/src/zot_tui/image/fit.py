"""How many cells a picture takes; pure. Sizes are `Pixels`, width before height."""

from typing import NamedTuple

from zot_tui.widgets.pictures import Pixels

ASSUMED = Pixels(8, 16)
"""The pixels of a cell where the terminal does not say."""

LEAST_ROWS, MOST_ROWS = 4, 20
"""The most rows of a picture that is not expanded: half of the screen, within these."""

KEPT_ROWS = 6
"""Rows of the screen that an expanded picture leaves to others."""


class Room(NamedTuple):
    """The most columns and rows that a picture may take, the pixels of a cell of the terminal, and into how many pixels
    (`grain`) a cell of it is drawn: fewer where the terminal makes the picture larger, or can draw no more."""

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
    """The most rows of a picture on a screen of so many; `large` if it is expanded."""
    folded = max(LEAST_ROWS, min(screen_rows // 2, MOST_ROWS))
    return max(folded, screen_rows - KEPT_ROWS) if large else folded


def fit(picture: Pixels, cell: Pixels, columns: int, rows: int) -> Pixels:
    """The picture's size in pixels, as large as fits into so many cells, never larger than it is; 1 by 1 at least."""
    scale = min(1.0, columns * cell.width / picture.width, rows * cell.height / picture.height)
    return Pixels(max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))


def cells(picture: Pixels, cell: Pixels) -> Pixels:
    """Columns and rows that a picture of this size touches."""
    return Pixels(-(-picture.width // cell.width), -(-picture.height // cell.height))
