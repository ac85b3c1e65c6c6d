"""`render_whole`: the answer of a turn in one JSON value, as servers that do not stream send it."""

import json
from collections.abc import Callable
from typing import Any

from zot_provider.testing.turn import Call, Turn


def render_whole(turn: Turn, wire: str) -> bytes:
    """Return the body with the text and the calls of a turn. Raises KeyError for an unknown wire."""
    return json.dumps(_BODIES[wire](turn)).encode()


def _arguments(call: Call) -> dict[str, Any]:
    return call.args if isinstance(call.args, dict) else {}


def _anthropic(turn: Turn) -> dict[str, Any]:
    content: list[Any] = [{"type": "text", "text": turn.text}] if turn.text else []
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call)} for call in turn.calls
    ]
    counts = {"input_tokens": turn.usage.input, "output_tokens": turn.usage.output}
    return {"type": "message", "role": "assistant", "content": content, "stop_reason": turn.stop_reason,
            "usage": counts}  # fmt: skip


def _bedrock(turn: Turn) -> dict[str, Any]:
    content: list[Any] = [{"text": turn.text}] if turn.text else []
    content += [
        {"toolUse": {"toolUseId": call.id, "name": call.name, "input": _arguments(call)}} for call in turn.calls
    ]
    counts = {"inputTokens": turn.usage.input, "outputTokens": turn.usage.output}
    return {"metrics": {}, "output": {"message": {"role": "assistant", "content": content}},
            "stopReason": turn.stop_reason, "usage": counts}  # fmt: skip


def _gemini(turn: Turn) -> dict[str, Any]:
    parts: list[Any] = [{"text": turn.text}] if turn.text else []
    parts += [{"functionCall": {"name": call.name, "args": _arguments(call)}} for call in turn.calls]
    counts = {"promptTokenCount": turn.usage.input, "candidatesTokenCount": turn.usage.output}
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
            "usageMetadata": counts}  # fmt: skip


def _openai_chat(turn: Turn) -> dict[str, Any]:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
        for call in turn.calls
    ]
    message = {"role": "assistant", "content": turn.text or None} | ({"tool_calls": calls} if calls else {})
    counts = {"prompt_tokens": turn.usage.input, "completion_tokens": turn.usage.output}
    reason = "tool_calls" if calls else "stop"
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": counts}  # fmt: skip


def _openai_responses(turn: Turn) -> dict[str, Any]:
    output: list[Any] = []
    if turn.text:
        text = {"type": "output_text", "text": turn.text, "annotations": []}
        output.append({"type": "message", "role": "assistant", "content": [text]})
    output += [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.text} for call in turn.calls
    ]
    counts = {"input_tokens": turn.usage.input, "output_tokens": turn.usage.output}
    return {"object": "response", "status": "completed", "error": None, "output": output, "usage": counts}


_BODIES: dict[str, Callable[[Turn], dict[str, Any]]] = {
    "anthropic-messages": _anthropic,
    "bedrock-converse": _bedrock,
    "gemini": _gemini,
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
}
