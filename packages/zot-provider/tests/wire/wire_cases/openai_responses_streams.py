"""Streams of the Responses wire: the documented ones, and what proxies make of them."""

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

_WIRE = "openai-responses"


def _event(type: str, index: int | None = None, **fields: Any) -> dict[str, Any]:
    place = {} if index is None else {"output_index": index}
    return {"type": type if type == "error" else f"response.{type}", **place, **fields}


def _text(index: int, text: str, part: int = 0) -> dict[str, Any]:
    return _event("output_text.delta", index, content_index=part, delta=text)


def _args(index: int, text: str) -> dict[str, Any]:
    return _event("function_call_arguments.delta", index, delta=text)


def _message(*texts: str) -> dict[str, Any]:
    return {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": text} for text in texts]}


def _call(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": name, "arguments": arguments}


def _thinking(*summary: str, encrypted: str | None = None) -> dict[str, Any]:
    parts = [{"type": "summary_text", "text": text} for text in summary]
    return {"type": "reasoning", "id": "rs_1", "summary": parts, "encrypted_content": encrypted}


def _completed(*output: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return _event("completed", response={"status": "completed", "output": list(output), **fields})


def _end(stop: Stop, *content: Block) -> StreamEnd:
    return StreamEnd(stop, list(content))


STREAMS = (
    StreamCase(
        "thinking, text, a call, each repeated when done and at the end",
        _WIRE,
        [
            _event("created", response={"status": "in_progress"}),
            _event("output_item.added", 0, item=_thinking()),
            _event("reasoning_summary_part.added", 0, summary_index=0),
            _event("reasoning_summary_text.delta", 0, delta="Hm."),
            _event("reasoning_summary_part.added", 0, summary_index=1),
            _event("reasoning_summary_text.delta", 0, delta="Ah."),
            _event("output_item.done", 0, item=_thinking("Hm.", "Ah.", encrypted="cipher")),
            _event("output_item.added", 1, item=_message()),
            _event("content_part.added", 1, part={}),
            _text(1, "Hel"),
            _text(1, ""),
            _text(1, "lo"),
            _event("output_text.done", 1, text="Hello"),
            _event("output_item.done", 1, item=_message("Hello")),
            _event("output_item.added", 2, item=_call("call_1", "read", "")),
            _args(2, '{"path":'),
            _args(2, '"a"}'),
            _event("function_call_arguments.done", 2, arguments='{"path":"a"}'),
            _event("output_item.done", 2, item=_call("call_1", "read", '{"path":"a"}')),
            _completed(
                _thinking("Hm.", "Ah.", encrypted="cipher"),
                _message("Hello"),
                _call("call_1", "read", '{"path":"a"}'),
                usage={
                    "input_tokens": 100,
                    "input_tokens_details": {"cached_tokens": 80},
                    "output_tokens": 20,
                    "output_tokens_details": {"reasoning_tokens": 15},
                },
            ),
            _text(3, "after the end"),
        ],
        [
            ReasoningDelta("Hm."),
            ReasoningDelta("\n\n"),
            ReasoningDelta("Ah."),
            TextDelta("Hel"),
            TextDelta("lo"),
            ToolUseStart("call_1", "read"),
            ToolUseArgs("call_1", '{"path":'),
            ToolUseArgs("call_1", '"a"}'),
            ToolUseEnd("call_1"),
            UsageReport(Usage(input=20, output=20, cache_read=80, reasoning=15)),
            _end(
                "tool_use",
                ReasoningBlock("Hm.\n\nAh.", "rs_1", "cipher", wire=_WIRE),
                TextBlock("Hello"),
                ToolCallBlock("call_1", "read", '{"path":"a"}'),
            ),
        ],
    ),
    StreamCase(
        "text of two phases",
        _WIRE,
        [
            _text(0, "I look."),
            _event("output_item.done", 0, item=_message("I look.") | {"phase": "commentary"}),
            _completed(_message("I look."), _message("Done.") | {"phase": "final_answer"}),
        ],
        [
            TextDelta("I look."),
            TextDelta("Done."),
            _end("end_turn", TextBlock("I look.", "commentary"), TextBlock("Done.", "final_answer")),
        ],
    ),
    StreamCase(
        "nothing but the last event",
        _WIRE,
        [_completed(_thinking(encrypted="cipher"), _message("A", "B"), _call("call_1", "list", "{}"))],
        [
            TextDelta("A"),
            TextDelta("B"),
            ToolUseStart("call_1", "list"),
            ToolUseArgs("call_1", "{}"),
            ToolUseEnd("call_1"),
            _end(
                "tool_use",
                ReasoningBlock("", "rs_1", "cipher", wire=_WIRE),
                TextBlock("A"),
                TextBlock("B"),
                ToolCallBlock("call_1", "list", "{}"),
            ),
        ],
    ),
    StreamCase(
        "calls that interleave",
        _WIRE,
        [
            _event("output_item.added", 0, item=_call("a", "read", "")),
            _event("output_item.added", 1, item=_call("b", "list", "")),
            _args(1, "{"),
            _args(0, "{}"),
            _args(1, "}"),
            _event("output_item.done", 1, item=_call("b", "list", "{}")),
            _event("output_item.done", 0, item=_call("a", "read", "{}")),
            _event("completed", response={}),
        ],
        [
            ToolUseStart("a", "read"),
            ToolUseStart("b", "list"),
            ToolUseArgs("b", "{"),
            ToolUseArgs("a", "{}"),
            ToolUseArgs("b", "}"),
            ToolUseEnd("b"),
            ToolUseEnd("a"),
            _end("tool_use", ToolCallBlock("a", "read", "{}"), ToolCallBlock("b", "list", "{}")),
        ],
    ),
    StreamCase(
        "thinking in the open, items and events nobody knows",
        _WIRE,
        [
            _event("output_item.added", 0, item={"type": "web_search_call"}),
            _args(0, "{}"),
            _event("news", 0),
            {"type": "keepalive"},
            _event("output_item.done", 0, item={"type": "web_search_call"}),
            _event("reasoning_text.delta", 1, delta="Hm."),
            _event("refusal.delta", 2, content_index=0, delta="No."),
            _completed(),
        ],
        [
            ReasoningDelta("Hm."),
            TextDelta("No."),
            _end("end_turn", ReasoningBlock("Hm.", wire=_WIRE), TextBlock("No.")),
        ],
    ),
    StreamCase(
        "an answer cut off by its limit",
        _WIRE,
        [
            _text(0, "A"),
            _event(
                "incomplete",
                response={"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            ),
        ],
        [TextDelta("A"), _end("length", TextBlock("A"))],
    ),
    StreamCase(
        "a filter",
        _WIRE,
        [_event("incomplete", response={"incomplete_details": {"reason": "content_filter"}})],
        [],
        ModelError,
    ),
    StreamCase(
        "a failure",
        _WIRE,
        [
            _text(0, "A"),
            _event("failed", response={"status": "failed", "error": {"code": "server_error", "message": "boom"}}),
        ],
        [TextDelta("A")],
        ModelError,
    ),
    StreamCase("an error event", _WIRE, [_event("error", code="rate_limit_exceeded", message="slow")], [], ModelError),
    StreamCase("an error without a type", _WIRE, [{"error": {"message": "boom"}}], [], ModelError),
    StreamCase("the end never comes", _WIRE, [_text(0, "A")], [TextDelta("A")], StreamCut),
    StreamCase("no JSON", _WIRE, [b"oops"], [], ProtocolError),
    StreamCase("JSON of another shape", _WIRE, [_event("completed")], [], ProtocolError),
)
