"""The control sequence that draws attention to a window: the bell, and a notification on the desktop; pure.

OSC 9 is of iTerm2, and also known to kitty, WezTerm and Ghostty; OSC 777 is of rxvt, and also known to foot and builds
of VTE. Other terminals skip both.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from zot_tui.terminal.tmux import through_tmux
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import clip

NotificationWay: TypeAlias = Literal["desktop", "bell", "off"]
"""A notification and the bell, the bell alone, or nothing."""

CELLS = 200
"""Most cells of a notification."""

BELL = "\a"


def notification(text: str, way: NotificationWay, environment: Mapping[str, str]) -> str:
    """Return the sequence for `text`, one line, from which control characters are removed; empty for `off`."""
    if way != "desktop":
        return BELL if way == "bell" else ""
    line = clip(sanitize_line(text), CELLS)
    if environment.get("TERM", "").startswith(("foot", "rxvt")) or environment.get("VTE_VERSION"):
        sequence = f"\x1b]777;notify;zot;{line.replace(';', ',')}\x1b\\"
    else:
        sequence = f"\x1b]9;{line}\x1b\\"
    return (through_tmux(sequence) if environment.get("TMUX") else sequence) + BELL
