"""`LocalFiles`: the files of this machine.

Small operations run on the event loop, where they cost less than switching to a thread; large ones run in a thread.
"""

import asyncio
import errno
import io
import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Literal

from zot_core.machine.interface import FileInfo
from zot_provider.files.regular_file import open_regular, read_start
from zot_provider.files.replace_file import NO_RIGHTS_OF_ITS_OWN, replace_file, write_all

THREAD_BYTES = 1024 * 1024
"""More bytes than this are read and written in a thread."""
_PIECE_BYTES = 256 * 1024
THREAD_ENTRIES = 500
"""More entries of a folder than this are read in a thread."""

CANNOT_REPLACE = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV, errno.EROFS)
"""Errors of a replacement after which writing in place may still work: a folder without write permission, a file that
is a mount point (as in containers)."""


class LocalFiles:
    """`Files` of this machine, without any restriction to folders. Only regular files are read and written."""

    direct = True

    async def stat(self, path: str) -> FileInfo:
        """Return what is at the path; links are followed."""
        return file_info(os.stat(path))

    async def read(self, path: str, limit: int | None = None) -> bytes:
        """Return the content, or its first `limit` bytes."""
        size = os.stat(path).st_size
        limit = sys.maxsize if limit is None else limit
        if min(size, limit) > THREAD_BYTES:
            return await asyncio.to_thread(read_start, path, limit)
        return read_start(path, limit)

    async def chunks(self, path: str) -> AsyncIterator[bytes]:
        """Yield the content in pieces of 256 KiB."""
        with open(path, "rb", buffering=0, opener=open_regular) as file:
            async for piece in pieces(file):
                yield piece

    async def write(self, path: str, data: bytes) -> None:
        """Replace the content atomically; parent directories are created, links followed, permission bits kept."""
        if len(data) > THREAD_BYTES:
            await asyncio.to_thread(write_file, path, data)
        else:
            write_file(path, data)

    async def list(
        self, path: str, *, follow: bool = True
    ) -> list[tuple[str, Literal["file", "directory", "link", "other"]]]:
        """Return names and kinds of a directory's entries, sorted by name; a link has the kind of its target if
        `follow`, otherwise it is a "link"."""
        with os.scandir(path) as entries:
            found = [(entry.name, _entry_kind(entry, follow=follow)) for entry in islice(entries, THREAD_ENTRIES)]
            if len(found) == THREAD_ENTRIES:
                return await asyncio.to_thread(_list_rest, found, entries, follow=follow)
        return sorted(found)

    async def real(self, path: str) -> str:
        """Return the path without links; a cycle of links is followed as far as possible."""
        return os.path.realpath(path)


def file_info(status: os.stat_result) -> FileInfo:
    """Return the facts of a status."""
    return FileInfo(_kind(status.st_mode), status.st_size, stat.S_IMODE(status.st_mode))


async def pieces(file: io.FileIO) -> AsyncIterator[bytes]:
    """Yield what is in a file, in pieces of 256 KiB."""
    in_thread = os.fstat(file.fileno()).st_size > THREAD_BYTES
    while piece := await asyncio.to_thread(file.read, _PIECE_BYTES) if in_thread else file.read(_PIECE_BYTES):
        yield piece


def _kind(mode: int) -> Literal["file", "directory", "other"]:
    return "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other"


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
    except OSError:  # a cycle of links
        return "other"


def write_file(path: str, data: bytes) -> None:
    """Do what `LocalFiles.write` does."""
    target = os.path.realpath(path)
    try:
        old = os.stat(target)
    except FileNotFoundError:
        old = None
        os.makedirs(os.path.dirname(target), exist_ok=True)
    if old is not None:
        _refuse_unwritable(target, old.st_mode)
        if old.st_nlink > 1:  # a replacement would leave the other hard links with the old content
            _write_in_place(target, data)
            return
    try:
        replace_file(target, data)
    except OSError as error:
        if old is None or error.errno not in CANNOT_REPLACE:
            raise
        _write_in_place(target, data)


def _write_in_place(target: str, data: bytes) -> None:
    with open(target, "wb", buffering=0, opener=open_regular) as file:
        write_all(file.fileno(), data)
        # The kernel does this too, but not for root.
        if (mode := os.fstat(file.fileno()).st_mode) & ~NO_RIGHTS_OF_ITS_OWN and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), stat.S_IMODE(mode) & NO_RIGHTS_OF_ITS_OWN)


def _refuse_unwritable(target: str, mode: int) -> None:
    """Check the permission of the file itself: a replacement only needs the permission of the folder."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", target)
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
