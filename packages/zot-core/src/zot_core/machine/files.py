"""`LocalFiles`: the files of this machine.

Small operations are done on the event loop, where they cost less than the way to a thread; big ones in a thread.
"""

import asyncio
import errno
import os
import stat
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Literal

from zot_core.machine.interface import FileInfo
from zot_core.machine.replace_file import replace_file, write_all

_BIG = 1024 * 1024
_PIECE = 256 * 1024
_MANY = 500

# What refuses a replacement but may allow writing in place: a folder without write permission, a file that is a
# mount point of its own (as in containers).
_NO_REPLACING = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV, errno.EROFS)


class LocalFiles:
    """`Files` of this machine, without any limit on where."""

    async def stat(self, path: str) -> FileInfo:
        """What is at the path, links followed."""
        found = os.stat(path)
        return FileInfo(_kind(found.st_mode), found.st_size, stat.S_IMODE(found.st_mode))

    async def read(self, path: str, limit: int | None = None) -> bytes:
        """The content, or its first `limit` bytes."""
        size = os.stat(path).st_size
        if min(size, size if limit is None else limit) > _BIG:
            return await asyncio.to_thread(_read, path, limit)
        return _read(path, limit)

    async def chunks(self, path: str) -> AsyncIterator[bytes]:
        """The content in pieces of 256 KiB."""
        with open(path, "rb", buffering=0) as file:
            in_thread = os.fstat(file.fileno()).st_size > _BIG
            while piece := await asyncio.to_thread(file.read, _PIECE) if in_thread else file.read(_PIECE):
                yield piece

    async def write(self, path: str, data: bytes) -> None:
        """Replace the content atomically, parent directories created, links followed, permission bits kept."""
        if len(data) > _BIG:
            await asyncio.to_thread(_write, path, data)
        else:
            _write(path, data)

    async def list(
        self, path: str, *, follow: bool = True
    ) -> list[tuple[str, Literal["file", "directory", "link", "other"]]]:
        """Names and kinds of a directory's entries, sorted by name; a link is what it leads to, or a "link"."""
        with os.scandir(path) as entries:
            found = [(entry.name, _entry_kind(entry, follow=follow)) for entry in islice(entries, _MANY)]
            if len(found) == _MANY:
                return await asyncio.to_thread(_list_rest, found, entries, follow=follow)
        return sorted(found)

    async def real(self, path: str) -> str:
        """The path without links; of a circle of links as much as can be followed."""
        return os.path.realpath(path)


def _kind(mode: int) -> Literal["file", "directory", "other"]:
    return "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other"


def _read(path: str, limit: int | None) -> bytes:
    with open(path, "rb", buffering=0) as file:
        if limit is None:
            return file.readall()
        parts = []
        while limit > 0 and (part := file.read(limit)):
            parts.append(part)
            limit -= len(part)
        return b"".join(parts)


def _list_rest(
    found: list[tuple[str, Literal["file", "directory", "link", "other"]]],
    entries: Iterator[os.DirEntry[str]],
    *,
    follow: bool,
) -> list[tuple[str, Literal["file", "directory", "link", "other"]]]:
    found += [(entry.name, _entry_kind(entry, follow=follow)) for entry in entries]
    return sorted(found)


def _entry_kind(entry: os.DirEntry[str], *, follow: bool) -> Literal["file", "directory", "link", "other"]:
    try:
        if not follow and entry.is_symlink():
            return "link"
        return "directory" if entry.is_dir() else "file" if entry.is_file() else "other"
    except OSError:  # a link in a circle
        return "other"


def _write(path: str, data: bytes) -> None:
    target = os.path.realpath(path)
    try:
        old = os.stat(target)
    except FileNotFoundError:
        old = None
        os.makedirs(os.path.dirname(target), exist_ok=True)
    if old is not None:
        _refuse_unwritable(target, old.st_mode)
    try:
        replace_file(target, data)
    except OSError as error:
        if old is None or error.errno not in _NO_REPLACING:
            raise
        with open(target, "wb", buffering=0) as file:
            write_all(file.fileno(), data)


def _refuse_unwritable(target: str, mode: int) -> None:
    """A replacement asks the folder, not the file, for permission: ask the file here."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", target)
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
