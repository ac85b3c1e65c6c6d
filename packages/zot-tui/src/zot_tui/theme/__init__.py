"""Themes: tokens with meanings, read from JSON, checked for contrast, turned into plain tuples for urwid.

A widget names a token (`"muted"`), never a colour. `TOKENS` documents the tokens, `load_theme` reads a file, `builtin`
returns `dark`, `light` or `high-contrast`, `palette` returns the argument of `register_palette`. Nothing here imports
urwid.
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
