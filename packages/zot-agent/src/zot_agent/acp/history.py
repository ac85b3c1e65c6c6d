"""Lists and deletes stored sessions. All functions read files: call them in a thread."""

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
"""Sessions in one page."""


def page(cwd: str | None, cursor: str) -> tuple[list[Json], str | None]:
    """Return the protocol's `SessionInfo` of up to `PAGE` sessions of a directory, or of all, and the next cursor.

    Sessions that cannot be loaded are left out. Raises `SessionError`, and `ConfigError` for an invalid cursor.
    """
    found = listing.list_sessions(SessionStore(sessions_root()), cwd, PAGE + 1, cursor)
    shown = found[:PAGE]
    return [_info(entry) for entry in shown if _loadable(entry)], shown[-1].place if len(found) > PAGE else None


def delete(id: str) -> None:
    """Delete the session with this id, if it exists. Raises `SessionLocked` while a zot process has it open, and
    `SessionError` if it cannot be deleted."""
    store = SessionStore(sessions_root())
    try:
        path = store.find(id, "")
    except SessionNotFound:
        return
    entry = listing.read_entry(path)
    if entry is not None and entry.id == id:  # a prefix of an id can open a session, but not delete one
        listing.delete(store, path)


def full_id(name: str) -> str:
    """Return the id of the stored session `name` (an id, its prefix, or a path), empty if it does not exist."""
    store = SessionStore(sessions_root())
    try:
        entry = listing.read_entry(store.find(name, ""))
    except SessionNotFound:
        return ""
    return entry.id if entry is not None else ""


def _loadable(entry: SessionEntry) -> bool:
    """Whether the protocol, with absolute paths and valid text only, can express its id and directory."""
    text = entry.id + entry.cwd
    return bool(entry.id) and os.path.isabs(entry.cwd) and text == without_surrogates(text)


def _info(entry: SessionEntry) -> Json:
    changed = datetime.fromtimestamp(entry.changed, UTC).isoformat(timespec="seconds")
    return {"sessionId": entry.id, "cwd": entry.cwd, "title": entry.name or None, "updatedAt": changed}
