"""Branches: a session is a family of files, each of which holds one conversation from its first prompt on.

Going back to an earlier entry copies the rows up to it into a new file, and hides the old one from lists. Every file of
a family is a whole session to other programs. The `meta` rows connect the files:

```text
family       id of the session; that of its first file, which has no such field
family_file  name of the first file
parent       id of the file from which this one was copied
fork_point   number of messages copied, and `fork_entry` the id of the last entry
hide_from_sessions   true for the files that are not the conversation
```

A fork, which becomes a session of its own, has no `family`.
"""

import os
import time
from bisect import bisect_right
from contextlib import suppress
from typing import Any, BinaryIO

from zot_core.clock import timestamp
from zot_core.errors import SessionError
from zot_core.sessions import rows
from zot_core.sessions.file import SessionFile, make_private
from zot_core.sessions.memory import UnknownEntry
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import CompactionRow, Meta
from zot_core.sessions.stored import StoredSession, load, no_collector
from zot_core.sessions.tree import KINDS, SessionTree, file_rows, read_tree
from zot_provider.files.regular_file import open_regular
from zot_provider.record import Record, field, record

_LINKS = ("family", "parent", "family_file", "fork_point", "fork_entry", "hide_from_sessions")
_CHUNK = 1 << 20


@record
class _Copy(Record):
    """The beginning of a file: the pieces to copy, and the compactions, whose rows have an offset that changes; the
    number of messages, the id of the last entry, and the model in use there."""

    pieces: list[tuple[int, int] | CompactionRow] = field(default_factory=list)
    messages: int = 0
    last: str = ""
    model: str = ""
    provider: str = ""


@record
class Found(Record):
    """The file of a branch, empty for a branch without entries. `copied`: it is a new copy of another one."""

    path: str = ""
    copied: bool = False


def family_files(path: str, meta: Meta) -> list[str]:
    """Return the paths of the files of a session, `path` being one of them with this `meta`; the oldest first."""
    folder, family = os.path.dirname(os.path.abspath(path)), meta.session_id
    ending = f"-{_short(family)}.jsonl"
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(ending))
    except OSError:
        names = []
    found = [path]
    for name in names:
        other = os.path.join(folder, name)
        if other != path and (first := _first_meta(other)) is not None and first.session_id == family:
            found.append(other)
    first_file = os.path.join(folder, os.path.basename(str(meta.other.get("family_file") or path)))
    if first_file not in found and (first := _first_meta(first_file)) is not None and first.id == family:
        found.insert(0, first_file)
    return found


def copy_branch(path: str, meta: Meta, entry: str, *, before: bool = False, fork: bool = False) -> str:
    """Copy the rows of a session file up to the entry (all of them for an empty one), or with `before` up to the one
    before it, into a new file of the same folder, and return its path; an empty path if there is nothing to copy.

    `meta` is that of the session at `path`. The copy belongs to the same family, with `fork` to a family of its own.
    Raises `UnknownEntry` if the file has no such entry, `SessionError` if a file cannot be read or written.
    """
    try:
        with open(path, "rb", opener=open_regular) as source:
            with no_collector():
                copy = _plan(source, entry, before=before)
            if not copy.messages:
                return ""
            family = "" if fork else meta.session_id
            new = branch_meta(path, meta, family, copy.messages, copy.last)
            new = new.replace(model=copy.model or meta.model, provider=copy.provider or meta.provider)
            return _write(os.path.dirname(os.path.abspath(path)), new, source, copy.pieces)
    except OSError as error:
        raise SessionError(f"cannot copy session {path}: {error.strerror}") from error


def branch_meta(path: str, meta: Meta, family: str, messages: int, entry: str) -> Meta:
    """Return the meta row of a copy of the session at `path`, with a new id."""
    digits = os.urandom(16).hex()
    short = _short(family) if family else digits[:8]
    links: dict[str, Any] = {
        "parent": meta.id,
        "parent_file": os.path.basename(path),
        "fork_point": messages,
        "fork_entry": entry,
    }
    other = {name: value for name, value in meta.other.items() if name not in _LINKS}
    if family:
        links |= {"family": family, "family_file": meta.other.get("family_file", os.path.basename(path))}
    identity = f"{short}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"
    return meta.replace(id=identity, started=timestamp(), other=other | links)


def read_family(session: SessionFile) -> SessionTree:
    """Return the tree of a session, whose conversation is in this file. Raises `SessionError`."""
    return read_tree(family_files(session.path, session.meta), session.path)


def find_branch(session: SessionFile, tree: SessionTree, entry: str, *, before: bool = False) -> Found:
    """Return the file of the session whose conversation ends with the entry, or with `before` with the one before it.
    It may be a new copy. Raises what `copy_branch` raises."""
    wanted = tree.entries[entry].parent if before else entry
    if not wanted:
        return Found()
    for path in _ordered(session, tree):
        if tree.leaves[path] == wanted:
            return Found(path)
    return Found(copy_entry(session, tree, entry, before=before), copied=True)


def copy_entry(session: SessionFile, tree: SessionTree, entry: str, *, before: bool = False, fork: bool = False) -> str:
    """Copy a file of the session which has the entry: see `copy_branch`."""
    source = next(path for path in _ordered(session, tree) if entry in tree.path(tree.leaves[path]))
    meta = session.meta if source == session.path else load(source).meta
    return copy_branch(source, meta, entry, before=before, fork=fork)


def _ordered(session: SessionFile, tree: SessionTree) -> list[str]:
    """Return the paths of the files that have entries, that of the conversation first."""
    return sorted((path for path, leaf in tree.leaves.items() if leaf), key=lambda path: path != session.path)


def empty_branch(session: SessionFile) -> SessionFile:
    """Return the file of a branch without entries; nothing is on disk before its first message."""
    family = session.meta.session_id
    path = _free_path(os.path.dirname(os.path.abspath(session.path)), _short(family))
    return SessionFile(path, branch_meta(session.path, session.meta, family, 0, ""), advice=session.advice)


def open_branch(found: Found, **changes: str) -> tuple[SessionFile, StoredSession]:
    """Open a file of a session as the conversation: it is no longer hidden. Raises `SessionError`; a copy is then
    removed."""
    try:
        stored = load(found.path)
        other = {name: value for name, value in stored.meta.other.items() if name != "hide_from_sessions"}
        session = SessionFile(found.path, stored.meta.replace(other=other, **changes), resume=stored)
    except SessionError:
        if found.copied:
            os.unlink(found.path)
        raise
    session.is_copy = found.copied
    return session, stored


def discard(session: SessionFile, *, hide: bool = False) -> None:
    """Close a file that did not become the conversation, and remove it if it is a copy without entries of its own.
    `hide` it if it was hidden before it was opened."""
    is_copy = session.is_copy
    if hide and not is_copy:
        with suppress(SessionError):  # see `leave_branch`
            session.link(hide_from_sessions=True)
    session.close()
    if is_copy:
        with suppress(OSError):
            os.unlink(session.path)


def leave_branch(session: SessionFile) -> None:
    """Close the file of a branch that is no longer the conversation, and hide it from lists. A file without entries of
    its own is removed: another file has them all."""
    if session.is_copy:
        discard(session)
        return
    with suppress(SessionError):  # a list may then show two files of the family; nothing is lost
        session.link(hide_from_sessions=True)
    session.close()


def _plan(source: BinaryIO, entry: str, *, before: bool) -> _Copy:
    """Return what to copy, all of it for an empty entry. Rows after the entry that are no entries, such as its usage,
    belong to it."""
    copy, begin, end, reached = _Copy(), 0, 0, False
    for kind, id, first, start, line in file_rows(source):
        if kind in KINDS and (reached or (before and id == entry)):
            end, reached = first, True
            break
        end = start + len(line)
        if kind in ("meta", "rename", "compaction"):  # these are written again or left out
            if begin < start:
                copy.pieces.append((begin, start))
            begin = end
        if kind == "meta" and (meta := rows.read_meta(read_row(line).get("meta"))) is not None:
            copy.model, copy.provider = meta.model, meta.provider
        elif kind in KINDS:
            if kind == "compaction" and (compaction := rows.read_compaction(read_row(line))) is not None:
                compaction.summary.id = id
                copy.pieces.append(compaction)
            copy.messages += kind != "custom"
            copy.last, reached = id, id == entry
    if entry and not reached:
        raise UnknownEntry(f"the session has no entry {entry!r}")
    if begin < end:
        copy.pieces.append((begin, end))
    return copy


def _write(folder: str, meta: Meta, source: BinaryIO, pieces: "list[tuple[int, int] | CompactionRow]") -> str:
    """Write a new file and return its path. Raises OSError."""
    make_private(folder)
    short = _short(meta.session_id)
    temporary = os.path.join(folder, f".{meta.id}.tmp")
    with open(temporary, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as target:
        try:
            target.write(rows.to_bytes(rows.meta_row(meta)))
            starts: list[int] = []  # of the pieces, in the source and in the copy
            moved: list[int] = []
            for piece in pieces:
                if isinstance(piece, CompactionRow):
                    at = bisect_right(starts, piece.offset) - 1
                    offset = target.tell() if not piece.kept or at < 0 else moved[at] + piece.offset - starts[at]
                    target.write(rows.to_bytes(rows.compaction_row(piece.replace(offset=offset))))
                else:
                    starts.append(piece[0])
                    moved.append(target.tell())
                    _copy_bytes(source, target, piece[0], piece[1] - piece[0])
        except OSError:
            os.unlink(temporary)
            raise
    path = _free_path(folder, short)
    os.rename(temporary, path)
    return path


def _free_path(folder: str, short: str) -> str:
    seconds = time.time()
    while True:
        name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(seconds))}-{short}.jsonl"
        if not os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
        seconds += 1


def _copy_bytes(source: BinaryIO, target: BinaryIO, start: int, count: int) -> None:
    """Copy a part of a file to the end of another one, by the kernel if it can."""
    target.flush()
    if hasattr(os, "copy_file_range"):
        with suppress(OSError):  # not on this file system
            while count and (copied := os.copy_file_range(source.fileno(), target.fileno(), count, start)):
                start, count = start + copied, count - copied
    target.seek(0, os.SEEK_END)
    source.seek(start)
    while count and (data := source.read(min(count, _CHUNK))):
        target.write(data)
        count -= len(data)


def _short(id: str) -> str:
    return "".join(char if char.isascii() and (char.isalnum() or char in "_.") else "_" for char in id[:8]) or "_"


def _first_meta(path: str) -> Meta | None:
    """Return the first meta row of a file; None if it is not a session."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            return rows.read_meta(read_row(file.readline(_CHUNK)).get("meta"))
    except OSError:
        return None
