"""Calls about the entries of the session."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from zot_agent.extensions.calls.call import CallFailed, ExtensionCall
from zot_core.event_json import encode_block
from zot_core.sessions.tree import KINDS
from zot_provider.json_text import dump
from zot_provider.messages import ToolResultBlock

if TYPE_CHECKING:
    from zot_core.sessions.tree import SessionTree
    from zot_ext.protocol.answers import ItemPage, NewItem, SessionInfo, SessionItem
    from zot_provider.messages import Message

_PAGE, _MOST = 200, 1000
"""Entries of a page, by default and at most."""


async def info(call: ExtensionCall) -> "SessionInfo":
    """Describe the session."""
    runtime = call.conversation.runtime
    file, tree = runtime.session, await call.conversation.branches.tree()
    return {
        "id": runtime.state.session_id,
        "file": None if file is None else file.path,
        "title": "" if file is None else file.meta.title,
        "cwd": runtime.cwd,
        "entry": tree.current or None,
        "messages": len(runtime.agent.history),
    }


async def entries(call: ExtensionCall) -> "ItemPage":
    """List entries."""
    page = Page(call)
    tree = await call.conversation.branches.tree()
    if call.conversation.runtime.session is None:  # in memory, where the tree may change meanwhile
        return page.of(tree)
    return await asyncio.to_thread(page.of, tree)


class Page:
    """The entries that a call asks for. Raises `CallFailed`."""

    def __init__(self, call: ExtensionCall) -> None:
        self.kinds, self.limit = call.params.get("kinds") or KINDS, call.params.get("limit") or _PAGE
        if not all(each in KINDS for each in self.kinds) or not 0 < self.limit <= _MOST:
            raise CallFailed("invalid", f"kinds are {', '.join(KINDS)}, and limit is 1 to {_MOST}")
        self._call = call

    def of(self, tree: "SessionTree") -> "ItemPage":
        """Return these entries of a tree; reads files."""
        return _page(self._call, tree, self.kinds, self.limit)


def _ids(call: ExtensionCall, tree: "SessionTree") -> list[str]:
    """Return the ids of the entries from which a page is made."""
    to = call.text("to")
    if to and to not in tree.entries:
        raise CallFailed("not_found", f"the session has no entry {to!r}")
    if call.flag("whole_tree"):
        return list(tree.ids)
    return tree.path(to) if to or tree.current else []


def _page(call: ExtensionCall, tree: "SessionTree", kinds: Sequence[str], limit: int) -> "ItemPage":
    custom_type, after, whole = call.params.get("custom_type"), call.text("after"), call.flag("content")
    ids = _ids(call, tree)
    if after:
        if after not in ids:
            raise CallFailed("not_found", f"there is no entry {after!r} here")
        ids = ids[ids.index(after) + 1 :]
    kinds = ("custom",) if custom_type is not None else kinds
    found: list[SessionItem] = []
    size, largest, more = 0, call.services.limits.result_bytes // 2, False
    for id in ids:
        entry = _described(call, tree, id) if tree.kind(tree.number(id)) in kinds else None
        if entry is None or (custom_type is not None and entry.get("custom_type") != custom_type):
            continue
        if more := len(found) >= limit or size >= largest:
            break
        if whole and entry["kind"] != "custom":
            message = _message(tree, id, entry)
            entry = message if len(dump(message["content"])) <= largest else {**entry, "too_large": True}
        found.append(entry)
        size += len(dump(entry))
    texts = tree.first_lines([entry["id"] for entry in found if entry["kind"] != "custom"])
    for shown in found:
        if shown["id"] in texts:
            shown["text"] = texts[shown["id"]]
    return {"entries": found, "current": tree.current or None, "more": more}


async def entry(call: ExtensionCall) -> "SessionItem":
    """Return one entry whole."""
    tree, id = await call.conversation.branches.tree(), call.params["entry"]
    if id not in tree.entries:
        raise CallFailed("not_found", f"the session has no entry {id!r}")
    found = await asyncio.to_thread(_described, call, tree, id)
    if found is None:
        raise CallFailed("denied", f"the entry {id!r} belongs to another extension")
    return found if found["kind"] == "custom" else await asyncio.to_thread(_message, tree, id, found)


def _message(tree: "SessionTree", id: str, known: "SessionItem") -> "SessionItem":
    """Return all that is known of a message, with its blocks as `content`; reads a file."""
    message = tree.message(id)
    fields: SessionItem = {**known, "content": _blocks(message)}
    if message is None:
        return fields
    if message.time:
        fields["time"] = message.time
    if message.hidden:
        fields["hidden"] = True
    if custom := message.extra.get("custom_type"):
        fields["custom_type"] = custom
    if details := message.extra.get("details"):
        with suppress(ValueError):  # a session file that another program has written
            fields["details"] = json.loads(details)
    return fields


def _blocks(message: "Message | None") -> list[dict[str, Any]]:
    """Return the blocks of a message."""
    found = []
    for block in () if message is None else message.content:
        kept = {"details": block.details} if isinstance(block, ToolResultBlock) and block.details is not None else {}
        found.append(json.loads(encode_block(block) or "{}") | kept)
    return found


def _described(call: ExtensionCall, tree: "SessionTree", id: str) -> "SessionItem | None":
    """Return what is known of an entry without its message; None for the data of another extension."""
    node = tree.node(id)
    fields: SessionItem = {"id": id, "parent": node.parent or None, "kind": node.kind}
    if label := tree.labels.get(id):
        fields["label"] = label
    if node.kind != "custom":
        return fields
    custom = tree.custom(id)
    if custom is None or custom.extension != call.extension:
        return None
    return {**fields, "custom_type": custom.custom_type, "data": custom.data}


def append(call: ExtensionCall) -> "NewItem":
    """Store data as an entry."""
    data, largest = call.params["data"], call.services.limits.entry_bytes
    if len(dump(data).encode("utf-8", "replace")) > largest:
        raise CallFailed("too_large", f"the data of an entry is at most {largest} bytes")
    return {"id": call.conversation.runtime.branches.add(call.extension, call.params["custom_type"], data)}


async def label(call: ExtensionCall) -> None:
    """Give an entry a label."""
    await call.conversation.branches.label(call.params["entry"], call.params["label"])


def rename(call: ExtensionCall) -> None:
    """Give the session a title."""
    if call.conversation.runtime.session is None:
        raise CallFailed("unavailable", "this session is not stored, so it has no title")
    call.conversation.rename(call.params["title"])
