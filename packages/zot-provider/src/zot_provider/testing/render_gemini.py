"""Renderer of the Gemini wire."""

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from zot_provider.testing.rendering import failure, sse_data
from zot_provider.testing.turn import Turn


def render_gemini(turn: Turn) -> Iterator[bytes]:
    """Yield the events of a turn. The first call has the signature, or an empty text at the end of the answer.

    Arguments of a call that are no JSON object become an object with the field "arguments".
    """

    def response(part: dict[str, Any] | None, **more: Any) -> bytes:
        candidate: dict[str, Any] = {"index": 0} | more
        if part is not None:
            candidate["content"] = {"role": "model", "parts": [part]}
        return sse_data({"candidates": [candidate], **counts, "modelVersion": "scripted", "responseId": "scripted"})

    usage = turn.usage
    prompt = usage.input + usage.cache_read + usage.cache_write
    counts: dict[str, Any] = {"usageMetadata": {"promptTokenCount": prompt, "totalTokenCount": prompt}}
    for delta in turn.deltas(turn.reasoning):
        yield response({"text": delta, "thought": True})
    for delta in turn.deltas(turn.text):
        yield response({"text": delta})
    signature = {"thoughtSignature": b64encode(turn.signature.encode()).decode()} if turn.reasoning else {}
    for call in turn.calls:
        yield response({"functionCall": {"id": call.id, "name": call.name, "args": _arguments(call.text)}, **signature})
        signature = {}
    if turn.error is not None:
        found = failure(turn.error, "INTERNAL")
        yield sse_data({"error": {"code": 500, "message": found["message"], "status": found["type"]}})
        return
    counts = {"usageMetadata": {**_counts(turn, prompt)}}
    yield response({"text": "", **signature}, finishReason="MAX_TOKENS" if turn.stop_reason == "length" else "STOP")


def _counts(turn: Turn, prompt: int) -> dict[str, Any]:
    usage = turn.usage
    thought = {} if usage.reasoning is None else {"thoughtsTokenCount": usage.reasoning}
    return {
        "promptTokenCount": prompt,
        "candidatesTokenCount": usage.output - (usage.reasoning or 0),
        "totalTokenCount": prompt + usage.output,
        "cachedContentTokenCount": usage.cache_read,
        **thought,
    }


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return value if isinstance(value, dict) else {"arguments": value}
