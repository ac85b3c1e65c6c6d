"""The draft and the queued prompts, kept on disk so that a crash loses no typed text.

Each process has its own file, `$ZOT_HOME/drafts/<h>-<pid>-<random>.json` (`<h>`: 16 hex digits for the directory),
and holds a lock on the `.lock` file beside it while it runs. A file that is not locked was left by a process that has
ended: the next zot in that directory recovers its content.
"""

import asyncio
import errno
import hashlib
import json
import os
import sys
import time
from contextlib import suppress
from typing import Any

from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import open_regular, read_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.json_text import without_surrogates
from zot_provider.record import Record, field

if sys.platform != "win32":
    import fcntl

SIZE = 8 * 1024 * 1024
"""Characters kept of the draft, and as many of the queue."""
_MAX_BYTES = 12 * SIZE
"""Bytes read of a file: a character takes at most six."""
PAUSE = 0.5
"""Seconds between two writes."""
SHARE = 20
"""The pause is at least this many times the duration of the last write, so long texts are written less often."""


class SavedDraft(Record):
    """The text in the editor and the queued prompts; `time` is when they were saved, in seconds since the epoch.

    `cut` says that they were longer than the limits and have been truncated.
    """

    text: str = ""
    queue: list[str] = field(default_factory=list)
    time: float = 0.0
    cut: bool = False

    def __bool__(self) -> bool:
        return bool(self.text.strip()) or any(entry.strip() for entry in self.queue)


class Drafts:
    """The draft and the queue of one process in one directory. Not thread-safe.

    Nothing here raises OSError: if the file cannot be written, `failure` says why.
    """

    def __init__(self, home: str, cwd: str, *, pause: float = PAUSE, size: int = SIZE) -> None:
        """`home` is zot's home folder, `cwd` the absolute path of the directory."""
        self._folder = os.path.join(home, "drafts")
        self._prefix = hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16] + "-"
        self._path = os.path.join(self._folder, f"{self._prefix}{os.getpid()}-{os.urandom(4).hex()}.json")
        self._cwd = cwd
        self._pause, self._size = pause, size
        self._lock: int | None = None
        self._wanted = self._written = SavedDraft()
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0
        self._closed = False
        self.failure = ""

    def keep(self, text: str, queue: list[str]) -> None:
        """Save the draft and the queue within the pause, or at once if the last write was longer ago.

        Call it from the event loop, as often as needed.
        """
        wanted = SavedDraft(text, [*queue])
        if self._closed or wanted == self._wanted:
            return
        self._wanted = wanted
        loop = asyncio.get_running_loop()
        if self._timer is None:
            # Always through the loop, so that a key is drawn before it is saved.
            self._timer = loop.call_at(max(self._next, loop.time()), self._write_in_time)

    def _write_in_time(self) -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        self._write()
        self._next = began + max(self._pause, (clock() - began) * SHARE)

    def recover(self) -> SavedDraft:
        """Return what processes that ended in this directory have left, oldest first, each text once.

        It is saved in this process's file before theirs are removed, until `keep` replaces it.
        """
        left: list[tuple[SavedDraft, str, int | None]] = []
        for name in _names(self._folder, self._prefix):
            path = os.path.join(self._folder, name)
            if path == self._path:
                continue
            lock = _take_lock(path)
            if lock is _HELD:
                continue
            left.append((_read(path), path, lock))
        left.sort(key=lambda each: each[0].time)
        texts = dict.fromkeys(draft.text for draft, _, _ in left if draft.text.strip())
        queue = dict.fromkeys(entry for draft, _, _ in left for entry in draft.queue if entry.strip())
        found = SavedDraft("\n\n".join(texts), [*queue], cut=any(draft.cut for draft, _, _ in left))
        if found:
            self._wanted = found
            self._write()
        for _, path, lock in left:
            if not (found and self.failure):
                _remove(path)
            if lock is not None:
                os.close(lock)
        return found

    def close(self) -> None:
        """Save unsaved changes; the next zot in this directory recovers them. Closing twice is harmless."""
        if self._closed:
            return
        self._write()
        self._closed = True
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        if not self._written:
            _remove(self._path)

    def _write(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._wanted == self._written:
            return
        try:
            if self._wanted:
                self._replace(self._wanted)
            else:
                with suppress(FileNotFoundError):
                    os.unlink(self._path)
        except OSError as error:
            self.failure = f"the draft cannot be saved in {self._folder}: {error.strerror}"
        else:
            self._written, self.failure = self._wanted, ""

    def _replace(self, draft: SavedDraft) -> None:
        make_private(self._folder)
        if self._lock is None:
            self._lock = _open_lock(self._path)
        replace_file(self._path, _row(draft, self._cwd, self._size), mode=0o600, beside=f"{self._path}.tmp")


_HELD = -1
"""Returned in place of a lock's descriptor if another process holds the lock."""


def _row(draft: SavedDraft, cwd: str, size: int) -> bytes:
    kept, room = [], size
    for entry in draft.queue:
        kept.append(entry[:room])
        room -= len(kept[-1])
        if room <= 0:
            break
    row = {"cwd": cwd, "pid": os.getpid(), "time": time.time(), "draft": draft.text[:size], "queue": kept}
    if draft.cut or len(draft.text) > size or kept != draft.queue:
        row["cut"] = True
    return without_surrogates(json.dumps(row, ensure_ascii=False)).encode()


def _read(path: str) -> SavedDraft:
    """Read a draft; empty if the file cannot be read or is malformed."""
    try:
        row: Any = json.loads(read_regular(path, _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return SavedDraft()
    if not isinstance(row, dict):
        return SavedDraft()
    text, queue, moment = row.get("draft"), row.get("queue"), row.get("time")
    return SavedDraft(
        text if isinstance(text, str) else "",
        [entry for entry in queue if isinstance(entry, str)] if isinstance(queue, list) else [],
        float(moment) if isinstance(moment, int | float) else 0.0,
        row.get("cut") is True,
    )


def _names(folder: str, prefix: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.startswith(prefix) and name.endswith(".json")]
    except OSError:
        return []


def _open_lock(path: str) -> int | None:
    """Create and take the lock for our own file; None if the file system has no locks."""
    descriptor = open_regular(f"{path}.lock", os.O_RDWR, create=True)
    try:
        _flock(descriptor)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _take_lock(path: str) -> int | None:
    """Take the lock of another process's file.

    Returns its descriptor, `_HELD` if the process runs, or None if there is no lock and the process has ended.
    """
    try:
        descriptor = open_regular(f"{path}.lock", os.O_RDWR)
    except FileNotFoundError:
        return None  # a lock is created before its file and removed after it
    except OSError:
        return _HELD
    try:
        _flock(descriptor)
    except OSError as error:
        os.close(descriptor)
        unlockable = error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
        return None if unlockable and not _runs(path) else _HELD
    return descriptor


def _flock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415  Windows only

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _runs(path: str) -> bool:
    """Return whether a process has the number in the file's name; used where there are no locks."""
    try:
        os.kill(int(os.path.basename(path).split("-")[1]), 0)
    except (ProcessLookupError, ValueError, IndexError):
        return False
    except OSError:
        return True
    return True


def _remove(path: str) -> None:
    """Remove a file and then its lock."""
    for each in (path, f"{path}.tmp", f"{path}.lock"):
        with suppress(OSError):
            os.unlink(each)
