"""`SandboxedFiles`: the files of this machine that a policy allows.

A path is opened first, and what was opened is judged: its real path comes from the kernel, not from another look at the
path, so a link that is exchanged meanwhile changes nothing. Reading then continues from what is open, and a write makes
a file in the folder that is open and renames it there.
"""

import asyncio
import builtins
import ctypes
import errno
import functools
import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Literal

from zot_core.machine.files import THREAD_BYTES, THREAD_ENTRIES, LocalFiles, file_info, pieces
from zot_core.machine.interface import FileInfo
from zot_core.sandbox.policy import TEMPORARY, SandboxPolicy
from zot_provider.files.regular_file import check_regular
from zot_provider.files.replace_file import replace_file

_LINKS = 40
"""Most links that are followed for a path, as Linux does."""
_PATH = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
_PROCESSES = "/proc/"
"""Where every process has a folder, this one too, with its variables. The inside has a `/proc` of its own."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OPENAT2, _NO_MAGIC_LINKS, _AT_FDCWD = 437, 0x02, -100


class OutsideSandbox(OSError):
    """The policy does not allow an access; `strerror` says so."""


class OpenPath:
    """Something that is open: a descriptor, and its real path as the kernel knows it."""

    def __init__(self, descriptor: int, path: str) -> None:
        self.descriptor, self.path = descriptor, path


@contextmanager
def open_path(path: str, *, walk: bool = False) -> Iterator[OpenPath]:
    """Open what an absolute path leads to, only to look at it. Links are followed, links of `/proc` as the text that
    they have. Raises OSError. With `walk` it opens one part of the path after the other, as systems without `openat2`
    need it."""
    if "\0" in path:  # the kernel would read what is before it
        raise ValueError("embedded null byte")
    opened = None if walk or not has_openat2() else _by_kernel(path)
    opened = opened or _by_steps(path)
    try:
        yield opened
    finally:
        os.close(opened.descriptor)


class _OpenHow(ctypes.Structure):
    """`struct open_how` of `linux/openat2.h`."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def _openat2(path: str) -> int:
    """Return a descriptor. Raises OSError."""
    how = _OpenHow(_PATH | os.O_CLOEXEC, 0, _NO_MAGIC_LINKS)
    found = _system_call()(
        _OPENAT2, _AT_FDCWD, ctypes.c_char_p(os.fsencode(path)), ctypes.byref(how), ctypes.sizeof(how)
    )
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return int(found)


@functools.cache
def _system_call() -> "ctypes._NamedFuncPointer":
    return ctypes.CDLL(None, use_errno=True).syscall


@functools.cache
def has_openat2() -> bool:
    """Whether the kernel has `openat2` (5.6) and the paths of what is open."""
    if sys.platform != "linux":
        return False
    try:
        descriptor = _openat2("/")
    except OSError:
        return False
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}") == "/"
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _by_kernel(path: str) -> OpenPath | None:
    """Return what is at a path; None where a magic link is on the way, whose text has to be followed."""
    try:
        descriptor = _openat2(path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise
    try:
        real = os.readlink(f"/proc/self/fd/{descriptor}")
        if real.endswith(" (deleted)") and not os.fstat(descriptor).st_nlink:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return OpenPath(descriptor, real)
    except BaseException:
        os.close(descriptor)
        raise


def _by_steps(path: str) -> OpenPath:
    """Open one part of a path after the other, none of which is a link when it is opened."""
    waiting = _parts(path)
    opened: list[tuple[str, int]] = [("", os.open("/", _PATH | os.O_CLOEXEC))]
    links = 0
    try:
        while waiting:
            name = waiting.pop()
            if name == "..":
                if len(opened) > 1:
                    os.close(opened.pop()[1])
                continue
            target = _link(name, opened[-1][1])
            if target is None:
                opened.append((name, os.open(name, _PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=opened[-1][1])))
                continue
            links += 1
            if links > _LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            waiting += _parts(target)
            if target.startswith("/"):
                for _, descriptor in opened[1:]:
                    os.close(descriptor)
                del opened[1:]
        real = "/".join(name for name, _ in opened) or "/"
        if stat.S_ISLNK(os.fstat(opened[-1][1]).st_mode):  # it became a link just now
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        return OpenPath(opened.pop()[1], real)
    finally:
        for _, descriptor in opened:
            os.close(descriptor)


def _parts(path: str) -> list[str]:
    """Return the parts of a path, the first one last."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


def _link(name: str, folder: int) -> str | None:
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.EINVAL:  # no link
            return None
        raise


class SandboxedFiles(LocalFiles):
    """`Files` of this machine that obey a policy.

    A file with several hard links is replaced, so that the others keep the old content: one of them may be outside.
    """

    direct = False

    def __init__(self, policy: SandboxPolicy, *, walk: bool = False) -> None:
        """With `walk` it does without `openat2`, see `open_path`."""
        self._policy, self._walk = policy, walk

    async def stat(self, path: str) -> FileInfo:
        with self._readable(path) as found:
            return file_info(os.fstat(found.descriptor))

    async def read(self, path: str, limit: int | None = None) -> bytes:
        parts = []
        left = sys.maxsize if limit is None else limit
        async for piece in self.chunks(path):
            parts.append(piece[:left])
            left -= len(piece)
            if left <= 0:
                break
        return b"".join(parts)

    async def chunks(self, path: str) -> AsyncIterator[bytes]:
        with self._readable(path) as found:
            check_regular(os.fstat(found.descriptor).st_mode, path)
            descriptor = _reopen(found, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb", buffering=0) as file:
            async for piece in pieces(file):
                yield piece

    async def write(self, path: str, data: bytes) -> None:
        target = self._policy.outside(path)
        if len(data) > THREAD_BYTES:
            await asyncio.to_thread(self._write, target, data)
        else:
            self._write(target, data)

    async def list(
        self, path: str, *, follow: bool = True
    ) -> list[tuple[str, Literal["file", "directory", "link", "other"]]]:
        """See `Files.list`. What a link leads to is "other" unless it is readable."""
        with self._readable(path) as found:
            descriptor = _reopen(found, _FOLDER)
        try:
            with os.scandir(descriptor) as entries:

                def some(count: int | None) -> builtins.list[tuple[str, Literal["file", "directory", "link", "other"]]]:
                    taken = islice(entries, count)
                    return [(entry.name, self._kind(entry, found.path, follow=follow)) for entry in taken]

                names = some(THREAD_ENTRIES)
                return sorted(names + await asyncio.to_thread(some, None) if len(names) == THREAD_ENTRIES else names)
        finally:
            os.close(descriptor)

    async def real(self, path: str) -> str:
        return self._inside(os.path.realpath(self._policy.outside(path)))

    def _inside(self, path: str) -> str:
        """Return the path inside of a path on this machine."""
        scratch = self._policy.scratch
        if scratch and (path == scratch or path.startswith(f"{scratch}/")):
            return TEMPORARY + path[len(scratch) :]
        return path

    @contextmanager
    def _readable(self, path: str) -> Iterator[OpenPath]:
        with open_path(self._policy.outside(path), walk=self._walk) as found:
            if not self._policy.may_read(found.path) or found.path.startswith(_PROCESSES):
                raise OutsideSandbox(errno.EACCES, "the sandbox does not let you read this", path)
            yield found

    def _kind(
        self, entry: os.DirEntry[str], folder: str, *, follow: bool
    ) -> Literal["file", "directory", "link", "other"]:
        try:
            if entry.is_symlink():
                if not follow:
                    return "link"
                with self._readable(os.path.join(folder, entry.name)) as found:
                    return file_info(os.fstat(found.descriptor)).kind
            return "directory" if entry.is_dir() else "file" if entry.is_file() else "other"
        except OSError:
            return "other"

    # Writing

    def _write(self, path: str, data: bytes) -> None:
        """Replace a file. A link in place of it is followed, each step judged as a path of its own."""
        for _ in range(_LINKS):
            folder, name = os.path.split(path)
            if name in ("", ".", ".."):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            found = self._folder(folder)
            try:
                target = _link_or_none(name, found.descriptor)
                if target is None:
                    self._judge(os.path.join(found.path, name))
                    _check_writable(name, found.descriptor)
                    replace_file(name, data, folder=found.descriptor)
                    return
                path = os.path.join(found.path, target)
            finally:
                os.close(found.descriptor)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)

    def _judge(self, path: str) -> None:
        if not self._policy.may_write(path):
            raise OutsideSandbox(errno.EROFS, "the sandbox does not let you write here", path)

    def _folder(self, path: str) -> OpenPath:
        """Open a folder, which is made if it is missing. The caller closes it."""
        with suppress(FileNotFoundError), open_path(path, walk=self._walk) as found:
            return OpenPath(_reopen(found, _FOLDER), found.path)
        above, name = os.path.split(path.rstrip("/"))
        if name in ("", ".", ".."):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        parent = self._folder(above)
        try:
            real = os.path.join(parent.path, name)
            self._judge(real)
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=parent.descriptor)
            return OpenPath(os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent.descriptor), real)
        finally:
            os.close(parent.descriptor)


def _reopen(found: OpenPath, flags: int) -> int:
    """Return another descriptor of what is open, for reading."""
    if not hasattr(os, "O_PATH"):
        return os.dup(found.descriptor)
    return os.open(f"/proc/self/fd/{found.descriptor}", flags)


def _check_writable(name: str, folder: int) -> None:
    """Raise OSError for what is no regular file or read-only; a replacement needs the permission of the folder only."""
    try:
        check_regular(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode, name)
    except FileNotFoundError:
        return
    if not os.access(name, os.W_OK, dir_fd=folder):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)


def _link_or_none(name: str, folder: int) -> str | None:
    with suppress(FileNotFoundError):
        return _link(name, folder)
    return None
