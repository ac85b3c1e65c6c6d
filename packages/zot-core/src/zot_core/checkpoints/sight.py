"""`FolderSight`: which files a command made, and which only came into sight.

A file that a look sees for the first time need not be new: no rule leaves it out any more, the repository around it is
gone, it could not be read, or it was moved in from where nobody looks. Undo must not remove it, for nobody has another.
What is out of sight itself, and a command has removed or changed, is not undone, and named.
"""

import os
import sys
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from zot_core.checkpoints.objects import object_id
from zot_core.checkpoints.states import CLOCK_SECONDS, FOUND, UNSEEN, FileChange, FileState
from zot_provider.files.regular_file import read_regular

_FOLDER_STAYS = "its files were there before, out of sight; they stay"
_NOT_STORED = "it was left out of what is stored, and a command has"
_COPY_STAYS = "it may be all that is left of what a command has removed, and stays"

_HIDDEN, _HIDDEN_BYTES, _NAMED = 1_000, 1_000_000, 20
"""The most hidden files to compare, bytes of a file to read, and files to name."""

_INODE = 0xFFFFFFFF
"""The bits of an inode that git's index keeps."""
_AT_FDCWD, _NO_FOLLOW, _BTIME = -100, 0x100, 0x800
_STATX_BYTES, _BTIME_AT = 256, 80


class Seen(NamedTuple):
    """The files in sight at the last look: the ids of their contents, and their inodes as git keeps them."""

    ids: set[str]
    inodes: set[int]


class HiddenFile(NamedTuple):
    """A file out of sight: its inode, size and last change, and the id that its content would have; empty if that is
    not known."""

    status: tuple[int, int, int]
    id: str


class Judgement(NamedTuple):
    """The changes of files between two looks. A change that made no file has the bit `FOUND` in the state before.
    Of the files in `doubtful` it is not known whether they are the work of the command alone."""

    changes: list[FileChange]
    doubtful: list[str]


class FolderSight:
    """The files of a folder that a look did not see."""

    def __init__(
        self, folder: str, at: float = 0.0, hidden: Iterable[bytes] = (), last: "FolderSight | None" = None
    ) -> None:
        """`at` is when the look began, in seconds since 1970. `hidden` are relative names; that of a folder of which
        nothing is seen ends in a slash. `last` is the look before this one."""
        self._folder, self._at = folder, at - CLOCK_SECONDS
        # Git also lists a folder in which everything is left out by itself, and then what is in it.
        following = pairwise([*sorted(hidden), b""])
        self._places = {name for name, after in following if not (name.endswith(b"/") and after.startswith(name))}
        known: dict[bytes, HiddenFile] = {} if last is None else last._hidden
        files = [name for name in sorted(self._places) if not name.endswith(b"/")]
        self._hidden: dict[bytes, HiddenFile] = {name: self._read(name, known.get(name)) for name in files[:_HIDDEN]}

    def _read(self, name: bytes, known: HiddenFile | None) -> HiddenFile:
        path = os.path.join(self._folder, os.fsdecode(name))
        try:
            status = os.lstat(path)
            now = status.st_ino, status.st_size, status.st_mtime_ns
            if known is not None and known.status == now:
                return known
            small = 0 < status.st_size <= _HIDDEN_BYTES
            return HiddenFile(now, object_id(read_regular(path, _HIDDEN_BYTES)) if small else "")
        except (OSError, ValueError):
            return HiddenFile((0, 0, 0), "")

    def lost(self, now: "FolderSight", repositories: Iterable[FileChange]) -> list[FileChange]:
        """Return the files and folders out of sight that were removed or changed until `now`: none is stored. Without
        `repositories`, which are named as such."""
        named = {os.path.relpath(os.path.dirname(each.path), self._folder) for each in repositories}
        changed = [(name, "removed") for name in sorted(self._gone(now)) if os.fsdecode(name).rstrip("/") not in named]
        for name, file in self._hidden.items():
            after = now._hidden.get(name)
            if after is not None and after.status != file.status and (after.id != file.id or not file.id):
                changed.append((name, "changed"))
        states = [(os.fsdecode(name.rstrip(b"/")), FileState(0, f"{_NOT_STORED} {verb} it")) for name, verb in changed]
        if len(states) > _NAMED:
            more = FileState(0, f"{len(states) - _NAMED:,} more files that are left out of what is stored were changed")
            states[_NAMED:] = [("", more)]
        return [FileChange(os.path.join(self._folder, path).rstrip("/"), state, UNSEEN) for path, state in states]

    def judge(self, changes: list[FileChange], now: "FolderSight", look_up: Callable[[], Seen]) -> Judgement:
        """Judge the changes between this look and `now`. `look_up` is called if it is needed."""
        seen = cache(look_up)
        gone = cache(lambda: self._gone(now))
        copied = cache(lambda: {self._hidden[name].id for name in gone() if name in self._hidden})
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
            elif each.after.has_content and each.after.id in copied():
                judged.changes.append(FileChange(each.path, FileState(0, _COPY_STAYS), each.after))
            else:
                judged.changes.append(each)
                maybe = status.st_mtime < self._at or (each.before is None and (place or gone()))
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

    def _gone(self, now: "FolderSight") -> set[bytes]:
        """Return what was out of sight and is gone: what is new may be made of it."""
        gone = self._places.difference(now._places)
        return {name for name in gone if not os.path.lexists(os.path.join(self._folder, os.fsdecode(name).rstrip("/")))}


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
