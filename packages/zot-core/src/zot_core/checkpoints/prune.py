"""List stores of checkpoints, and remove what is old. Run it in a thread."""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from zot_core.checkpoints.git_tree import store_environment
from zot_core.checkpoints.store import PRUNED, CheckpointLimits, CheckpointStore
from zot_core.errors import CheckpointError
from zot_core.machine.git import git_command, run_git
from zot_provider.files.regular_file import read_regular
from zot_provider.record import Record

_DAY = 86_400.0
_FRESH = 3_600.0
"""Seconds for which a new content is kept in any case: another process may be about to refer to it."""

_ID = re.compile(rb"[0-9a-f]{64}")
_PATH_BYTES = 100_000


class StoredCheckpoints(Record):
    """The checkpoints of one folder: the path of the store, the folder, the number of answers with changes, the size in
    bytes, and the time of the last change in seconds since 1970, 0 without any."""

    path: str
    folder: str
    answers: int
    bytes: int
    last: float


def list_checkpoints(root: str) -> list[StoredCheckpoints]:
    """Return the stores below `root`, the last used one first."""
    found = []
    for entry in _entries(root):
        with suppress(OSError):
            folder = os.fsdecode(read_regular(os.path.join(entry.path, "folder"), _PATH_BYTES))
            times = [turn.stat().st_mtime for turn in _entries(os.path.join(entry.path, "turns"))]
            found.append(StoredCheckpoints(entry.path, folder, len(times), _size(entry.path), max(times, default=0.0)))
    return sorted(found, key=lambda each: -each.last)


def prune(
    path: str, days: float, limits: CheckpointLimits | None = None, check: Callable[[], None] = lambda: None
) -> None:
    """Remove the checkpoints of a store that are older than `days`, and the contents that no other one needs; with 0
    days the whole store. Calls `check` often. Raises OSError, and `CheckpointError`, before anything is removed, if git
    cannot read an index.

    What the indexes list stays, and so does what the first look at the folder stored: otherwise the next look would
    have to read every file again.
    """
    if days <= 0:
        import shutil  # noqa: PLC0415  2 ms, not for a first command

        shutil.rmtree(path)
        return
    oldest = time.time() - days * _DAY
    needed: set[str] = set()
    for entry in _entries(path):
        if entry.name.startswith("index"):
            if entry.stat().st_mtime < oldest:
                os.unlink(entry.path)
            elif not entry.name.endswith(".lock"):  # git is writing it, and what it lists is fresh
                needed |= _indexed(path, entry.path, (limits or CheckpointLimits()).seconds)
    for turn in _entries(os.path.join(path, "turns")):
        check()
        if turn.stat().st_mtime < oldest:
            os.unlink(turn.path)
        else:
            with open(turn.path, "rb") as file:
                needed.update(id.decode() for line in file for id in _ID.findall(line))
    fresh = time.time() - _FRESH
    for folder in _entries(os.path.join(path, "objects")):
        check()
        if len(folder.name) != 2:  # packs
            continue
        for content in _entries(folder.path):
            if folder.name + content.name not in needed and content.stat().st_mtime < fresh:
                os.unlink(content.path)
    _mark(path)


def prune_if_due(store: CheckpointStore, limits: CheckpointLimits, check: Callable[[], None]) -> None:
    """Prune a store, at most once a day; a large one more than others. Raises what `prune` raises."""
    if not os.path.exists(os.path.join(store.path, PRUNED)):  # a new store
        _mark(store.path)
        return
    for days in (limits.days, limits.days / 4, 1.0) if store.may_be_pruned() else ():
        prune(store.path, days, limits, check)
        if _size(store.path) <= limits.store_bytes:
            break


def _mark(path: str) -> None:
    """Note in a store that it was pruned now."""
    mark = os.path.join(path, PRUNED)
    os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))
    os.utime(mark)


def _indexed(path: str, index: str, seconds: float) -> set[str]:
    """Return the ids of the contents that an index lists. Raises `CheckpointError` if git cannot read it now."""
    environment = store_environment() | {"GIT_INDEX_FILE": index}
    try:
        command = git_command(f"--git-dir={path}", "ls-files", "-s", "-z")
        listed = run_git(command, path, environment, seconds)
        # To git, an index that was renamed meanwhile is empty.
        readable = listed.code == 0 and os.path.exists(index)
    except OSError:
        readable = False
    if not readable:
        raise CheckpointError(f"git cannot read {index}, so nothing was removed there")
    return {found[0].decode() for row in listed.out.split(b"\0") if (found := _ID.findall(row[:100]))}


def _size(path: str) -> int:
    total = 0
    for entry in _entries(path):
        with suppress(FileNotFoundError):
            total += _size(entry.path) if entry.is_dir(follow_symlinks=False) else entry.stat().st_size
    return total


def _entries(path: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(path) as found:
            yield from list(found)
    except (FileNotFoundError, NotADirectoryError):
        return
