"""`SessionFile`: writes a session file, row by row. `zot_core.sessions.stored` reads it."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from zot_core.clock import timestamp
from zot_core.errors import SessionError, SessionLocked
from zot_core.sessions import rows
from zot_core.sessions.rows import CustomEntry, Label, Meta
from zot_core.sessions.stored import StoredSession as StoredSession
from zot_core.sessions.stored import load as load
from zot_provider.files.regular_file import open_regular
from zot_provider.messages import Message, new_entry_id
from zot_provider.usage import Usage

_lock: Callable[[int], None]
try:
    import fcntl
except ImportError:  # Windows

    def _lock(fd: int) -> None:
        import msvcrt  # noqa: PLC0415  exists on Windows only

        # Far beyond the rows: a Windows lock forbids reading what it covers.
        os.lseek(fd, 1 << 40, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]

else:

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


class SessionFile:
    """A session file open for writing. The file is created with the first message, so that no session is ever empty.

    Each row is written as a whole line with one `write` before the call returns, so it survives the end of this process
    at any moment. The file is readable by its owner alone and locked against other writers.
    """

    def __init__(self, path: str, meta: Meta, *, resume: StoredSession | None = None, advice: str = "") -> None:
        """Create a new session, or continue one: `resume` is the result of `load`. `advice` is appended to the error
        for a file that cannot be created: it says what the user of this program can do.

        Raises `SessionLocked` if another process has the file open, `SessionError` if it cannot be written or has
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
        self._calls = 0  # of the last answer
        self.is_copy = False
        """Whether nothing has been written since the file was copied from another one."""
        self._batch: Message | None = None  # results of several calls that have no `message` row yet
        if resume is not None:
            self._size, self._starts = resume.size, list(resume.starts)
            self._last_role = resume.messages[-1].role if resume.messages else ""
            self._batch = resume.messages[-1] if resume.batch_open else None
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
            if flags & os.O_CREAT:
                fd = os.open(self.path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
            else:
                fd = open_regular(self.path, flags)
        except OSError as error:
            raise SessionError(self._error_text("cannot write session", error)) from error
        try:
            _lock(fd)
        except OSError as error:
            # Other errors mean a file system without locks: working without a lock is better than not at all.
            if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                os.close(fd)
                raise SessionLocked(
                    f"session {self.path} is in use by another zot; close that one first, or fork it"
                ) from None
        return fd

    def append(self, message: Message) -> None:
        """Write a message. Raises `SessionError` if it cannot be written or the session is closed.

        Of several calls, every result but the last is a `tool_result` row. The last one adds a `message` row with all.
        """
        self._ensure_created()
        message.id = message.id or new_entry_id()
        if message.role == "tool":
            self._append_results(message)
        else:
            self._end_batch()
            self._starts.append(self._write(rows.message_row(message)))
            self._calls = len(message.tool_calls)
        self._last_role = message.role

    def _append_results(self, message: Message) -> None:
        self._calls -= len(message.content)
        batch = message
        if self._batch is not None:
            message.id = self._batch.id
            batch = Message("tool", [*self._batch.content, *message.content], self._batch.time, id=message.id)
        if self._calls > 0:
            start, self._batch = self._write(rows.tool_result_row(message)), batch
        else:
            start, self._batch = self._write(rows.message_row(batch)), None
        if self._last_role != "tool":
            self._starts.append(start)

    def _end_batch(self) -> None:
        """Write the `message` row of the results so far, if they have none yet."""
        if self._batch is not None:
            self._write(rows.message_row(self._batch))
            self._batch = None

    def compact(self, summary: Message, kept: int) -> None:
        """Write that `summary` replaces all messages but the last `kept`; raises `SessionError` as `append` does.

        Only messages that have been written can be kept.
        """
        self._ensure_created()
        self._end_batch()
        summary.id = summary.id or new_entry_id()
        first = max(len(self._starts) - kept, 0)
        tail = self._starts[first:]
        offset = tail[0] if tail else self._size + self._torn
        start = self._write(rows.compaction_row(rows.CompactionRow(summary, len(tail), offset)))
        self._starts = [start, *tail]
        if not tail:
            self._last_role = summary.role

    def add_summary(self, summary: Message) -> None:
        """Write the summary of a branch that was left; raises `SessionError` as `append` does."""
        self._ensure_created()
        self._end_batch()
        summary.id = summary.id or new_entry_id()
        self._starts.append(self._write(rows.branch_summary_row(summary)))
        self._last_role, self._calls = summary.role, 0

    def label(self, label: Label) -> None:
        """Write the label of an entry; raises `SessionError` as `append` does."""
        self._ensure_created()
        self._write(rows.label_row(label))

    def custom(self, entry: CustomEntry) -> None:
        """Write data of an extension; raises `SessionError` as `append` does."""
        self._ensure_created()
        self._end_batch()
        self._write(rows.custom_row(entry))

    def clear(self) -> None:
        """Write that the conversation starts again: a compaction to a message without content. Raises
        `SessionError`."""
        self.compact(Message("user", [], timestamp(), extra={"cleared": "true"}), 0)
        self._starts, self._last_role = [], ""

    def _ensure_created(self) -> None:
        if self._closed:
            raise SessionError(f"session {self.path} is closed")
        self.is_copy = False
        if self._fd is None:
            self._create()

    def usage(self, usage: Usage, cumulative: Usage) -> None:
        """Write the tokens of a turn, and the total of the session."""
        if self._fd is not None:
            self._write(rows.usage_row(usage, cumulative))

    def change(self, **fields: Any) -> None:
        """Change fields of the meta row, e.g. the model, by writing a new one."""
        self.meta = self.meta.replace(**fields)
        if self._fd is not None:
            self._write(rows.meta_row(self.meta))

    def link(self, **links: Any) -> None:
        """Change other fields of the meta row, such as how files of a session belong together."""
        self.change(other=self.meta.other | links)

    def _create(self) -> None:
        try:
            make_private(os.path.dirname(os.path.abspath(self.path)))
        except OSError as error:
            raise SessionError(self._error_text("cannot create the folder of session", error)) from error
        self._fd = fd = self._open(os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL)
        self.meta = self.meta.replace(started=self.meta.started or timestamp())
        try:
            self._write(rows.meta_row(self.meta))
        except SessionError:  # a file without its first row is not a session, and blocks the path
            self._fd, self._torn, self._size = None, False, 0
            os.close(fd)
            with suppress(OSError):
                os.unlink(self.path)
            raise

    def _error_text(self, what: str, error: OSError) -> str:
        return f"{what} {self.path}: {error.strerror}" + (f"; {self.advice}" if self.advice else "")

    def _write(self, row: str) -> int:
        """Write a row and return its offset in the file."""
        assert self._fd is not None
        start = self._size + self._torn
        # The file may end in an incomplete row. A line break makes it a line of its own, which readers skip.
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
        """Release the file. May be called twice."""
        self._closed = True
        if self._fd is not None:
            with suppress(SessionError):  # its `tool_result` rows are there
                self._end_batch()
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)


def make_private(folder: str) -> None:
    """Create a folder and its missing parents, accessible to the owner alone."""
    if not os.path.isdir(folder):
        make_private(os.path.dirname(folder))
        with suppress(FileExistsError):  # created by another process; a file of that name fails on opening
            os.mkdir(folder, 0o700)
