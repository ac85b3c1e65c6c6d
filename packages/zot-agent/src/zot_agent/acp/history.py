"""The sessions there are, as a client lists and removes them. All of this reads files: call it in a thread."""

import os
from datetime import UTC, datetime

from zot_agent.acp.calls import Json
from zot_agent.config.paths import sessions_root
from zot_core.errors import SessionNotFound
from zot_core.sessions import listing
from zot_core.sessions.listing import SessionEntry
from zot_core.sessions.store import SessionStore
from zot_provider.json_text import without_surrogates

PAGE = 100
"""Sessions in one answer."""


def page(cwd: str | None, cursor: str) -> tuple[list[Json], str | None]:
    """The protocol's `SessionInfo` of up to `PAGE` sessions of a directory, or of all, and the cursor of the next page.

    Sessions that could not be loaded are left out. Raises `SessionError`, and `ConfigError` for a cursor that is none.
    """
    found = listing.list_sessions(SessionStore(sessions_root()), cwd, PAGE + 1, cursor)
    shown = found[:PAGE]
    return [_info(entry) for entry in shown if _loadable(entry)], shown[-1].place if len(found) > PAGE else None


def delete(id: str) -> None:
    """Remove the session of this id, if there is one. Raises `SessionLocked` while a zot has it open, `SessionError` if
    it cannot be removed."""
    store = SessionStore(sessions_root())
    try:
        path = store.find(id, "")
    except SessionNotFound:
        return
    entry = listing.read_entry(path)
    if entry is not None and entry.id == id:  # the beginning of an id is good enough to open a session, not for this
        listing.delete(store, path)


def identity(name: str) -> str:
    """The id of the stored session that `name` stands for (an id, its beginning, a path); `name` if there is none."""
    store = SessionStore(sessions_root())
    try:
        entry = listing.read_entry(store.find(name, ""))
    except SessionNotFound:
        return name
    return entry.id if entry is not None else name


def _loadable(entry: SessionEntry) -> bool:
    """Whether its id and its directory can be said in the protocol, which has absolute paths and valid text alone."""
    text = entry.id + entry.cwd
    return bool(entry.id) and os.path.isabs(entry.cwd) and text == without_surrogates(text)


def _info(entry: SessionEntry) -> Json:
    changed = datetime.fromtimestamp(entry.changed, UTC).isoformat(timespec="seconds")
    return {"sessionId": entry.id, "cwd": entry.cwd, "title": entry.name or None, "updatedAt": changed}
