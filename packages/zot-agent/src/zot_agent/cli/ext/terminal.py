"""Saying and asking: what manifests, paths and logs hold is made harmless on the way."""

import sys
from collections.abc import Sequence

from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.text.width import pad, width


def say(line: str = "") -> None:
    """One line on standard output, whatever the text holds."""
    show(" ".join(line.split("\n")) + "\n")


def show(text: str) -> None:
    """Text on standard output, safe for a terminal; what its encoding does not have is replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(sanitize(text, colors=True).encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def word(text: str) -> str:
    """A text from elsewhere as a part of one line: safe for a terminal, with single spaces."""
    return " ".join(sanitize_line(text).split())


def table(rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as they need to be, two spaces apart."""
    cells = [[word(cell) or "-" for cell in row] for row in rows]
    widths = [max(width(row[column]) for row in cells) for column in range(len(cells[0]))]
    for row in cells:
        say("  ".join(pad(cell, columns) for cell, columns in zip(row, widths, strict=True)).rstrip())


def can_ask() -> bool:
    """Whether there is somebody to answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def agreed(question: str) -> bool:
    """Ask for yes or no; the end of input and anything that is not a yes is a no."""
    show(f"{question} [y/N] ")
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        say()
    return answer.strip().lower() in ("y", "yes")
