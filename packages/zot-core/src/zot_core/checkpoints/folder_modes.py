"""`FolderModes`: notices that folders with files are gone, and which permissions they had.

A file that was in a folder for its owner alone must not come back where everybody may look.
"""

import os
import stat
from collections.abc import Iterable

from zot_core.checkpoints.states import PERMISSIONS, FileChange, FileState

_USUAL = 0o755
"""Permissions that are not noted: nobody gains any where a folder gets them again, or fewer."""


class FolderModes:
    """The permissions of the folders of some files, since the last look."""

    def __init__(self, folder: str) -> None:
        """`folder` is the absolute path around all of them."""
        self._folder = folder
        self._known: dict[str, int] = {}

    def look(self, names: Iterable[str]) -> list[FileChange]:
        """Return the folders that are gone, of these files and of files of earlier looks, if their permissions were not
        the usual ones. `names` are relative paths."""
        for each in names:
            name = os.path.dirname(each)
            while name and name not in self._known:
                self._known[name] = _USUAL
                name = os.path.dirname(name)
        gone = []
        for name, before in [*self._known.items()]:
            path = os.path.join(self._folder, name)
            now = _permissions(path)
            if now is not None:
                self._known[name] = now
                continue
            del self._known[name]
            if before != _USUAL:
                gone.append(FileChange(path, FileState(stat.S_IFDIR | before, ""), None))
        return gone


def _permissions(path: str) -> int | None:
    """Return the permissions of a folder, or None without a folder."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_mode & PERMISSIONS if stat.S_ISDIR(status.st_mode) else None
