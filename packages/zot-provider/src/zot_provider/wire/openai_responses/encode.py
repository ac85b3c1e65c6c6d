"""Encoder of Responses requests.

Source: OpenAI API reference, "Create a model response"
(https://platform.openai.com/docs/api-reference/responses/create). The server stores nothing: each request sends the
whole conversation, with thinking in its encrypted form.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request, ToolSpec
from zot_provider.wire.base import Quirks
from zot_provider.wire.normalize import normalize, unique_id
from zot_provider.wire.parts import data_url, is_closed, result_text
from zot_provider.wire.reasoning import effort_word, temperature
from zot_provider.wire.schema import fitted

_NAME = "openai-responses"

_SMALLEST_LIMIT = 16
"""Lowest `max_output_tokens` that the API accepts."""

_LONGEST_KEY = 64
"""Characters of `prompt_cache_key` that the API accepts."""


def history(messages: Sequence[Message], model: Model, quirks: Quirks, ids: set[str]) -> list[dict[str, Any]]:
    """Return the input items of a conversation, or of a part of it; see `Wire`."""
    normal = normalize(messages, _NAME, model, quirks, ids)
    free = _free_texts(normal) if model.id.startswith(quirks.grammar_models) else {}
    return [item for message in normal for item in _items(message, ids, free)]


def encode(request: Request, quirks: Quirks, items: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the JSON body of `POST /responses`; `items` replace the encoded conversation."""
    model = request.model
    body: dict[str, Any] = {
        "model": model.id,
        "input": history(request.messages, model, quirks, set()) if items is None else items,
        "stream": True,
        "store": False,
    }
    if request.system:
        body["instructions"] = request.system
    if request.tools:
        body["tools"] = [_tool(tool, grammars=model.id.startswith(quirks.grammar_models)) for tool in request.tools]
    if request.max_tokens is not None:
        body["max_output_tokens"] = max(request.max_tokens, _SMALLEST_LIMIT)
    warmth = temperature(request)
    if warmth is not None:
        body["temperature"] = warmth
    if model.reasoning:
        # Models without reasoning answer this with status 400.
        body["include"] = ["reasoning.encrypted_content"]
        effort = effort_word(model, request.reasoning) if quirks.reasoning_effort else None
        if effort is not None:
            body["reasoning"] = {"effort": effort, "summary": "auto"}
    if request.response_schema is not None:
        schema = request.response_schema
        answer = {"type": "json_schema", "name": "answer", "schema": schema, "strict": is_closed(schema)}
        body["text"] = {"format": answer}
    if quirks.prompt_cache_key and request.cache_key:
        body["prompt_cache_key"] = request.cache_key[:_LONGEST_KEY]
    return quirks.finish(body)


def _tool(tool: ToolSpec, *, grammars: bool) -> dict[str, Any]:
    """Return a tool. "strict" is the default of this API, which would then change a schema that is not closed.

    Source of custom tools: OpenAI's guide "Function calling", https://platform.openai.com/docs/guides/function-calling.
    """
    sampling, named = tool.sampling, {"name": tool.name, "description": tool.description}
    if grammars and sampling is not None and sampling.grammar:
        grammar = {"type": "grammar", "syntax": sampling.kind, "definition": sampling.grammar}
        return {"type": "custom", **named, "format": grammar}
    schema = fitted(tool.schema)
    strict = sampling is not None and sampling.kind == "json_schema" and is_closed(schema)
    return {"type": "function", **named, "parameters": schema, "strict": strict}


def _free_texts(messages: Iterable[Message]) -> dict[str, str]:
    """Return the texts that the model has written for tools with a grammar, by the id of the call."""
    calls = (call for message in messages for call in message.tool_calls if call.free_text)
    texts = ((call.id, call.parsed().get("input")) for call in calls)
    return {id: text for id, text in texts if isinstance(text, str)}


def _items(message: Message, ids: set[str], free: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the input items of a message: one for a user message, one for each block of the model.

    What the model wrote needs an id, which may be any, but must be the same in each request, for the cache.
    """
    if message.role == "user":
        return [{"type": "message", "role": "user", "content": _parts(message.content)}]
    items: list[dict[str, Any]] = []
    for block in message.content:
        if isinstance(block, TextBlock):
            part = {"type": "output_text", "text": block.text, "annotations": []}
            id = _id("msg", block.text, ids)
            item = {"type": "message", "id": id, "role": "assistant", "status": "completed", "content": [part]}
            items.append(item | {"phase": block.phase} if block.phase else item)
        elif isinstance(block, ToolCallBlock):
            call = {"call_id": block.id, "name": block.name}
            if block.id in free:
                items.append({"type": "custom_tool_call", **call, "input": free[block.id]})
            else:
                items.append({"type": "function_call", **call, "arguments": block.arguments})
        elif isinstance(block, ToolResultBlock):
            kind = "custom_tool_call_output" if block.call_id in free else "function_call_output"
            items.append({"type": kind, "call_id": block.call_id, "output": _output(block)})
        elif isinstance(block, ReasoningBlock) and block.encrypted_content:
            items.append(_reasoning(block, ids))
    return items


def _reasoning(block: ReasoningBlock, ids: set[str]) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": block.summary}] if block.summary else []
    id = block.reasoning_id or _id("rs", block.encrypted_content, ids)
    return {"type": "reasoning", "id": id, "summary": summary, "encrypted_content": block.encrypted_content}


def _id(kind: str, content: str, ids: set[str]) -> str:
    """Return an id made from the content, for an item that came without one."""
    return unique_id(f"{kind}_{crc32(content.encode()):08x}", ids)


def _output(result: ToolResultBlock) -> str | list[dict[str, Any]]:
    if any(isinstance(block, ImageBlock) for block in result.content):
        return _parts(result.content)
    return result_text(result)


def _parts(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for block in blocks:
        if isinstance(block, TextBlock):
            parts.append({"type": "input_text", "text": block.text})
        elif isinstance(block, ImageBlock):
            parts.append({"type": "input_image", "image_url": data_url(block), "detail": "auto"})
    return parts
