"""The operations that read entries of sessions, page by page."""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.operation import operation
from zot_core.event_json import encode_block, usage_fields
from zot_core.sessions.search.conversation import FoundPart, Phrase, search_messages
from zot_core.sessions.totals import RunTotals
from zot_core.sessions.tree import KINDS, EntryKind
from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.fields import OnlyIf
from zot_provider.json_text import dump
from zot_provider.messages import ToolResultBlock
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_core.sessions.tree import SessionTree
    from zot_ext.protocol.answers import (
        FoundPlace,
        FoundText,
        ItemPage,
        RunTotalsInfo,
        RunTotalsList,
        SessionItem,
        UsageCount,
    )
    from zot_provider.messages import Message

PageLimit: TypeAlias = Annotated[int, 1, 1000]
FindText: TypeAlias = Annotated[str, 1000]


@operation("session.entries", group="session", scope="watch", needs=("conversation",))
async def entries(
    caller: OperationCaller,
    *,
    to: Annotated[str, OnlyIf("whole_tree", (False,))] = "",
    whole_tree: bool = False,
    kinds: list[EntryKind] = [],  # noqa: B006  it is not changed
    custom_type: str = "",
    content: bool = False,
    after: str = "",
    limit: PageLimit = 200,
) -> "ItemPage":
    """List entries, from the first on.

    to: The branch that ends with this entry, not the current one.
    whole_tree: All branches, not only the current one.
    kinds: `user assistant tool compaction branch_summary custom`; all by default.
    custom_type: Only data of this extension with this type.
    content: Also return the blocks of each message, unless the message is too large.
    after: The id of the entry to begin after.
    limit: How many at most; 200 by default.
    """
    page = _Page(caller, to, whole_tree, kinds, custom_type, content, after, limit)
    tree = await caller.conversation.branches.tree()
    if caller.conversation.runtime.session is None:  # in memory, where the tree may change meanwhile
        return page.of(tree)
    return await asyncio.to_thread(page.of, tree)


@operation("session.read", group="session", scope="own", needs=("conversation",))
async def read(
    caller: OperationCaller,
    session: str,
    *,
    whole_tree: bool = False,
    kinds: list[EntryKind] = [],  # noqa: B006  as above
    custom_type: str = "",
    content: bool = False,
    after: str = "",
    limit: PageLimit = 200,
) -> "ItemPage":
    """List entries of a stored session, also another one, as `session.entries` does.

    session: The id of a stored session, its beginning, or its path.
    whole_tree: All branches, not only the current one.
    kinds: `user assistant tool compaction branch_summary custom`; all by default.
    custom_type: Only data of this extension with this type.
    content: Also return the blocks of each message, unless the message is too large.
    after: The id of the entry to begin after.
    limit: How many at most; 200 by default.
    """
    page = _Page(caller, "", whole_tree, kinds, custom_type, content, after, limit)
    return await caller.stored.read(session, caller.conversation.runtime.cwd, page.of)


@operation("session.entry", group="session", scope="watch", needs=("conversation",))
async def entry(caller: OperationCaller, entry: str) -> "SessionItem":
    """Read one entry whole.

    entry: The id of the entry.
    """
    tree = await caller.conversation.branches.tree()
    if entry not in tree:
        raise OperationFailed("not_found", f"the session has no entry {entry!r}")
    found = await asyncio.to_thread(_described, caller, tree, entry)
    if found is None:
        raise OperationFailed("denied", f"the entry {entry!r} belongs to another extension")
    return found if found["kind"] == "custom" else await asyncio.to_thread(_message, tree, entry, found)


@operation("session.find", group="session", scope="watch", needs=("conversation",))
async def find(caller: OperationCaller, text: FindText, *, before: str = "", limit: PageLimit = 200) -> "FoundText":
    """Find a text in the conversation: in what a person sees of its messages, with calls and their results, the newest
    first. Any white space in it matches any other. Its case counts if it has an upper-case letter.

    text: The text.
    before: Only what is before this message, an id: that of the last place of the page before.
    limit: How many places at most; 200 by default.
    """
    runtime = caller.conversation.runtime
    messages, tools, phrase = runtime.messages, dict(runtime.agent.tools), Phrase(text)
    if not phrase:
        raise OperationFailed("invalid", "text has no words")
    if before:
        end = next((at for at, each in enumerate(messages) if each.id == before), None)
        if end is None:
            raise OperationFailed("not_found", f"the conversation has no message {before!r}")
        messages = messages[:end]

    def work(check: Callable[[], None]) -> "FoundText":
        places: list[FoundPlace] = []
        total, more, last = 0, False, -1
        for part in search_messages(messages, phrase, tools, check):
            total += part.count
            head = part.number - (part.kind == "result")
            if len(places) < limit or head == last:  # a message and its results are on one page
                places.append(_place(messages[part.number].id, part, phrase))
                last = head
            else:
                more = True
        return {"places": places, "total": total, "more": more}

    return await caller.stored.in_turn(work)


@operation("session.totals", group="session", scope="watch")
def totals(caller: OperationCaller, *, limit: PageLimit = 200) -> "RunTotalsList":
    """Say what the last runs of the conversation took and changed: those with calls, and the long ones.

    limit: How many runs at most; 200 by default.
    """
    runtime = caller.conversation.runtime
    known = runtime.totals.runs
    ends = [(at, each.id) for at, each in enumerate(runtime.messages, 1) if each.id in known]
    return {"runs": [_totals(at, id, known[id]) for at, id in ends[-limit:]]}


def _totals(at: int, after: str, run: RunTotals) -> "RunTotalsInfo":
    return {
        "at": at,
        "after": after,
        "seconds": run.seconds,
        "usage": cast("UsageCount", usage_fields(run.usage)),
        "files": run.files,
        "added": run.added,
        "removed": run.removed,
    }


def _place(entry: str, part: FoundPart, phrase: Phrase) -> "FoundPlace":
    excerpt = phrase.excerpt(part.text, markdown=part.markdown)
    return {"entry": entry, "kind": part.kind, "call": part.call, "count": part.count, "excerpt": excerpt}


class _Page(Record):
    """The entries that a call asks for."""

    caller: OperationCaller
    to: str
    whole_tree: bool
    kinds: Sequence[EntryKind]
    custom_type: str
    content: bool
    after: str
    limit: int

    def of(self, tree: "SessionTree") -> "ItemPage":
        """Return these entries of a tree; reads files. Raises `OperationFailed`."""
        ids = self._ids(tree)
        kinds = self.kinds or KINDS
        found: list[SessionItem] = []
        size, largest, more = 0, self._largest(), False
        for id in ids:
            entry = _described(self.caller, tree, id) if tree.kind(tree.number(id)) in kinds else None
            if entry is None or (self.custom_type and entry.get("custom_type") != self.custom_type):
                continue
            if more := len(found) >= self.limit or size >= largest:
                break
            if self.content and entry["kind"] != "custom":
                message = _message(tree, id, entry)
                entry = message if len(dump(message["content"])) <= largest else {**entry, "too_large": True}
            found.append(entry)
            size += len(dump(entry))
        texts = tree.first_lines([entry["id"] for entry in found if entry["kind"] != "custom"])
        for shown in found:
            if shown["id"] in texts:
                shown["text"] = texts[shown["id"]]
        return {"entries": found, "current": tree.current or None, "more": more}

    def _largest(self) -> int:
        """The characters of the entries of a page, of which it has one more."""
        extension = self.caller.extension
        return (DEFAULT_LIMITS if extension is None else extension.services.limits).result_bytes // 2

    def _ids(self, tree: "SessionTree") -> list[str]:
        """Return the ids of the entries from which the page is made."""
        if self.to and self.to not in tree:
            raise OperationFailed("not_found", f"the session has no entry {self.to!r}")
        branch = tree.path(self.to) if self.to or tree.current else []
        ids = list(tree.ids) if self.whole_tree else branch
        if not self.after:
            return ids
        if self.after not in ids:
            raise OperationFailed("not_found", f"there is no entry {self.after!r} here")
        return ids[ids.index(self.after) + 1 :]


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
    if message.custom_type:
        fields["custom_type"] = message.custom_type
    if message.details:
        with suppress(ValueError):  # a session file that another program has written
            fields["details"] = json.loads(message.details)
    return fields


def _blocks(message: "Message | None") -> list[dict[str, Any]]:
    """Return the blocks of a message."""
    found = []
    for block in () if message is None else message.content:
        kept = {"details": block.details} if isinstance(block, ToolResultBlock) and block.details is not None else {}
        found.append(json.loads(encode_block(block) or "{}") | kept)
    return found


def _described(caller: OperationCaller, tree: "SessionTree", id: str) -> "SessionItem | None":
    """Return what is known of an entry without its message; None for the data of another extension."""
    node = tree.node(id)
    fields: SessionItem = {"id": id, "parent": node.parent or None, "kind": node.kind}
    if label := tree.labels.get(id):
        fields["label"] = label
    if node.kind != "custom":
        return fields
    custom = tree.custom(id)
    if custom is None or custom.extension != caller.name:
        return None
    return {**fields, "custom_type": custom.custom_type, "data": custom.data}
