"""Which encoding a file has: what it says itself, what `.editorconfig` says, what the locale says, or a guess."""

import asyncio
import codecs
import locale
import os
import re

from zot_core.errors import ToolError
from zot_core.machine.interface import Files
from zot_core.tools.text.encoding import CODECS, PROBE, UTF_8, NoText, TextEncoding, codec_of, evident, guess

LARGEST = 8 * 1024 * 1024
"""Most bytes of a file whose encoding is looked for, and that can be edited: it takes several times as much memory."""
_CONFIG_BYTES = 64 * 1024
_MOST_CONFIGS = 20
"""Folders above a file in which its settings are looked for."""
_CHARSETS = {"latin1": "latin-1", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be", "utf-8-bom": "utf-8-sig"}
_OF_NEW_FILES = ("utf-16-le", "utf-16-be", "utf-8-sig")
"""Values of `charset` in `.editorconfig` besides UTF-8 (https://editorconfig.org), and the codec. Some editors take
the name of any encoding."""
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")
_ROW = re.compile(r"([^\s=:]+)\s*[=:]\s*(\S+)")


async def file_encoding(content: bytes, path: str, target: str, files: Files, added: str = "") -> TextEncoding:
    """Return the encoding of the file `target`, which has this content, to which a text may be added.

    Raises ToolError for a file with NUL bytes that is not UTF-16, and if more than ASCII is added to ISO-2022-JP, where
    the same bytes may be other characters. `path` is what the model calls the file.
    """
    try:
        found = evident(content)
    except NoText:
        raise ToolError(f"{path} looks binary; it cannot be read as text") from None
    if found == UTF_8 and not added.isascii() and _ISO_2022_JP.search(content):
        raise ToolError(f"{path} is in ISO-2022-JP; convert it to UTF-8 first, for example with `iconv`")
    if found is not None and (found != UTF_8 or not content.isascii() or (content and added.isascii())):
        return found
    named = await _charset(target, files)
    charset = _CHARSETS.get(named) or codec_of(named)
    if charset in CODECS or (charset in _OF_NEW_FILES and not content):
        return TextEncoding(charset)
    if found is not None:
        return found
    return await asyncio.to_thread(guess, content, codec_of(locale.getencoding()))


class Utf8Check:
    """Whether a content that arrives in pieces is UTF-8 text without NUL bytes at its beginning."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._size = 0
        self._valid = True

    @property
    def value(self) -> bool:
        """Whether it was so far; an unfinished character at the end does not count as one."""
        return self._valid and not self._decoder.getstate()[0]

    def feed(self, piece: bytes) -> None:
        if not self._valid:
            return
        try:
            self._decoder.decode(piece)
        except UnicodeDecodeError:
            self._valid = False
        if self._size < PROBE and b"\0" in piece[: PROBE - self._size]:
            self._valid = False
        self._size += len(piece)


async def _charset(target: str, files: Files) -> str:
    """Return what the nearest `.editorconfig` that names a charset for the file says, in lower case."""
    folder = os.path.dirname(target)
    for _ in range(_MOST_CONFIGS):
        try:
            text = (await files.read(os.path.join(folder, ".editorconfig"), _CONFIG_BYTES)).decode()
        except (OSError, ValueError):
            text = ""
        root, charset = _settings(text, os.path.relpath(target, folder)) if text else (False, "")
        parent = os.path.dirname(folder)
        if charset or root or parent == folder:
            return charset
        folder = parent
    return ""


def _settings(text: str, path: str) -> tuple[bool, str]:
    """Return whether a file of settings is the topmost one, and the last charset that it names for a path."""
    from zot_core.tools.search.globs import Glob  # noqa: PLC0415  only text that is not UTF-8 needs it

    root, charset, section, applies = False, "", False, True
    for line in text.splitlines():
        row = line.strip()
        if row.startswith("[") and row.endswith("]"):
            section = True
            try:
                applies = Glob(row[1:-1]).matches(path)
            except ValueError:
                applies = False
        elif (found := _ROW.match(row)) is not None and not row.startswith(("#", ";")):
            name, value = found[1].lower(), found[2].lower()
            root = root or (not section and name == "root" and value == "true")
            charset = value if section and applies and name == "charset" else charset
    return root, charset
