"""A theme as the palette of an urwid screen: the plain tuples of `BaseScreen.register_palette` (urwid 5)."""

from colorsys import rgb_to_hsv
from typing import TypeAlias

from zot_tui.color import DEFAULT, Color, Rgb, contrast, indexed, luminance, nearest, rgb
from zot_tui.theme.contrast import backgrounds
from zot_tui.theme.theme import Style, Theme
from zot_tui.theme.tokens import READ, SEEN, TOKENS

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
_DARK_BANDS, _LIGHT_BANDS = (indexed(4), indexed(0)), (indexed(7), indexed(15), indexed(0))
_HUES = {0: 1, 60: 3, 120: 2, 180: 6, 240: 4, 300: 5}  # degrees to the index of the dark form; the light form is 8 up


def palette(theme: Theme) -> list[PaletteEntry]:
    """Return an entry for each token, in the order of `TOKENS`, after one named None for cells without a token.

    A token without a background inherits the background it is drawn on. Terminals of 16 colours get the nearest ones,
    chosen so that text differs from its background and a token's background from the theme's. Terminals without colours
    get the attributes, and reversed video for a token with a background.
    """
    entries = [_entry(theme, token.name, theme.style(token.name), band=token.band) for token in TOKENS]
    _, basic, basic_behind, mono, high, high_behind = _entry(theme, "text", theme.style("text"))
    return [(None, basic, basic_behind, mono, high, high_behind), *entries]


def in_256(entry: PaletteEntry) -> PaletteEntry:
    """Return an entry for a terminal of 256 colours: urwid rounds each channel by itself, which changes the hue."""
    name, basic, basic_behind, mono, high, behind = entry
    color, *settings = high.split(",")
    return name, basic, basic_behind, mono, ",".join([_nearest_256(color), *settings]), _nearest_256(behind)


def _nearest_256(color: str) -> str:
    return urwid_color(nearest(Color(color), 256)) if color.startswith("#") else color


def urwid_color(color: Color | None) -> str:
    """Return a colour as urwid writes it for terminals of 256 colours and more; None is the inherited colour."""
    if color is None:
        return _INHERIT
    if color == DEFAULT or color.startswith("#"):
        return str(color)
    return _NAMES[int(color)] if int(color) < 16 else f"h{color}"


def urwid_settings(attributes: tuple[str, ...]) -> list[str]:
    return [_SETTINGS[name] for name in attributes]


def _entry(theme: Theme, name: str, style: Style, *, band: bool = False) -> PaletteEntry:
    settings = urwid_settings(style.attributes)
    foreground, background = _basic(theme, name, style._replace(background=None) if band else style)
    mono = list(settings)
    if name != "text" and style.background is not None and not band and "standout" not in mono:
        mono.append("standout")
    return (
        name,
        ",".join([urwid_color(foreground), *settings]),
        urwid_color(background),
        ",".join(mono) or DEFAULT,
        ",".join([urwid_color(style.foreground), *settings]),
        urwid_color(style.background),
    )


def _basic(theme: Theme, name: str, style: Style) -> tuple[Color, Color | None]:
    """Return foreground and background of the 16 colours for a style."""
    base = nearest(backgrounds(theme, None)[0], 16)
    background = style.background
    if background is not None and background != DEFAULT:
        background = nearest(background, 16)
        if name != "text" and background in (base, _GREY) and style.background != theme.style("text").background:
            background = _band(style.background or DEFAULT, base)
    own = background is not None and background != DEFAULT
    behind = rgb(background if background is not None and own else base) or (0, 0, 0)
    return _basic_foreground(style.foreground, behind, strict=own and name != "text"), background


def _basic_foreground(color: Color, behind: Rgb, *, strict: bool) -> Color:
    """Return the closest of 16 colours that is visible on `behind`.

    A grey becomes the nearest visible one. A colour keeps its hue, of which terminals have a light and a dark form; on
    a token's own background (`strict`) it becomes black or white if it cannot be read.
    """
    channels = rgb(color)
    if channels is None or (not color.startswith("#") and int(color) < 16):
        return color
    found = nearest(color, 16)
    chromatic = max(channels) - min(channels) >= _CHROMA
    if chromatic:
        hue = _hue(channels)
        closest = min(_HUES, key=lambda each: min(abs(hue - each), 360 - abs(hue - each)))
        found = indexed(_HUES[closest] + (0 if luminance(behind) > _LIGHT else 8))
    if (strict or not chromatic) and contrast(rgb(found) or (0, 0, 0), behind) < (READ if strict else SEEN):
        return max(indexed(0), indexed(15), key=lambda each: contrast(rgb(each) or (0, 0, 0), behind))
    return found


def _hue(channels: Rgb) -> float:
    return rgb_to_hsv(*(channel / 255 for channel in channels))[0] * 360


def _band(color: Color, base: Color) -> Color:
    """Return one of 16 colours for a background that must differ from `base`.

    "Dark gray" is never one: terminals show it from 85 to 127 of 255, so neither black nor white can be read on all of
    them.
    """
    dark = luminance(rgb(color) or (0, 0, 0)) < _LIGHT
    return next(each for each in (_DARK_BANDS if dark else _LIGHT_BANDS) if each != base)
