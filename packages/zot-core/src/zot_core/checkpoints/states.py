"""What is at a path: its kind, whether it can be executed, and its content. Read it, and put it back."""

import os
import stat
from typing import NamedTuple

from zot_core.checkpoints.objects import ObjectStore
from zot_core.errors import CheckpointError
from zot_core.machine.files import write_file
from zot_provider.files.regular_file import read_start

REGULAR, EXECUTABLE, LINK = 0o100644, 0o100755, 0o120000
"""The modes of git: permission bits other than the executable one are not kept."""


_EXECUTE = 0o111


class FileState(NamedTuple):
    """A file or a link. `id` is that of its content (of a link: its target). For a file that is too large to be stored
    it is `<size>@<time of the last change in ns>`."""

    mode: int
    id: str


UNSEEN = FileState(0, "")
"""The state after a change that was not recorded, because the process ended."""


class FileChange(NamedTuple):
    """A change of the file at an absolute path; None where no file is."""

    path: str
    before: FileState | None
    after: FileState | None


def mode_of(status: os.stat_result) -> int:
    """Return the mode in git's words; 0 for what is neither a file nor a link."""
    if stat.S_ISLNK(status.st_mode):
        return LINK
    if not stat.S_ISREG(status.st_mode):
        return 0
    return EXECUTABLE if status.st_mode & stat.S_IXUSR else REGULAR


def unstored(status: os.stat_result) -> FileState:
    """Return the state of a file whose content is not stored."""
    return FileState(mode_of(status), f"{status.st_size}@{status.st_mtime_ns}")


def save(path: str, objects: ObjectStore, limit: int) -> FileState | None:
    """Store what is at the path, at most `limit` bytes, and return its state; None if no file is there. Raises
    OSError."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    mode = mode_of(status)
    if not mode:
        return None
    if mode == LINK:
        return FileState(mode, objects.put(os.fsencode(os.readlink(path))))
    if status.st_size > limit:
        return unstored(status)
    data = read_start(path, limit + 1)
    return FileState(mode, objects.put(data)) if len(data) <= limit else unstored(status)


def put_back(path: str, state: FileState | None, objects: ObjectStore) -> None:
    """Make the path what it was; None removes the file and folders that are then empty. Links are not followed.

    Raises OSError, and `CheckpointError` if the content is not stored or a folder of the path became a link.
    """
    folder = os.path.dirname(path)
    if os.path.realpath(folder) != folder:
        raise CheckpointError("its folder is now a link")
    if state is None:
        os.unlink(path)
        _remove_empty(folder)
        return
    data = objects.get(state.id)
    os.makedirs(folder, exist_ok=True)
    if os.path.islink(path):
        os.unlink(path)
    elif os.path.isdir(path):
        os.rmdir(path)
    if state.mode == LINK:
        if os.path.lexists(path):
            os.unlink(path)
        os.symlink(os.fsdecode(data), path)
        return
    write_file(path, data)
    mode = stat.S_IMODE(os.stat(path).st_mode)
    wanted = mode | (mode & 0o444) >> 2 if state.mode == EXECUTABLE else mode & ~_EXECUTE
    if wanted != mode:
        os.chmod(path, wanted)


def _remove_empty(folder: str) -> None:
    while True:
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)
