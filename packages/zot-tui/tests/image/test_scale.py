"""Images decoded and scaled, and those that are not."""

import struct
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from zot_tui.image.fit import ASSUMED, ImageRoom, cells, fit, most_rows
from zot_tui.image.scale import CHARACTERS, ScaledImage, UnreadableImage, png, scaled
from zot_tui.image.size import Pixels, pixels

Encode = Callable[..., str]
SIDES = st.integers(1, 20_000)


def room(columns: int = 40, rows: int = 10, cell: Pixels = ASSUMED, grain: Pixels | None = None) -> ImageRoom:
    return ImageRoom(columns, rows, cell, grain or cell)


@given(st.builds(Pixels, SIDES, SIDES), st.builds(Pixels, st.integers(1, 40), st.integers(1, 80)), SIDES, SIDES)
def test_an_image_never_takes_more_than_it_may_and_is_never_enlarged(
    size: Pixels, cell: Pixels, columns: int, rows: int
) -> None:
    found = fit(size, cell, columns, rows)
    assert 1 <= found.width <= size.width
    assert 1 <= found.height <= size.height
    taken = cells(found, cell)
    assert 1 <= taken.width <= columns
    assert 1 <= taken.height <= rows


def test_an_image_is_half_the_screen_high_and_more_when_expanded() -> None:
    assert [most_rows(rows, large=False) for rows in (6, 24, 60)] == [4, 12, 20]
    assert [most_rows(rows, large=True) for rows in (6, 24, 60)] == [4, 18, 54]


def test_a_large_image_is_scaled_and_keeps_its_shape(encode: Encode, quarters: Image.Image) -> None:
    found = scaled(encode(quarters), room(), None)

    assert (found.columns, found.rows, found.natural) == (27, 10, (640, 480))  # 213 by 160 pixels
    assert found.image.size == (27 * 8, 10 * 16)
    assert found.image.getpixel((4, 4)) == (255, 0, 0, 255)
    assert found.image.getpixel((200, 150)) == (255, 255, 255, 255)
    assert found.image.getpixel((215, 80)) == (0, 0, 0, 0)  # what is left of the last column


def test_a_small_image_stays_as_it_is(encode: Encode) -> None:
    found = scaled(encode(Image.new("RGB", (9, 17), "red")), room(), (1, 2, 3))

    assert (found.columns, found.rows) == (2, 2)
    assert found.image.getpixel((8, 16)) == (255, 0, 0, 255)
    assert found.image.getpixel((9, 17)) == (1, 2, 3, 255)


def test_half_blocks_are_two_pixels_a_cell(encode: Encode, quarters: Image.Image) -> None:
    found = scaled(encode(quarters), room(grain=Pixels(1, 2)), None)

    assert (found.columns, found.rows) == (27, 10)
    assert found.image.size == (27, 20)


@given(st.integers(1, 400), st.integers(1, 400))
def test_half_blocks_end_where_the_image_does(width: int, height: int) -> None:
    screen = room(30, 12, grain=Pixels(1, 2))
    wanted = fit(Pixels(width, height), screen.cell, screen.columns, screen.rows)
    drawn, box = screen.drawn(wanted), screen.box(wanted)
    assert (box.width, (box.height * 2 - drawn.height) in (0, 1)) == (drawn.width, True)
    assert box.width <= screen.columns
    assert box.height <= screen.rows


def test_an_image_of_half_a_pixel_more_leaves_no_empty_row(encode: Encode) -> None:
    found = scaled(encode(Image.new("RGB", (80, 100), "red")), room(grain=Pixels(1, 2)), None)  # 12.5 half rows of 8

    assert (found.columns, found.rows, found.image.size) == (10, 6, (10, 12))
    assert found.image.getpixel((0, 11)) == (255, 0, 0, 255)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK"])
def test_every_kind_of_pixels_can_be_shown(encode: Encode, mode: str) -> None:
    image = Image.new("RGB", (64, 64), "white")
    kind = "JPEG" if mode == "CMYK" else "PNG"
    given = Image.new("I;16", (64, 64), 0xFFFF) if mode == "I;16" else image.convert(mode)
    found = scaled(encode(given, kind), room(), None)
    assert all(channel >= 250 for channel in found.image.getpixel((10, 10)))  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_every_kind_of_file_can_be_shown(encode: Encode, quarters: Image.Image, kind: str) -> None:
    found = scaled(encode(quarters, kind), room(), None)
    red, green, blue, alpha = found.image.getpixel((40, 40))  # type: ignore[misc]
    assert red > 240
    assert green < 20
    assert blue < 20
    assert alpha == 255


def test_the_first_image_of_an_animation_is_shown(encode: Encode) -> None:
    frames = [Image.new("RGB", (16, 16), color) for color in ("red", "blue")]
    data = encode(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert scaled(data, room(), None).image.getpixel((3, 3)) == (255, 0, 0, 255)


def test_a_photograph_stands_upright(encode: Encode, quarters: Image.Image) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: what is left is shown above
    found = scaled(encode(quarters, "JPEG", exif=exif, quality=95), room(80, 20), None)

    assert found.natural == (480, 640)
    assert found.columns < found.rows * 2
    red, _, blue, _ = found.image.getpixel((20, 20))  # type: ignore[misc]
    assert blue > 200 > 50 > red


def test_transparent_pixels_show_what_is_behind(encode: Encode) -> None:
    image = Image.new("RGBA", (16, 16), (255, 0, 0, 0))
    assert scaled(encode(image), room(), (9, 8, 7)).image.getpixel((3, 3)) == (9, 8, 7, 255)
    assert scaled(encode(image), room(), None).image.getpixel((3, 3))[3] == 0  # type: ignore[index]
    assert Image.open(_file(png(scaled(encode(image), room(), None).image))).mode == "RGBA"
    assert Image.open(_file(png(scaled(encode(image), room(), (9, 8, 7)).image))).mode == "RGB"


def bomb(width: int, height: int) -> str:
    """A PNG of a few bytes that promises so many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    rest = chunk(b"IDAT", zlib.compress(bytes(100_000))) + chunk(b"IEND", b"")
    return b64encode(b"\x89PNG\r\n\x1a\n" + head + rest).decode()


@pytest.mark.parametrize("size", [(60_000, 60_000), (0, 5), (1 << 31, 1 << 31), (10_000, 5_001)])
def test_an_image_with_too_many_pixels_is_not_decoded(size: tuple[int, int]) -> None:
    with pytest.raises(UnreadableImage):
        scaled(bomb(*size), room(), None)


def test_what_is_no_image_is_told(encode: Encode, quarters: Image.Image) -> None:
    whole = b64decode(encode(quarters))
    for data in ("", "not base64!", "AAAA", "A" * (CHARACTERS + 1), bomb(100, 100_000), "é"):
        with pytest.raises(UnreadableImage):
            scaled(data, room(), None)
    with pytest.raises(UnreadableImage):
        scaled(b64encode(whole[: len(whole) // 2]).decode(), room(), None)


@settings(max_examples=settings.default.max_examples * 3 // 2)
@given(st.data())
def test_a_torn_or_changed_image_is_shown_or_refused_and_nothing_else(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["PNG", "JPEG", "GIF", "WEBP"]))
    raw = bytearray(_FILES[kind])
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    del raw[data.draw(st.integers(1, len(raw))) :]
    size = pixels(bytes(raw))
    if size is not None and size.width * size.height > 1_000_000:
        return
    try:
        found = scaled(b64encode(raw).decode(), room(), None)
    except UnreadableImage:
        return
    assert isinstance(found, ScaledImage)
    assert found.image.size == (found.columns * 8, found.rows * 16)


def _file(data: bytes) -> "object":
    from io import BytesIO

    return BytesIO(data)


def _saved(kind: str) -> bytes:
    from io import BytesIO

    sink = BytesIO()
    Image.linear_gradient("L").resize((40, 40)).convert("RGB").save(sink, kind)
    return sink.getvalue()


_FILES = {kind: _saved(kind) for kind in ("PNG", "JPEG", "GIF", "WEBP")}
