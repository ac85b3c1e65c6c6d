"""Encoder of Chat Completions requests.

Source: OpenAI API reference, "Create chat completion"
(https://platform.openai.com/docs/api-reference/chat/create).
"""

from collections.abc import Sequence
from typing import Any

from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request, ToolSpec
from zot_provider.wire.base import Quirks
from zot_provider.wire.normalize import normalize
from zot_provider.wire.parts import WordRule, data_url, is_closed, plain_text, result_text
from zot_provider.wire.reasoning import effort_word, temperature

_NAME = "openai-chat"

_IDS = WordRule(40, ".:")
"""The ids of calls that OpenAI accepts; Kimi's have a dot and a colon (`functions.read:0`)."""


def history(messages: Sequence[Message], model: Model, quirks: Quirks, ids: set[str]) -> list[dict[str, Any]]:
    """Return the messages of a conversation, or of a part of it; see `Wire`."""
    normal = normalize(messages, _NAME, provider=model.provider, images=model.images, ids=ids, id_rule=_IDS)
    return _messages(normal, quirks)


def encode(request: Request, quirks: Quirks, items: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the JSON body of `POST /chat/completions`; `items` replace the encoded conversation."""
    model = request.model
    messages: list[dict[str, Any]] = []
    if request.system:
        messages.append({"role": quirks.system_role, "content": request.system})
    messages += history(request.messages, model, quirks, set()) if items is None else items
    body: dict[str, Any] = {"model": model.id, "messages": messages, "stream": True}
    if quirks.usage_chunk:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.max_tokens is not None:
        body[quirks.max_tokens_field] = request.max_tokens
    warmth = temperature(request)
    if warmth is not None:
        body["temperature"] = warmth
    effort = effort_word(model, request.reasoning) if quirks.reasoning_effort else None
    if effort is not None:
        body["reasoning_effort"] = effort
    if request.response_schema is not None:
        schema = request.response_schema
        answer = {"name": "answer", "schema": schema, "strict": is_closed(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": answer}
    if quirks.prompt_cache_key and request.cache_key:
        body["prompt_cache_key"] = request.cache_key
    return body


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


def _messages(history: list[Message], quirks: Quirks) -> list[dict[str, Any]]:
    encoded: list[dict[str, Any]] = []
    images: list[dict[str, Any]] = []  # of tool results, sent with the next user message
    for message in history:
        if message.role == "user":
            encoded.append({"role": "user", "content": _user_content(message, images)})
            images = []
            continue
        if images:
            encoded.append({"role": "user", "content": images})
            images = []
        if message.role == "assistant":
            encoded.append(_assistant(message, quirks))
        else:
            for block in message.content:
                if isinstance(block, ToolResultBlock):
                    encoded.append({"role": "tool", "tool_call_id": block.call_id, "content": result_text(block)})
                    images += _result_images(block)
    if images:
        encoded.append({"role": "user", "content": images})
    return encoded


def _assistant(message: Message, quirks: Quirks) -> dict[str, Any]:
    text, calls = plain_text(message.content), message.tool_calls
    encoded: dict[str, Any] = {"role": "assistant", "content": text or None if calls else text}
    thinking = "\n".join(block.summary for block in message.content if isinstance(block, ReasoningBlock))
    if thinking and quirks.reasoning_field:
        encoded[quirks.reasoning_field] = thinking
    if calls:
        encoded["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ]
    return encoded


def _user_content(message: Message, before: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return a user message's content: a string if possible, since some servers accept nothing else."""
    parts = list(before)
    for block in message.content:
        if isinstance(block, TextBlock):
            parts.append({"type": "text", "text": block.text})
        elif isinstance(block, ImageBlock):
            parts.append(_image(block))
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _result_images(result: ToolResultBlock) -> list[dict[str, Any]]:
    """Return the images of a tool result as parts of a user message: a tool message may hold only text."""
    images = [_image(block) for block in result.content if isinstance(block, ImageBlock)]
    return [{"type": "text", "text": f"image of the tool result {result.call_id}:"}, *images] if images else []


def _image(image: ImageBlock) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": data_url(image)}}
