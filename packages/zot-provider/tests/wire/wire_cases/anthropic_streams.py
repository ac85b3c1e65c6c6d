"""Streams of the Anthropic Messages wire: the documented ones, and strange but legal ones."""

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

_WIRE = "anthropic-messages"
_STOP = {"type": "message_stop"}
_PING = {"type": "ping"}


def _message_start(**usage: int | None) -> dict[str, Any]:
    return {"type": "message_start", "message": {"id": "msg_1", "content": [], "usage": usage}}


def _start(index: int, type: str, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": type, **block}}


def _delta(index: int, type: str, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": type, **delta}}


def _text(index: int, text: str) -> dict[str, Any]:
    return _delta(index, "text_delta", text=text)


def _args(index: int, text: str) -> dict[str, Any]:
    return _delta(index, "input_json_delta", partial_json=text)


def _stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def _message_delta(reason: str | None, **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}


def _end(stop: Stop, *content: Block) -> StreamEnd:
    return StreamEnd(stop, list(content))


STREAMS = (
    StreamCase(
        "text, with usage that is cumulative",
        _WIRE,
        [
            _message_start(
                input_tokens=7, cache_read_input_tokens=100, cache_creation_input_tokens=20, output_tokens=1
            ),
            _start(0, "text", text=""),
            _PING,
            _text(0, "Hel"),
            _text(0, ""),
            _text(0, "lo"),
            _stop(0),
            _message_delta(None, input_tokens=7, output_tokens=5),
            _message_delta("end_turn", input_tokens=None, cache_read_input_tokens=100, output_tokens=9),
            _STOP,
        ],
        [
            UsageReport(Usage(input=7, output=1, cache_read=100, cache_write=20)),
            TextDelta("Hel"),
            TextDelta("lo"),
            UsageReport(Usage(output=4)),
            UsageReport(Usage(output=4)),
            _end("end_turn", TextBlock("Hello")),
        ],
    ),
    StreamCase(
        "thinking, signed and redacted, then two calls that interleave",
        _WIRE,
        [
            _start(0, "thinking", thinking="", signature=""),
            _delta(0, "thinking_delta", thinking="Hm."),
            _delta(0, "signature_delta", signature="s1g"),
            _stop(0),
            _start(1, "redacted_thinking", data="cipher"),
            _stop(1),
            _start(2, "tool_use", id="toolu_1", name="read", input={}),
            _start(3, "tool_use", id="toolu_2", name="list", input={}),
            _args(2, '{"path":'),
            _args(3, ""),
            _args(2, '"a"}'),
            _stop(3),
            _stop(2),
            _message_delta("tool_use", output_tokens=30, output_tokens_details={"thinking_tokens": 12}),
            _STOP,
            _text(9, "after the end"),
        ],
        [
            ReasoningDelta("Hm."),
            ToolUseStart("toolu_1", "read"),
            ToolUseStart("toolu_2", "list"),
            ToolUseArgs("toolu_1", '{"path":'),
            ToolUseArgs("toolu_1", '"a"}'),
            ToolUseEnd("toolu_2"),
            ToolUseEnd("toolu_1"),
            UsageReport(Usage(output=30, reasoning=12)),
            _end(
                "tool_use",
                ReasoningBlock("Hm.", signature="s1g", wire=_WIRE),
                ReasoningBlock(encrypted_content="cipher", wire=_WIRE),
                ToolCallBlock("toolu_1", "read", '{"path":"a"}'),
                ToolCallBlock("toolu_2", "list", ""),
            ),
        ],
    ),
    StreamCase(
        "unknown events, blocks and deltas",
        _WIRE,
        [
            {"type": "message_start"},
            {"type": "news"},
            _start(0, "server_tool_use", id="srv_1", name="search", input={}),
            _args(0, "{}"),
            _stop(0),
            _start(1, "text", text="A"),
            _delta(1, "citations_delta", citation={}),
            _text(1, "B"),
            {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}},
            _STOP,
        ],
        [TextDelta("A"), TextDelta("B"), _end("end_turn", TextBlock("AB"))],
    ),
    StreamCase(
        "no start of the block, no stop of the block, no end of the message",
        _WIRE,
        [_text(0, "A"), _delta(1, "thinking_delta", thinking="B"), _message_delta("max_tokens")],
        [
            TextDelta("A"),
            ReasoningDelta("B"),
            _end("length", TextBlock("A"), ReasoningBlock("B", wire=_WIRE)),
        ],
    ),
    StreamCase(
        "arguments that come whole, and an end_turn after a call",
        _WIRE,
        [_start(0, "tool_use", id="", name="read", input={"path": "ä"}), _message_delta("end_turn"), _STOP],
        [
            ToolUseStart("call", "read"),
            ToolUseArgs("call", '{"path": "ä"}'),
            ToolUseEnd("call"),
            _end("tool_use", ToolCallBlock("call", "read", '{"path": "ä"}')),
        ],
    ),
    StreamCase(
        "halves of surrogate pairs",
        _WIRE,
        [
            _text(0, "a\ud83d"),
            _text(0, "\ude00b"),
            _text(0, "\ud83d"),
            _text(0, "c\ude00"),
            _text(0, "\ud83d"),
            _STOP,
        ],
        [
            TextDelta("a"),
            TextDelta("\U0001f600b"),
            TextDelta("\ufffdc\ufffd"),
            TextDelta("\ufffd"),
            _end("end_turn", TextBlock("a\U0001f600b\ufffdc\ufffd\ufffd")),
        ],
    ),
    StreamCase(
        "bytes that are no UTF-8",
        _WIRE,
        [b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\xff!"}}', _STOP],
        [TextDelta("\ufffd!"), _end("end_turn", TextBlock("\ufffd!"))],
    ),
    StreamCase(
        "an error in the middle",
        _WIRE,
        [_text(0, "A"), {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, _STOP],
        [TextDelta("A")],
        ModelError,
    ),
    StreamCase("a refusal", _WIRE, [_text(0, "A"), _message_delta("refusal")], [TextDelta("A")], ModelError),
    StreamCase("the end never comes", _WIRE, [_text(0, "A"), _stop(0)], [TextDelta("A")], StreamCut),
    StreamCase("no JSON", _WIRE, [_text(0, "A"), b"<html>"], [TextDelta("A")], ProtocolError),
    StreamCase("JSON of another shape", _WIRE, [b"[1]"], [], ProtocolError),
    StreamCase("text that is no text", _WIRE, [_delta(0, "text_delta", text=7)], [], ProtocolError),
)
