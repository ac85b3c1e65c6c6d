"""A theme as the palette of an urwid screen: the plain tuples of `BaseScreen.register_palette` (urwid 5)."""

from collections.abc import Iterable
from colorsys import rgb_to_hsv
from functools import lru_cache
from typing import TypeAlias

from zot_tui.color import DEFAULT, Color, Rgb, basic_contrast, contrast, distance, indexed, luminance, nearest, rgb
from zot_tui.theme.contrast import backgrounds
from zot_tui.theme.theme import Style, Theme
from zot_tui.theme.tokens import READ, TOKENS, Token

# (name, foreground and background for 16 colours, settings for none, foreground and background for 256 and more)
PaletteEntry: TypeAlias = tuple[str | None, str, str, str, str, str]

_NAMES = (
    "black",
    "dark red",
    "dark green",
    "brown",
    "dark blue",
    "dark magenta",
    "dark cyan",
    "light gray",
    "dark gray",
    "light red",
    "light green",
    "yellow",
    "light blue",
    "light magenta",
    "light cyan",
    "white",
)
_SETTINGS = {
    "bold": "bold",
    "faint": "faint",
    "italic": "italics",
    "underline": "underline",
    "inverse": "standout",
    "strike": "strikethrough",
}
_INHERIT = "inherit"
_CHROMA = 40  # span of the channels from which a colour is not a grey
_LIGHT = 0.18  # luminance from which a background is light: black and white contrast equally
_GREY = indexed(8)
_GREYS = (indexed(0), indexed(8), indexed(7), indexed(15))
_DARK_BANDS, _LIGHT_BANDS = (indexed(4), indexed(0)), (indexed(7), indexed(15), indexed(0))
_HUES = {0: 1, 60: 3, 120: 2, 180: 6, 240: 4, 300: 5}  # degrees to the index of the dark form; the light form is 8 up
_NEXT_HUE = 60  # degrees to a hue that is still like a colour
_BANDS: dict[str | None, tuple[str, ...]] = {each.name: each.band for each in TOKENS if each.band is not None}


def palette(theme: Theme) -> list[PaletteEntry]:
    """Return an entry for each token, in the order of `TOKENS`, after one named None for cells without a token.

    A token without a background inherits the background it is drawn on. Terminals of 16 colours get the nearest ones
    with the contrast of the token, whether they show them as xterm does or as VGA, on black or on white. Terminals
    without colours get the attributes, and reversed video for a token with a background.
    """
    entries = [_entry(theme, token) for token in TOKENS]
    return [(None, *entries[0][1:]), *entries]


def in_256(entry: PaletteEntry) -> PaletteEntry:
    """Return an entry for a terminal of 256 colours: urwid rounds each channel by itself, which changes the hue.

    The bands of a diff keep their hue: the nearest colours of the dark ones are the same grey. Few are left, so that
    what is changed in a line is underlined too."""
    name, basic, basic_behind, mono, high, behind = entry
    color, *settings = high.split(",")
    ink, paper = _nearest_256(color), _nearest_256(behind)
    if name in _BANDS and behind.startswith("#"):
        band = _band_256(Color(behind))
        ink, paper = urwid_color(read_on(Color(color), band)), urwid_color(band)
        settings = [*settings, *(each for each in _BANDS[name] if each not in settings)]
    return name, basic, basic_behind, mono, ",".join([ink, *settings]), paper


@lru_cache(maxsize=512)
def read_on(color: Color, behind: Color) -> Color:
    """Return the nearest to `color` of 256 colours that is read on the colour `behind`, one of its hue if any is."""
    ink, paper = rgb(color), rgb(behind)
    if ink is None or paper is None:
        return color
    near = nearest(color, 256)
    if contrast(rgb(near) or ink, paper) >= READ:
        return near
    read = [(each, at) for each, at in _fixed() if contrast(at, paper) >= READ]
    like = [each for each in read if max(ink) - min(ink) >= _CHROMA and _is_like(each[1], ink)]
    return min(like or read, key=lambda each: distance(each[1], ink), default=(near, ink))[0]


def _nearest_256(color: str) -> str:
    return urwid_color(nearest(Color(color), 256)) if color.startswith("#") else color


def urwid_color(color: Color | None) -> str:
    """Return a colour as urwid writes it for terminals of 256 colours and more; None is the inherited colour."""
    if color is None:
        return _INHERIT
    if color == DEFAULT or color.startswith("#"):
        return str(color)
    return _NAMES[int(color)] if int(color) < 16 else f"h{color}"


def urwid_settings(attributes: Iterable[str]) -> list[str]:
    return [_SETTINGS[name] for name in attributes]


def _entry(theme: Theme, token: Token) -> PaletteEntry:
    name, style = token.name, theme.style(token.name)
    settings, basic = (
        urwid_settings(style.attributes),
        urwid_settings(dict.fromkeys((*style.attributes, *token.basic, *(token.band or ())))),
    )
    foreground, background = _basic(theme, token, style if token.band is None else style._replace(background=None))
    mono = list(basic)
    if name != "text" and style.background is not None and token.band is None and "standout" not in mono:
        mono.append("standout")
    return (
        name,
        ",".join([urwid_color(foreground), *basic]),
        urwid_color(background),
        ",".join(mono) or DEFAULT,
        ",".join([urwid_color(style.foreground), *settings]),
        urwid_color(style.background),
    )


def _basic(theme: Theme, token: Token, style: Style) -> tuple[Color, Color | None]:
    """Return foreground and background of the 16 colours for a style."""
    base = nearest(backgrounds(theme, None)[0], 16)
    background = style.background
    if background is not None and background != DEFAULT:
        background = nearest(background, 16)
        around = theme.style("text").background
        if token.name != "text" and background in (base, _GREY) and style.background != around:
            background = _band(style.background or DEFAULT, base)
    behind, wanted = base, token.contrast
    if background is not None and background != DEFAULT:
        behind, wanted = background, READ
    return _basic_foreground(style.foreground, behind, wanted), background


def _basic_foreground(color: Color, behind: Color, wanted: float) -> Color:
    """Return the closest of 16 colours that has the `wanted` contrast to `behind`, one of them.

    A grey becomes a grey. A colour keeps its hue, of which terminals have a light and a dark form, or gets the next one
    to it; where neither can be seen, it becomes black or white.
    """
    channels = rgb(color)
    if channels is None or (not color.startswith("#") and int(color) < 16):
        return color
    if max(channels) - min(channels) >= _CHROMA:
        hue = _hue(channels)
        distances = {each: _turn(hue, each) for each in _HUES}
        near = sorted((each for each in _HUES if distances[each] <= _NEXT_HUE), key=distances.__getitem__)
        light = luminance(rgb(behind) or (0, 0, 0)) > _LIGHT
        found = [indexed(_HUES[each] + (0 if light else 8)) for each in near]
    else:
        found = sorted(_GREYS, key=lambda each: abs(luminance(rgb(each) or channels) - luminance(channels)))
    seen = [each for each in found if basic_contrast(each, behind) >= wanted]
    return seen[0] if seen else max(_GREYS, key=lambda each: basic_contrast(each, behind))


def _hue(channels: Rgb) -> float:
    return rgb_to_hsv(*(channel / 255 for channel in channels))[0] * 360


@lru_cache(maxsize=1)
def _fixed() -> list[tuple[Color, Rgb]]:
    """Return the colours, of the 256, that all terminals show alike."""
    return [(indexed(index), rgb(indexed(index)) or (0, 0, 0)) for index in range(16, 256)]


def _is_like(one: Rgb, other: Rgb) -> bool:
    """Whether a colour is no grey and has the hue of another one."""
    return len({*one}) > 1 and _turn(_hue(one), _hue(other)) <= _NEXT_HUE


def _turn(hue: float, other: float) -> float:
    """Return the degrees between two hues."""
    return min(abs(hue - other), 360 - abs(hue - other))


def _band_256(color: Color) -> Color:
    """Return the nearest of 256 colours that has the hue of a colour; a grey becomes the nearest one."""
    channels = rgb(color) or (0, 0, 0)
    if len({*channels}) == 1:
        return nearest(color, 256)
    like = [each for each in _fixed() if _is_like(each[1], channels)]
    return min(like, key=lambda each: distance(each[1], channels))[0]


def _band(color: Color, base: Color) -> Color:
    """Return one of 16 colours for a background that must differ from `base`.

    "Dark gray" is never one: terminals show it from 85 to 127 of 255, so neither black nor white can be read on all of
    them.
    """
    dark = luminance(rgb(color) or (0, 0, 0)) < _LIGHT
    return next(each for each in (_DARK_BANDS if dark else _LIGHT_BANDS) if each != base)
