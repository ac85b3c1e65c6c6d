"""Driving a screen in tests: `Driver` without a terminal, `PtyScreen` with a real one around a real process.

`PtyScreen` needs `pyte`, which zot-tui does not bring along.
"""

from zot_tui.testing.driver import Driver, to_urwid
from zot_tui.testing.memory import MemoryScreen
from zot_tui.testing.pty_screen import KITTY, PtyScreen

__all__ = ["KITTY", "Driver", "MemoryScreen", "PtyScreen", "to_urwid"]
