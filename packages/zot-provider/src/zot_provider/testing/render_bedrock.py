"""Renderer of the Bedrock wire, whose streams are binary; see `zot_provider.wire.bedrock.event_stream`."""

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from zot_provider.testing.rendering import failure
from zot_provider.testing.turn import Turn


def event_message(kind: str, payload: bytes, message_type: str = "event") -> bytes:
    """Return a message of an event stream of AWS."""
    texts = {
        f":{message_type}-type": kind,
        ":content-type": "application/json",
        ":message-type": message_type,
    }
    headers = b"".join(_header(name, value) for name, value in texts.items())
    prelude = (len(headers) + len(payload) + 16).to_bytes(4, "big") + len(headers).to_bytes(4, "big")
    message = prelude + crc32(prelude).to_bytes(4, "big") + headers + payload
    return message + crc32(message).to_bytes(4, "big")


def _header(name: str, value: str) -> bytes:
    return bytes([len(name)]) + name.encode() + b"\x07" + len(value.encode()).to_bytes(2, "big") + value.encode()


def _event(kind: str, **fields: Any) -> bytes:
    return event_message(kind, json.dumps(fields, ensure_ascii=False).encode())


def render_bedrock(turn: Turn) -> Iterator[bytes]:
    """Yield the messages of a turn; the last one has the usage."""
    yield _event("messageStart", role="assistant")
    blocks: list[tuple[dict[str, Any] | None, list[dict[str, Any]]]] = []
    if turn.reasoning:
        thoughts = [{"reasoningContent": {"text": delta}} for delta in turn.deltas(turn.reasoning)]
        signature = b64encode(turn.signature.encode()).decode()
        blocks.append((None, [*thoughts, {"reasoningContent": {"signature": signature}}]))
    if turn.text:
        blocks.append((None, [{"text": delta} for delta in turn.deltas(turn.text)]))
    for call in turn.calls:
        start = {"toolUse": {"toolUseId": call.id, "name": call.name}}
        blocks.append((start, [{"toolUse": {"input": delta}} for delta in turn.deltas(call.text)]))
    for index, (begin, deltas) in enumerate(blocks):
        place = {"contentBlockIndex": index}
        if begin is not None:
            yield _event("contentBlockStart", start=begin, **place)
        for delta in deltas:
            yield _event("contentBlockDelta", delta=delta, **place)
        yield _event("contentBlockStop", **place)
    if turn.error is not None:
        found = failure(turn.error, "internalServerException")
        yield event_message(found["type"], json.dumps({"message": found["message"]}).encode(), "exception")
        return
    yield _event("messageStop", stopReason="max_tokens" if turn.stop_reason == "length" else turn.stop_reason)
    usage = turn.usage
    counts = {
        "inputTokens": usage.input,
        "outputTokens": usage.output,
        "totalTokens": usage.context,
        "cacheReadInputTokens": usage.cache_read,
        "cacheWriteInputTokens": usage.cache_write,
        "cacheDetails": [{"ttl": "1h", "inputTokens": usage.hour}],
    }
    yield _event("metadata", usage=counts, metrics={"latencyMs": 1})
