"""What was typed before: one file of JSON lines for each directory, and the way up and down in it.

A row is `{"text": "..."}`. Rows are appended, each by one write under a lock, so that several processes may share a
file; rows that cannot be read are passed over.
"""

import json
import os
import re
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

if sys.platform != "win32":
    import fcntl

ENTRIES = 1000
FILE_SIZE = 1024 * 1024  # bytes from which a file is cut down to its newest entries when it is opened
ENTRY_SIZE = 64 * 1024  # bytes of a row above which an entry is remembered by this process alone


def history_path(folder: Path, directory: Path) -> Path:
    """The file in `folder` for prompts typed in `directory`: the directory's name to be found by, its hash to be told
    apart by."""
    name = re.sub(r"[^\w.-]+", "-", directory.name)[:40].strip("-.") or "root"
    return folder / f"{name}-{sha256(os.fsencode(directory)).hexdigest()[:12]}.jsonl"


class History:
    """The entries of one file, of which those of other processes are known as of the opening.

    `back` and `forward` walk through them from the newest; the text they leave, the draft, comes back at the end. A
    file that cannot be read is an empty one; `add` says whether the entry is on disk.
    """

    def __init__(self, path: Path | None, limit: int = ENTRIES, file_size: int = FILE_SIZE) -> None:
        """`path` None keeps the history in memory alone."""
        self._path = path
        self._limit = limit
        self._file_size = file_size
        self._entries = self._read()
        self._at: int | None = None  # the entry that is shown
        self._draft = ""
        self._prefix = ""

    @property
    def entries(self) -> list[str]:
        """All entries, the oldest first."""
        return [*self._entries]

    def add(self, text: str) -> bool:
        """Remember `text` unless it is blank or was entered last; whether it will be there next time."""
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
        """The entry before the one that `text` is, of those that begin with `prefix`; None if there is none.

        If `text` is not what the last step gave, it is a draft, and the walk begins anew from the newest entry.
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
        """The entry after the one that `text` is, at last the draft; None if `text` is not what the last step gave."""
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
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - self._file_size, 0))
                data = file.read()
        except OSError:
            return []
        if size > self._file_size:
            with suppress(OSError):  # it stays long
                self._cut(self._path)
        return _entries(data, torn=size > self._file_size)[-self._limit :]

    def _append(self, path: Path, row: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _locked(path)
        try:
            size = os.lseek(descriptor, 0, os.SEEK_END)
            if size:
                os.lseek(descriptor, size - 1, os.SEEK_SET)
                if os.read(descriptor, 1) != b"\n":
                    row = b"\n" + row  # a row that was torn must not take this one with it
            os.write(descriptor, row)
        finally:
            os.close(descriptor)

    def _cut(self, path: Path) -> None:
        """Leave the newest half of what a file may hold. Without locks (Windows) it is left to grow."""
        if sys.platform == "win32":
            return
        descriptor = _locked(path)
        try:
            size = os.lseek(descriptor, 0, os.SEEK_END)
            if size <= self._file_size:
                return  # another process did it
            os.lseek(descriptor, size - self._file_size // 2, os.SEEK_SET)
            kept = os.read(descriptor, self._file_size // 2).partition(b"\n")[2]
            shorter = path.with_name(f".{path.name}.{os.getpid()}")
            shorter.write_bytes(kept)
            shorter.chmod(0o600)
            shorter.replace(path)
        finally:
            os.close(descriptor)


def _locked(path: Path) -> int:
    """A descriptor of the file, to append to, that no other process has until it is closed."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        if sys.platform == "win32":
            return descriptor
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        except FileNotFoundError:
            pass
        os.close(descriptor)  # the file was replaced while we waited


def _entries(data: bytes, *, torn: bool) -> list[str]:
    """The texts of the rows in `data`; if it is `torn`, its first row is the end of one."""
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
