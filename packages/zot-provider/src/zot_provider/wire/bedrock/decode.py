"""Decoder of the Bedrock stream.

Source: Amazon Bedrock API reference, "ConverseStream"
(https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html). Only calls have a start. The
usage comes after the reason of the end.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any, Literal

from zot_provider.events import Stop, StreamEvent
from zot_provider.usage import Usage
from zot_provider.wire.assemble import BlockDecoder, PartialBlock, fail, fields, token_count

_STOPS: dict[str, Stop] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_use",
    "end_turn": "end_turn",
    "stop_sequence": "end_turn",
}

_WITHHELD = {
    "guardrail_intervened": "a guardrail of the account withheld the answer",
    "content_filtered": "the answer was withheld by the provider's content filter",
    "malformed_model_output": "the model wrote something that is not an answer",
    "malformed_tool_use": "the model wrote a tool call that cannot be read",
}
"""The ends that are failures. The failures of malformed answers may not come again."""


class ConverseDecoder(BlockDecoder):
    """Blocks have an index; the kind of a block is that of its first delta."""

    wire = "bedrock-converse"

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[Any, PartialBlock | None] = {}  # by index; None for a block of an unknown kind
        self._stop: Stop | None = None

    def decode(self, value: Any, events: list[StreamEvent]) -> None:
        if "output" in value:
            self._whole(value, events)
            return
        for kind, event in value.items():
            handler = _HANDLERS.get(kind)
            if handler is not None:
                handler(self, event, events)

    def last_stop(self) -> Stop | None:
        return self._stop

    def _start(self, event: dict[str, Any], events: list[StreamEvent]) -> None:
        call = event["start"].get("toolUse")
        partial = None
        if call is not None and not call.get("type"):  # a call with a type runs on the server
            partial = self.open_block("call")
            partial.id, partial.name = call.get("toolUseId") or "", call["name"]
            self.start_call(partial, events)
        self._blocks[event.get("contentBlockIndex")] = partial

    def _delta(self, event: dict[str, Any], events: list[StreamEvent]) -> None:
        index, delta = event.get("contentBlockIndex"), event["delta"]
        if "text" in delta:
            self._append(index, "text", delta["text"], events)
        elif "toolUse" in delta:
            if self._blocks.get(index) is not None:
                self._append(index, "call", delta["toolUse"]["input"], events)
        elif "reasoningContent" in delta:
            thought = delta["reasoningContent"]
            partial = self._append(index, "reasoning", thought.get("text") or "", events)
            partial.signature += thought.get("signature") or ""
            if thought.get("redactedContent"):
                whole = b64decode(partial.encrypted) + b64decode(thought["redactedContent"])
                partial.encrypted = b64encode(whole).decode()

    def _append(
        self, index: Any, kind: Literal["text", "reasoning", "call"], text: str, events: list[StreamEvent]
    ) -> PartialBlock:
        partial = self._blocks.get(index)
        if partial is None:
            partial = self._blocks[index] = self.open_block(kind)
        elif partial.kind != kind:
            raise ValueError(f"block {index} changed its kind")
        self.append_text(partial, text, events)
        return partial

    def _whole(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        """Take an answer that came at once, as Converse sends it, from a gateway that does not stream."""
        for index, block in enumerate(value["output"]["message"]["content"]):
            place, call = {"contentBlockIndex": index}, block.get("toolUse")
            if call is not None:
                self._start({"start": block} | place, events)
                block = {"toolUse": {"input": json.dumps(call.get("input") or {}, ensure_ascii=False)}}
            elif "reasoningContent" in block:
                thought = block["reasoningContent"]
                block = {"reasoningContent": thought.get("reasoningText") or thought}
            self._delta({"delta": block} | place, events)
        self._message_stop(value, events)
        self._metadata(value, events)

    def _block_stop(self, event: dict[str, Any], events: list[StreamEvent]) -> None:
        partial = self._blocks.get(event.get("contentBlockIndex"))
        if partial is not None:
            self.close_block(partial, events)

    def _message_stop(self, event: dict[str, Any], events: list[StreamEvent]) -> None:
        reason = event["stopReason"]
        if reason in _WITHHELD:
            fail(_WITHHELD[reason], reason, again=reason.startswith("malformed"))
        self._stop = _STOPS.get(reason, "end_turn")

    def _metadata(self, event: dict[str, Any], events: list[StreamEvent]) -> None:
        usage = fields(event.get("usage"))
        details = map(fields, usage.get("cacheDetails") or ())
        total = Usage(
            input=token_count(usage.get("inputTokens")),
            output=token_count(usage.get("outputTokens")),
            cache_read=token_count(usage.get("cacheReadInputTokens")),
            cache_write=token_count(usage.get("cacheWriteInputTokens")),
            hour=sum(token_count(each.get("inputTokens")) for each in details if each.get("ttl") == "1h"),
        )
        self.report_usage(total, events)
        if self._stop is not None:
            self.end(self._stop, events)

    def _failed(self, event: dict[str, Any], events: list[StreamEvent]) -> None:
        body = event.get("body") or event
        message = body.get("message") or body.get("Message") or body.get("originalMessage")
        fail({"code": event.get("code"), "message": message}, "error")


_HANDLERS: dict[Any, Callable[[ConverseDecoder, dict[str, Any], list[StreamEvent]], None]] = {
    "contentBlockStart": ConverseDecoder._start,
    "contentBlockDelta": ConverseDecoder._delta,
    "contentBlockStop": ConverseDecoder._block_stop,
    "messageStop": ConverseDecoder._message_stop,
    "metadata": ConverseDecoder._metadata,
    "failure": ConverseDecoder._failed,
}
