"""Read session files, tolerating an incomplete end; messages of large files are loaded on first access."""

import gc
import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, get_args

from zot_core.errors import SessionError, SessionNotFound, UnusableFile
from zot_core.sessions import rows
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import MESSAGE_START, Meta
from zot_core.sessions.totals import SessionTotals, read_totals
from zot_provider.files.regular_file import open_regular
from zot_provider.messages import Message, Role, TextBlock
from zot_provider.record import Record, field
from zot_provider.usage import Usage

EAGER_BYTES = 8 << 20
"""Files of up to this many bytes are loaded completely."""

_TOOL_RESULT = b'{"type":"tool_result",'
_USAGE = b'{"type":"usage",'
_UNREAD_USAGE = {"type": "usage"}
_LOST = "(the beginning of this conversation could not be read)"
_ROLES: dict[bytes, Role] = {role.encode(): role for role in get_args(Role)}


class StoredSession(Record):
    """The contents of a session file. `usage` is the last cumulative count; `counted` has the tokens of the last
    request and its answer, and how many messages these are. `torn`: the last line is incomplete. `size`: the bytes
    read. `lost`: how many whole lines are no JSON. `headless`: one of them is before the first message. `batch_open`:
    the last message is made of `tool_result` rows without a `message` row.

    `messages` is the conversation as the model knows it: after a compaction, its summary and what follows. `starts` has
    the offset of each message's first row, in bytes; for a summary, that of its compaction row. In a file of more than
    `EAGER_BYTES` bytes most messages are `StoredMessage`s, which are loaded on first access.

    `sent` has the parts of the system prompt that the machine decides, by name, as the requests have them, and `known`
    as the model knows them; None if no row has any. `cuts` are the texts that are cut in requests, `totals` is from its
    runs.
    """

    meta: Meta
    messages: list[Message] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    counted: tuple[int, int] = (0, 0)
    torn: bool = False
    size: int = 0
    starts: list[int] = field(default_factory=list)
    batch_open: bool = False
    lost: int = 0
    headless: bool = False
    sent: dict[str, str] | None = None
    known: dict[str, str] = field(default_factory=dict)
    cuts: list[rows.CutText] = field(default_factory=list)
    totals: SessionTotals = field(default_factory=SessionTotals)


def load(path: str) -> StoredSession:
    """Read a session. Lines that are not JSON and rows of an unknown type are skipped; if the first message is lost, a
    message of the user says so in its place, because a conversation begins with one.

    Raises `SessionNotFound`, or `SessionError` if the file cannot be read or has no meta row.
    """
    stored = StoredSession(Meta("", "", "", "", ""))
    try:
        with open(path, "rb", opener=open_regular) as file, no_collector():
            source = (
                _RowSource(path) if os.fstat(file.fileno()).st_size > EAGER_BYTES and hasattr(os, "pread") else None
            )
            found = _read(file, stored, source)
    except FileNotFoundError:
        raise SessionNotFound(f"no session file at {path}") from None
    except OSError as error:
        raise SessionError(f"cannot read session {path}: {error.strerror}") from error
    if not found:
        raise UnusableFile(f"{path} is not a session file: it has no meta row")
    if stored.headless and stored.messages and stored.messages[0].role != "user":
        stored.messages.insert(0, Message("user", [TextBlock(_LOST)]))
        stored.starts.insert(0, stored.starts[0])
    return stored


@contextmanager
def no_collector() -> Iterator[None]:
    """Disable the garbage collector. Messages have no reference cycles, and searching a hundred thousand new objects
    for some takes a third of the loading time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _RowSource:
    """An open file from which rows are read, even after it was deleted. Closed with the last message that uses it."""

    __slots__ = ("__weakref__", "_fd")

    def __init__(self, path: str) -> None:
        self._fd = open_regular(path)
        weakref.finalize(self, os.close, self._fd)

    def read(self, start: int, size: int) -> bytes:
        """Return bytes of the file. Raises `SessionError`."""
        with SessionError.of_system("cannot read the session's older messages"):
            if hasattr(os, "pread"):
                return os.pread(self._fd, size, start)
            os.lseek(self._fd, start, os.SEEK_SET)  # Windows
            return os.read(self._fd, size)


class StoredMessage(Message):
    """A message that is loaded from the session file on first access to a field other than `role`.

    Rows are never changed, so loading later gives the same message. For a damaged row the message says so.
    """

    __slots__ = ("_rows", "_source")

    def __init__(self, role: Role, id: str, source: _RowSource, start: int, size: int) -> None:
        self.role, self.id = role, id
        self._source: _RowSource | None = source
        self._rows = [(start, size)]

    @property
    def read(self) -> bool:
        """Whether it has been loaded."""
        return self._source is None

    @property
    def size(self) -> int:
        return sum(size for _, size in self._rows)

    def add(self, start: int, size: int) -> None:
        """Add another row to a message that has not been loaded."""
        self._rows.append((start, size))

    def replace(self, **changes: Any) -> Message:  # type: ignore[override]  # the copy is in memory
        """See `Record`; returns a plain `Message`."""
        return Message(**({name: getattr(self, name) for name in self.__match_args__} | changes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return Message.__eq__(self, other)

    __hash__ = None  # see `Record`

    def __getattr__(self, name: str) -> Any:
        if name not in Message.__match_args__:
            raise AttributeError(f"a message has no {name}")
        source = self._source
        if source is not None:
            found = self._parsed(source.read)
            for field_name in Message.__match_args__:  # each once: another thread may be reading
                if field_name not in ("role", "id"):
                    setattr(self, field_name, getattr(found, field_name))
            self._source = None
        return object.__getattribute__(self, name)

    def _parsed(self, read: Callable[[int, int], bytes]) -> Message:
        found = [rows.read_message(read_row(read(*each)).get("message")) for each in self._rows]
        there = [each for each in found if each is not None]
        first = there[0] if there else Message(self.role, [])
        first.content = [block for each in there for block in each.content]
        if len(there) < len(found) and self.role != "tool":
            first.content.append(TextBlock("(a part of the session file is damaged here)"))
        first.id = self.id
        return first

    def glimpse(self, known: "UnreadRows | None" = None) -> Message:
        """Return the message, of which nothing is kept here if it has not been loaded. It is not read from its file
        again if its rows are `known`."""
        source = self._source
        if source is None:
            return self
        return self._parsed(source.read if known is None or known.source is not source else known.read)


class UnreadRows(Record):
    """The rows of messages that have not been loaded: the number of the first one, where the rows of each begin in
    `data`, and the bytes of their file `source`, from `begin` on."""

    first: int
    starts: list[int]
    data: bytes
    source: _RowSource
    begin: int

    def read(self, start: int, size: int) -> bytes:
        """Return bytes of the file. Raises `SessionError`."""
        at = start - self.begin
        return self.data[at : at + size] if 0 <= at <= len(self.data) - size else self.source.read(start, size)


def unread_rows(messages: Sequence[Message], end: int, most: int) -> UnreadRows | None:
    """Return the rows of the messages before number `end`, as many as are not loaded, follow each other in a file and
    have `most` bytes together, but at least one; None if the last one is loaded. Raises `SessionError`."""
    last = messages[end - 1]
    source = last._source if isinstance(last, StoredMessage) else None
    if source is None or not isinstance(last, StoredMessage):
        return None
    stop = sum(last._rows[-1])
    starts = [last._rows[0][0]]
    for number in range(end - 2, -1, -1):
        message = messages[number]
        if not isinstance(message, StoredMessage) or message._source is not source:
            break
        start = message._rows[0][0]
        if start >= starts[-1] or stop - start > most:
            break
        starts.append(start)
    begin = starts[-1]
    data = source.read(begin, stop - begin)
    return UnreadRows(end - len(starts), [start - begin for start in reversed(starts)], data, source, begin)


def _unread_message(line: bytes, before: str, start: int, source: _RowSource) -> StoredMessage | None:
    """Return an unloaded message for a line; None unless the line has exactly the form in which zot writes messages.
    `before` is the id of the entry before it."""
    if not line.startswith(MESSAGE_START):
        return None
    role = _ROLES.get(line[len(MESSAGE_START) : line.index(b'"', len(MESSAGE_START))])
    id = rows.id_at_end(line) or (rows.entry_id({}, before, line) if line.endswith(b"}}\n") else "")
    return StoredMessage(role, id, source, start, len(line)) if role is not None and id else None


def _read(file: Iterable[bytes], stored: StoredSession, source: _RowSource | None) -> bool:
    """Read the lines into `stored`, one at a time. Return whether there was a meta row."""
    found, line, id, compacted = False, b"\n", "", False
    usages: list[tuple[bytes, int]] = []  # with the number of messages that the row covers, 0 if these have changed
    batch = _Batch()
    for line in file:
        start, stored.size = stored.size, stored.size + len(line)
        if line.startswith(_TOOL_RESULT):
            batch.rows.append((start, line))
            continue
        if source is not None and (message := _unread_message(line, id, start, source)) is not None:
            id = message.id
            _add(stored, message, batch.take(stored, message, start) if batch.rows else start)
            continue
        row = _UNREAD_USAGE if line.startswith(_USAGE) else read_row(line)
        lost = not row and line.endswith(b"\n") and line != b"\n"
        stored.lost += lost
        stored.headless = stored.headless or (lost and not (stored.messages or batch.rows))
        if row.get("type") in rows.ENTRIES:
            id = rows.entry_id(row, id, line)
        match row.get("type"):
            case "meta":
                if meta := rows.read_meta(row.get("meta")):
                    meta.title = meta.title or stored.meta.title  # a rename is a row of its own
                    stored.meta, found = meta, True
            case "message" | "branch_summary":
                if read := rows.read_message(row.get("message")):
                    read.id = id
                _add(stored, read, batch.take(stored, read, start))
            case "compaction":
                batch.flush(stored)
                if compaction := rows.read_compaction(row):
                    compaction.summary.id = id
                    _compact(stored, compaction, start)
                usages, compacted = [(each, 0) for each, _ in usages], True
            case "usage":
                usages.append((line, 0 if compacted else len(stored.messages)))  # that of a compaction is after it
                compacted = False
            case _:
                _read_no_entry(stored, row)
                usages = [(each, 0) for each, _ in usages] if row.get("type") == "cut" else usages
    stored.batch_open = batch.flush(stored)
    _count(stored, usages)
    stored.torn = not line.endswith(b"\n")
    return found


def _count(stored: StoredSession, usages: list[tuple[bytes, int]]) -> None:
    """Take the usage of the session from the last row that can be read, and that of the last request from the last one
    of a turn."""
    found = ((row, messages) for line, messages in reversed(usages) if (row := read_row(line)))
    for number, (row, messages) in enumerate(found):
        if not number:
            stored.usage = rows.read_usage(row.get("cumulative"))
        tokens = rows.read_usage(row.get("usage")).context
        if tokens or not messages:
            stored.counted = (tokens, messages) if 0 < messages <= len(stored.messages) else (0, 0)
            return


def _read_no_entry(stored: StoredSession, row: dict[str, Any]) -> None:
    kind = row.get("type")
    if kind == "rename" and isinstance(row.get("title"), str):
        stored.meta.title = row["title"]
    elif kind == "prompt" and (parts := rows.read_prompt(row)):
        stored.sent, stored.known = stored.sent or parts, parts
    elif kind == "cut" and (cut := rows.read_cut(row)):
        stored.cuts.append(cut)
    elif kind == "totals" and isinstance(after := row.get("after"), str) and (run := read_totals(row)):
        stored.totals.add(after, run)


class _Batch:
    """The `tool_result` rows since the last message: their offsets and lines. They are parsed only if no `message` row
    with all results follows, because the process was killed."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, bytes]] = []

    def take(self, stored: StoredSession, message: Message | None, start: int) -> int:
        """Return the offset of the first row of `message`, whose row is at `start`. If it is no message of results, the
        rows here are added to `stored` before it."""
        if self.rows and message is not None and message.role == "tool":
            start, self.rows = self.rows[0][0], []
        self.flush(stored)
        return start

    def flush(self, stored: StoredSession) -> bool:
        """Add the rows to `stored`. Return whether there were any that can be read."""
        found = False
        for start, line in self.rows:
            row = read_row(line)
            if message := rows.read_message(row.get("message")):
                message.id, found = rows.entry_id(row, "", line), True
            _add(stored, message, start)
        self.rows = []
        return found


def _add(stored: StoredSession, message: Message | None, start: int) -> None:
    """Add a message. Results that follow each other are merged into one message."""
    if message is None:
        return
    last = stored.messages[-1] if stored.messages else None
    if message.role == "tool" and last is not None and last.role == "tool":
        if isinstance(message, StoredMessage) and isinstance(last, StoredMessage) and not last.read:
            last.add(start, message.size)
        else:
            last.content += message.content
        last.id = message.id
    else:
        stored.messages.append(message)
        stored.starts.append(start)


def _compact(stored: StoredSession, compaction: rows.CompactionRow, start: int) -> None:
    """Replace the messages before the kept ones with the summary, or with nothing if the summary has no content."""
    first = max(len(stored.messages) - compaction.kept, 0)
    empty = not compaction.summary.content
    stored.sent = None if empty else stored.known or None
    stored.messages[:first] = [] if empty else [compaction.summary]
    stored.starts[:first] = [] if empty else [start]
