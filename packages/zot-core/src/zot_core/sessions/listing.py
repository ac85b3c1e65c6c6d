"""List, rename and delete sessions.

A session may be 100 MB long and there may be thousands: only the newest files are read, and only the head and the tail
of large ones.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from zot_core.clock import timestamp
from zot_core.errors import SessionError, UnusableFile
from zot_core.printable import NAME_LENGTH, first_line, printable_line
from zot_core.sessions import rows
from zot_core.sessions.branch import delete_children, family_files
from zot_core.sessions.file import SessionFile, StoredSession
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import Meta
from zot_core.sessions.store import SessionStore, files_by_use
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import open_regular
from zot_provider.json_text import dump, without_surrogates
from zot_provider.messages import Message
from zot_provider.record import Record

FULL_SCAN_BYTES = 1024 * 1024
"""Files of up to this many bytes are read completely."""
HEAD_BYTES = 128 * 1024
TAIL_BYTES = 256 * 1024
LINE_BYTES = 32 * 1024 * 1024
"""Maximum bytes read of one line."""
MADE_NAME_LENGTH = 80
"""Maximum characters of a name that is made from a prompt."""
NEWEST = 500
"""Default number of sessions in a list."""

_DIGITS = 20  # maximum digits of the time in a place, in nanoseconds
_MARKS = re.compile(r"\A(?:[#>*+-]+ +|[0-9]{1,3}[.)] +)+")
_SENTENCE = re.compile(r"(?<=[^\s.])(?:[.!?…]+(?= +[^\sa-z0-9])|[。！？])")
_SHORT_SENTENCE = 15  # characters; what ends before may be an abbreviation or a greeting
_MESSAGE = b'{"type":"message"'
_PASSED_OVER = (b'{"type":"usage"', b'{"type":"tool_result"', b"\n")


class SessionEntry(Record):
    """A session in a list.

    `id` is that of the session, `path` the file of its conversation. `name` is its title, if `titled`, else made from
    the first prompt (`name_from`), or empty. `messages` is their number, None if counting them would require reading a
    large file. `started` is as in the file (UTC), `changed` in seconds since the epoch, `size` in bytes. `place` is its
    position in a list, for `after`.
    """

    id: str
    path: str
    cwd: str
    name: str
    titled: bool
    messages: int | None
    started: str
    changed: float
    size: int
    model: str
    place: str = ""


def entry_fields(entry: SessionEntry) -> dict[str, Any]:
    """Return the fields of a session as JSON values."""
    fields = {"id": entry.id, "title": entry.name, "titled": entry.titled, "cwd": entry.cwd, "model": entry.model}
    fields |= {"messages": entry.messages, "started": entry.started, "used": timestamp(entry.changed)}
    return fields | {"size": entry.size, "path": entry.path}


def list_sessions(
    store: SessionStore, cwd: str | None = None, limit: int = NEWEST, after: str = ""
) -> list[SessionEntry]:
    """List the `limit` most recently used sessions of the directory `cwd`, or of all for None; newest first.

    `after`: continue the list behind the session that had this `place`, even if it has since been used or deleted.
    Files that are not sessions, and sessions with `hide_from_sessions` in their meta row, are left out. This reads
    files: call it in a thread. Raises `SessionError` if the sessions' folder cannot be read, `ConfigError` if `after`
    is not a valid place.
    """
    end = _read_place(after) if after else None
    listed: dict[str, SessionEntry] = {}
    for changed, name, path in files_by_use(store.folders(cwd)):
        if len(listed) == limit:
            break
        entry = read_entry(path) if end is None or (changed, name) < end else None
        if entry is not None:
            entry.place = f"{changed}:{name}"
            # A process that was killed may have left two files of a session visible.
            listed.setdefault(entry.id or path, entry)
    return list(listed.values())


def _read_place(place: str) -> tuple[int, str]:
    changed, colon, name = place.partition(":")
    if not colon or not changed.isdecimal() or len(changed) > _DIGITS:
        raise ConfigError(f"{place[:NAME_LENGTH]!r} is not a place in a list of sessions")
    return int(changed), name


def read_entry(path: str, *, hidden: bool = False) -> SessionEntry | None:
    """Return the list entry of a session file; None if it is not a session, or, unless `hidden`, if lists leave it
    out."""
    try:
        scan = _scan_file(path)
    except OSError:
        return None
    meta = scan.meta
    if meta is None or (meta.hidden and not hidden):
        return None
    name = first_line(meta.title) or scan.name
    return SessionEntry(
        meta.session_id, path, meta.cwd, name, bool(first_line(meta.title)), scan.messages if scan.whole else None,
        meta.started, scan.changed, scan.size, meta.model,
    )  # fmt: skip


def rename(store: SessionStore, path: str, title: str) -> str:
    """Change the title of a session, and return it as one line; without a title the first prompt names the session.

    This appends a row and keeps the modification time, so that the session keeps its place in lists. Raises
    `SessionLocked` while a process has the session open (that process uses `SessionFile.change(title=...)`), and
    `SessionError` if the file is not a session of `store` or cannot be written.
    """
    title = first_line(title)
    with _locked(store, path) as (_, torn):
        row = b"\n" * torn + without_surrogates(dump({"type": "rename", "title": title}) + "\n").encode()
        with SessionError.of_system(f"cannot write session {path}"):
            used = os.stat(path)
            with open(path, "ab", buffering=0, opener=open_regular) as file:
                if file.write(row) != len(row):
                    raise SessionError(f"cannot write session {path}: the disk is full; free some space")
            os.utime(path, ns=(used.st_atime_ns, used.st_mtime_ns))
    return title


def delete(store: SessionStore, path: str) -> None:
    """Delete the files of a session: one for its conversation and one for every other branch.

    Raises `SessionLocked` while a process has it open, `SessionError` as `rename` does.
    """
    with _locked(store, path) as (meta, _), SessionError.of_system(f"cannot remove session {path}"):
        for each in family_files(path, meta):
            os.unlink(each)
        delete_children(path, meta.session_id)


def name_from(message: Message) -> str:
    """Return the name for a session without a title from a message; empty unless it is a visible user message.

    It is the first sentence of the first line that is not blank, without Markdown marks, cut after a word if it is
    longer than `MADE_NAME_LENGTH` characters.
    """
    if message.role != "user" or message.hidden:
        return ""
    lines = message.shown_text[: 20 * NAME_LENGTH].splitlines()
    line = next((line for line in map(_without_marks, lines) if line), "")
    end = next((found.end() for found in _SENTENCE.finditer(line) if found.end() >= _SHORT_SENTENCE), len(line))
    line = line[:end].rstrip(".。 ")
    if len(line) <= MADE_NAME_LENGTH:
        return line
    cut = line.rfind(" ", MADE_NAME_LENGTH // 2, MADE_NAME_LENGTH)
    return line[: cut if cut > 0 else MADE_NAME_LENGTH - 1].rstrip(" ,;:") + "…"


def _without_marks(line: str) -> str:
    """Return a line without the marks of headings, quotes and lists; empty for the fence of a block of code."""
    line = printable_line(line)
    return "" if line.startswith(("```", "~~~")) else _MARKS.sub("", line).replace("**", "").strip("_ ")


class _Scan(Record):
    """The data found in a session file. `whole`: all of it was read."""

    meta: Meta | None = None
    name: str = ""
    messages: int = 0
    whole: bool = True
    size: int = 0
    changed: float = 0.0


def _scan_file(path: str) -> _Scan:
    """Read a file, or its head and tail. Raises OSError."""
    with open(path, "rb", opener=open_regular) as file:
        found = os.fstat(file.fileno())
        scan = _Scan(size=found.st_size, changed=found.st_mtime, whole=found.st_size <= FULL_SCAN_BYTES)
        if not scan.whole:
            # The first prompt may contain an image: its line is read to the end.
            while not scan.name and file.tell() < HEAD_BYTES:
                _scan_rows(scan, file.readline(LINE_BYTES))
            file.seek(max(file.tell(), scan.size - TAIL_BYTES))
        # A buffer of the size of the file: the system clears memory before a program gets it.
        _scan_rows(scan, file.read(scan.size if scan.whole else TAIL_BYTES))
    return scan


def _scan_rows(scan: _Scan, text: bytes) -> None:
    """Update `scan` from lines, of which the first may be incomplete. Messages are counted, and parsed until one names
    the session."""
    at = 0
    while at < len(text):
        message, end = text.startswith(_MESSAGE, at), text.find(b"\n", at)
        end = len(text) if end < 0 else end
        scan.messages += message
        if not scan.name if message else not text.startswith(_PASSED_OVER, at):
            _scan_row(scan, text[at:end])
        at = end + 1


def _scan_row(scan: _Scan, line: bytes) -> None:
    row = read_row(line)
    match row.get("type"):
        case "meta":
            if meta := rows.read_meta(row.get("meta")):
                meta.title = meta.title or (scan.meta.title if scan.meta else "")
                scan.meta = meta
        case "rename":
            if scan.meta is not None and isinstance(row.get("title"), str):
                scan.meta.title = row["title"]
        case "message" if not scan.name:
            message = rows.read_message(row.get("message"))
            scan.name = name_from(message) if message is not None else ""


@contextmanager
def _locked(store: SessionStore, path: str) -> Iterator[tuple[Meta, bool]]:
    """Lock a session; the values are its meta row, and whether its last line is incomplete."""
    root, real = os.path.realpath(store.root), os.path.realpath(path)
    if os.path.commonpath([root, real]) != root or not real.endswith(".jsonl"):
        raise UnusableFile(f"{path} is not a session below {store.root}")
    with SessionError.of_system(f"cannot read session {path}"):
        scan = _scan_file(path)
        with open(path, "rb", opener=open_regular) as file:
            file.seek(max(scan.size - 1, 0))
            torn = scan.size > 0 and file.read(1) != b"\n"
    if scan.meta is None:
        raise UnusableFile(f"{path} is not a session file: it has no meta row")
    session = SessionFile(path, scan.meta, resume=StoredSession(scan.meta, torn=torn, size=scan.size))
    try:
        yield scan.meta, torn
    finally:
        session.close()
