"""One session file: appended to row by row. `zot_core.sessions.stored` reads it back."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress

from zot_core.clock import timestamp
from zot_core.errors import SessionError, SessionLocked
from zot_core.sessions import rows
from zot_core.sessions.rows import Meta
from zot_core.sessions.stored import StoredSession as StoredSession
from zot_core.sessions.stored import load as load
from zot_provider.messages import Message
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


class SessionFile:
    """The writing end. The file comes into being with the first message, so that no session is ever empty.

    Each row is one `write` of a whole line, done before the call returns: it survives the end of this process at any
    moment. The file is readable by its owner alone and locked against other writers.
    """

    def __init__(self, path: str, meta: Meta, *, resume: StoredSession | None = None, advice: str = "") -> None:
        """A new session, or one to go on with: `resume` is what `load` gave. `advice` is told with the error of a file
        that cannot be made: what the person can do, which only the program knows.

        Raises `SessionLocked` when another process has the file open, `SessionError` when it cannot be written, or has
        changed since it was loaded.
        """
        self.path = path
        self.meta = meta
        self.advice = advice
        self._fd: int | None = None
        self._closed = False
        self._torn = False
        self._size = 0
        self._starts: list[int] = []  # of the messages, see `StoredSession`
        self._last_role = ""
        if resume is not None:
            self._size, self._starts = resume.size, list(resume.starts)
            self._last_role = resume.messages[-1].role if resume.messages else ""
            self._fd = self._open(os.O_WRONLY | os.O_APPEND)
            self._torn = resume.torn
            try:
                if os.fstat(self._fd).st_size != resume.size:
                    raise SessionError(f"session {path} changed while it was being read; open it again")
                if meta != resume.meta:
                    self._write(rows.meta_row(meta))
            except SessionError:
                self.close()
                raise

    def _open(self, flags: int) -> int:
        try:
            fd = os.open(self.path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise SessionError(self._error_text("cannot write session", error)) from error
        try:
            _lock(fd)
        except OSError as error:
            # Any other failure is a file system without locks: going on beats refusing to work at all.
            if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                os.close(fd)
                raise SessionLocked(f"session {self.path} is in use by another zot; close that one first") from None
        return fd

    def append(self, message: Message) -> None:
        """Write a message. Raises `SessionError` when the disk does not take it, or the session is closed."""
        self._ensure_created()
        start = self._write(rows.message_row(message))
        if not (message.role == self._last_role == "tool"):
            self._starts.append(start)
        self._last_role = message.role

    def compact(self, summary: Message, kept: int) -> None:
        """Write that `summary` stands for all messages but the last `kept`; raises `SessionError` as `append` does.

        Of messages that were never written, none can be kept.
        """
        self._ensure_created()
        first = max(len(self._starts) - kept, 0)
        tail = self._starts[first:]
        offset = tail[0] if tail else self._size + self._torn
        start = self._write(rows.compaction_row(rows.CompactionRow(summary, len(tail), offset)))
        self._starts = [start, *tail]
        if not tail:
            self._last_role = summary.role

    def clear(self) -> None:
        """Write that the conversation begins again: a compaction to a message without content. Raises
        `SessionError`."""
        self.compact(Message("user", [], timestamp(), extra={"cleared": "true"}), 0)
        self._starts, self._last_role = [], ""

    def _ensure_created(self) -> None:
        if self._closed:
            raise SessionError(f"session {self.path} is closed")
        if self._fd is None:
            self._create()

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
            _make_private(os.path.dirname(os.path.abspath(self.path)))
        except OSError as error:
            raise SessionError(self._error_text("cannot create the folder of session", error)) from error
        self._fd = fd = self._open(os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL)
        self.meta = self.meta.replace(started=self.meta.started or timestamp())
        try:
            self._write(rows.meta_row(self.meta))
        except SessionError:  # without its first row a file is of no use, and in the way
            self._fd, self._torn, self._size = None, False, 0
            os.close(fd)
            with suppress(OSError):
                os.unlink(self.path)
            raise

    def _error_text(self, what: str, error: OSError) -> str:
        return f"{what} {self.path}: {error.strerror}" + (f"; {self.advice}" if self.advice else "")

    def _write(self, row: str) -> int:
        """Write a row; where in the file it begins."""
        assert self._fd is not None
        start = self._size + self._torn
        # A part of a row may stand at the end of the file. It is passed over on reading, as a line of its own.
        data = b"\n" * self._torn + rows.to_bytes(row)
        try:
            written = os.write(self._fd, data)
        except OSError as error:
            raise SessionError(f"cannot write session {self.path}: {error.strerror}; free some space") from error
        self._size += written
        self._torn = written != len(data)
        if self._torn:
            raise SessionError(f"cannot write session {self.path}: the disk is full; free some space")
        return start

    def close(self) -> None:
        """Release the file. Closing twice is harmless."""
        self._closed = True
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)


def _make_private(folder: str) -> None:
    """Make a folder and those above it that are missing, for the owner alone."""
    if not os.path.isdir(folder):
        _make_private(os.path.dirname(folder))
        with suppress(FileExistsError):  # another zot was quicker; a file in its place is found on opening
            os.mkdir(folder, 0o700)
