"""The commands on the stored sessions: `list_sessions`, `search_sessions`, `open_session` and others."""

import asyncio
from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import CommandField, InvalidCommand, Method

if TYPE_CHECKING:
    from zot_agent.operations.stored_answers import AddedSession, OpenedSession, SessionHits, SessionTitle, WrittenFile
    from zot_agent.rpc.context import CommandContext
    from zot_ext.protocol.answers import SessionPage, StoredSessionInfo

LISTED = 50
"""Sessions in a list, if a command names no number."""


async def list_sessions(context: "CommandContext", fields: dict[str, Any]) -> "SessionPage":
    """List the stored sessions."""
    cwd = None if fields.get("all") else context.runtime.cwd
    return await context.stored.list(cwd, fields.get("limit", LISTED), fields.get("after", ""))


async def search_sessions(context: "CommandContext", fields: dict[str, Any]) -> "SessionHits":
    """Search the stored sessions."""
    cwd = None if fields.get("all") else context.runtime.cwd
    return await context.stored.search(fields["query"], cwd, fields.get("limit", LISTED))


async def show_session(context: "CommandContext", fields: dict[str, Any]) -> "StoredSessionInfo":
    """Say what a stored session is about."""
    return await context.stored.show(_name(context, fields), context.runtime.cwd)


async def open_session(context: "CommandContext", fields: dict[str, Any]) -> "OpenedSession":
    """Continue a stored session."""
    path = await _path(context, fields)
    if path == _own_path(context) and not fields.get("fork"):
        raise InvalidCommand("this is the session of the conversation already")
    notes = await context.host.open_session(path, fork=fields.get("fork", False))
    state = context.runtime.state
    return {"session_id": state.session_id, "cwd": state.cwd, "model": state.model, "notes": notes}


async def rename_session(context: "CommandContext", fields: dict[str, Any]) -> "SessionTitle":
    """Give a session a title."""
    path, session = await _path(context, fields), context.runtime.session
    if session is not None and path == session.path:
        context.conversation.rename(fields["title"])
        title = session.meta.title
    else:
        title = await context.stored.rename(path, context.runtime.cwd, fields["title"])
    return {"title": title}


async def delete_session(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Delete a stored session."""
    path = await _path(context, fields)
    if path == _own_path(context):
        raise InvalidCommand("this is the session of the conversation; continue with another one first")
    await context.stored.delete(path, context.runtime.cwd)


async def export_session(context: "CommandContext", fields: dict[str, Any]) -> "WrittenFile":
    """Write a session to a file."""
    return {"path": await context.stored.export(_name(context, fields), context.runtime.cwd, fields["path"])}


async def import_session(context: "CommandContext", fields: dict[str, Any]) -> "AddedSession":
    """Add a session from a file."""
    return {"session": await context.stored.add(fields["path"], context.runtime.cwd)}


async def _path(context: "CommandContext", fields: dict[str, Any]) -> str:
    """Return the path of the session that a command means. Raises `SessionError`."""
    own = _own_path(context)
    if not fields.get("session") and own:
        return own
    return (await asyncio.to_thread(context.stored.find, _name(context, fields), context.runtime.cwd)).path


def _own_path(context: "CommandContext") -> str:
    session = context.runtime.session
    return "" if session is None else session.path


def _name(context: "CommandContext", fields: dict[str, Any]) -> str:
    """Return the name of the session that a command means: by default the session of the conversation."""
    if name := fields.get("session", ""):
        return str(name)
    if own := _own_path(context):
        return own
    raise InvalidCommand("session is missing: this conversation is not stored")


_SESSION = CommandField("session", "string", "The id of a session, or its beginning; by default the conversation's.")
_NAMED = CommandField("session", "string", "The id of a session, or its beginning, or a path.", required=True)
_ALL = CommandField("all", "boolean", "Those of all directories; by default those of the working directory.")
_LIMIT = CommandField("limit", "number", f"At most so many, up to 500; by default {LISTED}.")


METHODS = (
    Method(
        "list_sessions",
        list_sessions,
        "List the stored sessions, last used first.",
        (_ALL, _LIMIT, CommandField("after", "string", "The `next` of the page before.")),
    ),
    Method(
        "search_sessions",
        search_sessions,
        "Find the stored sessions that have all words in their title, prompts and answers, without regard to case.",
        (
            CommandField("query", "string", "Words; text in double quotes must occur as it is.", required=True),
            _ALL,
            _LIMIT,
        ),
    ),
    Method(
        "show_session",
        show_session,
        "Say what a stored session is about: its last prompt and answer, its tokens and cost.",
        (_SESSION,),
    ),
    Method(
        "open_session",
        open_session,
        "Continue a stored session, in its directory and with its model. The event `session_start` follows. "
        "Refused while busy, and, unless `fork`, while another process has the session open.",
        (_NAMED, CommandField("fork", "boolean", "Continue in a copy, a new session.")),
    ),
    Method(
        "rename_session",
        rename_session,
        "Give a session a title; an empty one brings back the name made from the first prompt.",
        (CommandField("title", "string", "The title.", required=True), _SESSION),
    ),
    Method(
        "delete_session",
        delete_session,
        "Delete a stored session with all its branches. Refused while a process has it open.",
        (_NAMED,),
    ),
    Method(
        "export_session",
        export_session,
        "Write a session to a new file. Its suffix chooses the format: .zotsession, .html or .md. An existing file is "
        "never overwritten. It has everything that the model has read.",
        (
            CommandField("path", "string", "The file, from the working directory.", required=True),
            _SESSION,
        ),
    ),
    Method(
        "import_session",
        import_session,
        "Add the session in a .zotsession file to those of the working directory, with a new id.",
        (CommandField("path", "string", "The file, from the working directory.", required=True),),
    ),
)
