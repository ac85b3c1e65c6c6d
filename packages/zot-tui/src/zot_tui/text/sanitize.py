"""Makes text from any source safe to print: the result moves no cursor and hides nothing; pure.

Control sequences are removed with their content (`strip_ansi`). So are invisible characters that change how others are
drawn: bidirectional overrides become `�`, because text around them does not read as it is stored; soft hyphens,
zero-width spaces, tags and fillers are dropped. Marks that join their neighbour to one grapheme (accents, joiners of
emoji) are kept, up to `MARKS` in a row.
"""

import re
from functools import cache

from zot_tui.text.ansi import CONTROL, strip_ansi
from zot_tui.text.width import ZERO_WIDTH, expand_tabs, graphemes

MARKS = 8  # Unicode's stream-safe format (UAX #15) allows 30; no living script needs more than a few

REPLACEMENT = "\ufffd"
CARRIER = "\u25cc"  # the dotted circle that Unicode shows marks on

_BREAKS = re.compile("\r\n?")
# Embeddings, overrides and isolates of UAX #9; halves of surrogate pairs; noncharacters; the placeholder that kitty and
# others replace by a part of an image.
_REPLACED = re.compile("[\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff\U0010eeee]")
_SEPARATORS = re.compile("[\u2028\u2029]")
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_CHAIN = re.compile(f"((?:[^\\s\u200d]\u200d){{{MARKS}}})\u200d*")  # a row of joined characters is one grapheme
_TORN = re.compile(  # a match of CONTROL at the end of a piece that the next piece may continue
    r"(?P<csi>\x1b\[|\x9b)[0-?]*(?P<last>[ -/]*)"
    r"|(?P<string>\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*"
    r"|(?P<escape>\x1b[ -/]?)[ -/]*"
)
_HELD = 64
"""Longest incomplete sequence that may still become a colour, in characters."""
_JAMO = re.compile(f"([\u1100-\u115e\ua960-\ua97c]{{{MARKS}}})[\u1100-\u115e\ua960-\ua97c]+")


def sanitize(text: str | bytes, *, tab_size: int = 0, colors: bool = False) -> str:
    """Return `text` as printable characters and line breaks; bytes are decoded as UTF-8, with `�` for errors.

    Line breaks become `\\n`. With a `tab_size`, tabs become spaces up to the next stop; otherwise they stay, as `wrap`
    expects. With `colors`, SGR sequences stay too, for text that is written to a terminal directly. Each line is
    handled on its own.
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
    """Return `text` on one line: like `sanitize`, with single spaces for line breaks and tabs."""
    if text.isascii() and text.isprintable():
        return text
    return sanitize(text).replace("\n", " ").replace("\t", " ")


def reveal(text: str) -> str:
    """Return `text` with escapes, such as `\\x1b` and `\\u202e`, in place of all that `sanitize` would take out: for a
    text that a person must judge, in which nothing may be hidden. Line breaks and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        each if (each.isprintable() or each in "\n\t") and not _UNSEEN.match(each) else _escape(each)
        for each in text.replace("\r\n", "\n")
    )


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()


class Sanitizer:
    """Sanitizes text that arrives in pieces and is written to a terminal directly.

    The results of `feed` together equal `sanitize(..., colors=colors)` of the whole text, wherever it was cut. An
    incomplete sequence is held back until its end arrives. At most 64 characters of it are kept, so a longer one is
    dropped even if it is a colour.
    """

    def __init__(self, *, colors: bool = True) -> None:
        self._colors = colors
        self._held = ""
        self._shown = ""

    def feed(self, text: str) -> str:
        """Return the text that can be shown now. Text still held back at the end is dropped, without a call."""
        if not self._held and text.isascii() and text.isprintable():
            return self._joined(text)
        text = self._held + text
        body = text.removesuffix("\r")  # perhaps half of a line break
        cut = text[len(body) :]
        body = _BREAKS.sub("\n", body)
        torn = _torn(body)
        self._held = _remembered(torn) + cut if torn else cut
        return self._joined(body[: -len(torn.group())] if torn else body)

    def _joined(self, text: str) -> str:
        """Sanitize `text` in the context of the text before it, where a row of marks may have begun."""
        before = "" if self._shown[-1:].isascii() and text[:1].isascii() else self._shown
        clean = sanitize(before + text, colors=self._colors)
        clean = clean[len(before) :] if clean.startswith(before) else sanitize(text, colors=self._colors)
        self._shown = (self._shown + clean)[-2 * MARKS :]
        return clean


def _torn(text: str) -> re.Match[str] | None:
    """Return the sequence at the end of `text` that is incomplete, or None."""
    last = None
    for found in CONTROL.finditer(text):
        last = found
    return _TORN.fullmatch(last.group()) if last is not None and last.end() == len(text) else None


def _remembered(torn: re.Match[str]) -> str:
    """Return the beginning of an incomplete sequence, as short as possible for the rest to be understood."""
    if torn["csi"] is None:  # the content of a string is dropped at once
        return torn["string"] or torn["escape"]
    if len(torn.group()) <= _HELD:
        return torn.group()
    return f"{torn['csi']}?{torn['last'][:1]}"  # too long for a colour; the question mark keeps it from being one


def detached(text: str) -> str:
    """Return `text` so that it does not join the character before it: a mark at its beginning is put on a `◌`."""
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
    """Match more than `MARKS` zero-width characters in a row; the group is the part to keep."""
    table = next(reversed(ZERO_WIDTH.values()))  # the newest Unicode version
    marks = "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in table if first > 0x9F)
    return re.compile(f"([{marks}]{{{MARKS}}})[{marks}]+")
