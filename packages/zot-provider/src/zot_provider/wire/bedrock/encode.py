"""Encoder of Bedrock requests.

Sources: Amazon Bedrock API reference, "ConverseStream"; user guide, "Prompt caching" and "Enhance model responses with
model reasoning". Fields of a single family of models are in `additionalModelRequestFields`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from zot_provider.json_text import dump
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request, ToolSpec
from zot_provider.wire.base import Quirks
from zot_provider.wire.normalize import normalize
from zot_provider.wire.parts import NAMES, NO_OUTPUT, finite_json, last_user_turns
from zot_provider.wire.reasoning import claude_temperature, claude_thinking, effort_word
from zot_provider.wire.schema import fitted

_NAME = "bedrock-converse"

_FORMATS = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}

_MAX_TOKENS = 8192
"""Limit of an answer of a Claude model whose limit is unknown; without one, Bedrock stops early."""


def history(messages: Sequence[Message], model: Model, quirks: Quirks, ids: set[str]) -> list[dict[str, Any]]:
    """Return the turns of a conversation, or of a part of it; see `Wire`."""
    turns: list[dict[str, Any]] = []
    for message in normalize(messages, _NAME, model, quirks, ids):
        role = "assistant" if message.role == "assistant" else "user"
        parts = _parts(message.content, model)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += parts
        elif parts:
            turns.append({"role": role, "content": parts})
    return turns


def encode(request: Request, quirks: Quirks, items: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the JSON body of `POST /model/.../converse-stream`; `items` replace the encoded conversation.

    Claude gets up to four cache points: after the tools, after the system prompt and after the last two user turns.
    Other models refuse them, or cache by themselves.
    """
    model, claude = request.model, _is_claude(request.model)
    messages = history(request.messages, model, quirks, set()) if items is None else items
    body: dict[str, Any] = {"messages": messages}
    if request.system.strip():
        body["system"] = [{"text": request.system}, *_cache_points(request)]
    tools = request.tools or _earlier_tools(request.messages)
    if tools:
        body["toolConfig"] = {"tools": [*map(_tool, tools), *_cache_points(request)]}
    limit = request.max_tokens or ((model.max_output or _MAX_TOKENS) if claude else None)
    fields = _thinking(request, limit or 0, messages) if quirks.reasoning_effort else {}
    for turn in last_user_turns(messages, "user"):
        turn["content"] += _cache_points(request)
    config: dict[str, Any] = {} if limit is None else {"maxTokens": limit}
    warmth = claude_temperature(request, fields.get("thinking"))
    if warmth is not None:
        config["temperature"] = warmth
    if config:
        body["inferenceConfig"] = config
    if fields:
        body["additionalModelRequestFields"] = fields
    if request.response_schema is not None:
        body["outputConfig"] = {"textFormat": _format(request.response_schema)}
    return quirks.finish(body)


def _is_claude(model: Model) -> bool:
    return "claude" in model.id.lower()


def _cache_points(request: Request) -> list[dict[str, Any]]:
    """Return a cache point, or nothing: a new object every time, because the caller may change the body."""
    if not _is_claude(request.model):
        return []
    return [{"cachePoint": {"type": "default"} | ({} if request.cache_time == "5m" else {"ttl": request.cache_time})}]


def _thinking(request: Request, limit: int, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the fields that ask the family of the model for an effort."""
    model, id = request.model, request.model.id.lower()
    if _is_claude(model):
        fields = claude_thinking(request, limit, budget_allowed=_thinking_allowed(messages))
        if id.startswith("us-gov."):  # its regions refuse this field
            fields.get("thinking", {}).pop("display", None)
        return fields
    effort = effort_word(model, request.reasoning)
    if effort is None or "gpt" not in id:
        return {}
    return {"reasoning_effort": effort} if "gpt-oss" in id else {"reasoning": {"effort": effort}}


def _thinking_allowed(messages: list[dict[str, Any]]) -> bool:
    """With a budget, Claude refuses a request after tool results unless the calling turn began with thinking."""
    if len(messages) < 2 or not any("toolResult" in part for part in messages[-1]["content"]):
        return True
    return "reasoningContent" in messages[-2]["content"][0]


def _earlier_tools(messages: Sequence[Message]) -> list[ToolSpec]:
    """Return tools for the calls of a conversation that continues without tools: the API wants them to be known."""
    names = {NAMES.apply(call.name) for message in messages for call in message.tool_calls}
    return [ToolSpec(name, "This tool is not available any more.", {"type": "object"}) for name in sorted(names)]


def _tool(tool: ToolSpec) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"toolSpec": {"name": tool.name, **described, "inputSchema": {"json": fitted(tool.schema)}}}


def _format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "structure": {"jsonSchema": {"name": "answer", "schema": dump(schema)}}}


def _parts(blocks: Iterable[Block], model: Model) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for block in blocks:
        if isinstance(block, TextBlock):
            parts.append({"text": block.text})
        elif isinstance(block, ImageBlock):
            parts.append(_image(block))
        elif isinstance(block, ToolCallBlock):
            call = {"toolUseId": block.id, "name": block.name, "input": _filled(finite_json(block.arguments))}
            parts.append({"toolUse": call})
        elif isinstance(block, ToolResultBlock):
            content = _parts(block.content, model) or [{"text": NO_OUTPUT}]
            status = "error" if block.is_error else "success"
            parts.append({"toolResult": {"toolUseId": block.call_id, "content": content, "status": status}})
        elif isinstance(block, ReasoningBlock):
            parts += _reasoning(block, model)
    return parts


def _reasoning(block: ReasoningBlock, model: Model) -> list[dict[str, Any]]:
    """Return earlier thinking in the form of its family: that of Claude is signed, other models refuse a signature."""
    if block.encrypted_content:
        return [{"reasoningContent": {"redactedContent": block.encrypted_content}}]
    text: dict[str, Any] = {"text": block.summary}
    if _is_claude(model):
        if not block.signature:  # of an answer that broke off
            return []
        text["signature"] = block.signature
    return [{"reasoningContent": {"reasoningText": text}}] if block.summary or block.signature else []


def _image(image: ImageBlock) -> dict[str, Any]:
    """Return an image; one of another format has words in its place."""
    kind = _FORMATS.get(image.mime_type.lower())
    if kind is None:
        return {"text": f"(image omitted: {image.mime_type or 'its format'} is not supported)"}
    return {"image": {"format": kind, "source": {"bytes": image.data}}}


def _filled(value: Any) -> Any:
    """Return the arguments of a call without empty keys, which the API refuses."""
    if isinstance(value, list):
        return [_filled(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key or "_": _filled(item) for key, item in value.items()}
