"""Themes: tokens with meanings, read from JSON, checked for contrast, given to urwid as plain tuples.

A widget names a token (`"muted"`), never a colour. `TOKENS` says what each means, `load_theme` reads a file, `builtin`
has `dark`, `light` and `high-contrast`, `palette` makes what `register_palette` takes. Nothing here imports urwid.
"""

from zot_tui.theme.contrast import Weakness, weaknesses
from zot_tui.theme.load import ThemeError, builtin, builtin_names, load_theme, parse_theme
from zot_tui.theme.palette import palette
from zot_tui.theme.theme import Paint, SpinnerStyle, Style, Theme
from zot_tui.theme.tokens import TOKENS, Token

__all__ = [
    "TOKENS",
    "Paint",
    "SpinnerStyle",
    "Style",
    "Theme",
    "ThemeError",
    "Token",
    "Weakness",
    "builtin",
    "builtin_names",
    "load_theme",
    "palette",
    "parse_theme",
    "weaknesses",
]
