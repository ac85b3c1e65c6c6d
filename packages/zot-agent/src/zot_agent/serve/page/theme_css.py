"""The colours of the built-in themes as CSS: a class for each token of a theme, for dark and for light screens."""

from zot_tui.color import DEFAULT, Color
from zot_tui.theme import TOKENS, Theme, builtin

_FONTS = {
    "bold": "font-weight: 700",
    "faint": "opacity: .8",
    "italic": "font-style: italic",
    "underline": "text-decoration: underline",
    "strike": "text-decoration: line-through",
}


def theme_css() -> str:
    """Return a style sheet with the classes `t-TOKEN` for a foreground and `b-TOKEN` for a background, and variables
    `--t-TOKEN` for colours. A token's dots and underscores are hyphens. The dark theme counts where the system is
    dark."""
    light, dark = (_rules(builtin(name)) for name in ("light", "dark"))
    return f"{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _rules(theme: Theme) -> str:
    lines, colors = [], []
    for token in (each.name for each in TOKENS):
        style, name = theme.style(token), token.replace(".", "-").replace("_", "-")
        said = [_FONTS[each] for each in style.attributes if each in _FONTS]
        if color := _color(style.foreground):
            said.insert(0, f"color: {color}")
            colors.append(f"--t-{name}: {color}; ")
        if said:
            lines.append(f".t-{name} {{ {'; '.join(said)} }}\n")
        if color := _color(style.background):
            lines.append(f".b-{name} {{ background: {color} }}\n")
    return f":root {{ {''.join(colors)}}}\n{''.join(lines)}"


def _color(color: Color | None) -> str:
    return "" if color is None or color == DEFAULT else str(color)
