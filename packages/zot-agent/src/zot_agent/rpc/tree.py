"""The commands on the session's tree of entries: `get_tree`, `go_to`, `undo`, `redo`, `diff`, `fork`,
`set_label`."""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, get_args

from zot_agent.rpc.method import CommandField, InvalidCommand, Method
from zot_core.errors import FilesEdited

if TYPE_CHECKING:
    from zot_agent.operations.stored_answers import DiffInfo, EntryInfo, MoveInfo, SessionId, TreeInfo
    from zot_agent.rpc.context import CommandContext
    from zot_core.runtime.restoring import Moved


async def get_tree(context: "CommandContext", fields: dict[str, Any]) -> "TreeInfo":
    """List the entries."""
    tree = await context.conversation.branches.tree()
    texts = await asyncio.to_thread(tree.first_lines, list(tree.entries))
    entries: list[EntryInfo] = [
        {
            "id": entry.id,
            "parent": entry.parent,
            "kind": entry.kind,
            "text": texts[entry.id],
            "label": tree.labels.get(entry.id, ""),
        }
        for entry in tree.entries.values()
    ]
    return {"entries": entries, "current": tree.current}


async def go_to(context: "CommandContext", fields: dict[str, Any]) -> "MoveInfo":
    """Continue at another entry."""
    from zot_core.runtime.restoring import Restore  # noqa: PLC0415  not before the first request

    restore, branches = fields.get("restore", "conversation"), context.conversation.branches
    if restore not in get_args(Restore):
        raise InvalidCommand(f"restore must be one of {', '.join(get_args(Restore))}")
    flags = {name: fields.get(name, False) for name in ("before", "force", "stop_jobs", "summarise")}
    texts = {name: fields.get(name, "") for name in ("instructions", "label")}
    return await _moved(context, branches.go_back(fields["entry"], restore=restore, **flags, **texts))


async def undo(context: "CommandContext", fields: dict[str, Any]) -> "MoveInfo":
    """Go back to before the last prompt."""
    return await _moved(context, context.conversation.branches.undo(**_flags(fields)))


async def redo(context: "CommandContext", fields: dict[str, Any]) -> "MoveInfo":
    """Take back the last undo."""
    return await _moved(context, context.conversation.branches.redo(**_flags(fields)))


def _flags(fields: dict[str, Any]) -> dict[str, bool]:
    return {name: fields.get(name, False) for name in ("force", "stop_jobs")}


async def _moved(context: "CommandContext", move: "Awaitable[Moved]") -> "MoveInfo":
    from zot_core.runtime.restoring import Moved  # noqa: PLC0415  as above

    edited: list[str] = []
    moved = Moved()
    try:
        moved = await move
    except FilesEdited as error:
        edited = error.paths
    text = "" if moved.message is None else moved.message.shown_text
    count = len(context.runtime.messages)
    return {
        "text": text,
        "message_count": count,
        "restored": moved.restored,
        "problems": moved.problems,
        "edited": edited,
    }


async def diff(context: "CommandContext", fields: dict[str, Any]) -> "DiffInfo":
    """Return what the session changed."""
    files = await context.conversation.branches.diff()
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


async def fork(context: "CommandContext", fields: dict[str, Any]) -> "SessionId":
    """Continue in a copy."""
    await context.conversation.branches.fork(fields.get("entry", ""), before=fields.get("before", False))
    return {"session_id": context.runtime.state.session_id}


async def set_label(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Set the label of an entry."""
    await context.conversation.branches.label(fields["entry"], fields["label"])


_FORCE = CommandField("force", "boolean", "Overwrite files that have changed since.")
_STOP = CommandField("stop_jobs", "boolean", "First stop the commands in the background.")

_BEFORE = CommandField("before", "boolean", "Continue before the entry, to ask something else in its place.")

METHODS = (
    Method(
        "get_tree",
        get_tree,
        "List the entries of the session, of all its branches, each with the id of the entry before it (`parent`, "
        "empty for the first). `kind` is user, assistant, tool, compaction, branch_summary or custom, `text` the first "
        "line. `current` is the last entry of the conversation.",
    ),
    Method(
        "go_to",
        go_to,
        "Continue the conversation after another entry of the session. Nothing is lost: the entries after it stay in "
        "the tree. The event `session_tree` follows. Refused while busy, and with files while a job runs, which could "
        "change them: the error has the code `jobs_running` then.",
        (
            CommandField("entry", "string", "The id of the entry.", required=True),
            _BEFORE,
            CommandField("restore", "string", "What goes back: `conversation` (the default), `files` or `both`."),
            _FORCE,
            _STOP,
            CommandField(
                "summarise",
                "boolean",
                "First let the model write a summary of what is left behind, which becomes the next entry. `abort` "
                "stops that, and nothing has changed then.",
            ),
            CommandField("instructions", "string", "What that summary must keep."),
            CommandField(
                "label", "string", "A label for the entry at which the conversation then continues, or the summary."
            ),
        ),
    ),
    Method(
        "undo",
        undo,
        "Go back to before the last prompt, whose text the data has, with the files that tools changed "
        "since. Refused as `go_to` is.",
        (_FORCE, _STOP),
    ),
    Method(
        "redo",
        redo,
        "Take back the last `undo`, if nothing was asked since. Refused as `go_to` is.",
        (_FORCE, _STOP),
    ),
    Method(
        "diff",
        diff,
        "List the files that differ from what they were before the session.",
    ),
    Method(
        "fork",
        fork,
        "Copy the session and continue in it, a new session. The event `session_start` follows. Refused while busy.",
        (CommandField("entry", "string", "The id of the last entry of the copy; all of them by default."), _BEFORE),
    ),
    Method(
        "set_label",
        set_label,
        "Give an entry a label, one line of at most 200 characters; an empty one removes it.",
        (
            CommandField("entry", "string", "The id of the entry.", required=True),
            CommandField("label", "string", "The label.", required=True),
        ),
    ),
)
