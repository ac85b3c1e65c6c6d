"""Calls about the stored sessions, whether or not they are open."""

import asyncio
import builtins
import os

from zot_agent.config.paths import sessions_root
from zot_agent.extensions.calls.call import CallAnswer, CallFailed, ExtensionCall
from zot_agent.extensions.calls.methods.stored.session import Page
from zot_core.errors import SessionError, SessionNotFound
from zot_core.sessions import listing
from zot_core.sessions.branch import family_files, first_meta
from zot_core.sessions.store import SessionStore
from zot_core.sessions.tree import read_tree

SCOPES = ("cwd", "all")

_LISTED, _MOST = 50, 500
"""Sessions of a page, by default and at most."""


async def list(call: ExtensionCall) -> CallAnswer:
    """List sessions."""
    scope, limit, after = call.text("scope", "cwd"), call.params.get("limit") or _LISTED, call.text("after")
    if scope not in SCOPES or not 0 < limit <= _MOST:
        raise CallFailed("invalid", f"scope is {' or '.join(SCOPES)}, and limit is 1 to {_MOST}")
    cwd = call.conversation.runtime.cwd if scope == "cwd" else None
    store = SessionStore(sessions_root())
    found: builtins.list[listing.SessionEntry] = await asyncio.to_thread(
        listing.list_sessions, store, cwd, limit + 1, after
    )
    page = found[:limit]
    return {
        "sessions": [listing.entry_fields(each) for each in page],
        "next": page[-1].place if len(found) > limit else "",
    }


async def read(call: ExtensionCall) -> CallAnswer:
    """List entries of a stored session."""
    page, name, cwd = Page(call), call.params["session"], call.conversation.runtime.cwd

    def work() -> CallAnswer:
        path = find(name, cwd)
        meta = first_meta(path)
        if meta is None:
            raise SessionError(f"{path} is not a session file, or cannot be read")
        return page.of(read_tree(family_files(path, meta), path))

    return await asyncio.to_thread(work)


def find(name: str, cwd: str) -> str:
    """Return the path of the session with this id, a beginning of it, or this path. This reads folders. Raises
    `SessionNotFound`, also for a file outside of the folder of sessions."""
    store = SessionStore(sessions_root())
    path = store.find(name, cwd)
    root = os.path.join(os.path.realpath(store.root), "")
    if not os.path.realpath(path).startswith(root):
        raise SessionNotFound(f"{path} is not below {store.root}")
    return path
