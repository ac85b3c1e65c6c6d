"""`RowFile`: the rows of a session in a file, locked against other writers."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress

from zot_core.errors import SessionError, SessionLocked
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import open_regular

_lock: Callable[[int], None]
_probe: Callable[[int], None]
try:
    import fcntl
except ImportError:  # Windows

    def _lock(fd: int) -> None:
        import msvcrt  # noqa: PLC0415  exists on Windows only

        # Far beyond the rows: a Windows lock forbids reading what it covers.
        os.lseek(fd, 1 << 40, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]

    _probe = _lock

else:

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _probe(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)


_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


def in_use(path: str) -> bool:
    """Return whether a process has the session file at `path` open for writing; False for a file that does not exist.

    The look holds a lock for a moment, in which another process cannot open the session. Raises `SessionError`.
    """
    try:
        fd = open_regular(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise SessionError(f"cannot read session {path}: {error.strerror}") from error
    try:
        _probe(fd)
    except OSError as error:
        return error.errno in _TAKEN
    finally:
        os.close(fd)
    return False


class RowFile:
    """A `RowLog` in a file, which its owner alone can read. The kernel frees its lock when this process ends.

    A row is written as a whole line with one `write` before the call returns, so it survives the end of this process at
    any moment. `advice` is appended to the error for a file that cannot be created.
    """

    def __init__(self, path: str, advice: str = "") -> None:
        self.path, self.advice = path, advice
        self._fd: int | None = None
        self._size = 0
        self._torn = False

    @property
    def end(self) -> int:
        return self._size + self._torn

    def create(self) -> None:
        try:
            make_private(os.path.dirname(os.path.abspath(self.path)))
        except OSError as error:
            raise SessionError(self._error_text("cannot create the folder of session", error)) from error
        self._fd = self._open(os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL)

    def resume(self, size: int, *, torn: bool) -> None:
        self._fd = self._open(os.O_WRONLY | os.O_APPEND)
        self._size, self._torn = size, torn
        if os.fstat(self._fd).st_size != size:
            self.close()
            raise SessionLocked(f"session {self.path} changed while it was being read; open it again")

    def append(self, row: bytes) -> int:
        assert self._fd is not None
        start = self.end
        # The file may end in an incomplete row. A line break makes it a line of its own, which readers skip.
        data = b"\n" * self._torn + row
        try:
            written = os.write(self._fd, data)
        except OSError as error:
            raise SessionError(f"cannot write session {self.path}: {error.strerror}; free some space") from error
        self._size += written
        self._torn = written != len(data)
        if self._torn:
            raise SessionError(f"cannot write session {self.path}: the disk is full; free some space")
        return start

    def discard(self) -> None:
        self.close()
        self._torn, self._size = False, 0
        with suppress(OSError):
            os.unlink(self.path)

    def close(self) -> None:
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def _open(self, flags: int) -> int:
        try:
            if flags & os.O_CREAT:
                fd = os.open(self.path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
            else:
                fd = open_regular(self.path, flags)
        except OSError as error:
            raise SessionError(self._error_text("cannot write session", error)) from error
        try:
            _lock(fd)
        except OSError as error:
            # Other errors mean a file system without locks: working without a lock is better than not at all.
            if error.errno in _TAKEN:
                os.close(fd)
                raise SessionLocked(
                    f"session {self.path} is in use by another zot; close that one first, or fork it"
                ) from None
        return fd

    def _error_text(self, what: str, error: OSError) -> str:
        return f"{what} {self.path}: {error.strerror}" + (f"; {self.advice}" if self.advice else "")
