"""`ImageProtocol`: how images are drawn on a terminal, from the environment and the settings; pure."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

from zot_tui.theme.detect import Depth

ImageProtocol: TypeAlias = Literal["kitty", "iterm", "half", "off"]

VARIABLE = "ZOT_INLINE_IMAGES"
LEAST_COLORS = 256
"""The least number of colours for images: with fewer they are unrecognisable, and kitty's are named by a colour."""

_ITERM_PROGRAMS = ("iTerm.app", "WezTerm")
_ITERM_OVER_SSH = "iTerm2"  # iTerm2's value of LC_TERMINAL, which ssh passes on
_KITTY_TERM, _GHOSTTY_TERM = "xterm-kitty", "xterm-ghostty"
_TMUX_TERM, _SCREEN_TERM = "tmux", "screen"  # $TERM inside of them; tmux may call itself screen, screen never tmux


class ProtocolChoice(NamedTuple):
    """`protocol` is how images are drawn; `tmux` says whether sequences outside of drawing go through tmux.

    `better`, if not empty, is how they are drawn once the terminal has answered that it can.
    """

    protocol: ImageProtocol
    tmux: bool = False
    better: Literal["", "kitty"] = ""


def choose(environment: Mapping[str, str], depth: Depth, *, enabled: bool = True) -> ProtocolChoice:
    """Return how images are drawn on a terminal of `depth` colours.

    `$ZOT_INLINE_IMAGES` (`kitty`, `iterm`, `half`, `off`, `auto`) overrides `enabled`; any other value means `auto`. In
    a multiplexer images are half blocks; kitty's placeholders work there if requested by name, iTerm2's images do not.
    `$TERM` does not say which version of kitty it is, so its images are half blocks until its answer.
    """
    if depth < LEAST_COLORS:
        return ProtocolChoice("off")
    wanted = environment.get(VARIABLE, "").strip().lower()
    # After ssh and sudo, $TERM is the only sign of a multiplexer.
    term = environment.get("TERM", "")
    tmux = bool(environment.get("TMUX")) or term.startswith(_TMUX_TERM)
    within = tmux or bool(environment.get("STY")) or term.startswith(_SCREEN_TERM)
    if wanted in get_args(ImageProtocol):
        protocol: ImageProtocol = wanted  # type: ignore[assignment]  # one of its values
        return ProtocolChoice("half" if protocol == "iterm" and within else protocol, tmux)
    if not enabled and wanted != "auto":
        return ProtocolChoice("off")
    if within:
        return ProtocolChoice("half", tmux)
    native = _native(environment)
    return ProtocolChoice(native, better="kitty" if native == "half" and term == _KITTY_TERM else "")


def problem(environment: Mapping[str, str]) -> str:
    """Return a one-line message if `$ZOT_INLINE_IMAGES` is invalid, else an empty string."""
    wanted = environment.get(VARIABLE, "")
    known = (*get_args(ImageProtocol), "auto")
    if not wanted.strip() or wanted.strip().lower() in known:
        return ""
    return f"{VARIABLE}: expected one of {', '.join(known)}, got {wanted[:40]!r}; auto is used"


def _native(environment: Mapping[str, str]) -> ImageProtocol:
    """Return the protocol of the terminal itself. Window ids are ignored: other terminals inherit them."""
    program = environment.get("TERM_PROGRAM", "")
    if program == "ghostty" or environment.get("TERM", "") == _GHOSTTY_TERM:
        return "kitty"
    if program in _ITERM_PROGRAMS or (not program and environment.get("LC_TERMINAL") == _ITERM_OVER_SSH):
        return "iterm"
    return "half"
