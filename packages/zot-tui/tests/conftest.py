"""Skips the tests that need a terminal emulator without one; `make check` and `make test` install it."""

from importlib.util import find_spec

EMULATED = [
    "image/test_kitty_terminal.py",
    "terminal/test_frame.py",
    "terminal/test_terminal.py",
    "testing/test_pty_screen.py",
]

collect_ignore = [] if find_spec("pyte") else EMULATED
