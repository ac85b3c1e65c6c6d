"""`hold_folder`: a folder that is open, in which files are looked at and changed by name.

A path that is checked and then used can lead elsewhere by then: a program that writes in a project exchanges a folder
for a link. So every part of a path is opened, none of which may be a link, and what is held stays what it is.
"""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from zot_core.errors import CheckpointError

# Only what is needed to use a folder: the right to read it is not. Windows has neither.
_LOOK = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
HOLDS = _LOOK | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
"""The flags that open a folder to hold it."""
_ANY, _OWN = 0o777, 0o700


class FolderIsLink(OSError):
    """A folder of a path is a link."""


class HeldFolder:
    """An open folder. `descriptor` is for the argument `dir_fd` of functions of `os`."""

    def __init__(self, parts: list[tuple[str, int]]) -> None:
        """`parts` are the names and descriptors of the path, from the root on."""
        self._parts = parts
        self.descriptor = parts[-1][1]

    def remove_if_empty(self, within: str) -> None:
        """Remove the folder if it is empty, and then the one around it, as far as they are below `within`: that one is
        not zot's to remove. Without `within` nothing is removed."""
        names = within.split(os.path.sep)
        if not within or [name for name, _ in self._parts[: len(names)]] != names:
            return
        inside, around = self._parts[len(names) :], self._parts[len(names) - 1 : -1]
        for (name, _), (_, descriptor) in zip(reversed(inside), reversed(around), strict=True):
            try:
                os.rmdir(name, dir_fd=descriptor)
            except OSError:
                return


@contextmanager
def hold_folder(path: str, *, make: Mapping[str, int] | None = None) -> Iterator[HeldFolder]:
    """Open the folder at an absolute path without `.` and `..`. With `make` what is missing of it is made, with the
    permissions that it has for absolute paths and all for the owner, as far as the umask lets them.
    Raises `FolderIsLink`, another OSError, and `CheckpointError` on a system that cannot hold folders."""
    if os.open not in os.supports_dir_fd:
        raise CheckpointError("this system cannot hold a folder open")
    parts = [("", os.open(os.path.sep, HOLDS))]
    reached = ""
    try:
        for name in filter(None, path.split(os.path.sep)):
            reached = f"{reached}{os.path.sep}{name}"
            parts.append((name, _enter(name, parts[-1][1], None if make is None else make.get(reached, _ANY))))
        yield HeldFolder(parts)
    finally:
        for _, descriptor in parts:
            os.close(descriptor)


def _enter(name: str, around: int, make: int | None) -> int:
    try:
        return os.open(name, HOLDS, dir_fd=around)
    except FileNotFoundError:
        if make is None:
            raise
        os.mkdir(name, make | _OWN, dir_fd=around)
        return os.open(name, HOLDS, dir_fd=around)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            status = os.stat(name, dir_fd=around, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                raise FolderIsLink(error.errno, "its folder is now a link", name) from None
        raise
