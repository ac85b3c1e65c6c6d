"""`ObjectStore`: contents of files by their hash, in the format of git's loose objects, which git reads and writes too.

A content is the file `objects/<2 digits>/<62 digits>`: zlib of `blob <size>\\0` and the bytes. Its id is the SHA-256 of
that text (git: `gitformat-hash-function-transition`).
"""

import os
import re

from zot_core.errors import CheckpointError
from zot_provider.files.private_folder import make_private
from zot_provider.files.replace_file import replace_file

_ID = r"[0-9a-f]{64}"


class ObjectStore:
    """Reads and writes contents below the folder `objects` of a store."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, "objects")

    def put(self, data: bytes) -> str:
        """Store a content and return its id. Raises OSError."""
        content = b"blob %d\0" % len(data) + data
        id = _hash(content)
        path = self._path(id)
        try:
            os.utime(path)  # in use again: see `prune`
        except FileNotFoundError:
            import zlib  # noqa: PLC0415  not for a command that changes nothing

            make_private(os.path.dirname(path))
            replace_file(path, zlib.compress(content, 1), mode=0o400)
        return id

    def has(self, id: str) -> bool:
        return re.fullmatch(_ID, id) is not None and os.path.exists(self._path(id))

    def get(self, id: str) -> bytes:
        """Return a content. Raises `CheckpointError` if it is missing or damaged."""
        import zlib  # noqa: PLC0415  as above

        try:
            with open(self._path(id), "rb") as file:
                content = zlib.decompress(file.read())
        except (OSError, zlib.error):
            content = b""
        if _hash(content) != id:
            raise CheckpointError("its content is no longer stored")
        return content[content.index(b"\0") + 1 :]

    def _path(self, id: str) -> str:
        return os.path.join(self._folder, id[:2], id[2:])


def object_id(data: bytes) -> str:
    """Return the id of a content, which need not be stored."""
    return _hash(b"blob %d\0" % len(data) + data)


def _hash(content: bytes) -> str:
    import hashlib  # noqa: PLC0415  OpenSSL: 2 ms, not for a command that changes nothing

    return hashlib.sha256(content).hexdigest()
