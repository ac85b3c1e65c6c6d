"""How many pixels a cell of the terminal has: by its window's size, or by its answer."""

import re
import sys
from struct import unpack

from zot_tui.image.pixel_size import Pixels

if sys.platform != "win32":
    import fcntl
    import termios

QUERY = "\x1b[16t"
"""Ask for it (XTWINOPS). The answer is `CSI 6 ; height ; width t`."""

LARGEST = 512
"""Pixels of a cell's side that are believed: an image takes whole cells, and memory for each of their pixels."""

_REPLY = re.compile(r"<csi 6;(\d{1,4});(\d{1,4})t>", re.ASCII)  # what urwid makes of a sequence that is no key


def cell_pixels(descriptor: int | None) -> Pixels | None:
    """The size of a cell by TIOCGWINSZ; None if the terminal has not told it to the system, and without a terminal."""
    if descriptor is None or sys.platform == "win32":
        return None
    try:
        rows, columns, width, height = unpack("HHHH", fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8)))
    except OSError:
        return None
    return _sound(Pixels(width // columns, height // rows)) if rows and columns else None


def reply_pixels(event: str) -> Pixels | None:
    """The size of a cell in the answer to `QUERY`, as urwid gives it; None for any other event."""
    found = _REPLY.fullmatch(event)
    return _sound(Pixels(int(found[2]), int(found[1]))) if found else None


def _sound(size: Pixels) -> Pixels | None:
    return size if 0 < size.width <= LARGEST and 0 < size.height <= LARGEST else None
