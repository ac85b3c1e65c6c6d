"""The size of a terminal cell in pixels, from the size of the window or from the terminal's answer."""

import re
import sys
from struct import unpack

from zot_tui.image.size import Pixels

if sys.platform != "win32":
    import fcntl
    import termios

QUERY = "\x1b[16t"
"""Asks for the size of a cell (XTWINOPS). The answer is `CSI 6 ; height ; width t`."""

LARGEST = 512
"""The largest plausible side of a cell: an image takes whole cells, and memory for each of their pixels."""

_REPLY = re.compile(r"\x1b\[6;(\d{1,4});(\d{1,4})t", re.ASCII)


def cell_pixels(descriptor: int | None) -> Pixels | None:
    """Return the size of a cell by TIOCGWINSZ; None without a terminal, or if the terminal has not set it."""
    if descriptor is None or sys.platform == "win32":
        return None
    try:
        rows, columns, width, height = unpack("HHHH", fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8)))
    except OSError:
        return None
    return _plausible(Pixels(width // columns, height // rows)) if rows and columns else None


def reply_pixels(reply: str) -> Pixels | None:
    """Return the size of a cell in an answer to `QUERY`; None for any other reply."""
    found = _REPLY.fullmatch(reply)
    return _plausible(Pixels(int(found[2]), int(found[1]))) if found else None


def _plausible(size: Pixels) -> Pixels | None:
    return size if 0 < size.width <= LARGEST and 0 < size.height <= LARGEST else None
