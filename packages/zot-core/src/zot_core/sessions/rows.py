"""The rows of a session file, to and from JSON.

One JSON object on a line, `type` first: `meta`, `message`, `usage`, `rename`. The fields are those of the existing
Go zot; blocks carry a `type` key besides, and reading also knows the blocks of files without one by their fields.
The arguments of a tool call are kept as the text the model wrote, unless that text is no JSON.
"""

import json
from typing import Any

from zot_provider.messages import (
    Block,
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from zot_provider.record import Record, record
from zot_provider.usage import Usage


@record
class Meta(Record):
    """The first row, and any later one: the last in the file counts. Times are UTC as in messages."""

    id: str
    cwd: str
    model: str
    provider: str
    started: str
    version: str = ""
    title: str = ""


def dump(value: Any) -> str:
    """JSON text on one line. Lone surrogates, which UTF-8 cannot hold, become U+FFFD when it is encoded."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_bytes(row: str) -> bytes:
    """The row as it is written: one line."""
    try:
        return (row + "\n").encode()
    except UnicodeEncodeError:
        return (row + "\n").encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def meta_row(meta: Meta) -> str:
    """The row for `meta`."""
    fields = {name: getattr(meta, name) for name in Meta.__match_args__ if name != "title" or meta.title}
    return dump({"type": "meta", "meta": fields})


def message_row(message: Message) -> str:
    """The row for a message."""
    blocks = ",".join(_block(block) for block in message.content)
    meta = f',"meta":{dump(message.meta)}' if message.meta else ""
    return (
        f'{{"type":"message","message":{{"role":{dump(message.role)},"content":[{blocks}],'
        f'"time":{dump(message.time)}{meta}}}}}'
    )


def usage_row(usage: Usage, cumulative: Usage) -> str:
    """The row after a turn: its tokens, and all of the session."""
    return dump({"type": "usage", "usage": _usage(usage), "cumulative": _usage(cumulative)})


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_tokens": usage.cache_read,
        "cache_write_tokens": usage.cache_write,
        "cost_usd": usage.cost_usd,
    }


def _block(block: Block) -> str:
    if isinstance(block, ToolCallBlock):
        return (
            f'{{"type":"tool_call","id":{dump(block.id)},"name":{dump(block.name)},'
            f'"arguments":{_arguments(block.arguments)}}}'
        )
    return dump(_fields(block))


def _arguments(text: str) -> str:
    """The model's own JSON text; as a JSON string if it is none. Line breaks of valid JSON are mere white space."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return dump(text) if text.strip() else "{}"
    return text.replace("\n", " ").replace("\r", " ")


def _fields(block: Block) -> dict[str, Any]:
    match block:
        case TextBlock(text):
            return {"type": "text", "text": text}
        case ImageBlock(mime_type, data):
            return {"type": "image", "mime_type": mime_type, "data": data}
        case ToolResultBlock(call_id, content, is_error):
            inner = [_fields(each) for each in content]
            return {"type": "tool_result", "call_id": call_id, "content": inner, "is_error": is_error}
        case ReasoningBlock():
            opaque = {name: getattr(block, name) for name in ReasoningBlock.__match_args__[1:]}
            return {"type": "reasoning", "summary": block.summary} | {k: v for k, v in opaque.items() if v}
        case _:
            raise TypeError(f"no row form for {type(block).__name__}")


def read_meta(value: Any) -> Meta:
    """The meta record of a row's `meta` object; missing fields are empty."""
    fields = value if isinstance(value, dict) else {}
    return Meta(**{name: _text(fields.get(name)) for name in Meta.__match_args__})


def read_message(value: Any) -> Message | None:
    """The message of a row's `message` object, None if it is none. Unknown blocks are left out."""
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant", "tool"):
        return None
    content = value.get("content")
    blocks = [block for each in content if (block := read_block(each))] if isinstance(content, list) else []
    meta = value.get("meta")
    strings = {str(key): _text(item) for key, item in meta.items()} if isinstance(meta, dict) else {}
    return Message(value["role"], blocks, _text(value.get("time")), strings)


def read_block(value: Any) -> Block | None:
    """A block, known by its fields: files of the Go zot have no `type` in them. None if it is none of ours."""
    if not isinstance(value, dict):
        return None
    if "call_id" in value:
        content = value.get("content")
        inner = [read_block(each) for each in content] if isinstance(content, list) else []
        kept = [block for block in inner if isinstance(block, TextBlock | ImageBlock)]
        return ToolResultBlock(_text(value["call_id"]), kept, value.get("is_error") is True)
    if (
        value.get("type") == "reasoning"
        or "reasoning_id" in value
        or "summary" in value
        or "encrypted_content" in value
    ):
        return ReasoningBlock(**{name: _text(value.get(name)) for name in ReasoningBlock.__match_args__})
    if "mime_type" in value:
        return ImageBlock(_text(value["mime_type"]), _text(value.get("data")))
    if "arguments" in value:
        arguments = value["arguments"]
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        return ToolCallBlock(_text(value.get("id")), _text(value.get("name")), text)
    if "text" in value:
        return TextBlock(_text(value["text"]))
    return None


def read_usage(value: Any) -> Usage:
    """Tokens of a usage object; what is missing or no number counts as zero."""
    fields = value if isinstance(value, dict) else {}

    def number(name: str) -> Any:
        found = fields.get(name)
        return found if isinstance(found, int | float) and not isinstance(found, bool) else 0

    return Usage(
        number("input_tokens"),
        number("output_tokens"),
        number("cache_read_tokens"),
        number("cache_write_tokens"),
        float(number("cost_usd")),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
