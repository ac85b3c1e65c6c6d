"""Streams of the Bedrock wire, as the splitter passes them on."""

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

_WIRE = "bedrock-converse"


def _delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}}


def _call(index: int, id: str, name: str, **fields: str) -> dict[str, Any]:
    return {
        "contentBlockStart": {
            "contentBlockIndex": index,
            "start": {"toolUse": {"toolUseId": id, "name": name, **fields}},
        }
    }


def _done(index: int) -> dict[str, Any]:
    return {"contentBlockStop": {"contentBlockIndex": index}}


def _stop(reason: str) -> dict[str, Any]:
    return {"messageStop": {"stopReason": reason}}


def _failure(code: str, message: str) -> dict[str, Any]:
    return {"failure": {"code": code, "body": {"message": message}}}


def _end(stop: Stop, *content: Block) -> StreamEnd:
    return StreamEnd(stop, list(content))


_BEGIN = {"messageStart": {"role": "assistant"}}
_USAGE: dict[str, Any] = {"metadata": {"usage": {}, "metrics": {"latencyMs": 1}}}

STREAMS = (
    StreamCase(
        "thinking, text, a call, then the usage",
        _WIRE,
        [
            _BEGIN,
            _delta(0, reasoningContent={"text": "Hm."}),
            _delta(0, reasoningContent={"signature": "s1"}),
            _delta(0, reasoningContent={"signature": "g"}),
            _done(0),
            _delta(1, text="Hel"),
            _delta(1, text="lo"),
            _done(1),
            _call(2, "call_1", "read"),
            _delta(2, toolUse={"input": '{"path":'}),
            _delta(2, toolUse={"input": '"a"}'}),
            _done(2),
            _stop("tool_use"),
            {
                "metadata": {
                    "usage": {
                        "inputTokens": 20,
                        "outputTokens": 10,
                        "totalTokens": 117,
                        "cacheReadInputTokens": 80,
                        "cacheWriteInputTokens": 7,
                    },
                    "metrics": {"latencyMs": 1},
                }
            },
            _delta(3, text="after the end"),
        ],
        [
            ReasoningDelta("Hm."),
            TextDelta("Hel"),
            TextDelta("lo"),
            ToolUseStart("call_1", "read"),
            ToolUseArgs("call_1", '{"path":'),
            ToolUseArgs("call_1", '"a"}'),
            ToolUseEnd("call_1"),
            UsageReport(Usage(input=20, output=10, cache_read=80, cache_write=7)),
            _end(
                "tool_use",
                ReasoningBlock("Hm.", signature="s1g", wire=_WIRE),
                TextBlock("Hello"),
                ToolCallBlock("call_1", "read", '{"path":"a"}'),
            ),
        ],
    ),
    StreamCase(
        "thinking that is hidden, in two pieces",
        _WIRE,
        [
            _delta(0, reasoningContent={"redactedContent": "YQ=="}),
            _delta(0, reasoningContent={"redactedContent": "YmM="}),
            _delta(1, text="A"),
            _stop("end_turn"),
            _USAGE,
        ],
        [
            TextDelta("A"),
            _end("end_turn", ReasoningBlock(encrypted_content="YWJj", wire=_WIRE), TextBlock("A")),
        ],
    ),
    StreamCase(
        "events and blocks that nobody knows",
        _WIRE,
        [
            {"news": {}},
            _call(0, "s", "search", type="server_tool_use"),
            _delta(0, toolUse={"input": "{}"}),
            {"contentBlockStart": {"contentBlockIndex": 1, "start": {"image": {"format": "png"}}}},
            _delta(1, image={}),
            _done(1),
            _done(7),
            _delta(2, text="A"),
            _stop("stop_sequence"),
            _USAGE,
        ],
        [TextDelta("A"), _end("end_turn", TextBlock("A"))],
    ),
    StreamCase(
        "no usage at the end",
        _WIRE,
        [_delta(0, text="A"), _stop("end_turn")],
        [TextDelta("A"), _end("end_turn", TextBlock("A"))],
    ),
    StreamCase(
        "an answer cut off by its limit",
        _WIRE,
        [_delta(0, text="A"), _stop("max_tokens"), _USAGE],
        [TextDelta("A"), _end("length", TextBlock("A"))],
    ),
    StreamCase("a guardrail", _WIRE, [_BEGIN, _stop("guardrail_intervened"), _USAGE], [], ModelError),
    StreamCase(
        "a failure",
        _WIRE,
        [_delta(0, text="A"), _failure("throttlingException", "Too many tokens, please wait before trying again.")],
        [TextDelta("A")],
        ModelError,
    ),
    StreamCase("the end never comes", _WIRE, [_delta(0, text="A"), _done(0)], [TextDelta("A")], StreamCut),
    StreamCase("no JSON", _WIRE, [b"oops"], [], ProtocolError),
    StreamCase(
        "a block that changes its kind",
        _WIRE,
        [_call(0, "a", "b"), _delta(0, text="A")],
        [ToolUseStart("a", "b")],
        ProtocolError,
    ),
)
