"""`Placeholders`: empty folders in the place of settings that must not be made inside.

A mount over them needs something to be mounted on. If it is removed, the mounts on it in all sandboxes are
gone, so the last sandbox that needs it removes it: each has a shared lock on it (flock(2)).
"""

import os
import sys
from collections.abc import Iterable

if sys.platform != "win32":
    import fcntl

_TRIES = 10


class Placeholders:
    """The folders at `paths`, as far as they were missing."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = list(paths)
        self._locks: dict[str, int] = {}
        """The descriptors of the folders that hold a place."""

    def make(self) -> None:
        """Make what is missing. Raises OSError."""
        for path in self._paths:
            try:
                if path in self._locks and _is_at(self._locks[path], path):
                    continue
                self._make(path)
            except PermissionError:
                continue  # nor can the inside

    def _make(self, path: str) -> None:
        made = False
        for _ in range(_TRIES):  # another sandbox may remove it between two steps
            try:
                os.mkdir(path)
                made = True
            except FileExistsError:
                pass
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            except NotADirectoryError:
                return
            ours = made or not _locked(descriptor, fcntl.LOCK_EX)  # with a lock of another one it holds a place too
            there = (not ours or _locked(descriptor, fcntl.LOCK_SH)) and _is_at(descriptor, path)
            if ours and there:
                descriptor, self._locks[path] = self._locks.get(path, -1), descriptor
            if descriptor >= 0:
                os.close(descriptor)
            if there:
                return
        raise OSError(f"the sandbox cannot protect {path}, because another program locks it")

    def remove(self) -> None:
        """Remove the folders that no other sandbox needs, unless something is in them."""
        while self._locks:
            path, lock = self._locks.popitem()
            try:
                if _locked(lock, fcntl.LOCK_EX) and _is_at(lock, path):
                    os.rmdir(path)
            except OSError:
                pass  # someone else has put something there
            finally:
                os.close(lock)


def _locked(descriptor: int, kind: int) -> bool:
    """Lock a folder; return whether no lock of another one prevents it. Some file systems have no locks."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _is_at(descriptor: int, path: str) -> bool:
    """Whether an open folder is still the one at a path."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except OSError:
        return False
