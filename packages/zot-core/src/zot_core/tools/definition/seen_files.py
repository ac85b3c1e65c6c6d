"""`SeenFiles`: what the files were like when the model last read or wrote them."""

from binascii import crc32

from zot_core.machine.interface import Files

_MOST = 2000
"""Files that are remembered."""


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
    """The fingerprints of the files that the model knows, by real path."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int]] = {}

    def note(self, path: str, fingerprint: tuple[int, int]) -> None:
        """Remember the content that the model has read or written."""
        self._known.pop(path, None)
        self._known[path] = fingerprint
        if len(self._known) > _MOST:
            del self._known[next(iter(self._known))]

    def edited(self, path: str, old: bytes, new: bytes) -> None:
        """Follow a change of a part; of a content that the model does not know, it still does not know the rest."""
        if self._known.get(path) == fingerprint(old):
            self.note(path, fingerprint(new))

    async def differs(self, path: str, files: Files) -> bool:
        """Whether a file that the model has seen has another content now."""
        known = self._known.get(path)
        if known is None:
            return False
        now = Fingerprint()
        try:
            async for piece in files.chunks(path):
                now.feed(piece)
        except OSError:
            return False
        return now.value != known

    async def is_new(self, path: str, files: Files) -> bool:
        """Whether the model has never seen a file that has a content. Of the same content it is false the next time."""
        if path in self._known:
            return False
        content = Fingerprint()
        try:
            async for piece in files.chunks(path):
                content.feed(piece)
        except OSError:
            return False
        if content.value[0]:
            self.note(path, content.value)
        return bool(content.value[0])

    def clear(self) -> None:
        self._known.clear()


def fingerprint(content: bytes) -> tuple[int, int]:
    whole = Fingerprint()
    whole.feed(content)
    return whole.value
