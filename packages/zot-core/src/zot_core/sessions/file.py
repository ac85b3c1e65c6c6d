"""One session file: appended to row by row, read back whatever happened to its end."""

import errno
import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from zot_core.clock import timestamp
from zot_core.errors import SessionError, SessionLocked, SessionNotFound
from zot_core.sessions import rows
from zot_core.sessions.raw import read_row
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
    """What a session file holds. `usage` is the last cumulative count. `torn`: its last line is not complete. `size`:
    how many bytes were read.

    `messages` is the conversation as the model knows it: after a compaction, its summary and what follows. `starts` has
    for each of them where its first row begins, in bytes; for a summary, where its compaction does.
    """

    meta: Meta
    messages: list[Message] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    torn: bool = False
    size: int = 0
    starts: list[int] = field(default_factory=list)


def load(path: str) -> Stored:
    """Read a session. Lines that are no JSON and rows of an unknown type are passed over.

    Raises `SessionNotFound`, or `SessionError` if the file cannot be read or has no meta row.
    """
    stored = Stored(Meta("", "", "", "", ""))
    try:
        with open(path, "rb") as file, _no_collector():
            found = _read(file, stored)
    except FileNotFoundError:
        raise SessionNotFound(f"no session at {path}") from None
    except OSError as error:
        raise SessionError(f"cannot read session {path}: {error.strerror}") from error
    if not found:
        raise SessionError(f"{path} is no session file: it has no meta row")
    return stored


@contextmanager
def _no_collector() -> Iterator[None]:
    """Messages hold no cycles: looking for some among a hundred thousand new objects takes a third of the time of
    reading them, and finds nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read(file: Iterable[bytes], stored: Stored) -> bool:
    """Put what the lines hold into `stored`; whether a meta row was among them. One line at a time is in memory."""
    found, line, usage = False, b"\n", None
    for line in file:
        start, stored.size = stored.size, stored.size + len(line)
        row = read_row(line)
        match row.get("type"):
            case "meta":
                if meta := rows.read_meta(row.get("meta")):
                    meta.title = meta.title or stored.meta.title  # a rename is a row of its own
                    stored.meta, found = meta, True
            case "message":
                _add(stored, rows.read_message(row.get("message")), start)
            case "compaction":
                _compact(stored, rows.read_compaction(row), start)
            case "usage":
                usage = row.get("cumulative")
            case "rename":
                stored.meta.title = row["title"] if isinstance(row.get("title"), str) else stored.meta.title
    stored.usage = rows.read_usage(usage)
    stored.torn = not line.endswith(b"\n")
    return found


def _add(stored: Stored, message: Message | None, start: int) -> None:
    """Results of one batch stand in rows of their own; in memory they are one message."""
    if message is None:
        return
    last = stored.messages[-1] if stored.messages else None
    if message.role == "tool" and last is not None and last.role == "tool":
        last.content += message.content
    else:
        stored.messages.append(message)
        stored.starts.append(start)


def _compact(stored: Stored, compaction: rows.Compaction | None, start: int) -> None:
    """Have the summary stand for what came before the kept messages."""
    if compaction is not None:
        first = max(len(stored.messages) - compaction.kept, 0)
        stored.messages[:first] = [compaction.summary]
        stored.starts[:first] = [start]


class SessionFile:
    """The writing end. The file comes into being with the first message, so that no session is ever empty.

    Each row is one `write` of a whole line, done before the call returns: it survives the end of this process at any
    moment. The file is readable by its owner alone and locked against other writers.
    """

    def __init__(self, path: str, meta: Meta, *, resume: Stored | None = None) -> None:
        """A new session, or one to go on with: `resume` is what `load` gave.

        Raises `SessionLocked` when another process has the file open, `SessionError` when it cannot be written, or has
        changed since it was loaded.
        """
        self.path = path
        self.meta = meta
        self._fd: int | None = None
        self._closed = False
        self._torn = False
        self._size = 0
        self._starts: list[int] = []  # of the messages, see `Stored`
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
            raise SessionError(f"cannot write session {self.path}: {error.strerror}") from error
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
        self._begin()
        start = self._write(rows.message_row(message))
        if not (message.role == self._last_role == "tool"):
            self._starts.append(start)
        self._last_role = message.role

    def compact(self, summary: Message, kept: int) -> None:
        """Write that `summary` stands for all messages but the last `kept`; raises `SessionError` as `append` does.

        Of messages that were never written, none can be kept.
        """
        self._begin()
        first = max(len(self._starts) - kept, 0)
        tail = self._starts[first:]
        offset = tail[0] if tail else self._size + self._torn
        start = self._write(rows.compaction_row(rows.Compaction(summary, len(tail), offset)))
        self._starts = [start, *tail]
        if not tail:
            self._last_role = summary.role

    def _begin(self) -> None:
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
            raise SessionError(f"cannot create the folder of session {self.path}: {error.strerror}") from error
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
