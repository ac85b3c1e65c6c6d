"""Saying and asking: what manifests, paths and logs hold is made harmless on the way."""

import sys
from collections.abc import Sequence

from zot_core.terminal import strip_controls


def say(line: str = "") -> None:
    """One line on standard output, whatever the text holds."""
    show(" ".join(line.split("\n")) + "\n")


def show(text: str) -> None:
    """Text on standard output, without control sequences; what its encoding does not have is replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(strip_controls(text).encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def word(text: str) -> str:
    """A text from elsewhere as a part of one line: without controls, with single spaces."""
    return " ".join(strip_controls(text).split())


def table(rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as they need to be, two spaces apart."""
    cells = [[word(cell) or "-" for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    for row in cells:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


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
