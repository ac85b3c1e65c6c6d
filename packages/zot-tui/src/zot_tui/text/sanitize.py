"""Text from anywhere, made harmless: what is left prints, moves no cursor and hides nothing; pure.

Control sequences go with what they hold (`strip_ansi`). Characters that nobody sees and that change how others are
drawn go too: bidirectional overrides leave `�`, because text around them does not read as it is stored; soft hyphens,
zero-width spaces, tags and fillers leave nothing. Marks that join their neighbour to one grapheme (accents, joiners of
emoji) stay, up to `MARKS` in a row.
"""

import re
from functools import cache

from zot_tui.text.ansi import strip_ansi
from zot_tui.text.width import ZERO_WIDTH, expand_tabs, graphemes

MARKS = 8  # Unicode's stream-safe format (UAX #15) allows 30; no living script needs more than a few

REPLACEMENT = "\ufffd"
CARRIER = "\u25cc"  # the dotted circle that Unicode shows marks on

_BREAKS = re.compile("\r\n?")
# Embeddings, overrides and isolates of UAX #9; halves of surrogate pairs; what is no character; what kitty and others
# draw a part of a picture for.
_REPLACED = re.compile("[\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff\U0010eeee]")
_SEPARATORS = re.compile("[\u2028\u2029]")
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_CHAIN = re.compile(f"((?:[^\\s\u200d]\u200d){{{MARKS}}})\u200d*")  # a row of joined characters is one grapheme
_JAMO = re.compile(f"([\u1100-\u115e\ua960-\ua97c]{{{MARKS}}})[\u1100-\u115e\ua960-\ua97c]+")


def sanitize(text: str | bytes, *, tab_size: int = 0) -> str:
    """`text` as it can be drawn: printable characters and line breaks; bytes are read as UTF-8, with `�` for errors.

    Line breaks become `\\n`. Tabs become spaces up to the next stop if `tab_size` is given; otherwise they stay, which
    is what `wrap` expects. Each line is looked at by itself.
    """
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    if text.isascii() and text.isprintable():
        return text
    if "\r" in text:
        text = _BREAKS.sub("\n", text)
    text = strip_ansi(text)
    if not text.isascii():
        text = _visible(text)
    return expand_tabs(text, 0, tab_size) if tab_size else text


def sanitize_line(text: str) -> str:
    """`text` on one line: as `sanitize` has it, with single spaces for line breaks and tabs."""
    if text.isascii() and text.isprintable():
        return text
    return sanitize(text).replace("\n", " ").replace("\t", " ")


def detached(text: str) -> str:
    """`text` such that it does not join the character before it: a mark at its beginning gets `◌` to stand on."""
    if text[:1].isascii() or next(graphemes("a" + text[: MARKS + 1])) == "a":
        return text
    return CARRIER + text


def _visible(text: str) -> str:
    text = _REPLACED.sub(REPLACEMENT, text)
    text = _SEPARATORS.sub(" ", text)
    text = _UNSEEN.sub("", text)
    text = _mark_floods().sub(r"\1", text)
    text = _CHAIN.sub(lambda found: found[1][:-1], text)
    return _JAMO.sub(r"\1", text)


@cache
def _mark_floods() -> re.Pattern[str]:
    """More than `MARKS` characters without width in a row; the group is what is kept of them."""
    table = next(reversed(ZERO_WIDTH.values()))  # the newest version of Unicode
    marks = "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in table if first > 0x9F)
    return re.compile(f"([{marks}]{{{MARKS}}})[{marks}]+")
