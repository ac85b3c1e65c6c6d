"""Encoder of Gemini requests.

Sources: Gemini API reference, "Generating content" (https://ai.google.dev/api/generate-content), "Function calling",
"Gemini thinking", "Thought signatures". Models of Gemini 3 and later take levels of thinking, ids of calls and images
in results, and refuse a call of the current turn without a signature. Older models take a budget of thinking tokens.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request, ToolSpec
from zot_provider.wire.base import Quirks
from zot_provider.wire.normalize import normalize
from zot_provider.wire.parts import NO_OUTPUT, finite_json, plain_text
from zot_provider.wire.reasoning import effort_word, temperature, thinking, thinking_budget
from zot_provider.wire.schema import fitted

_NAME = "gemini"

_UNSIGNED = "skip_thought_signature_validator"
"""The documented signature of a call that another model made."""

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}==|[A-Za-z0-9+/_-]{3}=)?")

_MAX_OUTPUT = 65_536
"""Tokens of an answer, thinking included, of a model whose limit is unknown."""

_NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
"""The fields of a JSON Schema that hold schemas by name."""

_VALUES = ("enum", "default", "examples", "example")
"""The fields of a JSON Schema that hold values."""


def history(messages: Sequence[Message], model: Model, quirks: Quirks, ids: set[str]) -> list[dict[str, Any]]:
    """Return the contents of a conversation, or of a part of it; see `Wire`."""
    contents: list[dict[str, Any]] = []
    calls: dict[str, str] = {}  # names by id, of the last message with calls
    for message in normalize(messages, _NAME, model, quirks, ids):
        if message.role == "assistant":
            contents.append({"role": "model", "parts": _answer(message.content, model)})
            calls = {call.id: call.name for call in message.tool_calls}
        elif message.role == "user":
            contents.append({"role": "user", "parts": _parts(message.content)})
        else:
            contents += _results(message, calls, model)
    return contents


def encode(request: Request, quirks: Quirks, items: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the JSON body of `POST /models/...:streamGenerateContent`; `items` replace the encoded conversation."""
    model = request.model
    body: dict[str, Any] = {
        "contents": history(request.messages, model, quirks, set()) if items is None else items,
    }
    if request.system.strip():
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_tool(tool) for tool in request.tools]}]
    config: dict[str, Any] = {}
    if request.max_tokens is not None:
        config["maxOutputTokens"] = request.max_tokens
    warmth = temperature(request)
    if warmth is not None:
        config["temperature"] = warmth
    asked = _thinking(request) if quirks.reasoning_effort else {}
    if asked:
        config["thinkingConfig"] = asked
    if request.response_schema is not None and (_is_new(model) or not request.tools):
        # Models before Gemini 3 refuse a schema together with tools.
        config |= {"responseMimeType": "application/json", "responseJsonSchema": _schema(request.response_schema)}
    if config:
        body["generationConfig"] = config
    return quirks.finish(body)


def _is_new(model: Model) -> bool:
    """Whether the model is one of Gemini 3 or later."""
    how = thinking(model)
    return how is not None and how.way != "budget"


def _thinking(request: Request) -> dict[str, Any]:
    """Return the configuration of thinking. A model that cannot stop thinking thinks as little as it can for "off"."""
    model, level, how = request.model, request.reasoning, thinking(request.model)
    shown = {} if level == "off" else {"includeThoughts": True}
    if how is None:
        return {}
    if how.way != "budget":
        word = effort_word(model, "minimum" if level == "off" else level)
        return {"thinkingLevel": word.upper(), **shown} if word else shown
    budget = thinking_budget(model, level, request.max_tokens or model.max_output or _MAX_OUTPUT)
    return shown if budget is None else {"thinkingBudget": budget, **shown}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": _schema(fitted(tool.schema))}


def _schema(schema: Any, *, named: bool = False) -> Any:
    """Return a JSON Schema with an `enum` of one value for each `const`, which the API ignores.

    `named`: the keys of `schema` are names, not fields.
    """
    if isinstance(schema, list):
        return [_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed: dict[str, Any] = {}
    for field, value in schema.items():
        if named:
            changed[field] = _schema(value)
        elif field == "const":
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                changed["enum"] = [value]
        elif field in _VALUES:
            changed.setdefault(field, value)
        else:
            changed[field] = _schema(value, named=field in _NAMED)
    return changed


def _answer(blocks: Iterable[Block], model: Model) -> list[dict[str, Any]]:
    """Return the parts of an answer, each with the signature that it came with."""
    parts: list[dict[str, Any]] = []
    signature, unsigned = "", _is_new(model)
    for block in blocks:
        if isinstance(block, ReasoningBlock):
            valid = bool(block.signature) and _BASE64.fullmatch(block.signature) is not None
            if not block.summary:
                signature = block.signature if valid else ""
            elif valid:
                parts.append({"text": block.summary, "thought": True, "thoughtSignature": block.signature})
            continue
        if isinstance(block, TextBlock):
            part: dict[str, Any] = {"text": block.text}
        elif isinstance(block, ToolCallBlock):
            call = {"name": block.name, "args": finite_json(block.arguments)}
            part = {"functionCall": ({"id": block.id} if _is_new(model) else {}) | call}
            if unsigned:  # the API wants a signature of the first call of an answer
                signature, unsigned = signature or _UNSIGNED, False
        else:
            continue
        if signature:
            part["thoughtSignature"] = signature
        signature = ""
        parts.append(part)
    return parts


def _results(message: Message, calls: dict[str, str], model: Model) -> list[dict[str, Any]]:
    """Return one content with all results of a turn; for older models, their images in another content after it."""
    results: list[dict[str, Any]] = []
    images: list[dict[str, Any]] = []
    for block in message.content:
        if not isinstance(block, ToolResultBlock):
            continue
        shown = [_image(each) for each in block.content if isinstance(each, ImageBlock)]
        text = plain_text(block.content) or ("(see the image)" if shown else NO_OUTPUT)
        result: dict[str, Any] = {"id": block.call_id} if _is_new(model) else {}
        result |= {"name": calls[block.call_id], "response": {"error" if block.is_error else "output": text}}
        if shown and _is_new(model):
            result["parts"] = shown
        elif shown:
            images += [{"text": f"image of the tool result of {calls[block.call_id]}:"}, *shown]
        results.append({"functionResponse": result})
    contents = [{"role": "user", "parts": results}]
    return [*contents, {"role": "user", "parts": images}] if images else contents


def _parts(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for block in blocks:
        if isinstance(block, TextBlock):
            parts.append({"text": block.text})
        elif isinstance(block, ImageBlock):
            parts.append(_image(block))
    return parts


def _image(image: ImageBlock) -> dict[str, Any]:
    return {"inlineData": {"mimeType": image.mime_type, "data": image.data}}
