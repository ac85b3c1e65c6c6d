"""`FolderSight`: which files a command made, and which only came into sight.

A file that a look sees for the first time need not be new: no rule leaves it out any more, the repository around it is
gone, it could not be read, or it was moved in from where nobody looks. Undo must not remove it, for nobody has another.
"""

import os
import sys
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from zot_core.checkpoints.states import CLOCK_SECONDS, FOUND, FileChange, FileState

_FOLDER_STAYS = "its files were there before, out of sight; they stay"

_INODE = 0xFFFFFFFF
"""The bits of an inode that git's index keeps."""
_AT_FDCWD, _NO_FOLLOW, _BTIME = -100, 0x100, 0x800
_STATX_BYTES, _BTIME_AT = 256, 80


class Seen(NamedTuple):
    """The files in sight at the last look: the ids of their contents, and their inodes as git keeps them."""

    ids: set[str]
    inodes: set[int]


class Judgement(NamedTuple):
    """The changes of files between two looks. A change that made no file has the bit `FOUND` in the state before.
    Of the files in `doubtful` it is not known whether they are the work of the command alone."""

    changes: list[FileChange]
    doubtful: list[str]


class FolderSight:
    """The files of a folder that a look did not see."""

    def __init__(self, folder: str, at: float = 0.0, hidden: Iterable[bytes] = ()) -> None:
        """`at` is when the look began, in seconds since 1970. `hidden` are relative names; that of a folder of which
        nothing is seen ends in a slash."""
        self._folder, self._at = folder, at - CLOCK_SECONDS
        # Git also lists a folder in which everything is left out by itself, and then what is in it.
        following = pairwise([*sorted(hidden), b""])
        self._places = {name for name, after in following if not (name.endswith(b"/") and after.startswith(name))}

    def judge(self, changes: list[FileChange], now: "FolderSight", look_up: Callable[[], Seen]) -> Judgement:
        """Judge the changes between this look and `now`. `look_up` is called if it is needed."""
        seen = cache(look_up)
        lost = cache(lambda: self._lost(now))
        ruled = any(os.path.basename(each.path) == ".gitignore" for each in changes)
        judged, places = Judgement([], []), set[str]()
        for each in changes:
            try:
                status = os.lstat(each.path) if each.after is not None else None
            except OSError:
                status = None
            place = self._place(each.path) if each.before is None else b""
            if each.after is None or status is None or (each.before is not None and each.before.id == each.after.id):
                judged.changes.append(each)
            elif place and status.st_ctime < self._at and (ruled or place.endswith(b"/")):
                # Nothing was done to it. Undo brings a rule back; a folder is named once, for all that is in it.
                if not ruled:
                    places.add(os.path.join(self._folder, os.fsdecode(place[:-1])))
            elif each.before is None and self._existed(each.path, each.after, status, place, seen):
                judged.changes.append(_found(each))
            else:
                judged.changes.append(each)
                maybe = status.st_mtime < self._at or (each.before is None and (place or lost()))
                if maybe and each.after.id not in seen().ids:
                    judged.doubtful.append(each.path)
        judged.changes.extend(FileChange(path, FileState(0, _FOLDER_STAYS), None) for path in sorted(places))
        return judged

    def _existed(
        self, path: str, state: FileState, status: os.stat_result, place: bytes, seen: Callable[[], Seen]
    ) -> bool:
        """Whether a file that was not in sight existed, and undo has no other of this content."""
        if place and not place.endswith(b"/"):
            return True
        born = _born(path, status)
        if (status.st_mtime if born is None else born) >= self._at:
            return False
        if place or not state.has_content:
            return True
        # A file that was in sight at another place, which undo puts back. The inode of a removed one is used again.
        moved = born is not None and status.st_ino & _INODE in seen().inodes
        return not moved and state.id not in seen().ids

    def _place(self, path: str) -> bytes:
        """Return what has hidden a path: its own name or that of a folder around it; empty without any."""
        name = os.fsencode(os.path.relpath(path, self._folder))
        while name not in self._places:
            name, slash, _ = name.rstrip(b"/").rpartition(b"/")
            if not slash:
                return b""
            name += slash
        return name

    def _lost(self, now: "FolderSight") -> bool:
        """Whether something that was out of sight is gone: what is new may be made of it."""
        gone = self._places.difference(now._places)
        return any(not os.path.lexists(os.path.join(self._folder, os.fsdecode(name).rstrip("/"))) for name in gone)


def _found(change: FileChange) -> FileChange:
    path, _, after = change
    return change if after is None else FileChange(path, FileState(after.mode | FOUND, after.id), after)


def _born(path: str, status: os.stat_result) -> float | None:
    """Return when a file was made, in seconds since 1970; None where the system does not say."""
    if sys.platform == "darwin":
        return status.st_birthtime
    import ctypes  # noqa: PLC0415  2 ms, not for a command that makes no file
    import struct  # noqa: PLC0415  as above

    try:
        statx = ctypes.CDLL(None).statx  # statx(2); Python has it from 3.15 on
    except (AttributeError, OSError, TypeError):
        return None
    found = ctypes.create_string_buffer(_STATX_BYTES)
    if statx(_AT_FDCWD, ctypes.c_char_p(os.fsencode(path)), _NO_FOLLOW, _BTIME, found):
        return None
    seconds, nanoseconds = struct.unpack_from("=qI", found, _BTIME_AT)
    return seconds + nanoseconds / 1e9 if struct.unpack_from("=I", found)[0] & _BTIME else None
