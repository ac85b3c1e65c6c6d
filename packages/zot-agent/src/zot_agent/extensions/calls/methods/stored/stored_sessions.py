"""Calls about the stored sessions, whether or not they are open."""

from typing import TYPE_CHECKING

from zot_agent.extensions.calls.call import CallFailed, ExtensionCall
from zot_agent.extensions.calls.methods.stored.session import Page

if TYPE_CHECKING:
    from zot_ext.protocol.answers import ItemPage, SessionPage

SCOPES = ("cwd", "all")

_LISTED = 50
"""Sessions of a page, by default."""


async def list(call: ExtensionCall) -> "SessionPage":
    """List sessions."""
    scope = call.text("scope", "cwd")
    if scope not in SCOPES:
        raise CallFailed("invalid", f"scope is {' or '.join(SCOPES)}")
    cwd = call.conversation.runtime.cwd if scope == "cwd" else None
    limit = call.params.get("limit")
    return await call.services.stored.list(cwd, _LISTED if limit is None else limit, call.text("after"))


async def read(call: ExtensionCall) -> "ItemPage":
    """List entries of a stored session."""
    page, cwd = Page(call), call.conversation.runtime.cwd
    return await call.services.stored.read(call.params["session"], cwd, page.of)
