"""Terminal colours as plain values: parsing, luminance, contrast, and the nearest colour of a smaller palette; pure.

A `Color` is a string in one of three forms:

- `"#rrggbb"`, lower case: 24 bits;
- `"0"` to `"255"`: an index into xterm's 256 colours. 0 to 15 are the terminal's own palette (their RGB here is xterm's
  default and only an estimate), 16 to 231 a 6×6×6 cube, 232 to 255 greys;
- `"default"`: the terminal's default colour.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NewType

Color = NewType("Color", str)
"""A colour of a terminal, in one of the three forms above."""
Rgb = tuple[int, int, int]

DEFAULT = Color("default")

# xterm's defaults (XTerm-col.ad), from which most terminals started.
_BASIC: tuple[Rgb, ...] = (
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
)
# The text mode of VGA, which the Linux console and many terminals have.
_VGA: tuple[Rgb, ...] = (
    (0, 0, 0),
    (170, 0, 0),
    (0, 170, 0),
    (170, 85, 0),
    (0, 0, 170),
    (170, 0, 170),
    (0, 170, 170),
    (170, 170, 170),
    (85, 85, 85),
    (255, 85, 85),
    (85, 255, 85),
    (255, 255, 85),
    (85, 85, 255),
    (255, 85, 255),
    (85, 255, 255),
    (255, 255, 255),
)
_CUBE = (0, 95, 135, 175, 215, 255)
_HEX = re.compile(r"#([0-9a-f]{6}|[0-9a-f]{3})", re.ASCII)
_INDEX = re.compile(r"[0-9]{1,3}", re.ASCII)


def parse_color(value: object) -> Color:
    """Parse a colour of a theme file.

    It is an index from 0 to 255 (as a number or its digits), `"#rgb"`, `"#rrggbb"`, `"default"`, or one of the objects
    `{"mode": "256", "index": 254}`, `{"mode": "ansi", "index": 100}` (an SGR code: 30-37, 40-47, 90-97, 100-107) and
    `{"mode": "rgb", "r": 66, "g": 69, "b": 75}`. ValueError with a one-line reason for anything else.
    """
    if isinstance(value, Mapping):
        return _parse_object(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return indexed(value)
    if isinstance(value, str):
        text = value.strip().lower()
        if text == DEFAULT:
            return DEFAULT
        if _INDEX.fullmatch(text):
            return indexed(int(text))
        if found := _HEX.fullmatch(text):
            digits = found.group(1)
            return Color("#" + (digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)))
    raise ValueError(f"{_quoted(value)} is not a colour: use 0 to 255, '#rgb', '#rrggbb' or 'default'")


def indexed(index: int) -> Color:
    """Return colour `index` of the 256; ValueError outside 0 to 255."""
    if not 0 <= index <= 255:
        raise ValueError(f"{index} is not a colour: an index goes from 0 to 255")
    return Color(str(index))


def from_rgb(red: int, green: int, blue: int) -> Color:
    """Return a colour of three channels, each from 0 to 255; ValueError outside."""
    if not all(0 <= channel <= 255 for channel in (red, green, blue)):
        raise ValueError(f"({red}, {green}, {blue}) is not a colour: a channel goes from 0 to 255")
    return Color(f"#{red:02x}{green:02x}{blue:02x}")


def from_sgr(code: int) -> Color:
    """Return the colour that SGR `code` (30-37, 40-47, 90-97, 100-107) selects; ValueError for another code."""
    for base, first in ((30, 0), (40, 0), (90, 8), (100, 8)):
        if base <= code <= base + 7:
            return indexed(code - base + first)
    raise ValueError(f"{code} is not a colour: use an SGR code of 30-37, 40-47, 90-97 or 100-107")


def _parse_object(value: Mapping[object, object]) -> Color:
    numbers = {name: number for name, number in value.items() if isinstance(number, int) and number is not True}
    try:
        match value.get("mode"):
            case "256":
                return indexed(numbers["index"])
            case "ansi":
                return from_sgr(numbers["index"])
            case "rgb":
                return from_rgb(numbers["r"], numbers["g"], numbers["b"])
    except KeyError as missing:
        raise ValueError(f"{_quoted(dict(value))} is not a colour: the number {missing} is missing") from None
    raise ValueError(f"{_quoted(dict(value))} is not a colour: 'mode' is '256', 'ansi' or 'rgb'")


def _quoted(value: object) -> str:
    """Return a value for a message: short, on one line."""
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def rgb(color: Color) -> Rgb | None:
    """Return the channels of a colour, 0 to 255 each; None for the terminal's default, which is unknown."""
    if color == DEFAULT:
        return None
    if color.startswith("#"):
        return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
    index = int(color)
    if index < 16:
        return _BASIC[index]
    if index < 232:
        red, rest = divmod(index - 16, 36)
        green, blue = divmod(rest, 6)
        return _CUBE[red], _CUBE[green], _CUBE[blue]
    grey = 8 + 10 * (index - 232)
    return grey, grey, grey


def luminance(channels: Rgb) -> float:
    """Return the relative luminance of an sRGB colour, 0 (black) to 1 (white), as WCAG 2.2 defines it."""
    linear = []
    for channel in channels:
        part = channel / 255
        linear.append(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast ratio of two colours, 1 (none) to 21, in either order, as WCAG 2.2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@lru_cache(maxsize=256)
def basic_contrast(one: Color, other: Color) -> float:
    """Return the contrast of two of the first 16 colours where it is the least: with the palette of xterm or of VGA."""
    return min(contrast(colors[int(one)], colors[int(other)]) for colors in (_BASIC, _VGA))


@lru_cache(maxsize=512)
def nearest(color: Color, count: int) -> Color:
    """Return the nearest to `color` of the first `count` indexed colours (8, 16 or 256); the default stays the default.

    With 256, the first 16 are never returned, since terminals may show them as they like.
    """
    channels = rgb(color)
    if channels is None or (not color.startswith("#") and int(color) < count):
        return color
    first = 16 if count > 16 else 0
    return min((indexed(index) for index in range(first, count)), key=lambda each: distance(rgb(each), channels))


def distance(one: Rgb | None, other: Rgb) -> float:
    """Return the perceived difference of two colours: squared, weighted by channel ("redmean")."""
    if one is None:
        return float("inf")
    mean = (one[0] + other[0]) / 2
    red, green, blue = (a - b for a, b in zip(one, other, strict=True))
    return (2 + mean / 256) * red**2 + 4 * green**2 + (2 + (255 - mean) / 256) * blue**2
