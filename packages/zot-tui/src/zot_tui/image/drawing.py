"""`drawing`: all computation for showing an image; to be called in a thread."""

from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

from zot_tui.color import Rgb
from zot_tui.image.fit import ImageRoom
from zot_tui.image.half import half_rows
from zot_tui.image.iterm import strips
from zot_tui.image.protocol import ImageProtocol
from zot_tui.image.scale import png, scaled
from zot_tui.image.size import Pixels
from zot_tui.text.runs import Row
from zot_tui.theme.detect import Depth

_PER_CELL = 200  # approximate bytes of a cell of half blocks


@dataclass(slots=True)
class Drawing:
    """An image of `columns` by `rows` cells; `natural` is its own size in pixels.

    Depending on the protocol it has a PNG in base64 (kitty), the sequences of its rows (iTerm2), or the rows
    themselves. `cost` is its approximate size in bytes.
    """

    columns: int
    rows: int
    natural: Pixels
    data: str = ""
    strips: list[str] = field(default_factory=list)
    half: list[Row[Any]] = field(default_factory=list)
    cost: int = 0


def drawing(
    data: str, protocol: ImageProtocol, room: ImageRoom, background: Rgb | None, depth: Depth, most: int
) -> Drawing:
    """Draw the image of base64 `data` in `room`. Raises `UnreadableImage`.

    For a terminal that draws images itself, the image is reduced until it has at most about `most` characters.
    """
    found = scaled(data, room, background)
    made = Drawing(found.columns, found.rows, found.natural)
    if protocol == "half":
        made.half = half_rows(found.image, depth)
        made.cost = found.columns * found.rows * _PER_CELL
    elif protocol == "iterm":
        image = found.image
        made.strips = strips(image, found.columns, found.rows)
        while sum(map(len, made.strips)) > most and image.height >= 2 * found.rows and image.width > 1:
            image = image.reduce(2)
            made.strips = strips(image, found.columns, found.rows)
        made.cost = sum(map(len, made.strips))
    else:
        image = found.image
        encoded = png(image)
        while len(encoded) * 4 // 3 > most and min(image.size) > 1:
            image = image.reduce(2)
            encoded = png(image)
        made.data = b64encode(encoded).decode()
        made.cost = len(made.data)
    return made
