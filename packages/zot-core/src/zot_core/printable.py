"""Reduce names and descriptions from any source to one line. Terminal output is sanitized where it is written."""

import re
from collections.abc import Iterable

_CSI = r"\x1b\[[0-?]*[ -/]*[@-~]"
_JOINERS = "\u200c\u200d"
"""Zero-width characters that some scripts and emoji need."""

NAME_LENGTH = 200
"""Maximum characters of the title of a session and of the label of an entry."""


def printable_line(text: str) -> str:
    """Return `text` as one line of printable characters and joiners; runs of other characters become one space.
    Colour escape sequences are removed."""
    if not text.isprintable():
        text = "".join(each if each.isprintable() or each in _JOINERS else " " for each in re.sub(_CSI, "", text))
    return " ".join(word for word in text.split() if word.strip(_JOINERS))


def first_line(text: str) -> str:
    """Return the first line of `text` that is not blank, reduced to at most 200 printable characters."""
    line = next((line for line in map(printable_line, text[: 20 * NAME_LENGTH].splitlines()) if line), "")
    return line if len(line) <= NAME_LENGTH else line[: NAME_LENGTH - 1] + "…"


def few(names: Iterable[str], words: int) -> str:
    """Return a list of names with at most `words` words, and a count of what is left out. Each is a line of at most 80
    characters."""
    shown: list[str] = []
    lines = (" ".join(printable_line(each)[:80].split()[:words]) for each in names)
    rest = [each for each in lines if each]
    while rest and (not shown or len(" ".join([*shown, rest[0]]).split()) <= words):
        shown.append(rest.pop(0))
    return ", ".join([*shown, *([f"{len(rest)} more"] if rest else [])])
