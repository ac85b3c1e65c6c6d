"""`SeenFiles`: what the files were like when the model last read or wrote them.

It follows from the conversation, so that it is right after resuming and going back: a result that shows or changes a
file has a `Sight` of it, which the session stores with the result, and a prompt has the text of each file that was
attached to it.
"""

import os
from binascii import crc32
from collections.abc import Iterable

from zot_core.machine.interface import Files, expand_home
from zot_core.result import SEEN, Sight, read_sight
from zot_core.tools.definition.attached_files import TEXT_LIMIT, attached_files, file_text
from zot_provider.messages import Message, ToolResultBlock

_MOST = 2000
"""Files that are remembered, and attached files."""


class Fingerprint:
    """Tells contents apart: their length and a checksum, which is no protection against intent."""

    def __init__(self) -> None:
        self._size = self._sum = 0

    def feed(self, piece: bytes) -> None:
        self._size += len(piece)
        self._sum = crc32(piece, self._sum)

    @property
    def value(self) -> tuple[int, int]:
        """The fingerprint of the content so far."""
        return self._size, self._sum


class SeenFiles:
    """The fingerprints of the files that the model knows, by real path. What a call shows counts from the next answer
    on: a call of the same answer was written before the model could read it."""

    def __init__(self, machine: str = "") -> None:
        """`machine` is that of a `Sight`."""
        self._machine = machine
        self._known: dict[str, tuple[int, int]] = {}
        self._attached: dict[str, tuple[int, int]] = {}

    def follow(self, messages: Iterable[Message], cwd: str = "") -> None:
        """Take note of what the model has read; files that were attached to a prompt are below `cwd`."""
        for message in messages:
            if message.role == "user" and not self._machine:
                for name, text in attached_files(message.text):
                    _put(self._attached, os.path.normpath(os.path.join(cwd, expand_home(name, ""))), _print(text))
            for block in message.content if message.role == "tool" else ():
                if isinstance(block, ToolResultBlock) and block.details:
                    sight = read_sight(block.details.get(SEEN))
                    if sight is not None:
                        self.take(sight)

    def take(self, sight: Sight) -> None:
        """Take note of what the model has read."""
        path = sight.path
        if sight.machine == self._machine and sight.before in (None, self._known.get(path)):
            _put(self._known, path, sight.content)

    def shown(self, path: str, content: tuple[int, int]) -> Sight:
        """Return the sight of a content that the model is about to read."""
        return Sight(path, content, machine=self._machine)

    def changed(self, path: str, content: bytes, before: bytes | None = None) -> Sight:
        """Take note of what the model has written, all of it or, with `before`, a part, and return its sight."""
        old = None if before is None else fingerprint(before)
        sight = Sight(path, fingerprint(content), old, self._machine)
        self.take(sight)
        return sight

    async def differs(self, path: str, named: str, files: Files) -> bool:
        """Whether a file that the model has seen has another content now. `named` is its path with links."""
        known, attached = self._known.get(path), self._attached.get(named)
        if known is None and attached is None:
            return False
        now = await _content(path, files)
        return now not in (None, known) and (attached is None or attached != await _text(path, files))

    async def unknown(self, path: str, named: str, files: Files) -> Sight | None:
        """Return the sight of a file that has a content and that the model has never seen; None for any other."""
        if path in self._known or named in self._attached:
            return None
        content = await _content(path, files)
        return self.shown(path, content) if content is not None and content[0] else None

    def clear(self) -> None:
        self._known.clear()
        self._attached.clear()


def _put(contents: dict[str, tuple[int, int]], path: str, content: tuple[int, int]) -> None:
    contents.pop(path, None)
    contents[path] = content
    if len(contents) > _MOST:
        del contents[next(iter(contents))]


async def _content(path: str, files: Files) -> tuple[int, int] | None:
    """Return the fingerprint of a file; None if it cannot be read."""
    whole = Fingerprint()
    try:
        async for piece in files.chunks(path):
            whole.feed(piece)
    except OSError:
        return None
    return whole.value


async def _text(path: str, files: Files) -> tuple[int, int] | None:
    """Return the fingerprint of a file as prompts have it; None if they cannot."""
    try:
        return _print(file_text(await files.read(path, TEXT_LIMIT + 1))[0])
    except (OSError, ValueError):  # it cannot be read, or is no text
        return None


def _print(text: str) -> tuple[int, int]:
    return fingerprint(text.encode("utf-8", "replace"))


def fingerprint(content: bytes) -> tuple[int, int]:
    whole = Fingerprint()
    whole.feed(content)
    return whole.value
