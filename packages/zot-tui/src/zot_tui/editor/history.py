"""`History`: earlier prompts, in one file of JSON lines for each directory, and walking through them.

A row is `{"text": "..."}`. Each row is appended by one write, as a rule under a lock, so that several processes may
share a file; unreadable rows are skipped.
"""

import json
import os
import re
import sys
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from zot_tui.regular_file import open_regular

if sys.platform != "win32":
    import fcntl

ENTRIES = 1000
FILE_SIZE = 1024 * 1024  # bytes above which a file is cut to its newest entries when it is opened
LOCK_WAIT = 0.2  # seconds for which a row waits for another process that writes; that takes well below 1 ms
_LOCK_PAUSE = 0.001
ENTRY_SIZE = 64 * 1024  # longest row in bytes; longer entries are kept in memory only


def history_path(folder: Path, directory: Path) -> Path:
    """Return the file in `folder` for prompts typed in `directory`. Its name holds the directory's name, for people,
    and a hash, to be unique."""
    name = re.sub(r"[^\w.-]+", "-", directory.name)[:40].strip("-.") or "root"
    return folder / f"{name}-{sha256(os.fsencode(directory)).hexdigest()[:12]}.jsonl"


class History:
    """The entries of one file; entries of other processes are read only when it is opened.

    `back` and `forward` walk through them from the newest; the text at the start, the draft, comes back at the end. An
    unreadable file counts as empty; `add` returns whether the entry is on disk.
    """

    def __init__(self, path: Path | None, limit: int = ENTRIES, file_size: int = FILE_SIZE) -> None:
        """If `path` is None, the history is kept in memory only."""
        self._path = path
        self._limit = limit
        self._file_size = file_size
        self._entries = self._read()
        self._at: int | None = None  # the current entry
        self._draft = ""
        self._prefix = ""

    @property
    def entries(self) -> list[str]:
        """All entries, the oldest first."""
        return [*self._entries]

    def add(self, text: str) -> bool:
        """Add `text` unless it is blank or equals the last entry. Returns whether it will be there next time."""
        self.reset()
        if not text.strip() or (self._entries and self._entries[-1] == text):
            return True
        self._entries.append(text)
        del self._entries[: -self._limit]
        row = (json.dumps({"text": text}) + "\n").encode()
        if self._path is None or len(row) > ENTRY_SIZE:
            return False
        try:
            self._append(self._path, row)
        except OSError:
            return False
        return True

    def back(self, text: str, *, prefix: str = "") -> str | None:
        """Return the previous entry that begins with `prefix`, or None.

        If `text` is not what the last step returned, it becomes the draft, and the walk starts again at the newest
        entry.
        """
        if self._at is None or text != self._entries[self._at]:
            self._at, self._draft, self._prefix = None, text, prefix
        at = len(self._entries) if self._at is None else self._at
        for index in range(at - 1, -1, -1):
            entry = self._entries[index]
            if entry != text and entry.startswith(self._prefix):
                self._at = index
                return entry
        return None

    def forward(self, text: str) -> str | None:
        """Return the entry after the current one, and at last the draft; None if `text` is not what the last step
        returned."""
        if self._at is None or text != self._entries[self._at]:
            return None
        for index in range(self._at + 1, len(self._entries)):
            entry = self._entries[index]
            if entry != text and entry.startswith(self._prefix):
                self._at = index
                return entry
        self._at = None
        return self._draft

    def reset(self) -> None:
        """End the walk: the text was sent or changed."""
        self._at, self._draft, self._prefix = None, "", ""

    def _read(self) -> list[str]:
        if self._path is None:
            return []
        try:
            with open(self._path, "rb", opener=open_regular) as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - self._file_size, 0))
                data = file.read()
        except OSError:
            return []
        if size > self._file_size:
            with suppress(OSError):  # then it stays long
                self._cut(self._path)
        return _entries(data, torn=size > self._file_size)[-self._limit :]

    def _append(self, path: Path, row: bytes) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, _ = _opened(path)
        try:
            size = os.lseek(descriptor, 0, os.SEEK_END)
            if size:
                os.lseek(descriptor, size - 1, os.SEEK_SET)
                if os.read(descriptor, 1) != b"\n":
                    row = b"\n" + row  # an incomplete row must not spoil this one
            os.write(descriptor, row)
        finally:
            os.close(descriptor)

    def _cut(self, path: Path) -> None:
        """Cut the file to the newest half of its limit. Without locks (Windows) it grows."""
        if sys.platform == "win32":
            return
        descriptor, locked = _opened(path)
        try:
            size = os.lseek(descriptor, 0, os.SEEK_END)
            if not locked or size <= self._file_size:
                return  # another process does it, or has done it
            os.lseek(descriptor, size - self._file_size // 2, os.SEEK_SET)
            kept = os.read(descriptor, self._file_size // 2).partition(b"\n")[2]
            shorter = path.with_name(f".{path.name}.{os.getpid()}")
            shorter.unlink(missing_ok=True)
            with open(os.open(shorter, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(kept)
            shorter.replace(path)
        finally:
            os.close(descriptor)


def _opened(path: Path) -> tuple[int, bool]:
    """Return a descriptor of the file for appending, and whether it has an exclusive lock until it is closed.

    A process that holds the lock for long has been stopped. Appending does without it then.
    """
    given_up = time.monotonic() + LOCK_WAIT
    while True:
        descriptor = open_regular(str(path), os.O_RDWR | os.O_APPEND, create=True)
        locked = _lock(descriptor, given_up)
        try:
            if not locked or os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor, locked
        except FileNotFoundError:
            pass
        os.close(descriptor)  # the file was replaced while we waited


def _lock(descriptor: int, given_up: float) -> bool:
    """Take the lock of a file until the time `given_up`; False on Windows and on file systems without locks."""
    if sys.platform == "win32":
        return False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= given_up:
                return False
            time.sleep(_LOCK_PAUSE)
        except OSError:
            return False
        else:
            return True


def _entries(data: bytes, *, torn: bool) -> list[str]:
    """Return the texts of the rows in `data`. If it is `torn`, its first row is incomplete."""
    entries: list[str] = []
    for line in data.split(b"\n")[1 if torn else 0 :]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        text = row.get("text") if isinstance(row, dict) else None
        if isinstance(text, str) and text.strip() and (not entries or entries[-1] != text):
            entries.append(text)
    return entries
