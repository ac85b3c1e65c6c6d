"""The mouse wheel while the mouse is off, which terminals turn into arrow keys on the alternate screen; pure.

Most have a mode for it, which is off while the screen is on (xterm's DECSET 1007, "alternate scroll":
https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). kitty has none: a step of the wheel is several arrow keys
there, each let go at once, which keys that are pressed are not. So kitty is asked to report when keys are let go. It
writes each report by itself, so a step may come in as many reads as it has reports.
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

PAUSE = 0.03
"""Seconds: kitty is done with a step of the wheel sooner, and nobody lets go of a key and presses it again so fast."""

_BUTTONS = {parse_key("up"): 4, parse_key("down"): 5}


class ArrowTaps:
    """Finds the wheel among the events of a terminal, wherever its reads end.

    An arrow key that is let go before anything else comes is a tap. At least two in a row are the wheel; one alone may
    be a key that was reported late. A key is kept until that is known: as long as this is `waiting`, `flush` is to be
    called when nothing has come for `PAUSE`.
    """

    __slots__ = ("_down", "_key", "_taps")

    def __init__(self) -> None:
        self._key: Key | None = None
        self._taps = 0
        self._down = False

    @property
    def waiting(self) -> bool:
        return self._key is not None

    def feed(self, events: list[TerminalEvent]) -> list[TerminalEvent]:
        """Return what is known now, with events of the wheel, at the first cell, in place of its arrow keys."""
        found: list[TerminalEvent] = []
        for event in events:
            if self._key is not None and self._down and event == HeldKey(self._key, released=True):
                self._down = False
                self._taps += 1
                if self._taps == 2 or (self._taps > ARROWS and self._taps % ARROWS == 0):
                    found.append(MouseEvent("mouse press", _BUTTONS[self._key], 0, 0))
            elif isinstance(event, Key) and event in _BUTTONS:
                if self._down or event != self._key:
                    found += self.flush()
                self._key, self._down = event, True
            else:
                found += [*self.flush(), event]
        return found

    def flush(self) -> list[TerminalEvent]:
        """Return what is kept, and keep nothing."""
        key, taps, down = self._key, self._taps, self._down
        self._key, self._taps, self._down = None, 0, False
        if key is None:
            return []
        tap: list[TerminalEvent] = [key, HeldKey(key, released=True)] if taps == 1 else []
        return [*tap, key] if down else tap
