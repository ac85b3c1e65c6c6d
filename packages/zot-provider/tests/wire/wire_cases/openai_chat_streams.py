"""Streams of the Chat Completions wire, as OpenAI and those that imitate it send them."""

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

_WIRE = "openai-chat"
_DONE = b"[DONE]"


def _chunk(reason: str | None = None, /, **delta: Any) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _call(index: int | None, id: str | None = None, name: str | None = None, arguments: Any = None) -> dict[str, Any]:
    piece = {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
    return _chunk(tool_calls=[piece])


def _end(stop: Stop, *content: Block) -> StreamEnd:
    return StreamEnd(stop, list(content))


STREAMS = (
    StreamCase(
        "text, then a chunk with the usage",
        _WIRE,
        [
            _chunk(role="assistant", content=""),
            _chunk(content="Hel"),
            _chunk(content=None),
            _chunk(content="lo"),
            _chunk("stop"),
            {
                "choices": [],
                "usage": {
                    "prompt_tokens": 100,
                    "completion_tokens": 20,
                    "prompt_tokens_details": {"cached_tokens": 80},
                    "completion_tokens_details": {"reasoning_tokens": 15},
                },
            },
            _DONE,
            _chunk(content="after the end"),
        ],
        [
            TextDelta("Hel"),
            TextDelta("lo"),
            UsageReport(Usage(input=20, output=20, cache_read=80, reasoning=15)),
            _end("end_turn", TextBlock("Hello")),
        ],
    ),
    StreamCase(
        "thinking under two names, text between, length, and no sentinel",
        _WIRE,
        [
            _chunk(reasoning_content="A", reasoning="A"),
            _chunk(content="B"),
            _chunk(reasoning="C"),
            _chunk(content="D", refusal=None),
            _chunk("length"),
        ],
        [
            ReasoningDelta("A"),
            TextDelta("B"),
            ReasoningDelta("C"),
            TextDelta("D"),
            _end("length", ReasoningBlock("AC", wire=_WIRE), TextBlock("BD")),
        ],
    ),
    StreamCase(
        "calls that interleave, one with a late id, one with a late name",
        _WIRE,
        [
            _call(0, None, "read", ""),
            _call(1, "call_b", None, None),
            _call(0, None, None, '{"path":'),
            _call(0, "call_a", None, '"a"'),
            _call(1, None, "list", "{"),
            _call(0, None, None, "}"),
            _call(1, "", "", "}"),
            _chunk("tool_calls"),
            _DONE,
        ],
        [
            ToolUseStart("call_a", "read"),
            ToolUseArgs("call_a", '{"path":'),
            ToolUseArgs("call_a", '"a"'),
            ToolUseStart("call_b", "list"),
            ToolUseArgs("call_b", "{"),
            ToolUseArgs("call_a", "}"),
            ToolUseArgs("call_b", "}"),
            ToolUseEnd("call_a"),
            ToolUseEnd("call_b"),
            _end("tool_use", ToolCallBlock("call_a", "read", '{"path":"a"}'), ToolCallBlock("call_b", "list", "{}")),
        ],
    ),
    StreamCase(
        "calls without ids, the name in every piece",
        _WIRE,
        [_call(0, None, "read", "{"), _call(0, None, "read", "}"), _call(1, None, "list", "{}"), _chunk("stop"), _DONE],
        [
            ToolUseStart("call_chatcmpl-1_0", "read"),
            ToolUseArgs("call_chatcmpl-1_0", "{}"),
            ToolUseStart("call_chatcmpl-1_1", "list"),
            ToolUseArgs("call_chatcmpl-1_1", "{}"),
            ToolUseEnd("call_chatcmpl-1_0"),
            ToolUseEnd("call_chatcmpl-1_1"),
            _end(
                "tool_use",
                ToolCallBlock("call_chatcmpl-1_0", "read", "{}"),
                ToolCallBlock("call_chatcmpl-1_1", "list", "{}"),
            ),
        ],
    ),
    StreamCase(
        "every call at index 0, and arguments that are an object",
        _WIRE,
        [_call(0, "a", "read", {"path": "x"}), _call(0, "b", "list", "{"), _call(0, "b", None, "}"), _DONE],
        [
            ToolUseStart("a", "read"),
            ToolUseArgs("a", '{"path": "x"}'),
            ToolUseStart("b", "list"),
            ToolUseArgs("b", "{"),
            ToolUseArgs("b", "}"),
            ToolUseEnd("a"),
            ToolUseEnd("b"),
            _end("tool_use", ToolCallBlock("a", "read", '{"path": "x"}'), ToolCallBlock("b", "list", "{}")),
        ],
    ),
    StreamCase(
        "no index at all, and an id that comes twice",
        _WIRE,
        [
            _call(None, "a", "read", "{"),
            _call(None, None, None, "}"),
            _call(None, "b", "list", "{}"),
            _call(7, "a", "read", "[]"),
            _DONE,
        ],
        [
            ToolUseStart("a", "read"),
            ToolUseArgs("a", "{"),
            ToolUseArgs("a", "}"),
            ToolUseStart("b", "list"),
            ToolUseArgs("b", "{}"),
            ToolUseStart("a_2", "read"),
            ToolUseArgs("a_2", "[]"),
            ToolUseEnd("a"),
            ToolUseEnd("b"),
            ToolUseEnd("a_2"),
            _end(
                "tool_use",
                ToolCallBlock("a", "read", "{}"),
                ToolCallBlock("b", "list", "{}"),
                ToolCallBlock("a_2", "read", "[]"),
            ),
        ],
    ),
    StreamCase(
        "usage in every chunk, in the choice, and under other names",
        _WIRE,
        [
            _chunk(content="A") | {"usage": {"prompt_tokens": 10, "completion_tokens": 1}},
            _chunk(content="B") | {"usage": {"prompt_tokens": 10, "completion_tokens": 2}},
            {"choices": [{"index": 0, "delta": None, "finish_reason": "stop", "usage": {"completion_tokens": 3}}]},
            {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3, "prompt_cache_hit_tokens": 4}},
            {"choices": None, "usage": None},
            _DONE,
        ],
        [
            TextDelta("A"),
            UsageReport(Usage(input=10, output=1)),
            TextDelta("B"),
            UsageReport(Usage(output=1)),
            UsageReport(Usage(output=1)),
            UsageReport(Usage(cache_read=4)),
            _end("end_turn", TextBlock("AB")),
        ],
    ),
    StreamCase(
        "other choices, and content in parts",
        _WIRE,
        [
            {"choices": [{"index": 1, "delta": {"content": "X"}}, {"index": 0, "delta": {"content": "A"}}]},
            _chunk(content=[{"type": "thinking", "thinking": []}, {"type": "text", "text": "B"}]),
            _chunk("stop"),
            b"  [DONE]",
        ],
        [TextDelta("A"), TextDelta("B"), _end("end_turn", TextBlock("AB"))],
    ),
    StreamCase(
        "halves of surrogate pairs in arguments",
        _WIRE,
        [_call(0, "a", "read", '"\ud83d'), _call(0, None, None, '\ude00"'), _DONE],
        [
            ToolUseStart("a", "read"),
            ToolUseArgs("a", '"'),
            ToolUseArgs("a", '\U0001f600"'),
            ToolUseEnd("a"),
            _end("tool_use", ToolCallBlock("a", "read", '"\U0001f600"')),
        ],
    ),
    StreamCase(
        "an error in place of a chunk",
        _WIRE,
        [_chunk(content="A"), {"error": {"message": "boom", "type": "server_error", "code": None}}],
        [TextDelta("A")],
        ModelError,
    ),
    StreamCase(
        "an error beside an empty choice",
        _WIRE,
        [_chunk("error", content="") | {"error": {"code": 502, "message": "upstream died"}}],
        [],
        ModelError,
    ),
    StreamCase("an error that is a text", _WIRE, [{"error": "boom"}], [], ModelError),
    StreamCase("a filter", _WIRE, [_chunk(content="A"), _chunk("content_filter")], [TextDelta("A")], ModelError),
    StreamCase("the end never comes", _WIRE, [_chunk(content="A")], [TextDelta("A")], StreamCut),
    StreamCase("no JSON", _WIRE, [b"", b"{"], [], ProtocolError),
    StreamCase("nested beyond reason", _WIRE, [b"[" * 100_000], [], ProtocolError),
    StreamCase("JSON of another shape", _WIRE, [{"choices": 7}], [], ProtocolError),
)
