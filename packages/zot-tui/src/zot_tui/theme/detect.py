"""Detects the colours of a terminal from its answers and from the environment; pure.

The caller sends `QUERY_BACKGROUND` to the terminal and limits the wait for an answer.
"""

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from zot_tui.color import Rgb, luminance

Background: TypeAlias = Literal["dark", "light"]
Depth: TypeAlias = Literal[1, 16, 256, 16777216]

QUERY_BACKGROUND = "\x1b]11;?\x1b\\"

TRUE_COLOR: Depth = 16777216
_LIGHT = 0.18  # luminance from which black text is more legible than white

# xterm answers `rgb:` with one to four hexadecimal digits each (XParseColor); others use `rgba:` or `#rrggbb`.
_REPLY = re.compile(
    r"\x1b\]11;(?:rgba?:([0-9a-f]{1,4})/([0-9a-f]{1,4})/([0-9a-f]{1,4})(?:/[0-9a-f]{1,4})?|#([0-9a-f]{6}))"
    r"(?:\x07|\x1b\\|\x9c)",
    re.IGNORECASE | re.ASCII,
)
_TRUE_COLOR_PROGRAMS = frozenset(("iTerm.app", "WezTerm", "ghostty", "vscode", "Hyper", "rio", "WarpTerminal"))
_TRUE_COLOR_TERMS = ("alacritty", "foot", "xterm-ghostty", "xterm-kitty", "wezterm")


def reply_color(reply: str) -> Rgb | None:
    """Return the background in an answer to `QUERY_BACKGROUND`, 0 to 255 each, wherever it is in the input; None
    without a whole one."""
    found = _REPLY.search(reply)
    if found is None:
        return None
    if found[4]:
        return int(found[4][:2], 16), int(found[4][2:4], 16), int(found[4][4:], 16)
    red, green, blue = (round(int(part, 16) * 255 / (16 ** len(part) - 1)) for part in found.groups()[:3])
    return red, green, blue


def background(reply: str, environment: Mapping[str, str]) -> Background | None:
    """Return whether the terminal is dark or light: by its answer, else by `COLORFGBG`; None if both are missing."""
    color = reply_color(reply)
    if color is not None:
        return "light" if luminance(color) >= _LIGHT else "dark"
    return colorfgbg(environment.get("COLORFGBG", ""))


def colorfgbg(value: str) -> Background | None:
    """Read rxvt's `COLORFGBG`: `foreground;background` or `foreground;pixmap;background`, as palette indices."""
    index = value.split(";")[-1]
    if ";" not in value or not re.fullmatch("[0-9]{1,2}", index, re.ASCII) or int(index) > 15:
        return None
    return "light" if int(index) in (7, *range(9, 16)) else "dark"


def color_depth(environment: Mapping[str, str]) -> Depth:
    """Return how many colours to draw with; 1 for `NO_COLOR` (no-color.org: set and not empty) or `TERM=dumb`."""
    term = environment.get("TERM", "")
    if environment.get("NO_COLOR") or term == "dumb":
        return 1
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") or term.endswith("-direct"):
        return TRUE_COLOR
    program = environment.get("TERM_PROGRAM", "")
    if program in _TRUE_COLOR_PROGRAMS or "WT_SESSION" in environment or term.startswith(_TRUE_COLOR_TERMS):
        return TRUE_COLOR
    if "256color" in term or program == "Apple_Terminal":
        return 256
    return 16
