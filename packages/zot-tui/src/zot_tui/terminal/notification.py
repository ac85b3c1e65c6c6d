"""The control sequence that draws attention to a window: the bell, and a notification on the desktop; pure.

OSC 9 comes from iTerm2, and is also known to WezTerm and Ghostty; OSC 777 comes from rxvt, and is also known to foot
and builds of VTE; OSC 99 comes from kitty (https://sw.kovidgoyal.net/kitty/desktop-notifications/): a title and a text,
and the next one with the same id takes their place. Other terminals skip all of them.
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
    terminal = environment.get("TERM", "")
    if terminal.startswith("xterm-kitty"):
        sequence = f"\x1b]99;i=zot:d=0;zot\x1b\\\x1b]99;i=zot:p=body;{line}\x1b\\"
    elif terminal.startswith(("foot", "rxvt")) or environment.get("VTE_VERSION"):
        sequence = f"\x1b]777;notify;zot;{line.replace(';', ',')}\x1b\\"
    else:
        sequence = f"\x1b]9;{line}\x1b\\"
    return (through_tmux(sequence) if environment.get("TMUX") else sequence) + BELL
