"""Legibility of a theme: the contrast of its tokens on their backgrounds, as WCAG 2.2 measures it."""

from dataclasses import dataclass

from zot_tui.color import DEFAULT, Color, contrast, rgb
from zot_tui.theme.detect import Background
from zot_tui.theme.theme import Theme
from zot_tui.theme.tokens import TOKENS

# Common backgrounds of terminals, for themes without one: the extremes, VS Code and Nord; paper, Solarized.
TERMINAL_BACKGROUNDS: dict[Background, tuple[Color, ...]] = {
    "dark": (Color("#000000"), Color("#1e1e1e"), Color("#2e3440")),
    "light": (Color("#ffffff"), Color("#fafafa"), Color("#fdf6e3")),
}


@dataclass(slots=True)
class Weakness:
    """A token that is hard to see: its contrast ratio on a background, and the required minimum."""

    token: str
    foreground: Color
    background: Color
    ratio: float
    wanted: float

    def __str__(self) -> str:
        return f"{self.token}: {self.foreground} on {self.background} is {self.ratio:.1f}:1, below {self.wanted:g}:1"


def weaknesses(theme: Theme) -> list[Weakness]:
    """Return the tokens of a complete theme with too little contrast, in the order of `TOKENS`.

    A token without a background of its own is checked on the theme's background, or on each of `TERMINAL_BACKGROUNDS`
    if that is the terminal's. Foregrounds that are the terminal's own cannot be checked and pass.
    """
    weak = []
    for token in TOKENS:
        style = theme.style(token.name)
        foreground = rgb(style.foreground)
        if foreground is None:
            continue
        for background in backgrounds(theme, style.background):
            ratio = contrast(foreground, rgb(background) or (0, 0, 0))
            if ratio < token.contrast:
                weak.append(Weakness(token.name, style.foreground, background, ratio, token.contrast))
    return weak


def backgrounds(theme: Theme, own: Color | None) -> tuple[Color, ...]:
    """Return the backgrounds behind text whose own background is `own`: one known colour, or `TERMINAL_BACKGROUNDS`."""
    color = theme.style("text").background if own is None else own
    return TERMINAL_BACKGROUNDS[theme.mode] if color is None or color == DEFAULT else (color,)
