"""`Theme`: what a theme says of each token, and what that comes to."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from zot_tui.color import DEFAULT, Color
from zot_tui.theme.tokens import fallback_chain

Mode = Literal["dark", "light"]

PAPER: dict[Mode, Color] = {"dark": Color("#1c1e21"), "light": Color("#fbfbfa")}
"""What stands behind the text of a theme where the terminal's own background does not suit it."""

ATTRIBUTES = ("bold", "faint", "italic", "underline", "inverse", "strike")


@dataclass(slots=True)
class Paint:
    """A theme's word on a foreground: a colour and attributes (names of `ATTRIBUTES`), or attributes alone.

    Without a colour (None) it takes its fallback's colour. With one it takes nothing of its fallback.
    """

    color: Color | None = None
    attributes: tuple[str, ...] = ()


class Style(NamedTuple):
    """What a token comes to. `background` None: that of whatever the text lies on."""

    foreground: Color = DEFAULT
    background: Color | None = None
    attributes: tuple[str, ...] = ()


@dataclass(slots=True)
class Spinner:
    """How waiting looks: frames of one cell each, what is said beside them, and milliseconds a frame stands.

    None where a theme does not say.
    """

    frames: tuple[str, ...] | None = None
    messages: tuple[str, ...] | None = None
    interval_ms: int | None = None

    def over(self, base: "Spinner") -> "Spinner":
        """This spinner, with what it does not say taken from `base`."""
        return Spinner(
            base.frames if self.frames is None else self.frames,
            base.messages if self.messages is None else self.messages,
            base.interval_ms if self.interval_ms is None else self.interval_ms,
        )


@dataclass(slots=True)
class Theme:
    """Colours by the names of tokens; only those that were set.

    `mode` is the kind of terminal background it was read for. `notes` are lines for whoever wrote the theme: entries
    that were not understood and left out.
    """

    name: str
    mode: Mode = "dark"
    description: str = ""
    paints: dict[str, Paint] = field(default_factory=dict)
    backgrounds: dict[str, Color] = field(default_factory=dict)
    spinner: Spinner = field(default_factory=Spinner)
    notes: list[str] = field(default_factory=list)

    def over(self, base: "Theme") -> "Theme":
        """This theme laid over `base`: what it does not set is taken from there. Neither is changed."""
        return Theme(
            self.name,
            self.mode,
            self.description,
            base.paints | self.paints,
            base.backgrounds | self.backgrounds,
            self.spinner.over(base.spinner),
            [*self.notes],
        )

    def fitting(self, background: Mode | None) -> "Theme":
        """This theme for a terminal of that background, None if it is not known: one that keeps the terminal's, made
        for the other kind, brings a background of its own."""
        own = self.style("text").background
        if background in (None, self.mode) or own not in (None, DEFAULT):
            return self
        painted = self.backgrounds | {"text": PAPER[self.mode]}
        return Theme(self.name, self.mode, self.description, self.paints, painted, self.spinner, [*self.notes])

    def style(self, token: str) -> Style:
        """What `token` looks like, its fallbacks considered; KeyError for a name that no token has.

        The terminal's own colours where no token of the chain has one. A token with a background of its own shares it
        with those that fall back on it and may have one; `text` has one always.
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
