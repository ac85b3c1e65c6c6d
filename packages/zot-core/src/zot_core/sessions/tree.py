"""`SessionTree`: the entries of a session and of its earlier branches."""

import json
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from mmap import ACCESS_READ, mmap
from typing import Any, BinaryIO, Literal, Protocol, TypeAlias, get_args

from zot_core.errors import SessionError
from zot_core.printable import printable_line
from zot_core.sessions import rows
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import MESSAGE_START
from zot_core.sessions.stored import no_collector
from zot_provider.files.regular_file import open_regular
from zot_provider.messages import Message, TextBlock, ToolResultBlock
from zot_provider.record import Record

EntryKind: TypeAlias = Literal["user", "assistant", "tool", "compaction", "branch_summary", "custom"]

KINDS: tuple[EntryKind, ...] = get_args(EntryKind)

_CODES: dict[EntryKind, int] = {kind: code for code, kind in enumerate(KINDS)}

_NOTE = len(KINDS)
"""The code of a message of the kind `user` that only the model sees."""

_CHUNK = 1 << 22

_LINE = 200
"""Characters of an entry's first line."""

_KINDS: dict[bytes, EntryKind] = {b'user"': "user", b"assis": "assistant", b'tool"': "tool"}


class UnknownEntry(SessionError):
    """The session has no such entry."""


class EntryNode(Record):
    """An entry: a message, by its role, a compaction, the summary of a branch, or data of an extension (`custom`).

    `parent` is the id of the entry before it, empty for the first one of the session. `place` is where its row is: the
    path of a file, an offset and a size in bytes; None if the conversation is only in memory, where `held` is the row's
    content.
    """

    id: str
    parent: str
    kind: EntryKind
    place: tuple[str, int, int] | None = None
    held: Message | rows.CustomEntry | None = None


class _Append(Protocol):
    def __call__(self, id: str, parent: str, kind: EntryKind, start: int, size: int, *, note: bool) -> None: ...


class SessionTree:
    """The entries of a session, of all its branches, by id, in the order in which they were found.

    `labels` are the labels of entries, by id. `current` is the id of the last entry of the conversation, empty if it
    has none. `leaves` are the last entries of the branches, by the path of their file.

    A long session has 100,000 entries, so they are kept in columns, and a node is made when it is asked for. Entries
    are also known by their number, from 0 on. Nearly every entry follows the one with the number before.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.labels: dict[str, str] = {}
        self.leaves: dict[str, str] = {}
        self.current = ""
        self._numbers: dict[str, int] = {}
        self._kinds = bytearray()  # indexes in `KINDS`, or `_NOTE`
        self._starts, self._sizes = array("q"), array("q")
        self._paths: list[tuple[int, str]] = []  # the first number of entries of a file, and its path
        self._held: dict[int, Message | rows.CustomEntry] = {}
        self._parents: dict[int, int] = {}  # of the entries that do not follow the one before; -1 for none
        self._branches: dict[int, list[int]] = {}  # the reverse

    def __contains__(self, id: str) -> bool:
        return id in self._numbers

    def number(self, id: str) -> int:
        """Return the number of an entry. Raises KeyError for an unknown id."""
        return self._numbers[id]

    def node(self, id: str) -> EntryNode:
        """Return an entry. Raises `UnknownEntry`."""
        number = self._numbers.get(id)
        if number is None:
            raise UnknownEntry(f"the session has no entry {id!r}")
        parent = self._parents.get(number, number - 1)
        place = None
        if number not in self._held:
            path = self._paths[bisect_right(self._paths, number, key=lambda each: each[0]) - 1][1]
            place = path, self._starts[number], self._sizes[number]
        before = self.ids[parent] if parent >= 0 else ""
        return EntryNode(id, before, self.kind(number), place, self._held.get(number))

    def add(self, id: str, parent: str, kind: EntryKind, held: Message | rows.CustomEntry) -> None:
        """Add an entry of a conversation in memory."""
        self._held[len(self.ids)] = held
        self._append(id, parent, kind, 0, 0, note=kind == "user" and isinstance(held, Message) and bool(held.hidden))

    def replace(self, id: str, held: Message) -> None:
        """Replace the content of an entry of a conversation in memory."""
        self._held[self._numbers[id]] = held

    def file_adder(self, path: str) -> _Append:
        """Return a function that adds an entry of this file: its id, that of the one before, its kind, the offset and
        the size of its row, and whether only the model sees it. It does nothing if the id is known."""
        self._paths.append((len(self.ids), path))
        return self._append

    def _append(self, id: str, parent: str, kind: EntryKind, start: int, size: int, *, note: bool) -> None:
        if id in self._numbers:
            return
        number = self._numbers[id] = len(self.ids)
        self.ids.append(id)
        self._kinds.append(_NOTE if note else _CODES[kind])
        self._starts.append(start)
        self._sizes.append(size)
        before = self._numbers[parent] if parent else -1
        if before != number - 1:
            self._parents[number] = before
            self._branches.setdefault(before, []).append(number)

    def children(self, id: str) -> list[str]:
        """Return the ids of the entries that follow this one, or of the first entries for an empty id."""
        number = self._numbers[id] if id else -1
        after = [number + 1] if number + 1 < len(self.ids) and number + 1 not in self._parents else []
        return [self.ids[each] for each in (*after, *self._branches.get(number, ()))]

    def path(self, id: str = "") -> list[str]:
        """Return the ids from the first entry to this one, by default to the current one."""
        return [id for part in self.path_numbers(id) for id in self.ids[part.start : part.stop]]

    def path_numbers(self, id: str = "") -> list[range]:
        """Return the numbers of the entries in `path`, as ranges."""
        found: list[range] = []
        at = self._numbers.get(id or self.current, -1)
        firsts = [0, *self._parents]  # ascending
        while at >= 0:
            first = firsts[bisect_right(firsts, at) - 1]
            found.append(range(first, at + 1))
            at = self._parents.get(first, first - 1)
        return found[::-1]

    def walk(self) -> Iterator[tuple[range, int, int]]:
        """Yield the numbers of entries in the order of a printed tree, as ranges of entries that follow each other,
        each with its depth and the number of the first entry of its branch: what follows the last entry of a range has
        the same depth, the other branches below an entry have one more."""
        ends, points = [*self._parents, len(self.ids)], sorted(self._branches)
        roots = [0] if self.ids and 0 not in self._parents else []
        stack = [(first, int(at > 0)) for at, first in enumerate((*roots, *self._branches.get(-1, ())))][::-1]
        while stack:
            head, depth = stack.pop()
            at = head
            while at >= 0:
                first, at, stop = at, -1, ends[bisect_right(ends, at)]
                yield range(first, stop), depth, head
                for point in points[bisect_left(points, first) : bisect_left(points, stop)]:
                    branches = self._branches[point]
                    if point == stop - 1:
                        at, branches = branches[0], branches[1:]
                    stack += [(branch, depth + 1) for branch in reversed(branches)]

    def kind(self, number: int) -> EntryKind:
        code = self._kinds[number]
        return "user" if code == _NOTE else KINDS[code]

    def of_kinds(self, numbers: range, kinds: Iterable[EntryKind]) -> list[int]:
        """Return the numbers whose entries have one of these kinds, without messages that only the model sees."""
        codes = bytes(_CODES[kind] for kind in kinds)
        found = enumerate(self._kinds[numbers.start : numbers.stop], numbers.start)
        return [number for number, code in found if code in codes]

    def first_lines(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the first line of what a person sees of these entries, each file opened once. Raises what `message`
        raises."""
        found: dict[str, str] = {}
        files: dict[str, BinaryIO] = {}
        try:
            for id in ids:
                entry = self.node(id)
                message = entry.held if isinstance(entry.held, Message) else None
                if entry.place is not None and entry.kind != "custom":
                    path = entry.place[0]
                    if path not in files:
                        files[path] = open(path, "rb", opener=open_regular)  # noqa: SIM115  closed below
                    files[path].seek(entry.place[1])
                    message = rows.entry_message(read_row(files[path].read(entry.place[2])))
                found[id] = "" if message is None else first_line(message)
        except OSError as error:
            raise SessionError(f"cannot read the session: {error.strerror}") from error
        finally:
            for file in files.values():
                file.close()
        return found

    def message(self, id: str) -> Message | None:
        """Return the message of an entry, or the summary of a compaction; None for others. Reads the file. Raises
        `UnknownEntry`, and `SessionError` if the file cannot be read."""
        entry = self.node(id)
        if entry.place is None:
            return entry.held if isinstance(entry.held, Message) else None
        found = rows.entry_message(_row(entry.place))
        return None if found is None else found.replace(id=id)

    def custom(self, id: str) -> rows.CustomEntry | None:
        """Return the data of an entry of the kind `custom`, else None. Reads the file, and raises what `message`
        raises."""
        entry = self.node(id)
        if entry.place is None:
            return entry.held if isinstance(entry.held, rows.CustomEntry) else None
        return rows.read_custom(_row(entry.place)) if entry.kind == "custom" else None


def read_tree(paths: Sequence[str], current: str = "") -> SessionTree:
    """Read the tree of the session with these files; `current` is the path of the conversation. Reads whole
    files: call it in a thread. Raises `SessionError`."""
    tree = SessionTree()
    read: set[str] = set()  # ids of the files
    labels: set[str] = set()  # ids of the label rows, which copies have too
    for path in paths:
        try:
            with open(path, "rb", opener=open_regular) as file, no_collector():
                tree.leaves[path] = _read(file, path, tree, read, labels)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise SessionError(f"cannot read session {path}: {error.strerror}") from error
    tree.current = tree.leaves.get(current, "")
    return tree


def _read(file: BinaryIO, path: str, tree: SessionTree, read: set[str], labels: set[str]) -> str:
    """Add the entries of a file, and return the id of the last one. The part that was copied from a file which has been
    `read` is passed over; the id of this file is added to those."""
    last = _skip_copied(file, tree, read)
    add = tree.file_adder(path)
    for kind, id, _, start, line in file_rows(file, last, file.tell()):
        if kind in KINDS:
            # In JSON a quotation mark inside a string has a backslash before it, so these bytes are a name.
            add(id, last, kind, start, len(line), note=kind == "user" and b'"hidden":' in line)
            last = id
        elif kind == "label" and id not in labels:
            labels.add(id)
            label = rows.read_label(read_row(line))
            tree.labels[label.entry] = label.text
    return last


def _skip_copied(file: BinaryIO, tree: SessionTree, read: set[str]) -> str:
    """Go to the end of the copied part, and return the id of its last entry; else return an empty text."""
    meta = rows.read_meta(read_row(file.readline()).get("meta"))
    entry, parent = (str(meta.other.get(name)) for name in ("fork_entry", "parent")) if meta is not None else ("", "")
    known = parent in read and entry in tree
    if meta is not None:
        read.add(meta.id)
    if known:
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            # In JSON a quotation mark inside a string has a backslash before it, so these bytes are the end of a row.
            ending = f',"id":{json.dumps(entry)}}}\n'.encode()
            for start in range(0, len(data), _CHUNK):  # a search does not let other threads run
                if (found := data.find(ending, start, start + _CHUNK + len(ending))) >= 0:
                    file.seek(found + len(ending))
                    return entry
    file.seek(0)
    return ""


FileRow: TypeAlias = tuple[Any, str, int, int, bytes]
"""A row of a session file: its kind, an `EntryKind` or the type of a row that is no entry, such as "meta" and "label";
the id of the entry or label, or of the last entry before it; the offset of its first row, because results
may have `tool_result` rows before their own; its offset; its line."""


def file_rows(file: Iterable[bytes], before: str = "", at: int = 0) -> Iterator[FileRow]:
    """Yield the rows of a session file, without incomplete ones, unknown ones and `tool_result` rows. `at` is the
    offset of the first line, `before` the id of the entry before it."""
    first, role = -1, len(MESSAGE_START)
    for line in file:
        start, at = at, at + len(line)
        if line.startswith(MESSAGE_START) and (found := rows.id_at_end(line)):
            kind: str | None = _KINDS.get(line[role : role + 5])
            id = found
        elif line.startswith(b'{"type":"usage"') and line.endswith(b"\n"):
            yield "usage", before, start, start, line
            continue
        elif line.startswith(b'{"type":"tool_result"'):
            first = start if first < 0 else first
            continue
        else:
            row = read_row(line) if line.endswith(b"\n") else {}
            kind = _kind(row)
            id = rows.entry_id(row, before, line) if kind in KINDS or kind == "label" else before
        if kind is None:
            continue
        if kind in KINDS:
            yield kind, id, first if kind == "tool" and first >= 0 else start, start, line
            first = -1
        else:
            yield kind, id, start, start, line
        before = id


def _kind(row: dict[str, Any]) -> str | None:
    kind = row.get("type")
    if kind == "message":
        message = row.get("message")
        kind = message.get("role") if isinstance(message, dict) else None
        return kind if kind in ("user", "assistant", "tool") else None
    return kind if kind in ("compaction", "branch_summary", "custom", "label", "meta", "rename", "usage") else None


def first_line(message: Message) -> str:
    """Return a line that names a message: its text, its calls, or its results."""
    if message.hidden:
        return ""
    text = message.shown_text[:_LINE].strip()
    if not text:
        results = [block.content for block in message.content if isinstance(block, ToolResultBlock)]
        texts = [block.text[:_LINE] for content in results for block in content if isinstance(block, TextBlock)]
        text = "; ".join([f"{call.name} {call.arguments[:_LINE]}" for call in message.tool_calls] or texts).strip()
    return printable_line(text.splitlines()[0])[:_LINE] if text else ""


def _row(place: tuple[str, int, int]) -> dict[str, Any]:
    path, start, size = place
    with SessionError.of_system(f"cannot read session {path}"), open(path, "rb", opener=open_regular) as file:
        file.seek(start)
        return read_row(file.read(size))
