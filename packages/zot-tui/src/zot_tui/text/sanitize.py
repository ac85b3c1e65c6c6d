"""Text from anywhere, made harmless: what is left prints, moves no cursor and hides nothing; pure.

Control sequences go with what they hold (`strip_ansi`). Characters that nobody sees and that change how others are
drawn go too: bidirectional overrides leave `�`, because text around them does not read as it is stored; soft hyphens,
zero-width spaces, tags and fillers leave nothing. Marks that join their neighbour to one grapheme (accents, joiners of
emoji) stay, up to `MARKS` in a row.
"""

import re
from functools import cache

from zot_tui.text.ansi import CONTROL, strip_ansi
from zot_tui.text.width import ZERO_WIDTH, expand_tabs, graphemes

MARKS = 8  # Unicode's stream-safe format (UAX #15) allows 30; no living script needs more than a few

REPLACEMENT = "\ufffd"
CARRIER = "\u25cc"  # the dotted circle that Unicode shows marks on

_BREAKS = re.compile("\r\n?")
# Embeddings, overrides and isolates of UAX #9; halves of surrogate pairs; what is no character; what kitty and others
# draw a part of an image for.
_REPLACED = re.compile("[\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff\U0010eeee]")
_SEPARATORS = re.compile("[\u2028\u2029]")
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_CHAIN = re.compile(f"((?:[^\\s\u200d]\u200d){{{MARKS}}})\u200d*")  # a row of joined characters is one grapheme
_TORN = re.compile(  # a match of CONTROL at the end of a piece of text that the next piece may continue
    r"(?P<csi>\x1b\[|\x9b)[0-?]*(?P<last>[ -/]*)"
    r"|(?P<string>\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*"
    r"|(?P<escape>\x1b[ -/]?)[ -/]*"
)
_HELD = 64
"""Characters of a torn sequence whose parameters may still make it a colour."""
_JAMO = re.compile(f"([\u1100-\u115e\ua960-\ua97c]{{{MARKS}}})[\u1100-\u115e\ua960-\ua97c]+")


def sanitize(text: str | bytes, *, tab_size: int = 0, colors: bool = False) -> str:
    """`text` as it can be drawn: printable characters and line breaks; bytes are read as UTF-8, with `�` for errors.

    Line breaks become `\\n`. Tabs become spaces up to the next stop if `tab_size` is given; otherwise they stay, which
    is what `wrap` expects. With `colors`, SGR sequences stay too, for text that is written to a terminal as it is.
    Each line is looked at by itself.
    """
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    if text.isascii() and text.isprintable():
        return text
    if "\r" in text:
        text = _BREAKS.sub("\n", text)
    text = strip_ansi(text, colors=colors)
    if not text.isascii():
        text = _visible(text)
    return expand_tabs(text, 0, tab_size) if tab_size else text


def sanitize_line(text: str) -> str:
    """`text` on one line: as `sanitize` has it, with single spaces for line breaks and tabs."""
    if text.isascii() and text.isprintable():
        return text
    return sanitize(text).replace("\n", " ").replace("\t", " ")


class Sanitizer:
    """Makes text safe that comes in pieces, for a terminal that takes it as it is.

    All that `feed` returns, joined, is what `sanitize(..., colors=True)` makes of the whole text, wherever it was cut.
    A sequence that is cut in two is held back until its end comes. At most 64 characters of it are kept, so that of a
    longer one not even a colour is shown.
    """

    def __init__(self) -> None:
        self._held = ""
        self._shown = ""

    def feed(self, text: str) -> str:
        """What can be shown now. What is held back when the text ends shows nothing, and needs no call."""
        if not self._held and text.isascii() and text.isprintable():
            return self._joined(text)
        text = self._held + text
        body = text.removesuffix("\r")  # half of a line break perhaps
        cut = text[len(body) :]
        body = _BREAKS.sub("\n", body)
        torn = _torn(body)
        self._held = _remembered(torn) + cut if torn else cut
        return self._joined(body[: -len(torn.group())] if torn else body)

    def _joined(self, text: str) -> str:
        """`text` made safe after what was shown before it: a row of marks may have begun there."""
        before = "" if self._shown[-1:].isascii() and text[:1].isascii() else self._shown
        clean = sanitize(before + text, colors=True)
        clean = clean[len(before) :] if clean.startswith(before) else sanitize(text, colors=True)
        self._shown = (self._shown + clean)[-2 * MARKS :]
        return clean


def _torn(text: str) -> re.Match[str] | None:
    """The sequence at the end of `text` that goes on in the next piece."""
    last = None
    for found in CONTROL.finditer(text):
        last = found
    return _TORN.fullmatch(last.group()) if last is not None and last.end() == len(text) else None


def _remembered(torn: re.Match[str]) -> str:
    """The beginning of a sequence, as short as it can be for what follows to be understood."""
    if torn["csi"] is None:  # what a string holds is dropped at once
        return torn["string"] or torn["escape"]
    if len(torn.group()) <= _HELD:
        return torn.group()
    return f"{torn['csi']}?{torn['last'][:1]}"  # too long for a colour; the question mark keeps it from being one


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
