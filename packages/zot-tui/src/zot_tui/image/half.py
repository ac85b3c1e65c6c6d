"""Images as half blocks: each cell shows two pixels, one above the other; pure except for Pillow's images.

The two pixels are the foreground and background colour. Colours are rounded, since finer ones cost output but cannot be
distinguished.
"""

from typing import TYPE_CHECKING, Any

from zot_tui.color import DEFAULT, Color, from_rgb, indexed
from zot_tui.color import rgb as channels
from zot_tui.text.ansi import Sgr
from zot_tui.text.runs import Row
from zot_tui.theme.detect import TRUE_COLOR, Depth

if TYPE_CHECKING:
    from PIL.Image import Image

UPPER, LOWER = "▀", "▄"
_SEEN = 128  # alpha from which a pixel is drawn
_STEP = 8  # channel values, of 256, that are drawn as one


def half_rows(image: "Image", depth: Depth) -> list[Row[Any]]:
    """Return the rows of an RGBA image of even height, each as wide as the image. Transparent pixels show the
    background."""
    width, height = image.size
    colors = _true_colors(image) if depth == TRUE_COLOR else _indexed_colors(image)
    alphas = image.getchannel("A").tobytes()
    shown = [color if alpha >= _SEEN else DEFAULT for color, alpha in zip(colors, alphas, strict=True)]
    return [
        _row(shown[at : at + width], shown[at + width : at + 2 * width]) for at in range(0, width * height, 2 * width)
    ]


def _row(upper: list[Color], lower: list[Color]) -> Row[Any]:
    """Return the runs of one row of cells."""
    row: Row[Any] = []
    before: Sgr | None = None
    text = ""
    for top, bottom in zip(upper, lower, strict=True):
        letter = UPPER if top != DEFAULT else LOWER if bottom != DEFAULT else " "
        style = Sgr(bottom, DEFAULT) if letter == LOWER else Sgr(top, bottom)
        if style != before:
            if before is not None:
                row.append((before, text))
            before, text = style, ""
        text += letter
    return [*row, (before, text)] if before is not None else row


def _true_colors(image: "Image") -> list[Color]:
    data = image.convert("RGB").point(lambda value: min(value // _STEP * _STEP + _STEP // 2, 255)).tobytes()
    known: dict[bytes, Color] = {}
    found: list[Color] = []
    for at in range(0, len(data), 3):
        pixel = data[at : at + 3]
        color = known.get(pixel)
        if color is None:
            color = known[pixel] = from_rgb(*pixel)
        found.append(color)
    return found


def _indexed_colors(image: "Image") -> list[Color]:
    """Return the nearest of the 240 colours that all 256-colour terminals share."""
    from PIL import Image as Pillow  # noqa: PLC0415  see `zot_tui.image.scale`

    table = Pillow.new("P", (1, 1))
    entries = [channels(indexed(index)) or (0, 0, 0) for index in range(16, 256)]
    table.putpalette([channel for entry in entries for channel in entry])
    chosen = image.convert("RGB").quantize(palette=table, dither=Pillow.Dither.FLOYDSTEINBERG)
    return [indexed(16 + min(index, 239)) for index in chosen.tobytes()]
