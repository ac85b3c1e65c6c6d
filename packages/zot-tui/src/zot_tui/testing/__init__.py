"""Driving a screen in tests, without a terminal: `Driver` and `MemoryScreen`."""

from zot_tui.testing.driver import Driver
from zot_tui.testing.memory import MemoryScreen

__all__ = ["Driver", "MemoryScreen"]
