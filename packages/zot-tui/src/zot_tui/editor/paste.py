"""`Pastes`: pasted text and dropped files as chips, short words in the buffer that represent longer content; pure.

A chip is plain text in brackets, such as `[pasted 120 lines #1]` or `[image:cat.png]`, so the buffer needs no special
support. Its content is kept here until the text is sent.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.text.width import clip

ChipKind: TypeAlias = Literal["text", "file", "dir", "image"]
PathKind: TypeAlias = Literal["file", "dir", "image"]

LINES = 10
CHARACTERS = 1000
DROPPED_CHARACTERS = 8192  # longest paste that may be dropped paths
NAME_CELLS = 40

_CHIP = re.compile(r"\[(?:pasted|file|dir|image)[^\[\]\n]{1,200}\]")
_WORD = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+""", re.DOTALL)
_PIECE = re.compile(r"""'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)|([^'"\\]+)""", re.DOTALL)
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


@dataclass(slots=True)
class Chip:
    """The content of a chip: `content` is the pasted text, or the path of what was dropped."""

    kind: ChipKind
    label: str
    content: str


@dataclass(slots=True)
class ChipSpan:
    """A chip in a text, from offset `start` to `end`."""

    start: int
    end: int
    chip: Chip


def path_kind(path: str) -> PathKind | None:
    """Return what exists at `path` on this machine, or None. Images are recognised by their names."""
    try:
        if os.path.isdir(path):
            return "dir"
        if os.path.isfile(path):
            return "image" if path.lower().endswith(_IMAGES) else "file"
    except ValueError:  # a null character
        return None
    return None


class Pastes:
    """The chips of one buffer. Pastes of more than `lines` lines or `characters` characters become a chip."""

    def __init__(
        self, lines: int = LINES, characters: int = CHARACTERS, kind: Callable[[str], PathKind | None] = path_kind
    ) -> None:
        self._lines = lines
        self._characters = characters
        self._kind = kind
        self._chips: dict[str, Chip] = {}
        self._count = 0

    def collapse(self, text: str) -> str:
        """Return what to insert into the buffer for a paste of `text`.

        That is chips for dropped paths, a chip for a long text, else the text without control characters. The content
        of a chip is unchanged except for line breaks, which become `\\n`.
        """
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        paths = dropped_paths(text)
        kinds = [(path, self._kind(path)) for path in paths]
        if kinds and all(kind for _, kind in kinds):
            return "".join(f"{self._path_chip(path, kind)} " for path, kind in kinds if kind)
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines <= self._lines and len(text) <= self._characters:
            return sanitize(text)
        self._count += 1
        amount = f"{lines} lines" if lines > 1 else f"{len(text)} characters"
        return self._keep(Chip("text", f"[pasted {amount} #{self._count}]", text))

    def find(self, text: str) -> list[ChipSpan]:
        """Return the chips in `text`, in order."""
        return [ChipSpan(each.start(), each.end(), self._chips[each[0]]) for each in self._matches(text)]

    def expand(self, text: str) -> str:
        """Return `text` with every chip replaced by its content: pasted text or a path."""
        parts: list[str] = []
        end = 0
        for found in self._matches(text):
            parts += (text[end : found.start()], self._chips[found[0]].content)
            end = found.end()
        return "".join((*parts, text[end:]))

    def clear(self) -> None:
        """Forget all chips: the text was sent."""
        self._chips.clear()
        self._count = 0

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        return (found for found in _CHIP.finditer(text) if found[0] in self._chips)

    def _path_chip(self, path: str, kind: PathKind) -> str:
        name = os.path.basename(path.rstrip("/")) or path
        name = clip(sanitize_line(name).translate({ord("["): "(", ord("]"): ")"}), NAME_CELLS)
        slash = "/" if kind == "dir" and not name.endswith("/") else ""
        label = f"[{kind}:{name}{slash}]"
        number = 2
        while label in self._chips and self._chips[label].content != path:
            label = f"[{kind}:{name}{slash} #{number}]"
            number += 1
        return self._keep(Chip(kind, label, path))

    def _keep(self, chip: Chip) -> str:
        self._chips[chip.label] = chip
        return chip.label


def dropped_paths(text: str) -> list[str]:
    """Return the paths in `text` if it consists only of absolute paths, as terminals insert dropped files.

    They may be quoted, have escaped spaces, or be `file:` URLs, separated by spaces or line breaks. Empty for any other
    text. The paths need not exist.
    """
    text = text.strip()
    if not text or len(text) > DROPPED_CHARACTERS or text[0] not in "/~'\"f\\":
        return []
    lines = text.split("\n")
    if all(line.startswith("/") and not re.search(r"['\"\\]", line) for line in lines) and "\\ " not in text:
        whole = [line.strip() for line in lines]
        if len(whole) > 1 or " " not in text:
            return whole
    words = _WORD.findall(text)
    if _WORD.sub("", text).strip():
        return []  # an unclosed quote
    paths = [_path(_unquoted(word)) for word in words]
    return [path for path in paths if path] if all(paths) else []


def _unquoted(word: str) -> str:
    """Return a word as a shell reads it."""
    pieces = []
    for single, double, escaped, plain in _PIECE.findall(word):
        pieces.append(single + re.sub(r'\\(["\\$`])', r"\1", double) + escaped + plain)
    return "".join(pieces)


def _path(word: str) -> str:
    """Return the absolute path in a word; empty if it has none."""
    if word.startswith("file://"):
        try:
            address = urlsplit(word)
        except ValueError:
            return ""
        return unquote(address.path) if address.netloc in ("", "localhost") else ""
    if word.startswith("~/"):
        return os.path.expanduser(word)
    return word if word.startswith("/") else ""
