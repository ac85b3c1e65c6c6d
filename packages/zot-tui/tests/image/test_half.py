"""Half blocks, and iTerm2's strips."""

import re
from base64 import b64decode
from io import BytesIO

from PIL import Image

from zot_tui.color import DEFAULT
from zot_tui.image.half import LOWER, UPPER, half_rows
from zot_tui.image.iterm import strip_rows, strip_styles, strips
from zot_tui.text.ansi import Sgr
from zot_tui.text.runs import plain, runs_width
from zot_tui.theme.detect import TRUE_COLOR

STRIP = re.compile(r"\x1b7\x1b\[(\d+)D\x1b\]1337;File=([^:]*):([A-Za-z0-9+/=]*)\x07\x1b8")


def drawn(*rows: str) -> Image.Image:
    """An image: `r`, `g`, `b`, `w` and `k` are pixels, `.` is a transparent one."""
    colors = {"r": (255, 0, 0), "g": (0, 255, 0), "b": (0, 0, 255), "w": (255, 255, 255), "k": (0, 0, 0)}
    image = Image.new("RGBA", (len(rows[0]), len(rows)))
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            image.putpixel((x, y), (*colors[letter], 255) if letter != "." else (0, 0, 0, 0))
    return image


def test_a_cell_has_the_colours_of_two_pixels() -> None:
    rows = half_rows(drawn("rrgw", "bbbk"), TRUE_COLOR)

    # Rounded to the middle of a step of 8.
    red, green, blue, white, black = "#fc0404", "#04fc04", "#0404fc", "#fcfcfc", "#040404"
    assert rows == [[(Sgr(red, blue), UPPER * 2), (Sgr(green, blue), UPPER), (Sgr(white, black), UPPER)]]


def test_terminals_of_256_colours_get_the_nearest() -> None:
    rows = half_rows(drawn("rg", "bw"), 256)

    assert rows == [[(Sgr("196", "21"), UPPER), (Sgr("46", "231"), UPPER)]]


def test_transparent_pixels_are_left_to_the_background() -> None:
    (row,) = half_rows(drawn("r..", ".r."), TRUE_COLOR)

    assert row == [(Sgr("#fc0404", DEFAULT), UPPER + LOWER), (Sgr(DEFAULT, DEFAULT), " ")]


def test_rows_are_as_many_as_half_the_pixels_and_as_wide() -> None:
    rows = half_rows(Image.linear_gradient("L").convert("RGBA").resize((30, 16)), TRUE_COLOR)

    assert [runs_width(row) for row in rows] == [30] * 8


def test_a_strip_is_a_png_of_one_row_that_goes_back_over_its_cells() -> None:
    image = drawn(*["r" * 24] * 16, *["b" * 24] * 16)
    found = strips(image, 3, 2)

    assert len(found) == 2
    for sequence, color in zip(found, [(255, 0, 0), (0, 0, 255)], strict=True):
        back, settings, data = STRIP.fullmatch(sequence).groups()  # type: ignore[union-attr]
        raw = b64decode(data, validate=True)
        keys = dict(each.split("=") for each in settings.split(";"))
        assert back == keys["width"] == "3"
        assert keys == {
            **{"inline": "1", "size": str(len(raw)), "width": "3", "height": "1"},
            **{"preserveAspectRatio": "0", "doNotMoveCursor": "1"},
        }
        strip = Image.open(BytesIO(raw))
        assert (strip.format, strip.size) == ("PNG", (24, 16))
        assert strip.getcolors() == [(24 * 16, color)]


def test_rows_with_strips_are_blank_text_and_one_cell_wider() -> None:
    rows = strip_rows(7, 3, 2)

    assert [plain(row) for row in rows] == [" " * 4] * 2
    assert [row[-1][0] for row in rows] == strip_styles(7, 2)
    assert len({*strip_styles(7, 2), *strip_styles(8, 2)}) == 4
