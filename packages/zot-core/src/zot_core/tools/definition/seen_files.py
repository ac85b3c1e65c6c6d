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
    """The fingerprints of the files that the model knows, by real path. What a call shows counts from the next answer
    on: a call of the same answer was written before the model could read it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int]] = {}
        self._coming: dict[str, tuple[int, int]] = {}

    def next_answer(self) -> None:
        """The model has read the results of all earlier calls."""
        for path, shown in self._coming.items():
            self._remember(path, shown)
        self._coming.clear()

    def show(self, path: str, fingerprint: tuple[int, int]) -> None:
        """Remember a content that the model is about to read."""
        self._coming[path] = fingerprint

    def note(self, path: str, fingerprint: tuple[int, int]) -> None:
        """Remember the content that the model has written."""
        self._coming.pop(path, None)
        self._remember(path, fingerprint)

    def _remember(self, path: str, fingerprint: tuple[int, int]) -> None:
        self._known.pop(path, None)
        self._known[path] = fingerprint
        if len(self._known) > _MOST:
            del self._known[next(iter(self._known))]

    def edited(self, path: str, old: bytes, new: bytes) -> None:
        """Follow a change of a part; of a content that the model does not know, it still does not know the rest."""
        for each in (self._known, self._coming):
            if each.get(path) == fingerprint(old):
                each[path] = fingerprint(new)

    async def differs(self, path: str, files: Files) -> bool:
        """Whether a file that the model has seen has another content now."""
        known = self._known.get(path)
        if known is None:
            return False
        now = await _content(path, files)
        return now is not None and now != known

    async def is_new(self, path: str, files: Files) -> bool:
        """Whether the model has never seen a file that has a content. Of the same content it is false from the next
        answer on."""
        if path in self._known:
            return False
        content = await _content(path, files)
        if content is None or not content[0]:
            return False
        self.show(path, content)
        return True

    def clear(self) -> None:
        self._known.clear()
        self._coming.clear()


async def _content(path: str, files: Files) -> tuple[int, int] | None:
    """Return the fingerprint of a file; None if it cannot be read."""
    whole = Fingerprint()
    try:
        async for piece in files.chunks(path):
            whole.feed(piece)
    except OSError:
        return None
    return whole.value


def fingerprint(content: bytes) -> tuple[int, int]:
    whole = Fingerprint()
    whole.feed(content)
    return whole.value
