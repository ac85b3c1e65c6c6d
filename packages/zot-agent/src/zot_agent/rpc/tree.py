"""The commands on the session's tree of entries: `get_tree`, `go_to`, `fork`, `set_label`."""

import asyncio
from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, CommandField, Method

if TYPE_CHECKING:
    from zot_agent.rpc.context import CommandContext


async def get_tree(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """List the entries."""
    tree = await context.conversation.branches.tree()
    texts = await asyncio.to_thread(tree.first_lines, list(tree.entries))
    entries = [
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


async def go_to(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Continue at another entry."""
    message = (await context.conversation.branches.go_to(fields["entry"], before=fields.get("before", False))).message
    text = "" if message is None else message.display_text or message.text
    return {"text": text, "message_count": len(context.runtime.messages)}


async def fork(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Continue in a copy."""
    await context.conversation.branches.fork(fields.get("entry", ""), before=fields.get("before", False))
    return {"session_id": context.runtime.state.session_id}


async def set_label(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Set the label of an entry."""
    context.conversation.branches.label(fields["entry"], fields["label"])
    return None


_BEFORE = CommandField("before", "boolean", "Continue before the entry, to ask something else in its place.")

METHODS = (
    Method(
        "get_tree",
        get_tree,
        "List the entries of the session, of all its branches, each with the id of the entry before it (`parent`, "
        "empty for the first). `kind` is user, assistant, tool, compaction or custom, `text` the first line. `current` "
        "is the last entry of the conversation.",
        (),
        '{"entries": [{"id": "5e1f0a9c7d2b4830", "parent": "", "kind": "user", "text": "hi", "label": ""}], '
        '"current": "5e1f0a9c7d2b4830"}',
    ),
    Method(
        "go_to",
        go_to,
        "Continue the conversation after another entry of the session. Nothing is lost: the entries after it stay in "
        "the tree. The data has the text of the entry. The event `session_tree` follows. Refused while busy.",
        (CommandField("entry", "string", "The id of the entry.", required=True), _BEFORE),
        '{"text": "hi", "message_count": 2}',
    ),
    Method(
        "fork",
        fork,
        "Continue in a copy of the session, which is a session of its own. The event `session_start` follows. Refused "
        "while busy.",
        (CommandField("entry", "string", "The id of the last entry of the copy; all of them by default."), _BEFORE),
        '{"session_id": "5b0e6f8c-9b1d-4c8e-a5d2-3f0c5d1e7a90"}',
    ),
    Method(
        "set_label",
        set_label,
        "Give an entry a label; an empty one removes it.",
        (
            CommandField("entry", "string", "The id of the entry.", required=True),
            CommandField("label", "string", "The label.", required=True),
        ),
    ),
)
