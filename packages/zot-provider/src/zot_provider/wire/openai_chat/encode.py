"""Encoder of Chat Completions requests.

Source: OpenAI API reference, "Create chat completion"
(https://platform.openai.com/docs/api-reference/chat/create).
"""

import json
from collections.abc import Sequence
from typing import Any

from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import CacheTime, Request, ToolSpec
from zot_provider.wire.base import Quirks
from zot_provider.wire.normalize import normalize
from zot_provider.wire.parts import WordRule, cache_mark, data_url, is_closed, last_user_turns, plain_text, result_text
from zot_provider.wire.reasoning import effort_word, temperature, thinking, thinks
from zot_provider.wire.schema import fitted

_NAME = "openai-chat"

_IDS = WordRule(40)
"""The ids of calls that OpenAI accepts."""


def history(messages: Sequence[Message], model: Model, quirks: Quirks, ids: set[str]) -> list[dict[str, Any]]:
    """Return the messages of a conversation, or of a part of it; see `Wire`."""
    return _messages(normalize(messages, _NAME, model, quirks, ids, _IDS), model, quirks)


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
    if quirks.reasoning_effort:
        body |= _effort(request, quirks)
    if request.response_schema is not None:
        schema = request.response_schema
        answer = {"name": "answer", "schema": schema, "strict": is_closed(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": answer}
    if quirks.prompt_cache_key and request.cache_key:
        body["prompt_cache_key"] = request.cache_key
    if quirks.cache_control:
        _set_breakpoints(messages, body.get("tools", ()), request.cache_time)
    return quirks.finish(body)


def _effort(request: Request, quirks: Quirks) -> dict[str, Any]:
    """Return the fields that ask for thinking, or for none, in the shape of this server."""
    how = thinking(request.model)
    if how is None:
        return {}
    effort = effort_word(request.model, request.reasoning)
    word = {} if effort is None else {"reasoning_effort": effort}
    if quirks.thinking == "effort":
        return word
    on = thinks(request.model, request.reasoning)
    if quirks.thinking == "reasoning":
        return {"reasoning": {"enabled": True} if on and effort is None else {"effort": effort or "none"}}
    known = word if how.words and on else {}  # these servers take one for some of their models
    if quirks.thinking == "reasoning-enabled":
        return {"reasoning": {"enabled": on}, **known}
    if quirks.thinking == "enable_thinking":
        return {"enable_thinking": on, **known}
    switch: dict[str, Any] = {"type": "enabled" if on else "disabled"}
    if on and quirks.thinking == "thinking-kept":
        switch["clear_thinking"] = False
    return {"thinking": switch, **known}


def _set_breakpoints(messages: list[dict[str, Any]], tools: Sequence[dict[str, Any]], time: CacheTime) -> None:
    """Put cache breakpoints after the tools, the system prompt and the last two turns of the user's side, as on the
    Messages wire."""
    marked = [*tools[-1:], *last_user_turns(messages, "user", "tool")]
    marked += [each for each in messages[:1] if each["role"] not in ("user", "assistant", "tool")]
    for each in marked:
        mark = cache_mark(time)
        content = each.get("content")
        if not content or each["role"] == "tool":
            each |= mark
        elif isinstance(content, str):
            each["content"] = [{"type": "text", "text": content} | mark]
        else:
            content[-1] |= mark


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": fitted(tool.schema)}
    return {"type": "function", "function": function}


def _messages(history: list[Message], model: Model, quirks: Quirks) -> list[dict[str, Any]]:
    encoded: list[dict[str, Any]] = []
    names: dict[str, str] = {}  # of the tools, by id of the call
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
            encoded.append(_assistant(message, model, quirks))
            names = {call.id: call.name for call in message.tool_calls}
        else:
            for block in message.content:
                if isinstance(block, ToolResultBlock):
                    result = {"role": "tool", "tool_call_id": block.call_id, "content": result_text(block)}
                    if quirks.result_names:
                        result["name"] = names[block.call_id]
                    encoded.append(result)
                    images += _result_images(block)
    if images:
        encoded.append({"role": "user", "content": images})
    return encoded


def _assistant(message: Message, model: Model, quirks: Quirks) -> dict[str, Any]:
    text, calls = plain_text(message.content), message.tool_calls
    encoded: dict[str, Any] = {"role": "assistant", "content": text or None if calls else text}
    _add_thinking(encoded, message, model, quirks)
    if calls:
        encoded["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ]
    return encoded


def _add_thinking(encoded: dict[str, Any], message: Message, model: Model, quirks: Quirks) -> None:
    """Add the thinking of an answer in the form in which this server wants it back."""
    blocks = [block for block in message.content if isinstance(block, ReasoningBlock)]
    thinking = "\n".join(block.summary for block in blocks if block.summary)
    details = [detail for block in blocks for detail in _details(block)]
    if details:
        encoded["reasoning_details"] = details
    elif quirks.thinking_parts:
        if thinking:
            parts: list[dict[str, Any]] = [{"type": "thinking", "thinking": [{"type": "text", "text": thinking}]}]
            text = encoded["content"]
            encoded["content"] = [*parts, {"type": "text", "text": text}] if text else parts
    elif quirks.reasoning_field and thinking:
        encoded[quirks.reasoning_field] = thinking
    if quirks.reasoning_always and model.reasoning:
        encoded.setdefault(quirks.reasoning_field, thinking)


def _details(block: ReasoningBlock) -> list[dict[str, Any]]:
    """Return the `reasoning_details` that came with an answer, which are sent back unchanged."""
    if not block.encrypted_content:
        return []
    try:
        details = json.loads(block.encrypted_content)
    except ValueError:
        return []
    return [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []


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
