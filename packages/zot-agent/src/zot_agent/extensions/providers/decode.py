"""`AnswerDecoder`: turns the `provider_event` frames of one answer into events."""

from typing import Any

from zot_agent.extensions.providers.offer import WIRE
from zot_provider.errors import StatusError
from zot_provider.events import Stop, StreamEvent
from zot_provider.usage import Usage
from zot_provider.wire.assemble import BlockDecoder, PartialBlock, fail, token_count

_STOPS: dict[str, Stop] = {"tool_use": "tool_use", "length": "length"}
"""All other reasons end the turn."""

_COUNTS = ("input", "output", "cache_read", "cache_write")


class AnswerDecoder(BlockDecoder):
    """A piece of text or of thinking continues the block before it if that has its kind, else it begins a block."""

    wire = WIRE

    def __init__(self) -> None:
        super().__init__()
        self._current: PartialBlock | None = None  # the text or the thinking that pieces continue
        self._calls: dict[object, PartialBlock] = {}  # by the id of the extension

    def decode(self, value: Any, events: list[StreamEvent]) -> None:
        match value["event"]:
            case "text":
                self.append_text(self._block("text"), value.get("delta") or "", events)
            case "thinking":
                self.append_text(self._block("reasoning"), value.get("delta") or "", events)
            case "signature":
                partial = self._block("reasoning")
                partial.signature += _text(value, "signature")
                partial.encrypted += _text(value, "encrypted")
                self._current = None
            case "tool_start":
                self._current = None
                partial = self._calls[value.get("call_id")] = self.open_block("call")
                partial.id, partial.name = _text(value, "call_id"), _text(value, "name")
                self.start_call(partial, events)
            case "tool_args":
                self.append_text(self._calls[value.get("call_id")], value.get("delta") or "", events)
            case "usage":
                self._usage(value.get("usage"), events)
            case "done":
                self._usage(value.get("usage"), events)
                self.end(_STOPS.get(value.get("stop") or "", "end_turn"), events)
            case "error":
                _fail(value)

    def _block(self, kind: Any) -> PartialBlock:
        partial = self._current
        if partial is None or partial.kind != kind:
            partial = self._current = self.open_block(kind)
        return partial

    def _usage(self, counts: Any, events: list[StreamEvent]) -> None:
        if counts:
            thought = counts.get("reasoning")
            total = Usage(*(token_count(counts.get(name)) for name in _COUNTS))
            total.reasoning = None if thought is None else token_count(thought)
            self.report_usage(total, events)


def _text(value: dict[str, Any], name: str) -> str:
    return str(value.get(name) or "")


def _fail(value: dict[str, Any]) -> None:
    status, message, code = value.get("status"), _text(value, "message"), _text(value, "code")
    if not isinstance(status, int) or status < 400:
        fail({"message": message, "code": code})
    wait = value.get("retry_after_ms")
    seconds = wait / 1000 if isinstance(wait, int) and wait > 0 else None
    reason = " ".join(message.split())[:400]
    text = f"status {status}" + (f": {reason}" if reason else "")
    raise StatusError(text, status=status, message=message, code=code, retry_after=seconds)
