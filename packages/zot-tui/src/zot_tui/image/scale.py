"""Decodes and scales images with Pillow; to be called in a thread.

Memory is bounded by `PIXELS`: an image's header is read before any of it is decoded.
"""

import binascii
import warnings
from base64 import b64decode
from io import BytesIO
from typing import TYPE_CHECKING

from zot_tui.color import Rgb
from zot_tui.image.fit import ImageRoom, fit
from zot_tui.image.size import Pixels, pixels

if TYPE_CHECKING:
    from PIL.Image import Image, Transpose

PIXELS = 50_000_000
"""The most pixels of an image that is decoded: some 200 MB."""

CHARACTERS = 40_000_000
"""The most characters of base64 of an image that is decoded."""

FORMATS = ("PNG", "JPEG", "GIF", "WEBP")

_ORIENTATION = 0x0112  # EXIF 2.32, 4.6.4 A
_TURNED = 5  # orientations from here on are rotated by 90 degrees


class UnreadableImage(Exception):
    """The data is not an image, is incomplete, or is too large to decode."""


class ScaledImage:
    """`image` is RGBA and covers whole cells, `columns` by `rows` of them.

    The scaled original is in the upper left corner, on the background. `natural` is the size of the original, upright.
    """

    __slots__ = ("columns", "image", "natural", "rows")

    def __init__(self, image: "Image", columns: int, rows: int, natural: Pixels) -> None:
        self.image, self.columns, self.rows, self.natural = image, columns, rows, natural


def scaled(data: str, room: ImageRoom, background: Rgb | None) -> ScaledImage:
    """Return the image of base64 `data`, as large as `room` allows, never enlarged; the first frame of an animation.

    Transparent parts show `background`, or stay transparent if that is None. Raises `UnreadableImage`.
    """
    from PIL import Image  # noqa: PLC0415  in a thread, and only once there is an image

    # Pillow's warnings (odd metadata) would be written across the screen.
    warnings.filterwarnings("ignore", module=r"PIL\.")
    try:
        raw = _decoded(data)
        with Image.open(BytesIO(raw), formats=FORMATS) as opened:
            if opened.width * opened.height > PIXELS:
                raise UnreadableImage("it has too many pixels")
            turn = opened.getexif().get(_ORIENTATION, 1)
            natural = Pixels(*(opened.size[::-1] if _on_its_side(turn) else opened.size))
            wanted = fit(natural, room.cell, room.columns, room.rows)
            drawn = room.drawn(wanted)
            size = Pixels(*drawn[::-1]) if _on_its_side(turn) else drawn
            opened.draft("RGB", size)  # a JPEG then decodes to about this size, much faster and in less memory
            small = _colored(opened).resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
        method = _turns().get(turn)
        upright = small.convert("RGBA") if method is None else small.convert("RGBA").transpose(method)
    except UnreadableImage:
        raise
    except Exception as error:  # decoders may raise anything for malicious bytes
        raise UnreadableImage(str(error)) from error
    box = room.box(wanted)
    behind = (0, 0, 0, 0) if background is None else (*background, 255)
    whole = Image.new("RGBA", (box.width * room.grain.width, box.height * room.grain.height), behind)
    whole.alpha_composite(upright)
    return ScaledImage(whole, box.width, box.height, natural)


def png(image: "Image") -> bytes:
    """Return an RGBA image as a PNG, without an alpha channel if it is opaque."""
    opaque = image.getchannel("A").getextrema() == (255, 255)
    sink = BytesIO()
    (image.convert("RGB") if opaque else image).save(sink, "PNG")
    return sink.getvalue()


def _decoded(data: str) -> bytes:
    """Return the bytes if their header states a size that can be decoded."""
    if len(data) > CHARACTERS:
        raise UnreadableImage("it is too large")
    try:
        raw = b64decode(data)
    except (binascii.Error, ValueError) as error:
        raise UnreadableImage("it is not base64") from error
    size = pixels(raw)
    if size is None or not size.width or not size.height:
        raise UnreadableImage("it is not a PNG, JPEG, GIF or WebP")
    if size.width * size.height > PIXELS:
        raise UnreadableImage("it has too many pixels")
    return raw


def _colored(image: "Image") -> "Image":
    """Return the image in a mode that can be scaled without loss."""
    if image.mode in ("RGB", "RGBA", "L"):
        return image
    if image.mode.startswith("I"):  # 16 bits of grey, of which the upper 8 are visible
        return image.point(lambda value: value * (1 / 256)).convert("L")
    return image.convert("RGBA")


def _on_its_side(turn: int) -> bool:
    return _TURNED <= turn <= 8


def _turns() -> "dict[int, Transpose]":
    """Return the operation that turns an image of each EXIF orientation upright."""
    from PIL.Image import Transpose  # noqa: PLC0415  see `scaled`

    return {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
