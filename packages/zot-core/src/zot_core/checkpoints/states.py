"""The state of a path: its kind, its permissions and its content. Read it, and put it back.

A path is used through its folder, which is held open: see `hold_folder`.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from zot_core.checkpoints.folders import FolderIsLink, hold_folder
from zot_core.checkpoints.objects import ObjectStore
from zot_core.machine.files import CANNOT_REPLACE
from zot_provider.files.regular_file import check_regular, read_open
from zot_provider.files.replace_file import replace_file, write_all

REGULAR, EXECUTABLE, LINK, FOLDER = 0o100644, 0o100755, 0o120000, 0o040000
"""The modes of git. Files may have other permissions here, which git does not keep."""
FOUND = 0o1000000
"""A bit of the mode in a state before a change: the file was not made, it only came into sight, as it is here."""
PERMISSIONS = 0o777
"""The bits of a mode that are kept. Setuid and setgid are not: undoing something must not give a program rights."""
_REPOSITORY = ".git"
CLOCK_SECONDS = 0.02
"""How far the time of a change is behind the clock at most: the kernel looks at that 100 times a second or more."""
_OPEN = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC if sys.platform != "win32" else 0


class FileState(NamedTuple):
    """A file or a link. `id` is that of its content (of a link: its target). For a file that is too large to be stored
    it is `<size>@<time of the last change in ns>`; for the folder of a repository it says which one it is, and which
    parts it has, and is empty for another folder; with the mode 0 it is the reason why nothing is known."""

    mode: int
    id: str

    @property
    def has_content(self) -> bool:
        """Whether it has a content that may be stored."""
        return self.mode not in (0, FOLDER) and "@" not in self.id

    @property
    def in_sight(self) -> "FileState":
        """The state of the file itself, without `FOUND`."""
        return FileState(self.mode & ~FOUND, self.id)

    @property
    def is_folder(self) -> bool:
        """Whether it is that of a folder that is no repository; of it, only the permissions are known."""
        return stat.S_ISDIR(self.mode) and not self.id


UNSEEN = FileState(0, "")
"""The state after a change that was not recorded, because the process ended."""


class FileChange(NamedTuple):
    """A change of the file at an absolute path; None where no file is."""

    path: str
    before: FileState | None
    after: FileState | None


def not_found(folder: str, why: str) -> FileChange:
    """Return the change of a command whose changes in a folder are not found."""
    return FileChange(folder, FileState(0, f"what commands change here is not undone: {why}"), None)


def unless_changed_since(change: FileChange, at: float) -> FileChange:
    """Return a change, with a state after it that is not what is there now if that may have come after `at`, in seconds
    since 1970. So undo asks before it takes the place of the person's work."""
    path = change.path if change.after is not None else os.path.dirname(change.path)
    try:
        changed = os.lstat(path).st_ctime
    except OSError:
        return change
    return change if changed < at - CLOCK_SECONDS else FileChange(change.path, change.before, UNSEEN)


def mode_of(status: os.stat_result) -> int:
    """Return the kind in git's words, with the permissions; 0 for what is neither a file nor a link."""
    if stat.S_ISLNK(status.st_mode):
        return LINK
    return stat.S_IFREG | status.st_mode & PERMISSIONS if stat.S_ISREG(status.st_mode) else 0


def unstored(status: os.stat_result) -> FileState:
    """Return the state of a file whose content is not stored."""
    return FileState(mode_of(status), f"{status.st_size}@{status.st_mtime_ns}")


def save(path: str, objects: ObjectStore, limit: int) -> FileState | None:
    """Store what is at the path, at most `limit` bytes, and return its state; None if no file is there. Of a repository
    nothing is stored. Raises OSError, `FolderIsLink` if a folder of the path is a link, and `CheckpointError`."""
    folder, name = os.path.split(path)
    try:
        with hold_folder(folder) as held:
            return _save(name, held.descriptor, objects, limit)
    except FolderIsLink:
        raise
    except (FileNotFoundError, NotADirectoryError):
        return None


def _save(name: str, folder: int, objects: ObjectStore, limit: int) -> FileState | None:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    mode = mode_of(status)
    if stat.S_ISDIR(status.st_mode) and name == _REPOSITORY:
        return FileState(FOLDER, f"{status.st_dev:x}:{status.st_ino:x}:{','.join(_parts(name, folder))}")
    if not mode:
        return None
    if mode == LINK:
        return FileState(mode, objects.put(os.fsencode(os.readlink(name, dir_fd=folder))))
    if status.st_size > limit:
        return unstored(status)
    descriptor = os.open(name, os.O_RDONLY | _OPEN, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        check_regular(status.st_mode, name)
        data = read_open(descriptor, limit + 1)
    finally:
        os.close(descriptor)
    return FileState(mode_of(status), objects.put(data)) if len(data) <= limit else unstored(status)


def _parts(repository: str, folder: int) -> Iterator[str]:
    """Return which of the parts that git never removes a repository has."""
    for part in ("HEAD", "config", "refs"):
        with suppress(OSError):
            os.stat(os.path.join(repository, part), dir_fd=folder)
            yield part
    for part in ("objects", os.path.join("objects", "pack")):  # git moves contents from one to the other
        with suppress(OSError):
            held = os.open(os.path.join(repository, part), os.O_RDONLY | os.O_DIRECTORY | _OPEN, dir_fd=folder)
            try:
                if set(os.listdir(held)) - {"info", "pack"}:
                    yield "objects"
                    return
            finally:
                os.close(held)


def lost_parts(before: FileState, now: FileState) -> list[str] | None:
    """Return which parts of a repository are gone; None if it is another one."""
    old, new = before.id.split(":"), now.id.split(":")
    if before.mode != FOLDER or now.mode != FOLDER or old[:2] != new[:2]:
        return None
    return [part for part in old[-1].split(",") if part and part not in new[-1].split(",")] if len(old) > 2 else []


def put_back(
    path: str,
    state: FileState | None,
    objects: ObjectStore,
    *,
    within: str = "",
    folders: Mapping[str, int] | None = None,
) -> None:
    """Make the path what it was; None removes the file, and folders below `within` that are then empty. Folders that
    are missing get at most the permissions in `folders`. Links are not followed.

    Raises OSError, `FolderIsLink` if a folder of the path became a link, and `CheckpointError` if the content is not
    stored.
    """
    folder, name = os.path.split(path)
    if state is None:
        with hold_folder(folder) as held:
            os.unlink(name, dir_fd=held.descriptor)
            held.remove_if_empty(within)
        return
    data = objects.get(state.id)
    with hold_folder(folder, make=folders or {}) as held:
        links = _make_room(name, held.descriptor, link=state.mode == LINK)
        if state.mode == LINK:
            os.symlink(os.fsdecode(data), name, dir_fd=held.descriptor)
        elif links > 1:  # a replacement would leave the other hard links with the other content
            _write_in_place(name, held.descriptor, data, state.mode)
        else:
            try:
                permissions = state.mode & PERMISSIONS
                replace_file(name, data, mode=permissions, keep_owner=True, folder=held.descriptor)
            except OSError as error:
                if not links or error.errno not in CANNOT_REPLACE:
                    raise
                _write_in_place(name, held.descriptor, data, state.mode)


def _make_room(name: str, folder: int, *, link: bool) -> int:
    """Remove an empty folder or a link in the place of a file, and everything in that of a `link`. Return the number of
    hard links of the file that stays. Raises OSError for another kind of file."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return 0
    if stat.S_ISDIR(status.st_mode):
        os.rmdir(name, dir_fd=folder)
    elif link or stat.S_ISLNK(status.st_mode):
        os.unlink(name, dir_fd=folder)
    elif stat.S_ISREG(status.st_mode):
        return status.st_nlink
    else:
        raise OSError(errno.EINVAL, "not a regular file", name)
    return 0


def _write_in_place(name: str, folder: int, data: bytes, mode: int) -> None:
    descriptor = os.open(name, os.O_WRONLY | _OPEN, dir_fd=folder)
    try:
        check_regular(os.fstat(descriptor).st_mode, name)
        os.ftruncate(descriptor, 0)
        write_all(descriptor, data)
        os.fchmod(descriptor, mode & PERMISSIONS)
    finally:
        os.close(descriptor)
