"""The operations on stored sessions, whether or not they are open."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypedDict

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import Line, OperationFailed
from zot_agent.operations.operation import operation
from zot_agent.verbs.session import place

if TYPE_CHECKING:
    from zot_ext.protocol.answers import OpenedPlace, SessionHits, SessionPage, SessionTitle, StoredSessionInfo

ListScope: TypeAlias = Literal["cwd", "all"]
ListLimit: TypeAlias = Annotated[int, 1, 500]


def _cwd(caller: OperationCaller, scope: ListScope) -> str | None:
    return caller.conversation.runtime.cwd if scope == "cwd" else None


@operation("session.list", group="session", scope="own", needs=("conversation",))
async def list_stored(
    caller: OperationCaller, *, scope: ListScope = "cwd", limit: ListLimit = 50, after: str = ""
) -> "SessionPage":
    """List the stored sessions, last used first.

    scope: `cwd` (the default) for sessions of the folder of the conversation, `all` for every session.
    limit: How many at most; 50 by default.
    after: The `next` of the page before.
    """
    return await caller.stored.list(_cwd(caller, scope), limit, after)


@operation("session.search", group="session", scope="own", needs=("conversation",))
async def search(
    caller: OperationCaller, query: str, *, scope: ListScope = "cwd", limit: ListLimit = 50
) -> "SessionHits":
    """Find the stored sessions that have all words in their title, prompts and answers, without regard to case.

    query: Words; text in double quotes must occur as it is.
    scope: As in `session.list`.
    limit: How many at most; 50 by default.
    """
    return await caller.stored.search(query, _cwd(caller, scope), limit)


@operation("session.show", group="session", scope="own", needs=("conversation",))
async def show(caller: OperationCaller, session: str = "") -> "StoredSessionInfo":
    """Say what a stored session is about: its last prompt and answer, its tokens and cost.

    session: The id of a session, or its beginning, or a path; by default the conversation's.
    """
    return await caller.stored.show(_name(caller, session), caller.conversation.runtime.cwd)


@operation("session.open", when="idle", group="session", scope="own", waits=True)
async def open_stored(caller: OperationCaller, session: str, *, fork: bool = False) -> "OpenedPlace":
    """Continue a stored session, in its folder and with its model. The event `session_start` follows. Refused, unless
    `fork`, while another process has the session open.

    session: The id of a session, or its beginning, or a path.
    fork: Continue in a copy, a new session.
    """
    conversation = caller.conversation
    if (open_session := conversation.actions.open_session) is None:
        raise OperationFailed("unavailable", "this program opens no other sessions")
    path = await _path(caller, session)
    if path == _own_path(caller) and not fork:
        raise OperationFailed("invalid", "this is the session of the conversation already")
    notes = await open_session(path, fork=fork)
    state = conversation.runtime.state
    return {**place(caller), "cwd": state.cwd, "model": state.model, "notes": notes}


@operation("session.rename", group="session", scope="own")
async def rename(caller: OperationCaller, title: Line, *, session: str = "") -> "SessionTitle":
    """Give a session a title, one line of at most 200 characters; an empty one brings back the name made from the first
    prompt.

    title: The title.
    session: The id of a session, or its beginning; by default the conversation's, the only one for an extension.
    """
    conversation, own = caller.conversation, _own_path(caller)
    if not own and not session:
        raise OperationFailed("unavailable", "this session is not stored, so it has no title")
    if caller.extension and not conversation.runtime.state.session_id.startswith(session):  # whether it exists or not
        raise OperationFailed("denied", "an extension renames the session of the conversation only")
    path = await _path(caller, session) if session and not caller.extension else own
    if path == own and conversation.runtime.session is not None:
        conversation.rename(title)
        return {"title": conversation.runtime.session.meta.title}
    return {"title": await caller.stored.rename(path, conversation.runtime.cwd, title)}


@operation("session.delete", scope="own")
async def delete(caller: OperationCaller, session: str) -> None:
    """Delete a stored session with all its branches. Refused while a process has it open.

    session: The id of a session, or its beginning, or a path.
    """
    path = await _path(caller, session)
    if path == _own_path(caller):
        raise OperationFailed("invalid", "this is the session of the conversation; continue with another one first")
    await caller.stored.delete(path, caller.conversation.runtime.cwd)


class WrittenFile(TypedDict):
    """The file that was written."""

    path: str


@operation("session.export", scope="own")
async def export(caller: OperationCaller, path: str, *, session: str = "") -> WrittenFile:
    """Write a session to a new file. Its suffix chooses the format: .zotsession, .html or .md. An existing file is
    never overwritten. It has everything that the model has read.

    path: The file, from the working directory.
    session: The id of a session, or its beginning, or a path; by default the conversation's.
    """
    name = _name(caller, session)
    return {"path": await caller.stored.export(name, caller.conversation.runtime.cwd, path)}


class AddedSession(TypedDict):
    """The session that was added."""

    session: "StoredSessionInfo"


@operation("session.import", scope="own")
async def add(caller: OperationCaller, path: str) -> AddedSession:
    """Import a .zotsession file as a session of the working directory. It gets a new id.

    path: The file, from the working directory.
    """
    return {"session": await caller.stored.add(path, caller.conversation.runtime.cwd)}


async def _path(caller: OperationCaller, session: str) -> str:
    """Return the path of a session. Raises `SessionError`."""
    return (await asyncio.to_thread(caller.stored.find, session, caller.conversation.runtime.cwd)).path


def _own_path(caller: OperationCaller) -> str:
    session = caller.conversation.runtime.session
    return "" if session is None else session.path


def _name(caller: OperationCaller, session: str) -> str:
    """Return the name of the session that is meant: by default the session of the conversation."""
    own = caller.conversation.runtime.session
    if name := session or (own.path if own is not None and own.written else ""):
        return name
    raise OperationFailed("invalid", "session is missing: this conversation is not stored")
