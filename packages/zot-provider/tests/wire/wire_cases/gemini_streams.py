"""Streams of the Gemini wire: the documented ones, and those of older models."""

from typing import Any

from wire_cases.stream import StreamCase
from zot_provider.errors import ModelError, ProtocolError, StreamCut
from zot_provider.events import (
    ReasoningDelta,
    Stop,
    StreamEnd,
    TextDelta,
    ToolUseArgs,
    ToolUseEnd,
    ToolUseStart,
    UsageReport,
)
from zot_provider.messages import Block, ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.usage import Usage

_WIRE = "gemini"


def _parts(*parts: dict[str, Any], finish: str = "", **fields: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], **fields}


def _text(text: str, signature: str = "", *, thought: bool = False) -> dict[str, Any]:
    part: dict[str, Any] = {"text": text} | ({"thought": True} if thought else {})
    return part | ({"thoughtSignature": signature} if signature else {})


def _call(name: str, args: Any, signature: str = "", **fields: Any) -> dict[str, Any]:
    part = {"functionCall": {"name": name, "args": args, **fields}}
    return part | ({"thoughtSignature": signature} if signature else {})


def _end(stop: Stop, *content: Block) -> StreamEnd:
    return StreamEnd(stop, list(content))


def _signed(signature: str) -> ReasoningBlock:
    return ReasoningBlock(signature=signature, wire=_WIRE)


STREAMS = (
    StreamCase(
        "thinking, text, two calls of which the first is signed",
        _WIRE,
        [
            _parts(_text("Hm.", thought=True), usageMetadata={"promptTokenCount": 100}),
            _parts(_text(" Ah.", thought=True)),
            _parts(_text("Hel")),
            _parts(_text("lo")),
            _parts(_call("read", {"path": "ä"}, "c2ln", id="call_1"), _call("list", {}, id="call_2")),
            _parts(
                _text(""),
                finish="STOP",
                usageMetadata={
                    "promptTokenCount": 100,
                    "cachedContentTokenCount": 80,
                    "candidatesTokenCount": 5,
                    "thoughtsTokenCount": 15,
                    "totalTokenCount": 120,
                },
                modelVersion="m",
            ),
            _parts(_text("after the end")),
        ],
        [
            ReasoningDelta("Hm."),
            ReasoningDelta(" Ah."),
            TextDelta("Hel"),
            TextDelta("lo"),
            ToolUseStart("call_1", "read"),
            ToolUseArgs("call_1", '{"path": "ä"}'),
            ToolUseEnd("call_1"),
            ToolUseStart("call_2", "list"),
            ToolUseArgs("call_2", "{}"),
            ToolUseEnd("call_2"),
            UsageReport(Usage(input=20, output=20, cache_read=80, reasoning=15)),
            _end(
                "tool_use",
                ReasoningBlock("Hm. Ah.", wire=_WIRE),
                TextBlock("Hello"),
                _signed("c2ln"),
                ToolCallBlock("call_1", "read", '{"path": "ä"}'),
                ToolCallBlock("call_2", "list", "{}"),
            ),
        ],
    ),
    StreamCase(
        "signatures of a thought, of a text, and of the empty part at the end",
        _WIRE,
        [
            _parts(_text("Hm.", "dGg=", thought=True)),
            _parts(_text("one", "b25l")),
            _parts(_text("two")),
            _parts(_text("", "dHdv"), finish="STOP"),
        ],
        [
            ReasoningDelta("Hm."),
            TextDelta("one"),
            TextDelta("two"),
            _end(
                "end_turn",
                ReasoningBlock("Hm.", signature="dGg=", wire=_WIRE),
                _signed("b25l"),
                TextBlock("onetwo"),
            ),
        ],
    ),
    StreamCase(
        "a text whose signature comes at its end",
        _WIRE,
        [_parts(_text("one")), _parts(_text("", "b25l"), finish="STOP")],
        [TextDelta("one"), _end("end_turn", _signed("b25l"), TextBlock("one"))],
    ),
    StreamCase(
        "calls without ids, and with the same id",
        _WIRE,
        [
            _parts(_call("read", {}), _call("read", None), responseId="r/1"),
            _parts(_call("list", {}, id="x"), _call("list", {}, id="x"), finish="STOP", responseId="r/1"),
        ],
        [
            ToolUseStart("call_r1_0", "read"),
            ToolUseArgs("call_r1_0", "{}"),
            ToolUseEnd("call_r1_0"),
            ToolUseStart("call_r1_1", "read"),
            ToolUseArgs("call_r1_1", "{}"),
            ToolUseEnd("call_r1_1"),
            ToolUseStart("x", "list"),
            ToolUseArgs("x", "{}"),
            ToolUseEnd("x"),
            ToolUseStart("x_2", "list"),
            ToolUseArgs("x_2", "{}"),
            ToolUseEnd("x_2"),
            _end(
                "tool_use",
                ToolCallBlock("call_r1_0", "read", "{}"),
                ToolCallBlock("call_r1_1", "read", "{}"),
                ToolCallBlock("x", "list", "{}"),
                ToolCallBlock("x_2", "list", "{}"),
            ),
        ],
    ),
    StreamCase(
        "parts that nobody knows, and a list of responses",
        _WIRE,
        [
            {"candidates": []},
            _parts({"inlineData": {"mimeType": "image/png", "data": ""}}, {"executableCode": {}}),
            {"candidates": [{"index": 0}]},
            b'[{"candidates": [{"content": {"parts": [{"text": "A"}]}, "finishReason": "STOP"}]}]',
        ],
        [TextDelta("A"), _end("end_turn", TextBlock("A"))],
    ),
    StreamCase(
        "an answer cut off by its limit",
        _WIRE,
        [_parts(_text("A"), finish="MAX_TOKENS")],
        [TextDelta("A"), _end("length", TextBlock("A"))],
    ),
    StreamCase(
        "half a character in the arguments of a call",
        _WIRE,
        [
            b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":{"b":"\\ud83d"},"id":"1"}}]},'
            b'"finishReason":"STOP"}]}'
        ],
        [
            ToolUseStart("1", "a"),
            ToolUseArgs("1", '{"b": "\ufffd"}'),
            ToolUseEnd("1"),
            _end("tool_use", ToolCallBlock("1", "a", '{"b": "\ufffd"}')),
        ],
    ),
    StreamCase(
        "a filter in the middle",
        _WIRE,
        [_parts(_text("A")), {"candidates": [{"finishReason": "SAFETY"}], "usageMetadata": {"promptTokenCount": 3}}],
        [TextDelta("A"), UsageReport(Usage(input=3))],
        ModelError,
    ),
    StreamCase(
        "a prompt that is refused",
        _WIRE,
        [{"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 3}}],
        [UsageReport(Usage(input=3))],
        ModelError,
    ),
    StreamCase(
        "a failure",
        _WIRE,
        [_parts(_text("A")), {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}],
        [TextDelta("A")],
        ModelError,
    ),
    StreamCase("a failure as a text", _WIRE, [{"error": "boom"}], [], ModelError),
    StreamCase("the end never comes", _WIRE, [_parts(_text("A"))], [TextDelta("A")], StreamCut),
    StreamCase("no JSON", _WIRE, [b"oops"], [], ProtocolError),
    StreamCase("JSON of another shape", _WIRE, [_parts({"functionCall": 1})], [], ProtocolError),
)
