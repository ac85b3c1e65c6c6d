"""The mouse wheel while the mouse is off, which terminals turn into arrow keys on the alternate screen; pure.

Most have a mode for it, which is off while the screen is on (xterm's DECSET 1007, "alternate scroll":
https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). kitty has none: a step of the wheel is several arrow keys
there, each let go at once, which keys that are pressed are not. So kitty is asked to report when keys are let go.
"""

from zot_tui.keys.key import Key, parse_key
from zot_tui.terminal.input import HeldKey, MouseEvent, TerminalEvent

MODE = "1007"
QUERY = f"\x1b[?{MODE}$p"
OFF, ON = f"\x1b[?{MODE}l", f"\x1b[?{MODE}h"
UNKNOWN, RESET = 0, 2
"""Answers to the query: there is no such mode; it was off (DECRPM)."""

ARROWS = 3
"""Arrow keys for each event of the wheel that is passed on, which scrolls as many rows."""

_BUTTONS = {parse_key("up"): 4, parse_key("down"): 5}


def without_arrows(events: list[TerminalEvent]) -> list[TerminalEvent]:
    """Return the events of one read with events of the wheel, at the first cell, in place of its arrow keys: at least
    two in a row, each let go at once. One alone may be a key that was reported late, and stays."""
    found: list[TerminalEvent] = []
    at = 0
    while at < len(events):
        event, count = events[at], _taps(events, at)
        button = _BUTTONS.get(event) if isinstance(event, Key) else None
        if button is None or count < 2:
            found.append(event)
            at += 1
        else:
            found += [MouseEvent("mouse press", button, 0, 0)] * max(1, count // ARROWS)
            at += 2 * count
    return found


def _taps(events: list[TerminalEvent], at: int) -> int:
    """Return how many times in a row the key at `at` is pressed and let go."""
    key, count = events[at], 0
    while isinstance(key, Key) and events[at : at + 2] == [key, HeldKey(key, released=True)]:
        count, at = count + 1, at + 2
    return count
