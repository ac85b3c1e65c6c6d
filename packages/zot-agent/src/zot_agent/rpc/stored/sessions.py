"""The commands on the stored sessions: `list_sessions`, `search_sessions`, `open_session` and others."""

import asyncio
from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, CommandField, InvalidCommand, Method

if TYPE_CHECKING:
    from zot_agent.rpc.context import CommandContext

LISTED = 50
"""Sessions in a list, if a command names no number."""


async def list_sessions(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """List the stored sessions."""
    cwd = None if fields.get("all") else context.runtime.cwd
    return await context.stored.list(cwd, fields.get("limit", LISTED), fields.get("after", ""))


async def search_sessions(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Search the stored sessions."""
    cwd = None if fields.get("all") else context.runtime.cwd
    return await context.stored.search(fields["query"], cwd, fields.get("limit", LISTED))


async def show_session(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Say what a stored session is about."""
    return await context.stored.show(_name(context, fields), context.runtime.cwd)


async def open_session(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Continue a stored session."""
    path = await _path(context, fields)
    if path == _own_path(context) and not fields.get("fork"):
        raise InvalidCommand("this is the session of the conversation already")
    notes = await context.host.open_session(path, fork=fields.get("fork", False))
    state = context.runtime.state
    return {"session_id": state.session_id, "cwd": state.cwd, "model": state.model, "notes": notes}


async def rename_session(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Give a session a title."""
    path, session = await _path(context, fields), context.runtime.session
    if session is not None and path == session.path:
        context.conversation.rename(fields["title"])
        title = session.meta.title
    else:
        title = await context.stored.rename(path, context.runtime.cwd, fields["title"])
    return {"title": title}


async def delete_session(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Delete a stored session."""
    path = await _path(context, fields)
    if path == _own_path(context):
        raise InvalidCommand("this is the session of the conversation; continue with another one first")
    await context.stored.delete(path, context.runtime.cwd)
    return None


async def export_session(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Write a session to a file."""
    return {"path": await context.stored.export(_name(context, fields), context.runtime.cwd, fields["path"])}


async def import_session(context: "CommandContext", fields: dict[str, Any]) -> Answer:
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
_ENTRY = (
    '{"id": "5b0e6f8c-9b1d-4c8e-a5d2-3f0c5d1e7a90", "title": "Fix the parser", "titled": false, "cwd": "/home/me/app", '
    '"model": "claude-opus-4-5", "messages": null, "started": "2026-04-19T11:30:00.000Z", '
    '"used": "2026-04-19T11:31:00.000Z", "size": 2048, "path": "/home/me/.local/state/zot/sessions/a/b.jsonl"%s}'
)

METHODS = (
    Method(
        "list_sessions",
        list_sessions,
        "List the stored sessions, last used first. `titled` says whether a person gave the title; otherwise it is "
        "made from the first prompt. `messages` is null for a large file. `next` is the `after` of the next "
        "page, empty at the end.",
        (_ALL, _LIMIT, CommandField("after", "string", "The `next` of the page before.")),
        f'{{"sessions": [{_ENTRY % ""}], "next": ""}}',
    ),
    Method(
        "search_sessions",
        search_sessions,
        "Find the stored sessions that have all words in their title, prompts and answers, without regard to case. "
        "`excerpt` is the text around the first match, `role` who said it; both are empty for a match in the title.",
        (
            CommandField("query", "string", "Words; text in double quotes must occur as it is.", required=True),
            _ALL,
            _LIMIT,
        ),
        '{"sessions": [%s]}' % (_ENTRY % ', "excerpt": "…fix the parser of…", "role": "user"'),
    ),
    Method(
        "show_session",
        show_session,
        "Say what a stored session is about: its last prompt and answer, its tokens and cost, null if unknown.",
        (_SESSION,),
        _ENTRY
        % ', "last_prompt": "Fix it", "last_answer": "Done.", "tokens": {"input": 1200, "output": 30, "cache_read": 0, '
        '"cache_write": 0}, "cost_usd": null',
    ),
    Method(
        "open_session",
        open_session,
        "Continue a stored session, in its directory and with its model. The event `session_start` follows; `notes` "
        "are lines for the user. Refused while busy, and, unless `fork`, while another process has the session open.",
        (_NAMED, CommandField("fork", "boolean", "Continue in a copy, a new session.")),
        '{"session_id": "5b0e6f8c-9b1d-4c8e-a5d2-3f0c5d1e7a90", "cwd": "/home/me/app", "model": "claude-opus-4-5", '
        '"notes": []}',
    ),
    Method(
        "rename_session",
        rename_session,
        "Give a session a title; an empty one brings back the name made from the first prompt.",
        (CommandField("title", "string", "The title.", required=True), _SESSION),
        '{"title": "Fix the parser"}',
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
        '{"path": "/home/me/app/talk.html"}',
    ),
    Method(
        "import_session",
        import_session,
        "Add the session in a .zotsession file to those of the working directory, with a new id.",
        (CommandField("path", "string", "The file, from the working directory.", required=True),),
        f'{{"session": {_ENTRY % ""}}}',
    ),
)
