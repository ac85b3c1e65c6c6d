"""Messages for observers: as JSON values of a bounded size, without reasoning and without the data of images."""

import json
from collections.abc import Iterable
from typing import Any

from zot_ext.limits import DEFAULT_LIMITS
from zot_provider.messages import Block, Message, TextBlock, ToolResultBlock


def shown_message(message: Message, bytes: int = DEFAULT_LIMITS.observation_bytes) -> dict[str, Any]:
    """Return a message with at most about `bytes` of text; `truncated` says that some is left out."""
    content, truncated = shown_blocks(message.content, bytes)
    value = {"id": message.id, "role": message.role, "content": content, "time": message.time}
    if message.custom_type:
        value["custom_type"] = message.custom_type
    return value | {"truncated": True} if truncated else value


def shown_blocks(
    blocks: Iterable[Block],
    bytes: int = DEFAULT_LIMITS.observation_bytes,
    count: int = DEFAULT_LIMITS.observation_blocks,
) -> tuple[list[dict[str, Any]], bool]:
    """Return blocks with at most about `bytes` of text, and whether some is left out."""
    from zot_core.event_json import encode_block  # noqa: PLC0415  few extensions observe messages

    found: list[dict[str, Any]] = []
    left, cut = bytes, False
    for block in blocks:
        if len(found) == count or left <= 0:
            return found, True
        if isinstance(block, ToolResultBlock):
            inner, shortened = shown_blocks(block.content, left, count)
            value = {"type": "tool_result", "call_id": block.call_id, "is_error": block.is_error, "content": inner}
            left -= sum(len(each.get("text", "")) for each in inner)
            found.append(value)
            cut = cut or shortened
            continue
        if isinstance(block, TextBlock) and len(block.text) > left:
            block, cut = TextBlock(block.text[:left]), True
        text = encode_block(block)
        if not text:
            continue
        left -= len(text)
        found.append(json.loads(text))
    return found, cut
