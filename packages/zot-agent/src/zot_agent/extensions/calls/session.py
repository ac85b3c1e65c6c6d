"""Calls about the entries of the session."""

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from zot_agent.extensions.calls.call import CallAnswer, CallFailed, ExtensionCall
from zot_core.event_json import encode_block
from zot_core.sessions.tree import KINDS
from zot_provider.json_text import dump

if TYPE_CHECKING:
    from zot_core.sessions.tree import SessionTree

_PAGE, _MOST = 200, 1000
"""Entries of a page, by default and at most."""


async def info(call: ExtensionCall) -> CallAnswer:
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


async def entries(call: ExtensionCall) -> CallAnswer:
    """List entries."""
    kinds, limit = call.params.get("kinds") or KINDS, call.params.get("limit") or _PAGE
    if not all(each in KINDS for each in kinds) or not 0 < limit <= _MOST:
        raise CallFailed("invalid", f"kinds are {', '.join(KINDS)}, and limit is 1 to {_MOST}")
    tree = await call.conversation.branches.tree()
    if call.conversation.runtime.session is None:  # in memory, where the tree may change meanwhile
        return _page(call, tree, kinds, limit)
    return await asyncio.to_thread(_page, call, tree, kinds, limit)


def _page(call: ExtensionCall, tree: "SessionTree", kinds: Sequence[str], limit: int) -> CallAnswer:
    """Return entries of a tree; reads files."""
    custom_type, after = call.params.get("custom_type"), call.text("after")
    ids = list(tree.ids) if call.flag("whole_tree") else tree.path() if tree.current else []
    if after:
        if after not in ids:
            raise CallFailed("not_found", f"there is no entry {after!r} here")
        ids = ids[ids.index(after) + 1 :]
    kinds = ("custom",) if custom_type is not None else kinds
    found: list[dict[str, Any]] = []
    size, largest, more = 0, call.services.limits.result_bytes // 2, False
    for id in ids:
        entry = _described(call, tree, id) if tree.kind(tree.number(id)) in kinds else None
        if entry is None or (custom_type is not None and entry.get("custom_type") != custom_type):
            continue
        if more := len(found) >= limit or size >= largest:
            break
        found.append(entry)
        size += len(dump(entry))
    texts = tree.first_lines([entry["id"] for entry in found if entry["kind"] != "custom"])
    for entry in found:
        entry.update({"text": texts[entry["id"]]} if entry["id"] in texts else {})
    return {"entries": found, "current": tree.current or None, "more": more}


async def entry(call: ExtensionCall) -> CallAnswer:
    """Return one entry whole."""
    tree, id = await call.conversation.branches.tree(), call.params["entry"]
    if id not in tree.entries:
        raise CallFailed("not_found", f"the session has no entry {id!r}")
    found = await asyncio.to_thread(_described, call, tree, id)
    if found is None:
        raise CallFailed("denied", f"the entry {id!r} belongs to another extension")
    if found["kind"] != "custom":
        message = await asyncio.to_thread(tree.message, id)
        blocks = () if message is None else message.content
        found["content"] = [json.loads(encode_block(each) or "{}") for each in blocks]
    return found


def _described(call: ExtensionCall, tree: "SessionTree", id: str) -> dict[str, Any] | None:
    """Return what is known of an entry without its message; None for the data of another extension."""
    node = tree.node(id)
    fields: dict[str, Any] = {"id": id, "parent": node.parent or None, "kind": node.kind}
    if label := tree.labels.get(id):
        fields["label"] = label
    if node.kind != "custom":
        return fields
    custom = tree.custom(id)
    if custom is None or custom.extension != call.extension:
        return None
    return fields | {"custom_type": custom.custom_type, "data": custom.data}


def append(call: ExtensionCall) -> CallAnswer:
    """Store data as an entry."""
    data, largest = call.params["data"], call.services.limits.entry_bytes
    if len(dump(data).encode("utf-8", "replace")) > largest:
        raise CallFailed("too_large", f"the data of an entry is at most {largest} bytes")
    return {"id": call.conversation.runtime.branches.add(call.extension, call.params["custom_type"], data)}


async def label(call: ExtensionCall) -> CallAnswer:
    """Give an entry a label."""
    tree, id = await call.conversation.branches.tree(), call.params["entry"]
    if id not in tree.entries:
        raise CallFailed("not_found", f"the session has no entry {id!r}")
    call.conversation.branches.label(id, " ".join(call.params["label"].split())[:200])
    return None


def rename(call: ExtensionCall) -> CallAnswer:
    """Give the session a title."""
    session = call.conversation.runtime.session
    if session is None:
        raise CallFailed("unavailable", "this session is not stored, so it has no title")
    session.change(title=" ".join(call.params["title"].split())[:200])
    return None
