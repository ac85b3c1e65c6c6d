"""`seen`: what a model sees of a request, on any wire, in pieces with their sources."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class Piece:
    """A piece of a request. `source`: "system", "tools", "user", "answers", or the name of the tool whose result it is.
    `marked`: a cache breakpoint follows it."""

    source: str
    text: str
    marked: bool = False


def seen(body: dict[str, Any]) -> list[Piece]:
    """Return the pieces of the body of a request, in the order in which providers cache them: tools, system prompt,
    messages."""
    pieces = [Piece("tools", _json(tool), "cache_control" in tool) for tool in _tools(body)]
    if pieces and "cachePoint" in pieces[-1].text:
        pieces.pop()
        pieces[-1].marked = True
    system = body.get("system") or body.get("instructions") or body.get("systemInstruction", {}).get("parts") or []
    pieces += _marks(_blocks(system, "system", {}))
    names: dict[str, str] = {}
    for item in body.get("messages") or body.get("input") or body.get("contents") or []:
        pieces += _marks(_item(item, names))
    return pieces


def _tools(body: dict[str, Any]) -> list[dict[str, Any]]:
    tools = body.get("toolConfig", body).get("tools") or []
    return [each for tool in tools for each in tool.get("functionDeclarations", [tool])]


def _marks(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Put the cache points of Bedrock, which are blocks of their own, to the blocks before them."""
    before: Piece | None = None
    for piece in pieces:
        if piece.source == "cachePoint":
            assert before is not None, "nothing precedes a cache point"
            before.marked = True
        else:
            before = piece
            yield piece


def _item(item: dict[str, Any], names: dict[str, str]) -> Iterator[Piece]:
    """Yield the pieces of a message, or of an item of Responses."""
    role = item.get("role")
    if role == "tool":
        yield Piece(names.get(item["tool_call_id"], "?"), _text(item["content"]), "cache_control" in item)
        return
    if role is None:
        yield from _block(item, "answers", names)
        return
    source = {"assistant": "answers", "model": "answers", "system": "system", "developer": "system"}.get(role, "user")
    if item.get("reasoning_content"):
        yield Piece("answers", item["reasoning_content"])
    yield from _blocks(item.get("content") or item.get("parts") or [], source, names)
    for call in item.get("tool_calls", []):
        yield from _block(call, source, names)


def _blocks(content: Any, source: str, names: dict[str, str]) -> Iterator[Piece]:
    if isinstance(content, str):
        yield Piece(source, content)
        return
    for block in content:
        yield from _block(block, source, names)


def _block(block: dict[str, Any], source: str, names: dict[str, str]) -> Iterator[Piece]:
    marked = "cache_control" in block
    call = block.get("function") or block.get("toolUse") or block.get("functionCall")
    result = block.get("toolResult") or block.get("functionResponse")
    kind = block.get("type")
    if "cachePoint" in block:
        yield Piece("cachePoint", "")
    elif kind in ("tool_use", "function_call", "custom_tool_call"):
        names[str(block.get("id" if kind == "tool_use" else "call_id"))] = block["name"]
        yield Piece(source, f"{block['name']} {_arguments(block.get('input', block.get('arguments')))}", marked)
    elif call:
        names[str(call.get("toolUseId") or block.get("id"))] = call["name"]
        arguments = call.get("arguments", call.get("input", call.get("args")))
        yield Piece(source, f"{call['name']} {_arguments(arguments)}", marked)
    elif kind in ("tool_result", "function_call_output", "custom_tool_call_output"):
        name = names.get(block.get("tool_use_id") or block.get("call_id") or "", "?")
        yield Piece(name, _text(block.get("content", block.get("output", ""))), marked)
    elif result:
        name = result.get("name") or names.get(result.get("toolUseId", ""), "?")
        yield Piece(name, _text(result.get("content", result.get("response"))), marked)
    else:
        yield Piece(source, block["text"] if "text" in block else block.get("thinking") or _json(block), marked)


def _arguments(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _text(value: Any) -> str:
    """The texts in the content of a result; other values as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, dict) and "text" in each for each in value):
        return "\n".join(each["text"] for each in value)
    if isinstance(value, dict) and len(value) == 1 and isinstance(text := next(iter(value.values())), str):
        return text
    return _json(value)


def _json(value: Any) -> str:
    if isinstance(value, dict):
        value = {key: each for key, each in value.items() if key != "cache_control"}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
