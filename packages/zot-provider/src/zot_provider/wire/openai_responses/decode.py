"""Decoder of the Responses stream.

Source: OpenAI API reference, "Streaming events" (https://platform.openai.com/docs/api-reference/responses-streaming).
The last event of each output item repeats its whole content, and the last event of the answer repeats all items.
Content that came in deltas is not taken twice; other content is taken from there.
"""

import json
from collections.abc import Callable
from typing import Any

from zot_provider.events import Stop, StreamEvent
from zot_provider.usage import Usage
from zot_provider.wire.assemble import BlockDecoder, PartialBlock, fail, fields, token_count


class ResponsesDecoder(BlockDecoder):
    """Items have an index in the output; the content parts of a message item have an index within it."""

    wire = "openai-responses"

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[Any, PartialBlock] = {}  # thinking and calls, by index of the item
        self._texts: dict[tuple[Any, Any], PartialBlock] = {}  # by index of the item and of the part
        self._done: set[Any] = set()  # indices of items
        self._repeated = False  # whether several items have had one index, which then says nothing

    def decode(self, value: Any, events: list[StreamEvent]) -> None:
        handler = _HANDLERS.get(value.get("type"))
        if handler is not None:
            handler(self, value, events)
        elif value.get("error"):
            fail(value["error"])
        elif value.get("object") == "response":  # the server does not stream
            self._completed({"response": value}, events)

    def _text_delta(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        place = (value.get("output_index"), value.get("content_index"))
        partial = self._texts.get(place)
        if partial is None:
            partial = self._texts[place] = self.open_block("text")
        self.append_text(partial, value["delta"], events)

    def _reasoning_delta(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        self.append_text(self._reasoning_item(value.get("output_index")), value["delta"], events)

    def _reasoning_part(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        partial = self._reasoning_item(value.get("output_index"))
        if partial.parts:
            self.append_text(partial, "\n\n", events)

    def _arguments_delta(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        partial = self._items.get(value.get("output_index"))
        if partial is not None:
            self.append_text(partial, value["delta"], events)

    def _input_delta(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        partial = self._items.get(value.get("output_index"))
        if partial is not None:
            self._append_input(partial, value["delta"], events)

    def _append_input(self, partial: PartialBlock, text: str, events: list[StreamEvent]) -> None:
        """Append free text, as what follows in the JSON text of the arguments."""
        self.append_text(
            partial, ("" if partial.parts else '{"input":"') + json.dumps(text, ensure_ascii=False)[1:-1], events
        )

    def _item_added(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        item, index = value["item"], value.get("output_index")
        kind, known = item.get("type"), self._items.get(index)
        other = known is not None and known.kind == "call" and known.id != (item.get("call_id") or item.get("id"))
        if index in self._done or other:  # gateways give each item the index 0
            self._repeated = True
            self._done.discard(index)
            self._items.pop(index, None)
            self._texts = {place: partial for place, partial in self._texts.items() if place[0] != index}
        if kind == "reasoning":
            self._reasoning_item(index)
        elif kind in ("function_call", "custom_tool_call"):
            self._call_item(item, index, events)

    def _item_done(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        self._finish_item(value["item"], value.get("output_index"), events)

    def _finish_item(self, item: dict[str, Any], index: Any, events: list[StreamEvent]) -> None:
        """Take an item in its final form."""
        if index in self._done:
            partial = self._items.get(index)
            if partial is not None and not partial.encrypted:  # Azure sends it only with the whole answer
                partial.encrypted = item.get("encrypted_content") or ""
            return
        self._done.add(index)
        kind = item.get("type")
        if kind == "message":
            for number, part in enumerate(item.get("content") or []):
                if (index, number) not in self._texts:
                    text = part.get("text") or part.get("refusal") or ""
                    self._text_delta({"output_index": index, "content_index": number, "delta": text}, events)
                partial = self._texts[index, number]
                partial.phase = str(item.get("phase") or "")
                self.close_block(partial, events)
        elif kind == "reasoning":
            partial = self._reasoning_item(index)
            partial.id = item.get("id") or ""
            partial.encrypted = item.get("encrypted_content") or ""
            if not partial.parts:
                parts = item.get("summary") or item.get("content") or []
                self.append_text(partial, "\n\n".join(part["text"] for part in parts), events)
            self.close_block(partial, events)
        elif kind == "function_call":
            partial = self._call_item(item, index, events)
            if not partial.parts:
                self.append_text(partial, item.get("arguments") or "", events)
            self.close_block(partial, events)
        elif kind == "custom_tool_call":
            partial = self._call_item(item, index, events)
            if not partial.parts:
                self._append_input(partial, item.get("input") or "", events)
            self.append_text(partial, '"}', events)
            self.close_block(partial, events)

    def _reasoning_item(self, index: Any) -> PartialBlock:
        partial = self._item_at(index, "reasoning")
        if partial is None:
            partial = self._items[index] = self.open_block("reasoning")
        return partial

    def _item_at(self, index: Any, kind: str) -> PartialBlock | None:
        partial = self._items.get(index)
        if partial is not None and partial.kind != kind:
            raise ValueError(f"item {index} changed its type")
        return partial

    def _call_item(self, item: dict[str, Any], index: Any, events: list[StreamEvent]) -> PartialBlock:
        partial = self._item_at(index, "call")
        if partial is None:
            partial = self._items[index] = self.open_block("call")
            partial.id, partial.name = item.get("call_id") or item.get("id") or "", item.get("name") or ""
            partial.free_text = item.get("type") == "custom_tool_call"
            self.start_call(partial, events)
        return partial

    def _completed(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        response = value["response"]
        for index, item in enumerate([] if self._repeated else response.get("output") or []):
            self._finish_item(item, index, events)
        if usage := fields(response.get("usage")):
            self._usage(usage, events)
        reason = (response.get("incomplete_details") or {}).get("reason")
        if reason == "content_filter":
            fail("the answer was withheld by the provider's content filter", reason)
        stop: Stop = "length" if reason or response.get("status") == "incomplete" else "end_turn"
        self.end(stop, events)

    def _failed(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        response = value.get("response") or {}
        fail(response.get("error"), response.get("status") or "failed")

    def _error(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        error = value.get("error")
        fail(error if error else {"code": value.get("code") or "error", "message": value.get("message")})

    def _usage(self, usage: dict[str, Any], events: list[StreamEvent]) -> None:
        """Report a usage object, whose input tokens include cached tokens."""
        details = fields(usage.get("input_tokens_details"))
        read, write = token_count(details.get("cached_tokens")), token_count(details.get("cache_write_tokens"))
        thought = fields(usage.get("output_tokens_details")).get("reasoning_tokens")
        total = Usage(
            input=max(token_count(usage.get("input_tokens")) - read - write, 0),
            output=token_count(usage.get("output_tokens")),
            cache_read=read,
            cache_write=write,
            reasoning=None if thought is None else token_count(thought),
        )
        self.report_usage(total, events)


_HANDLERS: dict[Any, Callable[[ResponsesDecoder, dict[str, Any], list[StreamEvent]], None]] = {
    "response.output_text.delta": ResponsesDecoder._text_delta,
    "response.refusal.delta": ResponsesDecoder._text_delta,
    "response.reasoning_summary_text.delta": ResponsesDecoder._reasoning_delta,
    "response.reasoning_text.delta": ResponsesDecoder._reasoning_delta,
    "response.reasoning_summary_part.added": ResponsesDecoder._reasoning_part,
    "response.function_call_arguments.delta": ResponsesDecoder._arguments_delta,
    "response.custom_tool_call_input.delta": ResponsesDecoder._input_delta,
    "response.output_item.added": ResponsesDecoder._item_added,
    "response.output_item.done": ResponsesDecoder._item_done,
    "response.completed": ResponsesDecoder._completed,
    "response.incomplete": ResponsesDecoder._completed,
    "response.failed": ResponsesDecoder._failed,
    "response.cancelled": ResponsesDecoder._failed,
    "error": ResponsesDecoder._error,
}
