"""The encodings of text files: how bytes become text and come back unchanged, and which encoding a text has; pure.

A byte that is no text in its encoding is a lone surrogate, U+DC80 to U+DCFF, in a decoded text, as Python's
`surrogateescape` has it. It is shown as U+FFFD, a control character as the symbol for it: U+2400 for NUL.
"""

import codecs
import re
from typing import NamedTuple

PROBE = 8192
"""Bytes at the beginning of a file in which a NUL byte says that it is no text."""
_SAMPLE = 64 * 1024
"""Most bytes that are looked at to guess an encoding."""

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_WESTERN = {"cp1252": "cp1252", "cp1250": "cp1250", "cp1254": "cp1254"}
_GUESSES = _WESTERN | {
    "big5hkscs": "cp950",
    "cp1251": "cp1251",
    "cp1253": "cp1253",
    "cp932": "cp932",
    "cp949": "cp949",
    "euc_jis_2004": "euc_jp",
    "gb18030": "gb18030",
    "koi8-r": "koi8-r",
}
"""Possible answers of the detector, and Python's codec. A part of a text has the same bytes alone."""
_NAMES = {
    "cp1250": "windows-1250",
    "cp1251": "windows-1251",
    "cp1252": "windows-1252",
    "cp1253": "windows-1253",
    "cp1254": "windows-1254",
    "cp932": "Shift JIS (cp932)",
    "cp949": "EUC-KR (cp949)",
    "cp950": "Big5 (cp950)",
    "euc_jp": "EUC-JP",
    "gb18030": "GBK (gb18030)",
    "koi8-r": "KOI8-R",
    "latin-1": "ISO-8859-1",
    "utf-16-be": "UTF-16 (big-endian)",
    "utf-16-le": "UTF-16 (little-endian)",
}
CODECS = frozenset([*_GUESSES.values(), "latin-1", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9", "iso8859-15"])
"""Codecs that a locale or a setting may name: a line break is never part of another character."""

_COMMON = frozenset([*map(chr, range(128)), *"ÀÂÄÅÆÇÈÉÊËÍÎÏÑÓÔÖØÙÚÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüœŒ“”„‘’‚–—…€«»°©®·"])
"""ASCII, and what it is written with in Western Europe."""

_ESCAPED = re.compile("[\ud800-\udfff]")
_SYMBOLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\f\r"} | {0x7F: 0x2421}
_HIGH = re.compile(rb"[\x80-\xff]+")


class TextEncoding(NamedTuple):
    """An encoding by the name of Python's codec. `sure`: it is not a guess."""

    codec: str = "utf-8"
    sure: bool = True

    @property
    def note(self) -> str:
        """A remark about a file in this encoding; empty for UTF-8 without errors."""
        return self.about("the file")

    def about(self, what: str) -> str:
        """Return the note about something else."""
        if self.codec == "utf-8":
            odd = f"{what} has bytes that are not UTF-8, shown as \ufffd; the rest is taken for UTF-8"
            return "" if self.sure else odd
        if self.codec == "utf-8-sig":
            return f"{what} begins with a byte order mark"
        name = _NAMES.get(self.codec, self.codec.upper())
        return f"{what} is in {name}, not UTF-8" if self.sure else f"{what} is not UTF-8; guessed: {name}"


UTF_8 = TextEncoding()
MARKED_UTF_8 = TextEncoding("utf-8-sig")
BROKEN_UTF_8 = TextEncoding(sure=False)


def decode(content: bytes, codec: str) -> str:
    """Return the text of a content, so that `encode` makes the same bytes of it. UnicodeDecodeError only for UTF-16."""
    if codec.startswith("utf-16"):
        return content.decode(codec)
    text = _decoded(content, codec)
    if codec == "utf-8" or text.encode(codec, "surrogateescape") == content:
        return text
    # Some encodings have two codes for one character. A line with such a code is left as bytes.
    lines = ((line, _decoded(line, codec)) for line in content.split(b"\n"))
    return "\n".join(
        text if text.encode(codec, "surrogateescape") == line else line.decode("ascii", "surrogateescape")
        for line, text in lines
    )


def _decoded(content: bytes, codec: str) -> str:
    try:
        return content.decode(codec, "surrogateescape")
    except UnicodeDecodeError:  # an ASCII byte is part of what is wrong
        return content.decode("ascii", "surrogateescape")


def encode(text: str, codec: str) -> bytes:
    """Return the bytes of a text. UnicodeEncodeError if the encoding lacks a character of it."""
    return text.encode(codec) if codec.startswith("utf-16") else text.encode(codec, "surrogateescape")


def shown(text: str) -> str:
    """Return a decoded text as the model reads it, character by character: U+FFFD for a byte that is no text, symbols
    for control characters other than tabs, line breaks and form feeds."""
    return text if text.isprintable() else _ESCAPED.sub("\ufffd", text).translate(_SYMBOLS)


def missing(error: UnicodeEncodeError, codec: str) -> str:
    """Return which character an encoding lacks, and what to do."""
    line = error.object.count("\n", 0, error.start) + 1
    return (
        f"{_NAMES.get(codec, codec.upper())}, the encoding of the file, has no {error.object[error.start]!r} (line "
        f"{line}); use other characters, or convert the file to UTF-8 first, for example with `iconv`"
    )


def marked(content: bytes) -> TextEncoding | None:
    """Return the encoding that the byte order mark at the beginning says; None without one."""
    return next((TextEncoding(codec) for mark, codec in _MARKS if content.startswith(mark)), None)


class NoText(ValueError):
    """A content has NUL bytes and is not UTF-16."""


def evident(content: bytes) -> TextEncoding | None:
    """Return the encoding that the bytes leave no doubt about: that of a mark, UTF-16 or valid UTF-8; else None. Raises
    `NoText`."""
    mark = marked(content)
    if b"\0" in content[:PROBE] or (mark is not None and mark != UTF_8):
        codec = utf_16(content[:PROBE])
        if not codec or not _is_valid(content, codec):
            raise NoText
        return TextEncoding(codec)
    if content.isascii() or _is_valid(content, "utf-8"):
        return UTF_8
    return None if mark is None else BROKEN_UTF_8


def _is_valid(content: bytes, codec: str) -> bool:
    try:
        content.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def read_text(content: bytes, locale: str) -> tuple[str, TextEncoding]:
    """Return a content as `decode` does, without a mark, and its encoding, which may be guessed as `guess` does. Raises
    `NoText`."""
    encoding = evident(content) or guess(content, locale)
    return decode(content, encoding.codec).removeprefix("\ufeff"), encoding


def utf_16(start: bytes) -> str:
    """Return the codec of a file with NUL bytes that is UTF-16, from its first bytes; empty if it is no text.

    Without a mark, at least nine of ten characters must be ASCII, and there must be four.
    """
    found = marked(start)
    if found is not None:
        return found.codec if found.codec != "utf-8" and not start.startswith(codecs.BOM_UTF32_LE) else ""
    pairs = len(start) // 2
    for codec, zero, other in (("utf-16-le", start[1::2], start[::2]), ("utf-16-be", start[::2], start[1::2])):
        if pairs >= 4 and zero.count(0) * 10 >= pairs * 9 and not other.count(0):
            return codec
    return ""


def guess(content: bytes, locale: str) -> TextEncoding:
    """Return the encoding of a content that is not UTF-8: that of the locale if it can be, else what is most likely.

    A text with more of UTF-8 in it than of other bytes is UTF-8 with errors. Takes up to half a second.
    """
    text = content[: 16 * _SAMPLE].decode("utf-8", "surrogateescape")
    wrong = len(_ESCAPED.findall(text))
    right = sum(1 for each in text if each > "\x7f") - wrong
    if 2 * right >= wrong:  # a character has two bytes or more
        return BROKEN_UTF_8
    sample = _sample(content)
    with_locale = codec_of(locale)
    if with_locale in CODECS and _is_text(sample, with_locale):
        return TextEncoding(with_locale, sure=False)
    codec = _detected(sample)
    return TextEncoding(codec, sure=False) if codec and _is_text(sample, codec) else BROKEN_UTF_8


def codec_of(name: str) -> str:
    """Return how this module writes the name of an encoding; empty if Python does not know it."""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return {"iso8859-1": "latin-1", "gbk": "gb18030", "gb2312": "gb18030", "euc_kr": "cp949", "big5": "cp950"}.get(
        found, {"shift_jis": "cp932"}.get(found, found)
    )


def _detected(sample: bytes) -> str:
    import chardet  # noqa: PLC0415  50 ms, only a text that is not UTF-8 needs it

    # Words of other scripts consist of such bytes; between ASCII letters, one alone is an accented letter.
    runs = _HIGH.findall(sample)
    accents = sum(len(run) for run in runs) * 2 <= len(runs) * 3
    if accents and not set(_decoded(sample, "cp1252")) - _COMMON:
        return "cp1252"
    allowed = _WESTERN if accents else _GUESSES
    found = chardet.detect(sample, include_encodings=[*allowed], compat_names=False)["encoding"]
    return _GUESSES.get(str(found).lower(), "")


def _sample(content: bytes) -> bytes:
    """Return the first lines that are not ASCII."""
    if len(content) <= _SAMPLE:
        return content
    lines: list[bytes] = []
    room = _SAMPLE
    at = 0
    while room > 0 and (found := _HIGH.search(content, at)) is not None:
        start = max(content.rfind(b"\n", 0, found.start()) + 1, at)
        end = content.find(b"\n", found.end())
        at = len(content) if end < 0 else end + 1
        lines.append(content[start : min(at, start + room)])
        room -= len(lines[-1])
    return b"".join(lines)


def _is_text(sample: bytes, codec: str) -> bool:
    """Whether nearly all of a sample is text in an encoding."""
    text = _decoded(sample, codec)
    return len(_ESCAPED.findall(text)) * 50 <= len(_HIGH.findall(sample))
