"""`SeenFiles`: what the files were like when the model last read or wrote them.

It follows from the conversation, so that it is right after resuming and going back: a result that shows or changes a
file has a `Sight` of it, which the session stores with the result, a prompt has the text of each file that was
attached to it, and the summary of a compaction has the sights of what it replaces.
"""

import os
from binascii import crc32
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from zot_core.machine.interface import Files, expand_home
from zot_core.result import SEEN, Sight, kept_values, read_sight
from zot_core.tools.definition.attached_files import TEXT_LIMIT, attached_files, file_text
from zot_provider.messages import Message, ToolResultBlock

_MOST, _KEPT = 2000, 200
"""How many files are remembered, and how many over a compaction."""


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
    """The contents of the files that the model knows, by machine and real path. What a call shows counts from the next
    answer on: a call of the same answer was written before the model could read it."""

    def __init__(self, machine: str = "") -> None:
        """`machine` is that of a `Sight`."""
        self._machine = machine
        self._known: dict[tuple[str, str], Sight] = {}

    async def follow(self, messages: Iterable[Message], cwd: str = "", files: Files | None = None) -> None:
        """Take note of what the model has read; the files that were attached to a prompt are among the `files` of this
        machine, below `cwd`."""
        for message in messages:
            for value in stored if isinstance(stored := kept_values(message).get(SEEN), list) else ():
                self._take_stored(value)
            if message.role == "user" and files is not None:
                for name, text in attached_files(message.text):
                    path = os.path.normpath(os.path.join(cwd, expand_home(name, "")))
                    with suppress(OSError, ValueError):
                        path = await files.real(path)
                    self.take(Sight(path, _print(text), text=True))
            for block in message.content if message.role == "tool" else ():
                if isinstance(block, ToolResultBlock) and block.details:
                    self._take_stored(block.details.get(SEEN))

    def stored(self) -> list[dict[str, Any]]:
        """Return what the model knows of the last files, for `kept_values` of a summary."""
        return [sight.stored() for sight in [*self._known.values()][-_KEPT:]]

    def take(self, sight: Sight) -> None:
        """Take note of what the model has read."""
        key = sight.machine, sight.path
        known = self._known.pop(key, None)
        if sight.before is None or (known is not None and not known.text and known.content == sight.before):
            self._known[key] = sight.replace(before=None)
            if len(self._known) > _MOST:
                del self._known[next(iter(self._known))]
        elif known is not None and not known.text:  # it knows a later content
            self._known[key] = known

    def _take_stored(self, value: object) -> None:
        if (sight := read_sight(value)) is not None:
            self.take(sight)

    def shown(self, path: str, content: tuple[int, int]) -> Sight:
        """Return the sight of a content that the model is about to read."""
        return Sight(path, content, machine=self._machine)

    def changed(self, path: str, content: bytes, before: bytes | None = None) -> Sight:
        """Take note of what the model has written, all of it or, with `before`, a part, and return its sight."""
        old = None if before is None else fingerprint(before)
        sight = Sight(path, fingerprint(content), old, self._machine)
        self.take(sight)
        return sight

    async def differs(self, path: str, files: Files) -> bool:
        """Whether a file that the model has seen has another content now."""
        known = self._known.get((self._machine, path))
        now = None if known is None else await _content(path, files)
        if known is None or now is None:
            return False
        return known.content != (await _text(path, files) if known.text else now)

    async def unknown(self, path: str, files: Files) -> Sight | None:
        """Return the sight of a file that has a content and that the model has never seen; None for any other."""
        content = None if (self._machine, path) in self._known else await _content(path, files)
        return self.shown(path, content) if content is not None and content[0] else None

    def clear(self) -> None:
        self._known.clear()


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
