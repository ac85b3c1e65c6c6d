"""The operations on the session of the conversation: its tree, and where the conversation continues in it."""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import Line, OperationFailed
from zot_agent.operations.operation import operation
from zot_core.clock import timestamp
from zot_core.errors import FilesEdited
from zot_core.machine.branch import branch
from zot_core.runtime.restoring import Moved, Restore
from zot_ext.protocol.fields import LONGEST, OnlyIf
from zot_provider.json_text import dump
from zot_provider.messages import Message, TextBlock

if TYPE_CHECKING:
    from zot_ext.protocol.answers import DiffInfo, EntryInfo, MovedPlace, NewItem, SessionInfo, SessionPlace, TreeInfo

Position: TypeAlias = Literal["at", "before"]
_MOVES, _RESTORES = OnlyIf("restore", ("conversation", "both")), OnlyIf("restore", ("files", "both"))


class FirstMessage(TypedDict):
    """A message with which a session begins."""

    text: Annotated[str, LONGEST]
    role: NotRequired[Literal["user", "assistant"]]
    display_text: NotRequired[Annotated[str, LONGEST]]
    hidden: NotRequired[bool]


FirstMessages: TypeAlias = Annotated[list[FirstMessage], 1000]


@operation("session.info", group="session", scope="watch")
async def info(caller: OperationCaller) -> "SessionInfo":
    """Describe the session."""
    runtime = caller.conversation.runtime
    file, tree = runtime.session, await caller.conversation.branches.tree()
    return {
        "id": runtime.state.session_id,
        "file": None if file is None else file.path,
        "title": "" if file is None else file.meta.title,
        "cwd": runtime.cwd,
        "branch": await asyncio.to_thread(branch, runtime.cwd),
        "entry": tree.current or None,
        "messages": len(runtime.agent.history),
    }


@operation("session.tree", group="session", scope="watch", needs=("conversation",))
async def tree(caller: OperationCaller) -> "TreeInfo":
    """List the entries of the session, of all its branches, in the order in which they were added."""
    found = await caller.conversation.branches.tree()
    texts = await asyncio.to_thread(found.first_lines, list(found.ids))
    entries: list[EntryInfo] = [
        {
            "id": entry.id,
            "parent": entry.parent,
            "kind": entry.kind,
            "text": texts[entry.id],
            "label": found.labels.get(entry.id, ""),
        }
        for entry in map(found.node, found.ids)
    ]
    return {"entries": entries, "current": found.current}


@operation("session.append", group="session", scope="extension")
def append(caller: OperationCaller, custom_type: Annotated[str, 200], data: Any) -> "NewItem":
    """Store data of the extension as an entry, which models do not see.

    custom_type: What it is.
    data: Any JSON value but null.
    """
    most = caller.of_extension().services.limits.entry_bytes
    if len(dump(data).encode("utf-8", "replace")) > most:
        raise OperationFailed("too_large", f"the data of an entry is at most {most} bytes")
    return {"id": caller.conversation.runtime.branches.add(caller.name, custom_type, data)}


@operation("session.label", group="session", scope="drive")
async def label(caller: OperationCaller, entry: str, label: Line) -> None:
    """Give an entry a label, one line of at most 200 characters.

    entry: The id of the entry.
    label: The label; empty to remove it.
    """
    await caller.conversation.branches.label(entry, label)


@operation("session.new", when="idle", group="session", scope="drive", needs=("submit",), waits=True)
async def new(caller: OperationCaller, *, parent: bool = False, messages: FirstMessages = []) -> "SessionPlace":  # noqa: B006
    """Start a new session: no messages, no usage and, if sessions are stored, a new file.

    parent: Store that it comes from this session.
    messages: Its first messages, which nobody answers: objects with `text`, `role` (`user` or `assistant`),
        `display_text`, `hidden`.
    """
    first = [_message(caller, each, at) for at, each in enumerate(messages)]
    await caller.conversation.new_session(first, linked=parent)
    return place(caller)


def _message(caller: OperationCaller, given: FirstMessage, at: int) -> Message:
    if not given["text"].strip():
        raise OperationFailed("invalid", f"messages[{at}].text is empty")
    sender = f"extension {caller.name}" if caller.name else "a client"
    return Message(
        given.get("role") or "user",
        [TextBlock(given["text"])],
        timestamp(),
        display_text=given.get("display_text"),
        hidden=f"sent by {sender}" if given.get("hidden") else "",
        extension=caller.name,
    )


@operation("session.fork", when="idle", group="session", scope="drive", waits=True)
async def fork(caller: OperationCaller, entry: str = "", *, position: Position = "at") -> "SessionPlace":
    """Copy the session and continue in it, a new session. The event `session_start` follows.

    entry: The id of the last entry of the copy; all of them by default.
    position: `at` (the default): with the entry. `before`: without it, to ask something else in its place.
    """
    await caller.conversation.branches.fork(entry, before=position == "before")
    return place(caller)


@operation("session.navigate", when="idle", group="session", scope="drive", needs=("conversation",), waits=True)
async def navigate(
    caller: OperationCaller,
    entry: str,
    *,
    position: Position = "at",
    restore: Restore = "conversation",
    force: Annotated[bool, _RESTORES] = False,
    stop_jobs: Annotated[bool, _RESTORES] = False,
    summarise: Annotated[bool, _MOVES] = False,
    instructions: Annotated[str, OnlyIf("summarise", (True,))] = "",
    label: Annotated[Line, _MOVES] = "",
) -> "MovedPlace":
    """Continue at another entry of the session. Nothing is lost: the entries after it stay in the tree. The event
    `session_tree` follows. Refused with files while a job runs, which could change them: the code is
    `jobs_running` then.

    entry: The id of the entry.
    position: `at` (the default): after the entry. `before`: before it, to ask something else in its place.
    restore: What goes back: `conversation` (the default), `files` or `both`.
    force: Overwrite files that have changed since.
    stop_jobs: First stop the commands in the background.
    summarise: First let the model write a summary of what is left behind, which becomes the next entry. `abort` stops
        that, and nothing has changed then.
    instructions: What that summary must keep.
    label: A label for the entry at which the conversation then continues, the summary if there is one.
    """
    if restore != "conversation":
        _check_restoring(caller)
    before = position == "before"
    move = caller.conversation.branches.go_back(
        entry,
        before=before,
        restore=restore,
        force=force,
        stop_jobs=stop_jobs,
        summarise=summarise,
        instructions=instructions,
        label=label,
    )
    return await _moved(caller, move)


@operation("session.undo", when="idle", group="session", scope="drive", needs=("conversation",), waits=True)
async def undo(caller: OperationCaller, *, force: bool = False, stop_jobs: bool = False) -> "MovedPlace":
    """Go back to before the last prompt, whose text the answer has, with the files that tools changed since. Refused as
    `session.navigate` is.

    force: Overwrite files that have changed since.
    stop_jobs: First stop the commands in the background.
    """
    _check_restoring(caller)
    return await _moved(caller, caller.conversation.branches.undo(force=force, stop_jobs=stop_jobs))


@operation("session.redo", when="idle", group="session", scope="drive", needs=("conversation",), waits=True)
async def redo(caller: OperationCaller, *, force: bool = False, stop_jobs: bool = False) -> "MovedPlace":
    """Take back the last `session.undo`, if nothing was asked since. Refused as `session.navigate` is.

    force: Overwrite files that have changed since.
    stop_jobs: First stop the commands in the background.
    """
    _check_restoring(caller)
    return await _moved(caller, caller.conversation.branches.redo(force=force, stop_jobs=stop_jobs))


def _check_restoring(caller: OperationCaller) -> None:
    """Raise `OperationFailed` unless the caller may bring files back to what they were."""
    if caller.extension is not None and not caller.extension.permissions.restore:
        raise OperationFailed("denied", "the permissions of its manifest do not have restore, which files need")


async def _moved(caller: OperationCaller, move: Awaitable[Moved]) -> "MovedPlace":
    moved, edited = Moved(), list[str]()
    try:
        moved = await move
    except FilesEdited as error:
        edited = error.paths
    text = "" if moved.message is None else moved.message.shown_text
    return {
        **place(caller),
        "text": text,
        "restored": moved.restored,
        "problems": moved.problems,
        "edited": edited,
    }


@operation("session.diff", group="session", scope="watch", needs=("conversation",))
async def diff(caller: OperationCaller) -> "DiffInfo":
    """List the files that differ from what they were before the session."""
    files = await caller.conversation.branches.diff()
    return {
        "files": [
            {
                "path": each.path,
                "status": each.status,
                "added": each.added,
                "removed": each.removed,
                "diff": each.diff,
                "starts": [list(start) for start in each.starts],
                "note": each.note,
            }
            for each in files
        ]
    }


def place(caller: OperationCaller) -> "SessionPlace":
    """Describe where the conversation continues."""
    runtime = caller.conversation.runtime
    messages = runtime.messages
    return {
        "session_id": runtime.state.session_id,
        "entry": (messages[-1].id if messages else "") or None,
        "messages": len(messages),
    }
