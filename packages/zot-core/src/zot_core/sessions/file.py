"""One session file: appended to row by row, read back whatever happened to its end."""

import errno
import json
import os
from collections.abc import Callable
from typing import Any

from zot_core.clock import timestamp
from zot_core.errors import SessionError, SessionLocked, SessionNotFound
from zot_core.sessions import rows
from zot_core.sessions.rows import Meta
from zot_provider.messages import Message
from zot_provider.record import Record, field, record
from zot_provider.usage import Usage

_lock: Callable[[int], None]
try:
    import fcntl
except ImportError:  # Windows

    def _lock(fd: int) -> None:
        import msvcrt  # noqa: PLC0415  there is none elsewhere

        # Far beyond the rows: a Windows lock forbids reading what it covers.
        os.lseek(fd, 1 << 62, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]

else:

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


@record
class Stored(Record):
    """What a session file holds. `usage` is the last cumulative count. `torn`: its last line is not complete."""

    meta: Meta
    messages: list[Message] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    torn: bool = False


def load(path: str) -> Stored:
    """Read a session. Lines that are no JSON and rows of an unknown type are passed over.

    Raises `SessionNotFound`, or `SessionError` if the file cannot be read or has no meta row.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise SessionNotFound(f"no session at {path}") from None
    except OSError as error:
        raise SessionError(f"cannot read session {path}: {error.strerror}") from error
    stored = Stored(Meta("", "", "", "", ""), torn=bool(data) and not data.endswith(b"\n"))
    found = False
    for line in data.split(b"\n"):
        row = _row(line)
        match row.get("type"):
            case "meta":
                stored.meta, found = rows.read_meta(row.get("meta")), True
            case "message":
                _add(stored.messages, rows.read_message(row.get("message")))
            case "usage":
                stored.usage = rows.read_usage(row.get("cumulative"))
            case "rename":
                stored.meta.title = row["title"] if isinstance(row.get("title"), str) else stored.meta.title
    if not found:
        raise SessionError(f"{path} is no session file: it has no meta row")
    return stored


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line) if line.strip() else {}
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _add(messages: list[Message], message: Message | None) -> None:
    """Results of one batch stand in rows of their own; in memory they are one message."""
    if message is None:
        return
    last = messages[-1] if messages else None
    if message.role == "tool" and last is not None and last.role == "tool":
        messages[-1] = last.replace(content=[*last.content, *message.content])
    else:
        messages.append(message)


class SessionFile:
    """The writing end. The file comes into being with the first message, so that no session is ever empty.

    Each row is one `write` of a whole line, done before the call returns: it survives the end of this process at any
    moment. The file is readable by its owner alone and locked against other writers.
    """

    def __init__(self, path: str, meta: Meta, *, resume: Stored | None = None) -> None:
        """A new session, or one to go on with: `resume` is what `load` gave.

        Raises `SessionLocked` when another process has the file open, `SessionError` when it cannot be written.
        """
        self.path = path
        self.meta = meta
        self._fd: int | None = None
        if resume is not None:
            self._fd = self._open(os.O_WRONLY | os.O_APPEND)
            if resume.torn:
                self._write_bytes(b"\n")
            if meta != resume.meta:
                self._write(rows.meta_row(meta))

    def _open(self, flags: int) -> int:
        try:
            fd = os.open(self.path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise SessionError(f"cannot write session {self.path}: {error.strerror}") from error
        try:
            _lock(fd)
        except OSError as error:
            os.close(fd)
            if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                raise SessionLocked(f"session {self.path} is in use by another zot; close that one first") from None
            # A file system without locks: going on beats refusing to work at all.
            return self._reopen(flags)
        return fd

    def _reopen(self, flags: int) -> int:
        return os.open(self.path, flags & ~os.O_EXCL, 0o600)

    def append(self, message: Message) -> None:
        """Write a message. Raises `SessionError` when the disk does not take it."""
        if self._fd is None:
            self._create()
        self._write(rows.message_row(message))

    def usage(self, usage: Usage, cumulative: Usage) -> None:
        """Write the tokens of a turn."""
        if self._fd is not None:
            self._write(rows.usage_row(usage, cumulative))

    def change(self, **fields: str) -> None:
        """Write a new meta row, e.g. after a change of model; it counts from now on."""
        self.meta = self.meta.replace(**fields)
        if self._fd is not None:
            self._write(rows.meta_row(self.meta))

    def _create(self) -> None:
        try:
            os.makedirs(os.path.dirname(os.path.abspath(self.path)), mode=0o700, exist_ok=True)
        except OSError as error:
            raise SessionError(f"cannot create the folder of session {self.path}: {error.strerror}") from error
        self._fd = self._open(os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL)
        self.meta = self.meta.replace(started=self.meta.started or timestamp())
        self._write(rows.meta_row(self.meta))

    def _write(self, row: str) -> None:
        self._write_bytes(rows.to_bytes(row))

    def _write_bytes(self, data: bytes) -> None:
        assert self._fd is not None
        try:
            written = os.write(self._fd, data)
        except OSError as error:
            raise SessionError(f"cannot write session {self.path}: {error.strerror}; free some space") from error
        if written != len(data):  # a full disk takes a part; the torn line is passed over on reading
            raise SessionError(f"cannot write session {self.path}: the disk is full")

    def close(self) -> None:
        """Release the file. Closing twice is harmless."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)
