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

A fork is a new session and has no `family`.

The sessions of sub-agents are in `agents/<id of the session>/` beside the file of the agent that started them, where
lists do not look. Their `meta` rows have `parent`, the id of the session that started them, `root`, that of the session
at the top, and `agent`, an object with what is known of the sub-agent.
"""

import os
import re
from contextlib import suppress
from typing import Any

from zot_core.clock import timestamp
from zot_core.errors import SessionError
from zot_core.sessions import rows
from zot_core.sessions.copying import create_copy, plan_copy
from zot_core.sessions.file import SessionFile
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import Meta
from zot_core.sessions.store import free_path, new_session, new_session_id, session_files, short_id
from zot_core.sessions.stored import StoredSession, load, no_collector
from zot_core.sessions.tree import SessionTree, read_tree
from zot_provider.files.regular_file import open_regular
from zot_provider.record import Record

_LINKS = ("family", "parent", "family_file", "fork_point", "fork_entry", "hide_from_sessions")
_CHUNK = 1 << 20

AGENTS = "agents"
"""The folder of the sessions of sub-agents."""

_OTHER = re.compile(r"[^A-Za-z0-9_-]")


class Found(Record):
    """The file of a branch, empty for a branch without entries. `copied`: it is a new copy of another one."""

    path: str = ""
    copied: bool = False


def family_files(path: str, meta: Meta) -> list[str]:
    """Return the paths of the files of a session, `path` being one of them with this `meta`; the oldest first."""
    folder, family = os.path.dirname(os.path.abspath(path)), meta.session_id
    ending = f"-{short_id(family)}.jsonl"
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(ending))
    except OSError:
        names = []
    found = [path]
    for name in names:
        other = os.path.join(folder, name)
        if other != path and (first := first_meta(other)) is not None and first.session_id == family:
            found.append(other)
    first_file = os.path.join(folder, os.path.basename(str(meta.other.get("family_file") or path)))
    if first_file not in found and (first := first_meta(first_file)) is not None and first.id == family:
        found.insert(0, first_file)
    return found


def copy_branch(path: str, meta: Meta, entry: str, *, before: bool = False, fork: bool = False) -> str:
    """Copy the rows of a session file up to the entry (all of them for an empty one), or with `before` up to the one
    before it, into a new file of the same folder, and return its path; an empty path if there is nothing to copy.

    `meta` is that of the session at `path`. The copy belongs to the same family, with `fork` to a family of its own.
    Raises `UnknownEntry` if the file has no such entry, `SessionError` if a file cannot be read or written.
    """
    with SessionError.of_system(f"cannot copy session {path}"), open(path, "rb", opener=open_regular) as source:
        with no_collector():
            copy = plan_copy(source, entry, before=before)
        if not copy.last:
            return ""
        family = "" if fork else meta.session_id
        new = branch_meta(path, meta, family, copy.messages, copy.last)
        new = new.replace(model=copy.model or meta.model, provider=copy.provider or meta.provider)
        return create_copy(os.path.dirname(os.path.abspath(path)), new, source, copy)


def branch_meta(path: str, meta: Meta, family: str, messages: int, entry: str) -> Meta:
    """Return the meta row of a copy of the session at `path`, with a new id."""
    links: dict[str, Any] = {"parent": meta.id, "fork_point": messages, "fork_entry": entry}
    other = {name: value for name, value in meta.other.items() if name not in _LINKS}
    if family:
        links |= {"family": family, "family_file": meta.other.get("family_file", os.path.basename(path))}
    id = new_session_id(short_id(family) if family else "")
    return meta.replace(id=id, started=timestamp(), other=other | links)


def read_family(session: SessionFile) -> SessionTree:
    """Return the tree of a session, whose conversation is in this file. Raises `SessionError`."""
    return read_tree(family_files(session.path, session.meta), session.path)


def find_branch(session: SessionFile, tree: SessionTree, entry: str, *, before: bool = False) -> Found:
    """Return the file of the session whose conversation ends with the entry, or with `before` with the one before it.
    It may be a new copy. Raises what `copy_branch` raises."""
    wanted = tree.node(entry).parent if before else entry
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
    path = free_path(os.path.dirname(os.path.abspath(session.path)), short_id(family))
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


def first_meta(path: str) -> Meta | None:
    """Return the first meta row of a file; None if it is not a session."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            return rows.read_meta(read_row(file.readline(_CHUNK)).get("meta"))
    except OSError:
        return None


# Sessions of sub-agents


def children_folder(path: str, session_id: str) -> str:
    """Return the folder for the sub-agents of the session with this id and the file `path`."""
    name = _OTHER.sub("_", session_id)[:64] or "_"
    return os.path.join(os.path.dirname(os.path.abspath(path)), AGENTS, name)


def new_child(session: SessionFile, meta: Meta, agent: dict[str, Any]) -> SessionFile:
    """Create a session for a sub-agent. Nothing is on disk before its first message."""
    parent = session.meta.session_id
    # A sub-agent's own sub-agents are beside it: all that belongs to one session is in one folder.
    inside = "agent" in session.meta.other
    folder = os.path.dirname(session.path) if inside else children_folder(session.path, parent)
    root = session.meta.other.get("root", parent) if inside else parent
    return new_session(folder, meta.replace(other={"parent": parent, "root": root, "agent": agent}), session.advice)


def child_files(path: str, session_id: str) -> list[str]:
    """Return the files of the sub-agents of a session, the oldest first."""
    found = []
    with suppress(SessionError):
        for each in sorted(session_files(children_folder(path, session_id))):
            meta = first_meta(each)
            if meta is not None and meta.other.get("root") == session_id:
                found.append(each)
    return found


def stored_children(path: str, session_id: str) -> list[tuple[str, StoredSession]]:
    """Read the sessions of the sub-agents of a session, with their paths; what cannot be read is left out. Reads
    files: call it in a thread."""
    found = []
    for each in child_files(path, session_id):
        with suppress(SessionError):
            found.append((each, load(each)))
    return found


def delete_children(path: str, session_id: str) -> None:
    """Delete the files of the sub-agents of a session. Raises OSError."""
    for each in child_files(path, session_id):
        os.unlink(each)
    folder = children_folder(path, session_id)
    with suppress(OSError):  # it has other files, or is not there
        os.rmdir(folder)
        os.rmdir(os.path.dirname(folder))
