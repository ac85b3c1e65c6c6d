"""`SessionTree`: the entries of a session and of its earlier branches."""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Literal, TypeAlias, get_args

from zot_core.errors import SessionError
from zot_core.printable import printable_line
from zot_core.sessions import rows
from zot_core.sessions.raw import read_row
from zot_provider.files.regular_file import open_regular
from zot_provider.messages import Message, TextBlock, ToolResultBlock
from zot_provider.record import Record, record

EntryKind: TypeAlias = Literal["user", "assistant", "tool", "compaction", "custom"]

KINDS = get_args(EntryKind)

_LINE = 200
"""Characters of an entry's first line."""

_ROLE = b'{"type":"message","message":{"role":"'
_KINDS: dict[bytes, EntryKind] = {b"user": "user", b"assistant": "assistant", b"tool": "tool"}


@record
class EntryNode(Record):
    """An entry: a message, by its role, a compaction, or data of an extension (`custom`).

    `parent` is the id of the entry before it, empty for the first one of the session. `place` is where its row is: the
    path of a file, an offset and a size in bytes; None if the conversation is only in memory, where `held` is the row's
    content.
    """

    id: str
    parent: str
    kind: EntryKind
    place: tuple[str, int, int] | None = None
    held: Message | rows.CustomEntry | None = None


class SessionTree:
    """The entries of a session, of all its branches, by id, in the order in which they were found.

    `labels` are the labels of entries, by id. `current` is the id of the last entry of the conversation, empty if it
    has none. `leaves` are the last entries of the branches, by the path of their file.
    """

    def __init__(self) -> None:
        self.entries: dict[str, EntryNode] = {}
        self.labels: dict[str, str] = {}
        self.leaves: dict[str, str] = {}
        self.current = ""
        self._children: dict[str, list[str]] | None = None

    def add(self, entry: EntryNode) -> None:
        """Add an entry. Does nothing if its id is known."""
        if entry.id not in self.entries:
            self.entries[entry.id] = entry
            self._children = None

    def children(self, id: str) -> list[str]:
        """Return the ids of the entries that follow this one, or of the first entries for an empty id."""
        if self._children is None:
            self._children = {}
            for entry in self.entries.values():
                self._children.setdefault(entry.parent, []).append(entry.id)
        return self._children.get(id, [])

    def path(self, id: str = "") -> list[str]:
        """Return the ids from the first entry to this one, by default to the current one."""
        found: list[str] = []
        at = id or self.current
        while at in self.entries:
            found.append(at)
            at = self.entries[at].parent
        return found[::-1]

    def walk(self) -> Iterator[tuple[str, int]]:
        """Yield the ids in the order of a printed tree, each with its depth: entries that follow each other have the
        same depth, the other branches below an entry have one more."""
        stack = [(id, int(number > 0)) for number, id in enumerate(self.children(""))][::-1]
        while stack:
            id, depth = stack.pop()
            yield id, depth
            children = self.children(id)
            stack += [(child, depth + 1) for child in reversed(children[1:])]
            stack += [(child, depth) for child in children[:1]]

    def first_lines(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the first line of what a person sees of these entries, each file opened once. Raises what `message`
        raises."""
        found: dict[str, str] = {}
        files: dict[str, BinaryIO] = {}
        try:
            for id in ids:
                entry = self.entries[id]
                message = entry.held if isinstance(entry.held, Message) else None
                if entry.place is not None and entry.kind != "custom":
                    path = entry.place[0]
                    if path not in files:
                        files[path] = open(path, "rb", opener=open_regular)  # noqa: SIM115  closed below
                    files[path].seek(entry.place[1])
                    message = rows.read_message(read_row(files[path].read(entry.place[2])).get("message"))
                found[id] = "" if message is None else first_line(message)
        except OSError as error:
            raise SessionError(f"cannot read the session: {error.strerror}") from error
        finally:
            for file in files.values():
                file.close()
        return found

    def message(self, id: str) -> Message | None:
        """Return the message of an entry, or the summary of a compaction; None for others. Reads the file. Raises
        KeyError for an unknown id, `SessionError` if the file cannot be read."""
        entry = self.entries[id]
        if entry.place is None:
            return entry.held if isinstance(entry.held, Message) else None
        found = rows.read_message(_row(entry.place).get("message"))
        return None if found is None else found.replace(id=id)

    def custom(self, id: str) -> rows.CustomEntry | None:
        """Return the data of an entry of the kind `custom`, else None. Reads the file, and raises what `message`
        raises."""
        entry = self.entries[id]
        if entry.place is None:
            return entry.held if isinstance(entry.held, rows.CustomEntry) else None
        return rows.read_custom(_row(entry.place)) if entry.kind == "custom" else None


def read_tree(paths: Iterable[str], current: str = "") -> SessionTree:
    """Read the tree of the session with these files; `current` is the path of the conversation. Reads whole
    files: call it in a thread. Raises `SessionError`."""
    tree = SessionTree()
    for path in paths:
        try:
            with open(path, "rb", opener=open_regular) as file:
                tree.leaves[path] = _read(file, path, tree)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise SessionError(f"cannot read session {path}: {error.strerror}") from error
    tree.current = tree.leaves.get(current, "")
    return tree


def _read(file: Iterable[bytes], path: str, tree: SessionTree) -> str:
    """Add the entries of a file, and return the id of the last one."""
    last = ""
    for row in file_rows(file):
        if row.kind == "label":
            label = rows.read_label(read_row(row.line))
            tree.labels[label.entry] = label.text
        elif row.kind in KINDS:
            tree.add(EntryNode(row.id, last, row.kind, (path, row.start, len(row.line))))
            last = row.id
    return last


class FileRow:
    """A row of a session file. `kind` is an `EntryKind` or the type of a row that is no entry, such as "meta" and
    "label"; `id` that of the entry, or of the last one before it. `start` is its offset, `first` that of its first row:
    results may have `tool_result` rows before their own."""

    __slots__ = ("first", "id", "kind", "line", "start")

    def __init__(self, kind: Any, id: str, first: int, start: int, line: bytes) -> None:
        self.kind, self.id, self.first, self.start, self.line = kind, id, first, start, line


def file_rows(file: Iterable[bytes]) -> Iterator[FileRow]:
    """Yield the rows of a session file in order, without incomplete ones, unknown ones and `tool_result` rows."""
    id, at, first = "", 0, -1
    for line in file:
        start, at = at, at + len(line)
        if line.startswith(_ROLE) and (found := rows.id_at_end(line)):
            kind: str | None = _KINDS.get(line[len(_ROLE) : line.find(b'"', len(_ROLE))])
            id = found if kind else id
        elif line.startswith(b'{"type":"usage"') and line.endswith(b"\n"):
            kind = "usage"
        elif line.startswith(b'{"type":"tool_result"'):
            first = start if first < 0 else first
            continue
        else:
            row = read_row(line) if line.endswith(b"\n") else {}
            kind = _kind(row)
            id = rows.entry_id(row, id, line) if kind in KINDS or kind == "label" else id
        if kind is None:
            continue
        yield FileRow(kind, id, first if kind == "tool" and first >= 0 else start, start, line)
        if kind in KINDS:
            first = -1


def _kind(row: dict[str, Any]) -> str | None:
    kind = row.get("type")
    if kind == "message":
        message = row.get("message")
        kind = message.get("role") if isinstance(message, dict) else None
        return kind if kind in ("user", "assistant", "tool") else None
    return kind if kind in ("compaction", "custom", "label", "meta", "rename", "usage") else None


def first_line(message: Message) -> str:
    """Return a line that names a message: its text, its calls, or its results."""
    if message.hidden:
        return ""
    text = (message.display_text or message.text)[:_LINE].strip()
    if not text:
        results = [block.content for block in message.content if isinstance(block, ToolResultBlock)]
        texts = [block.text[:_LINE] for content in results for block in content if isinstance(block, TextBlock)]
        text = "; ".join([f"{call.name} {call.arguments[:_LINE]}" for call in message.tool_calls] or texts).strip()
    return printable_line(text.splitlines()[0])[:_LINE] if text else ""


def _row(place: tuple[str, int, int]) -> dict[str, Any]:
    path, start, size = place
    try:
        with open(path, "rb", opener=open_regular) as file:
            file.seek(start)
            return read_row(file.read(size))
    except OSError as error:
        raise SessionError(f"cannot read session {path}: {error.strerror}") from error
