"""`render`: the stream of a turn on each wire, the inverse of the splitters and decoders."""

from collections.abc import Callable, Iterator
from typing import Any

from zot_provider.testing.render_bedrock import render_bedrock
from zot_provider.testing.render_gemini import render_gemini
from zot_provider.testing.rendering import failure, sse_data
from zot_provider.testing.turn import Turn


def render(turn: Turn, wire: str) -> list[bytes]:
    """Return the events of a turn as they are sent; the last event ends the answer.

    All calls must have ids. Raises KeyError for an unknown wire.
    """
    return list(RENDERERS[wire](turn))


def _event(value: dict[str, Any]) -> bytes:
    """Return an event named after the type in its data, as on the Messages and Responses wires."""
    return f"event: {value['type']}\n".encode() + sse_data(value)


def _anthropic(turn: Turn) -> Iterator[bytes]:
    usage = turn.usage
    counts: dict[str, Any] = {
        "input_tokens": usage.input,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write - usage.hour,
            "ephemeral_1h_input_tokens": usage.hour,
        },
        "output_tokens": 0,
    }
    message: dict[str, Any] = {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
    }
    yield _event({"type": "message_start", "message": message | {"stop_reason": None, "usage": counts}})
    blocks: list[tuple[dict[str, Any], str, str, str]] = []
    if turn.reasoning:
        start: dict[str, Any] = {"type": "thinking", "thinking": "", "signature": ""}
        blocks.append((start, "thinking_delta", "thinking", turn.reasoning))
    if turn.text:
        blocks.append(({"type": "text", "text": ""}, "text_delta", "text", turn.text))
    for call in turn.calls:
        start = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        blocks.append((start, "input_json_delta", "partial_json", call.text))
    for index, (start, kind, name, text) in enumerate(blocks):
        yield _event({"type": "content_block_start", "index": index, "content_block": start})
        for delta in turn.deltas(text):
            yield _event({"type": "content_block_delta", "index": index, "delta": {"type": kind, name: delta}})
        if kind == "thinking_delta" and turn.signature:
            signed = {"type": "signature_delta", "signature": turn.signature}
            yield _event({"type": "content_block_delta", "index": index, "delta": signed})
        yield _event({"type": "content_block_stop", "index": index})
    if turn.error is not None:
        yield _event({"type": "error", "error": failure(turn.error, "api_error")})
        return
    counts["output_tokens"] = usage.output
    del counts["cache_creation"]
    if usage.reasoning is not None:
        counts["output_tokens_details"] = {"thinking_tokens": usage.reasoning}
    reason = "max_tokens" if turn.stop_reason == "length" else turn.stop_reason
    yield _event({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": counts})
    yield _event({"type": "message_stop"})


def _openai_chat(turn: Turn) -> Iterator[bytes]:
    def chunk(delta: dict[str, Any], reason: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return sse_data(head | {"choices": [choice]} | more)

    head = {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    yield chunk({"role": "assistant", "content": ""})
    for delta in turn.deltas(turn.reasoning):
        yield chunk({"reasoning_content": delta})
    for delta in turn.deltas(turn.text):
        yield chunk({"content": delta})
    for index, call in enumerate(turn.calls):
        function = {"name": call.name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]})
        for delta in turn.deltas(call.text):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": delta}}]})
    if turn.error is not None:
        found = failure(turn.error, "server_error")
        yield sse_data({"error": found | {"param": None, "code": found["type"]}})
        return
    yield chunk({}, {"tool_use": "tool_calls", "length": "length", "end_turn": "stop"}[turn.stop_reason])
    usage = turn.usage
    prompt = usage.input + usage.cache_read + usage.cache_write
    counts: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
    }
    if usage.reasoning is not None:
        counts["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    yield sse_data(head | {"choices": [], "usage": counts})
    yield b"data: [DONE]\n\n"


_RESPONSE: dict[str, Any] = {
    "id": "resp_scripted",
    "object": "response",
    "created_at": 0,
    "model": "scripted",
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "temperature": None,
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
}
"""The fields that a response object must have, see https://platform.openai.com/docs/api-reference/responses/object."""


def _openai_responses(turn: Turn) -> Iterator[bytes]:
    """See https://platform.openai.com/docs/api-reference/responses-streaming."""
    for number, event in enumerate(_response_events(turn)):
        yield _event(event | {"sequence_number": number})


def _response_events(turn: Turn) -> Iterator[dict[str, Any]]:
    begun = _RESPONSE | {"status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    output: list[dict[str, Any]] = []
    for item, done, parts in _response_items(turn):
        index = {"output_index": len(output)}
        output.append(done | {"status": "completed"})
        yield {"type": "response.output_item.added", "item": item | {"status": "in_progress"}} | index
        for part in parts:
            yield part | {"item_id": item["id"]} | index
        yield {"type": "response.output_item.done", "item": output[-1]} | index
    if turn.error is not None:
        found = failure(turn.error, "server_error")
        failed = {"status": "failed", "error": {"code": found["type"], "message": found["message"]}}
        yield {"type": "response.failed", "response": begun | failed}
        return
    usage = turn.usage
    prompt = usage.input + usage.cache_read + usage.cache_write
    counts: dict[str, Any] = {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning or 0},
        "total_tokens": prompt + usage.output,
    }
    cut = turn.stop_reason == "length"
    end: dict[str, Any] = {"status": "incomplete" if cut else "completed", "output": output, "usage": counts}
    end["incomplete_details"] = {"reason": "max_output_tokens"} if cut else None
    yield {"type": "response.incomplete" if cut else "response.completed", "response": _RESPONSE | end}


def _response_items(turn: Turn) -> Iterator[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]]:
    """Yield each output item as it begins and as it ends, and the events between, without `item_id`."""
    if turn.reasoning:
        item: dict[str, Any] = {"type": "reasoning", "id": "rs_scripted", "summary": []}
        summary = {"type": "summary_text", "text": turn.reasoning}
        events = _part_events(turn, "reasoning_summary", summary, "summary_index")
        yield item, item | {"summary": [summary], "encrypted_content": turn.signature}, events
    if turn.text:
        item = {"type": "message", "id": "msg_scripted", "role": "assistant", "content": []}
        text = {"type": "output_text", "text": turn.text, "annotations": [], "logprobs": []}
        yield item, item | {"content": [text]}, _part_events(turn, "content", text, "content_index")
    for call in turn.calls:
        kind, field = ("custom_tool_call", "input") if call.free_text else ("function_call", "arguments")
        item = {"type": kind, "id": f"fc_{call.id}", "call_id": call.id, "name": call.name, field: ""}
        events = [{"type": f"response.{kind}_{field}.delta", "delta": delta} for delta in turn.deltas(call.text)]
        events.append({"type": f"response.{kind}_{field}.done", field: call.text})
        yield item, item | {field: call.text}, events


def _part_events(turn: Turn, name: str, part: dict[str, Any], index: str) -> list[dict[str, Any]]:
    """Return the events of the only part of an item, from its beginning to its end."""
    of_text = "response.output_text" if name == "content" else f"response.{name}_text"
    more: dict[str, Any] = {index: 0} | ({"logprobs": []} if name == "content" else {})
    return [
        {"type": f"response.{name}_part.added", "part": part | {"text": ""}, index: 0},
        *({"type": f"{of_text}.delta", "delta": delta} | more for delta in turn.deltas(part["text"])),
        {"type": f"{of_text}.done", "text": part["text"]} | more,
        {"type": f"response.{name}_part.done", "part": part, index: 0},
    ]


RENDERERS: dict[str, Callable[[Turn], Iterator[bytes]]] = {
    "anthropic-messages": _anthropic,
    "bedrock-converse": render_bedrock,
    "gemini": render_gemini,
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
}
