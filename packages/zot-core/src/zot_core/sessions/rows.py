"""The rows of a session file, to and from JSON.

A row is a JSON object on one line, `type` first: `meta`, `message`, `tool_result`, `usage`, `rename`, `compaction`,
`branch_summary`, `label`, `custom`, `prompt`, `cut`, `totals`. The existing Go zot has the same fields, except for the
`type` of blocks, the `id` of entries and what a `compaction` has; it skips `tool_result` and what follows `compaction`
here. Blocks without a `type`, as in files of the Go zot, are recognized by their fields.

The rows of the conversation, `message`, `compaction` and `branch_summary`, and `label` and `custom` rows are entries:
they have an `id` that stays the same in copies. `entry_id` gives the id of a row without one.

The arguments of a tool call are written as the model wrote them and read back unchanged, except that line breaks become
spaces. Arguments that are not a JSON object are written as a JSON string, missing ones as `{}`.
"""

import json
from collections.abc import Mapping
from typing import Any, TypeGuard, get_args

from zot_core.hooks import CustomEntry as CustomEntry
from zot_core.hooks import CutText as CutText
from zot_provider.json_text import dump, dump_text, is_object, without_surrogates
from zot_provider.messages import (
    Block,
    Fate,
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from zot_provider.record import Record, field
from zot_provider.usage import Usage


class Meta(Record):
    """The metadata of a session. It is the first row; the last `meta` row of a file applies. Times are UTC.

    `other` holds unknown fields, written by other versions, which are kept.
    """

    id: str
    cwd: str
    model: str
    provider: str
    started: str
    version: str = ""
    title: str = ""
    other: dict[str, Any] = field(default_factory=dict)

    @property
    def session_id(self) -> str:
        """The id of the session, of which this file may be one of several: see `zot_core.sessions.branch`."""
        family = self.other.get("family")
        return family if isinstance(family, str) and family else self.id

    @property
    def hidden(self) -> bool:
        """Whether lists leave the file out: it is an earlier branch, or another program hid it."""
        return bool(self.other.get("hide_from_sessions"))


class CompactionRow(Record):
    """A compaction: the conversation continues with `summary` and the last `kept` messages before this row.

    `offset`: the position in the file, in bytes, of the row of the first kept message, or of this row if none is kept
    (0: the Go zot has written it). A fast reader reads this row and the messages from `offset` on, not earlier ones.
    """

    summary: Message
    kept: int
    offset: int


class Label(Record):
    """A label that a person gave to the entry with the id `entry`; the last one counts, an empty one removes it."""

    entry: str
    text: str
    id: str


ENTRIES = ("message", "compaction", "branch_summary", "label", "custom")
"""The types of the rows that are entries, besides `tool_result`, which has the id of the `message` row after it."""

MESSAGE_START = b'{"type":"message","message":{"role":"'
"""The beginning of a row as `message_row` writes it, up to the role."""

_DIGITS = 12
"""Limit for the digits of a number in a message's `meta`; zot writes no longer ones."""

_PICTURES_AGAIN = TextBlock("Tool output included the following image content:")
"""How a message of the Go zot begins that its own screen leaves out."""

_META_FIELDS = tuple(name for name in Meta.__match_args__ if name != "other")
_FATES: tuple[Fate, ...] = get_args(Fate)


def to_bytes(row: str) -> bytes:
    """Encode a row as a line. Lone surrogates become U+FFFD."""
    return without_surrogates(row + "\n").encode()


def meta_row(meta: Meta) -> str:
    fields = {name: getattr(meta, name) for name in _META_FIELDS if name != "title" or meta.title}
    return dump({"type": "meta", "meta": fields | meta.other})


def message_row(message: Message) -> str:
    return f'{{"type":"message","message":{_message(message)}{_id(message.id)}}}'


def message_text(message: Message) -> str:
    """Return a message as in its row, with its id, for a program that may send it back: see `read_message`."""
    return f'{{"id":{dump(message.id)},{_message(message)[1:]}'


def tool_result_row(message: Message) -> str:
    """Return the row for one of several results, before the `message` row with all of them, which has the same id."""
    return f'{{"type":"tool_result","message":{_message(message)}{_id(message.id)}}}'


def compaction_row(compaction: CompactionRow) -> str:
    # The Go zot takes the list `messages` for the conversation, and skips a row that has a text there.
    above = ',"messages":"above"' if compaction.summary.content else ""
    tail = f'"kept":{compaction.kept},"offset":{compaction.offset}{above}{_id(compaction.summary.id)}'
    return f'{{"type":"compaction","message":{_message(compaction.summary)},{tail}}}'


def branch_summary_row(summary: Message) -> str:
    """Return the row for a summary of a branch that was left, which the model reads as a user's message."""
    return f'{{"type":"branch_summary","message":{_message(summary)}{_id(summary.id)}}}'


def label_row(label: Label) -> str:
    return dump({"type": "label", "entry": label.entry, "label": label.text, "id": label.id})


def custom_row(custom: CustomEntry) -> str:
    fields = {"extension": custom.extension, "custom_type": custom.custom_type, "data": custom.data}
    return dump({"type": "custom", **fields, "id": custom.id})


def _id(id: str) -> str:
    return f',"id":{dump(id)}' if id else ""


def _message(message: Message) -> str:
    blocks = ",".join(_block(block) for block in message.content)
    noted = _message_meta(message)
    meta = f',"meta":{dump(noted)}' if noted else ""
    return f'{{"role":{dump(message.role)},"content":[{blocks}],"time":{dump(message.time)}{meta}}}'


_NOTED = ("hidden", "extension", "custom_type", "details", "changed_by", "kept")
"""Texts of a message that its row has under the same name."""


def _message_meta(message: Message) -> dict[str, str]:
    """Return the `meta` object of a message's row: strings, with the names that the Go zot uses."""
    meta = dict(message.extra)
    if message.display_text is not None:
        meta["display_text"] = message.display_text
    if message.summarized_tokens is not None:
        meta |= {"compaction": "true", "tokens_before": str(message.summarized_tokens)}
    meta |= {name: str(count) for name in ("commands", "files") if (count := getattr(message, name))}
    meta |= {name: value for name in _NOTED if (value := getattr(message, name))}
    if message.found_tools:
        meta["found_tools"] = " ".join(message.found_tools)
    for block in message.content:
        if isinstance(block, ToolResultBlock) and block.changed_by:
            meta[f"changed_by {block.call_id}"] = block.changed_by
    return meta


def prompt_row(parts: Mapping[str, str]) -> str:
    """Return the row for the parts of the system prompt that the machine decides, as the model knows them now."""
    return dump({"type": "prompt", "parts": dict(parts)})


def read_prompt(row: dict[str, Any]) -> dict[str, str] | None:
    """Parse a `prompt` row; None if it has no parts."""
    parts = row.get("parts")
    return {name: _text(text) for name, text in parts.items()} if isinstance(parts, dict) else None


def cut_row(cut: CutText) -> str:
    """Return the row for a text that is cut in requests."""
    return dump({"type": "cut", "cut": {name: getattr(cut, name) for name in CutText.__match_args__}})


def read_cut(row: dict[str, Any]) -> CutText | None:
    """Parse a `cut` row; None if it is not complete."""
    found = row.get("cut")
    if not isinstance(found, dict) or not _is_count(part := found.get("part")):
        return None
    texts = {name: _text(found.get(name)) for name in ("entry", "text", "file", "time")}
    return CutText(part=part, **texts)


def usage_row(usage: Usage, cumulative: Usage) -> str:
    """Return the row after a turn: its tokens, and the total of the session."""
    return dump({"type": "usage", "usage": usage_fields(usage), "cumulative": usage_fields(cumulative)})


def usage_fields(usage: Usage) -> dict[str, Any]:
    fields = {f"{kind}_tokens": count for kind, count in usage.counts.items()} | {"cost_usd": usage.shown_cost}
    return fields if usage.reasoning is None else fields | {"reasoning_tokens": usage.reasoning}


_FREE_TEXT = ',"free_text":true'


def _block(block: Block) -> str:
    if isinstance(block, ToolCallBlock):
        return (
            f'{{"type":"tool_call","id":{dump(block.id)},"name":{dump(block.name)},'
            f'"arguments":{_arguments(block.arguments)}{_FREE_TEXT if block.free_text else ""}}}'
        )
    if isinstance(block, TextBlock) and not block.phase:
        return f'{{"type":"text","text":{dump_text(block.text)}}}'
    if isinstance(block, ToolResultBlock):
        content = ",".join(_block(each) for each in block.content)
        more: dict[str, Any] = {} if block.fate == "ran" else {"fate": block.fate}
        more |= {} if block.details is None else {"details": block.details}
        rest = f',"is_error":{dump(block.is_error)}{"," if more else ""}{dump(more)[1:]}'
        return f'{{"type":"tool_result","call_id":{dump(block.call_id)},"content":[{content}]{rest}'
    return dump(_fields(block))


def _arguments(text: str) -> str:
    if not text.strip():
        return "{}"
    # A line break in valid JSON is always white space between values, so a space can replace it.
    return text.replace("\n", " ").replace("\r", " ") if is_object(text) else dump(text)


def _fields(block: Block) -> dict[str, Any]:
    match block:
        case TextBlock(text, phase):
            return {"type": "text", "text": text} | ({"phase": phase} if phase else {})
        case ImageBlock(mime_type, data):
            return {"type": "image", "mime_type": mime_type, "data": data}
        case ReasoningBlock():
            opaque = {name: getattr(block, name) for name in ReasoningBlock.__match_args__[1:]}
            return {"type": "reasoning", "summary": block.summary} | {k: v for k, v in opaque.items() if v}
        case _:
            raise TypeError(f"no row form for {type(block).__name__}")


def read_meta(value: Any) -> Meta | None:
    """Parse the `meta` object of a row; None if it is not an object. Missing fields are empty."""
    if not isinstance(value, dict):
        return None
    other = {name: item for name, item in value.items() if name not in _META_FIELDS}
    return Meta(**{name: _text(value.get(name)) for name in _META_FIELDS}, other=other)


def read_message(value: Any) -> Message | None:
    """Parse the `message` object of a row; None if it is not a message. Unknown blocks are left out."""
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant", "tool"):
        return None
    content = value.get("content")
    blocks = [block for each in content if (block := read_block(each))] if isinstance(content, list) else []
    meta = value.get("meta")
    extra = {str(key): _text(item) for key, item in meta.items()} if isinstance(meta, dict) else {}
    if value["role"] == "user" and blocks[:1] == [_PICTURES_AGAIN]:
        extra.setdefault("hidden", "the pictures of these results, once more")
    if not extra:  # as of most messages, of which a long conversation has many
        return Message(value["role"], blocks, _text(value.get("time")))
    for block in blocks:
        if isinstance(block, ToolResultBlock):
            block.changed_by = extra.pop(f"changed_by {block.call_id}", "")
    compacted, before = extra.pop("compaction", ""), _count(extra.pop("tokens_before", ""))
    return Message(
        value["role"],
        blocks,
        _text(value.get("time")),
        display_text=extra.pop("display_text", None),
        summarized_tokens=before if compacted else None,
        commands=_count(extra.pop("commands", "")),
        files=_count(extra.pop("files", "")),
        found_tools=(*extra.pop("found_tools", "").split(),),
        **{name: extra.pop(name, "") for name in _NOTED},
        extra=extra,
    )


def read_label(row: dict[str, Any]) -> Label:
    return Label(_text(row.get("entry")), _text(row.get("label")), _text(row.get("id")))


def read_custom(row: dict[str, Any]) -> CustomEntry:
    return CustomEntry(
        _text(row.get("extension")), _text(row.get("custom_type")), row.get("data"), _text(row.get("id"))
    )


def entry_id(row: dict[str, Any], before: str, line: bytes) -> str:
    """Return the id of an entry: the one in its row, else the first 16 digits of the SHA-256 of the id of the entry
    before it in the file (empty for the first) and the bytes of its line without white space at its end."""
    found = row.get("id")
    if isinstance(found, str) and found:
        return found
    import hashlib  # noqa: PLC0415  only for files of other programs

    return hashlib.sha256(before.encode("utf-8", "replace") + line.rstrip()).hexdigest()[:16]


def id_at_end(line: bytes) -> str:
    """Return the id of a `message` row as `message_row` writes it, without parsing the row; empty for any other."""
    # In JSON a quotation mark inside a string has a backslash before it, so these bytes are members of the row.
    if line[-27:-19] == b'},"id":"' and line.endswith(b'"}\n'):
        return line[-19:-3].decode("ascii", "replace")
    return ""


def _count(text: str) -> int:
    """Parse a count; 0 if `text` is not a number or too long."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else 0


def read_compaction(row: dict[str, Any]) -> CompactionRow | None:
    """Parse a `compaction` row, or that of the Go zot (all messages, a summary first); None if it is not complete."""
    summary, kept, offset = entry_message(row), row.get("kept"), row.get("offset")
    if isinstance(messages := row.get("messages"), list):
        kept, offset = len(messages) - 1, 0
    if summary is None or not _is_count(kept) or not _is_count(offset):
        return None
    return CompactionRow(summary, kept, offset)


def entry_message(row: dict[str, Any]) -> Message | None:
    """Parse the message of a row, of a compaction its summary; None if it has none."""
    messages = row.get("messages")
    return read_message(messages[0] if isinstance(messages, list) and messages else row.get("message"))


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def read_block(value: Any) -> Block | None:
    """Parse a block; None for an unknown kind. A block without a `type` (Go zot) is recognized by its fields."""
    if not isinstance(value, dict):
        return None
    match value.get("type") or _kind(value):
        case "text":
            return TextBlock(_text(value.get("text")), _text(value.get("phase")))
        case "image":
            return ImageBlock(_text(value.get("mime_type")), _text(value.get("data")))
        case "tool_call":
            id, name, free = _text(value.get("id")), _text(value.get("name")), value.get("free_text") is True
            return ToolCallBlock(id, name, _written(value.get("arguments")), free)
        case "tool_result":
            content = found if isinstance(found := value.get("content"), list) else []
            kept = [block for block in map(read_block, content) if isinstance(block, TextBlock | ImageBlock)]
            fate: Fate = found if (found := value.get("fate")) in _FATES else "ran"
            details = found if isinstance(found := value.get("details"), dict) else None
            return ToolResultBlock(_text(value.get("call_id")), kept, value.get("is_error") is True, fate, details)
        case "reasoning":
            return ReasoningBlock(**{name: _text(value.get(name)) for name in ReasoningBlock.__match_args__})
    return None


def _kind(value: dict[str, Any]) -> str:
    """Return the type of a block without a `type` field. The order matters: a result may also have a `text`."""
    if "call_id" in value:
        return "tool_result"
    if not value.keys().isdisjoint(("reasoning_id", "summary", "encrypted_content")):
        return "reasoning"
    kinds = {"mime_type": "image", "arguments": "tool_call", "text": "text"}
    return next((kind for name, kind in kinds.items() if name in value), "")


def _written(arguments: Any) -> str:
    """Return a call's arguments as text; `zot_core.sessions.raw` has already replaced objects with their text."""
    if isinstance(arguments, str):
        return arguments
    return "{}" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def read_usage(value: Any) -> Usage:
    """Parse a usage object; missing and invalid numbers of tokens count as zero, such a cost is unknown."""
    fields = value if isinstance(value, dict) else {}

    def number(name: str, missing: Any = 0) -> Any:
        found = fields.get(name)
        usable = isinstance(found, int | float) and not isinstance(found, bool) and abs(found) < 1e15
        return found if usable else missing

    cost = number("cost_usd", None)
    counts = {kind: int(number(f"{kind}_tokens")) for kind in Usage().counts}
    reasoning = int(number("reasoning_tokens")) if "reasoning_tokens" in fields else None
    return Usage(**counts, cost_usd=None if cost is None else float(cost), reasoning=reasoning)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
