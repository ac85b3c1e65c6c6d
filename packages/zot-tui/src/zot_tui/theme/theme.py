"""`Theme`: the settings of a theme for each token, and the resulting styles."""

from dataclasses import dataclass, field
from typing import NamedTuple

from zot_tui.color import DEFAULT, Color
from zot_tui.theme.detect import Background
from zot_tui.theme.tokens import fallback_chain

PAPER: dict[Background, Color] = {"dark": Color("#1c1e21"), "light": Color("#fbfbfa")}
"""The background of a theme where the terminal's own background does not suit it."""

ATTRIBUTES = ("bold", "faint", "italic", "underline", "inverse", "strike")


@dataclass(slots=True)
class Paint:
    """A theme's setting for a foreground: a colour and attributes (names of `ATTRIBUTES`), or attributes alone.

    Without a colour (None) it takes its fallback's colour. With a colour it takes nothing from its fallback.
    """

    color: Color | None = None
    attributes: tuple[str, ...] = ()


class Style(NamedTuple):
    """The final style of a token. `background` None inherits the background the text is drawn on."""

    foreground: Color = DEFAULT
    background: Color | None = None
    attributes: tuple[str, ...] = ()


@dataclass(slots=True)
class SpinnerStyle:
    """The look of waiting: frames of one cell each, messages beside them, and milliseconds for each frame.

    None where a theme does not set it.
    """

    frames: tuple[str, ...] | None = None
    messages: tuple[str, ...] | None = None
    interval_ms: int | None = None

    def over(self, base: "SpinnerStyle") -> "SpinnerStyle":
        """Return this style, with unset values taken from `base`."""
        return SpinnerStyle(
            base.frames if self.frames is None else self.frames,
            base.messages if self.messages is None else self.messages,
            base.interval_ms if self.interval_ms is None else self.interval_ms,
        )


@dataclass(slots=True)
class Theme:
    """The colours that a theme sets, by token name.

    `mode` is the kind of terminal background it was read for. `notes` are lines for the author of the theme: entries
    that were not understood and ignored.
    """

    name: str
    mode: Background = "dark"
    description: str = ""
    paints: dict[str, Paint] = field(default_factory=dict)
    backgrounds: dict[str, Color] = field(default_factory=dict)
    spinner: SpinnerStyle = field(default_factory=SpinnerStyle)
    notes: list[str] = field(default_factory=list)

    def over(self, base: "Theme") -> "Theme":
        """Return this theme over `base`: what it does not set is taken from there. Neither is changed."""
        return Theme(
            self.name,
            self.mode,
            self.description,
            base.paints | self.paints,
            base.backgrounds | self.backgrounds,
            self.spinner.over(base.spinner),
            [*self.notes],
        )

    def for_background(self, background: Background | None) -> "Theme":
        """Return this theme for a terminal with that background, None if unknown.

        A theme that keeps the terminal's background, but was made for the other kind, gets its own background.
        """
        own = self.style("text").background
        if background in (None, self.mode) or own not in (None, DEFAULT):
            return self
        painted = self.backgrounds | {"text": PAPER[self.mode]}
        return Theme(self.name, self.mode, self.description, self.paints, painted, self.spinner, [*self.notes])

    def style(self, token: str) -> Style:
        """Return the style of `token`, with its fallbacks; KeyError for an unknown token.

        It has the terminal's own colours where no token of the chain has one. A token with a background shares it with
        the tokens that fall back on it and may have one; `text` always has one.
        """
        chain = fallback_chain(token)
        paints = [self.paints[each.name] for each in chain if each.name in self.paints]
        color = next((paint.color for paint in paints if paint.color is not None), DEFAULT)
        background = None
        if chain[0].background_key:
            found = (self.backgrounds.get(each.name) for each in chain)
            background = next((each for each in found if each is not None), None)
        if token == "text" and background is None:
            background = DEFAULT
        return Style(color, background, paints[0].attributes if paints else ())
