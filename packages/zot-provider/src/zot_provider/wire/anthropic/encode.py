"""Encoder of Anthropic Messages requests.

Sources: Claude API reference, "Create a Message" (https://platform.claude.com/docs/en/api/messages), "Prompt caching",
"Extended thinking", "Effort".
"""

from collections.abc import Iterable, Sequence
from typing import Any

from zot_provider.messages import Block, ImageBlock, Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request, ToolSpec
from zot_provider.wire.base import Quirks
from zot_provider.wire.normalize import normalize
from zot_provider.wire.parts import cache_mark, finite_json, last_user_turns
from zot_provider.wire.reasoning import claude_temperature, claude_thinking
from zot_provider.wire.schema import fitted

_NAME = "anthropic-messages"

_MAX_TOKENS = 8192
"""Limit of an answer, which the API requires, for a model whose limit is unknown."""


def history(messages: Sequence[Message], model: Model, quirks: Quirks, ids: set[str]) -> list[dict[str, Any]]:
    """Return the turns of a conversation, or of a part of it; see `Wire`."""
    return _messages(normalize(messages, _NAME, model, quirks, ids), quirks)


def encode(request: Request, quirks: Quirks, items: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the JSON body of `POST /v1/messages`; `items` replace the encoded conversation.

    It has up to four cache breakpoints: after the tools, after the system prompt and after the last two user turns, so
    that each step of a conversation reads from the cache what the previous step wrote.
    """
    model = request.model
    max_tokens = request.max_tokens or model.max_output or _MAX_TOKENS
    messages = history(request.messages, model, quirks, set()) if items is None else items
    body: dict[str, Any] = {"model": model.id, quirks.max_tokens_field: max_tokens, "stream": True}
    if request.system.strip():
        body["system"] = [{"type": "text", "text": request.system, **cache_mark(request.cache_time)}]
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if quirks.tool_breakpoint:
            body["tools"][-1] |= cache_mark(request.cache_time)
    body["messages"] = messages
    for turn in last_user_turns(messages, "user"):
        turn["content"][-1] |= cache_mark(request.cache_time)
    allowed = _thinking_allowed(messages)
    asked = claude_thinking(request, max_tokens, budget_allowed=allowed) if quirks.reasoning_effort else {}
    output = asked.pop("output_config", {})
    body |= asked
    if request.response_schema is not None:
        output["format"] = {"type": "json_schema", "schema": request.response_schema}
    if output:
        body["output_config"] = output
    warmth = claude_temperature(request, body.get("thinking"))
    if warmth is not None:
        body["temperature"] = warmth
    return quirks.finish(body)


def _thinking_allowed(messages: list[dict[str, Any]]) -> bool:
    """With a budget, the API refuses a request after tool results unless the calling turn began with thinking."""
    if len(messages) < 2 or not any(part["type"] == "tool_result" for part in messages[-1]["content"]):
        return True
    return str(messages[-2]["content"][0]["type"]).endswith("thinking")


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": fitted(tool.schema)}


def _messages(history: list[Message], quirks: Quirks) -> list[dict[str, Any]]:
    """Return alternating turns; tool results come first in the user's turn."""
    encoded: list[dict[str, Any]] = []
    for message in history:
        role = "assistant" if message.role == "assistant" else "user"
        parts = _parts(message.content, quirks)
        if not parts:
            continue
        if encoded and encoded[-1]["role"] == role:
            encoded[-1]["content"] += parts
        else:
            encoded.append({"role": role, "content": parts})
    return encoded


def _parts(blocks: Iterable[Block], quirks: Quirks) -> list[dict[str, Any]]:
    parts = []
    for block in blocks:
        if isinstance(block, TextBlock):
            parts.append({"type": "text", "text": block.text})
        elif isinstance(block, ImageBlock):
            parts.append(_image(block))
        elif isinstance(block, ToolCallBlock):
            call = {"id": block.id, "name": block.name, "input": finite_json(block.arguments)}
            parts.append({"type": "tool_use", **call})
        elif isinstance(block, ToolResultBlock):
            parts.append(_result(block, quirks))
        elif block.signature or (block.summary and quirks.empty_signatures):
            parts.append({"type": "thinking", "thinking": block.summary, "signature": block.signature})
        elif block.encrypted_content:
            parts.append({"type": "redacted_thinking", "data": block.encrypted_content})
        # Thinking without a signature is from an answer that broke off; the API does not accept it.
    return parts


def _result(result: ToolResultBlock, quirks: Quirks) -> dict[str, Any]:
    encoded: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.call_id}
    content = _parts(result.content, quirks)
    if content:
        encoded["content"] = content
    if result.is_error:
        encoded["is_error"] = True
    return encoded


def _image(image: ImageBlock) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": image.mime_type, "data": image.data}}
