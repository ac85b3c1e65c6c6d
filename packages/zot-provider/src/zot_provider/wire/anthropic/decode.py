"""Decoder of the Anthropic Messages stream.

Source: Claude API documentation, "Streaming messages"
(https://platform.claude.com/docs/en/build-with-claude/streaming). The usage of `message_delta` is cumulative. Unknown
kinds of events and blocks may appear and are ignored.
"""

import json
from collections.abc import Callable
from typing import Any

from zot_provider.events import Stop, StreamEvent
from zot_provider.usage import Usage
from zot_provider.wire.assemble import BlockDecoder, PartialBlock, fail, fields, token_count

_STOPS: dict[str, Stop] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_use",
}
"""All other reasons end the turn: `end_turn`, `stop_sequence`, `pause_turn`."""

_FIELDS = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


class MessagesDecoder(BlockDecoder):
    """Blocks have an index, a start and a stop; the start of a call has its id and name."""

    wire = "anthropic-messages"

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[Any, PartialBlock | None] = {}  # by index; None for a block of an unknown kind
        self._inputs: dict[int, Any] = {}  # by `id` of the partial block: arguments sent whole with its start
        self._stop: Stop | None = None

    def decode(self, value: Any, events: list[StreamEvent]) -> None:
        handler = _HANDLERS.get(value.get("type"))
        if handler is not None:
            handler(self, value, events)
        elif value.get("error"):
            fail(value["error"])

    def last_stop(self) -> Stop | None:
        return self._stop

    def _delta(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        delta = value["delta"]
        kind = delta["type"]
        field = _FIELDS.get(kind)
        if field is not None:
            index = value.get("index")
            partial = self._open.get(index)
            if partial is None:
                if index in self._open or kind == "input_json_delta":
                    return
                partial = self._open[index] = self.open_block("text" if kind == "text_delta" else "reasoning")
            self.append_text(partial, delta[field], events)
        elif kind == "signature_delta":
            partial = self._open.get(value.get("index"))
            if partial is not None:
                partial.signature += delta["signature"]

    def _block_start(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        index, block = value.get("index"), value["content_block"]
        kind = block.get("type")
        partial = None
        if kind == "text":
            partial = self.open_block("text")
            self.append_text(partial, block.get("text") or "", events)
        elif kind in ("thinking", "redacted_thinking"):
            partial = self.open_block("reasoning")
            partial.signature = block.get("signature") or ""
            partial.encrypted = block.get("data") or ""
            self.append_text(partial, block.get("thinking") or "", events)
        elif kind == "tool_use":
            partial = self.open_block("call")
            partial.id, partial.name = block.get("id") or "", block.get("name") or ""
            self.start_call(partial, events)
            if block.get("input"):
                self._inputs[id(partial)] = block["input"]
        self._open[index] = partial

    def _block_stop(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        partial = self._open.get(value.get("index"))
        if partial is not None:
            self._complete(partial, events)

    def _complete(self, partial: PartialBlock, events: list[StreamEvent]) -> None:
        whole = self._inputs.pop(id(partial), None)
        if whole and not partial.parts:
            self.append_text(partial, json.dumps(whole, ensure_ascii=False), events)
        self.close_block(partial, events)

    def _message_start(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        self._usage(fields((value.get("message") or {}).get("usage")), events)

    def _message_delta(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        self._usage(fields(value.get("usage")), events)
        delta = value.get("delta") or {}
        reason = delta.get("stop_reason")
        if reason == "refusal":
            why = (delta.get("stop_details") or {}).get("explanation")
            fail(why or "it declined to answer; rephrase the request or start again", reason)
        if reason:
            self._stop = _STOPS.get(reason, "end_turn")

    def _whole(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        """Take a message that came at once, from a server that does not stream."""
        for index, block in enumerate(value["content"]):
            self._block_start({"index": index, "content_block": block}, events)
        self._message_delta({"delta": value, "usage": value.get("usage")}, events)
        self.end(self._stop or "end_turn", events)

    def _message_stop(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        self.end(self._stop or "end_turn", events)

    def end(self, stop: Stop, events: list[StreamEvent]) -> None:
        for partial in self.partials:
            self._complete(partial, events)
        super().end(stop, events)

    def _error(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        fail(value.get("error"), "error")

    def _usage(self, usage: dict[str, Any], events: list[StreamEvent]) -> None:
        """Report a usage object, whose `input_tokens` exclude cached tokens."""
        if not usage:
            return
        thought = fields(usage.get("output_tokens_details")).get("thinking_tokens")
        total = Usage(
            input=token_count(usage.get("input_tokens")),
            output=token_count(usage.get("output_tokens")),
            cache_read=token_count(usage.get("cache_read_input_tokens")),
            cache_write=token_count(usage.get("cache_creation_input_tokens")),
            reasoning=None if thought is None else token_count(thought),
            hour=token_count(fields(usage.get("cache_creation")).get("ephemeral_1h_input_tokens")),
        )
        self.report_usage(total, events)


_HANDLERS: dict[Any, Callable[[MessagesDecoder, dict[str, Any], list[StreamEvent]], None]] = {
    "content_block_delta": MessagesDecoder._delta,
    "content_block_start": MessagesDecoder._block_start,
    "content_block_stop": MessagesDecoder._block_stop,
    "message": MessagesDecoder._whole,
    "message_start": MessagesDecoder._message_start,
    "message_delta": MessagesDecoder._message_delta,
    "message_stop": MessagesDecoder._message_stop,
    "error": MessagesDecoder._error,
}
