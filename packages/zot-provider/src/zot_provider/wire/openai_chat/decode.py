"""Decoder of the Chat Completions stream.

Source: OpenAI API reference, "The chat completion chunk object"
(https://platform.openai.com/docs/api-reference/chat-streaming). Compatible servers differ: thinking is in
`reasoning_content`, `reasoning` or `reasoning_text`, or in two of them, in `reasoning_details` (OpenRouter,
https://openrouter.ai/docs/use-cases/reasoning-tokens), or in parts of the content (Mistral); ids and names of calls
come late, repeatedly or never; every call may have index 0; the usage may be in each chunk or in the choice; `[DONE]`
may be missing.
"""

import json
from typing import Any

from zot_provider.events import Stop, StreamEvent
from zot_provider.usage import Usage
from zot_provider.wire.assemble import BlockDecoder, PartialBlock, fail, fields, token_count
from zot_provider.wire.think import split_unopened

_STOPS: dict[str, Stop] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",  # Mistral
    "tool_calls": "tool_use",
    "function_call": "tool_use",
}
"""All other reasons end the turn."""

_TEXTS = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""The kinds of `reasoning_details` that come in pieces, and the field with the piece."""


class ChatDecoder(BlockDecoder):
    """An answer has one text, one block of thinking, and calls, in the order in which they begin."""

    wire = "openai-chat"

    def __init__(self) -> None:
        super().__init__()
        self._text: PartialBlock | None = None
        self._reasoning: PartialBlock | None = None
        self._calls: dict[object, PartialBlock] = {}  # by index: the call that is being received there
        self._details: list[dict[str, Any]] = []
        self._answer = ""
        self._stop: Stop | None = None

    def decode(self, value: Any, events: list[StreamEvent]) -> None:
        choices = value.get("choices")
        if choices:
            for choice in choices:
                if not choice.get("index"):  # the request asks for one choice
                    delta = choice.get("delta")
                    if not delta and not self.partials:  # the server does not stream
                        delta = choice.get("message")
                    if delta:
                        self._delta(delta, value, events)
                    reason = choice.get("finish_reason")
                    if reason and reason != "null":
                        self._finished(reason, choice.get("error") or value.get("error"))
                    self._usage(fields(choice.get("usage")), events)
        elif value.get("error") or value.get("object") == "error":
            fail(value.get("error") or value)
        self._usage(fields(value.get("usage")), events)

    def handle_sentinel(self, text: bytes, events: list[StreamEvent]) -> bool:
        if text != b"[DONE]":
            return False
        self.end(self._stop or "end_turn", events)
        return True

    def last_stop(self) -> Stop | None:
        return self._stop

    def end(self, stop: Stop, events: list[StreamEvent]) -> None:
        self.finish_thinking(events)
        if self._text is not None and self._reasoning is None:
            thought, answer = split_unopened("".join(self._text.parts))
            if thought:
                self._reasoning, self._text.parts = self.open_block("reasoning"), [answer]
                self._reasoning.parts.append(thought)
                self.partials.insert(0, self.partials.pop())
        for number, partial in enumerate(partial for partial in self.partials if partial.kind == "call"):
            if partial.state == "pending" and (partial.name or partial.id or partial.parts):
                # The server sends no ids. Ids of two answers must differ, so each holds the id of its answer.
                answer = "".join(char for char in self._answer if char.isalnum() or char in "-_")[-24:]
                self.start_call(partial, events, spare=f"call_{answer}_{number}")
        if self._details:
            if self._reasoning is None:
                self._reasoning = self.open_block("reasoning")
                self.partials.insert(0, self.partials.pop())
            self._reasoning.encrypted = json.dumps(self._details, ensure_ascii=False)
        super().end(stop, events)

    def _delta(self, delta: dict[str, Any], chunk: dict[str, Any], events: list[StreamEvent]) -> None:
        thinking = delta.get("reasoning_content") or delta.get("reasoning") or delta.get("reasoning_text")
        if delta.get("reasoning_details"):
            detailed = self._collect(delta["reasoning_details"])
            thinking = thinking or detailed
        text = delta.get("content") or delta.get("refusal")
        if text.__class__ is list:
            thinking = thinking or "".join(_text_of(each.get("thinking") or []) for each in text)
            text = _text_of(text)
        if thinking and isinstance(thinking, str):
            if self._reasoning is None:
                self._reasoning = self.open_block("reasoning")
            self.append_text(self._reasoning, thinking, events)
        if text:
            self._say(text, events)
        calls = delta.get("tool_calls")
        if calls:
            self._answer = str(chunk.get("id") or self._answer)
            for piece in calls:
                self._call(piece, events)

    def tagged_thinking(self, text: PartialBlock) -> PartialBlock:
        if self._reasoning is None:
            self._reasoning = super().tagged_thinking(text)
        return self._reasoning

    def _say(self, text: str, events: list[StreamEvent]) -> None:
        if self._text is None:
            self._text = self.open_block("text")
        self.append_text(self._text, text, events)

    def _collect(self, details: list[dict[str, Any]]) -> str:
        """Store pieces of `reasoning_details`, joined to the details that they continue. Returns their text."""
        text = ""
        for piece in details:
            last = self._details[-1] if self._details else {}
            field = _TEXTS.get(piece.get("type") or "")
            text += (piece.get(field) or "") if field else ""
            if field and (last.get("type"), last.get("index")) == (piece.get("type"), piece.get("index")):
                known = {name: value for name, value in piece.items() if value is not None}
                last |= known | {field: (last.get(field) or "") + (piece.get(field) or "")}
            else:
                self._details.append(dict(piece))
        return text

    def _call(self, piece: dict[str, Any], events: list[StreamEvent]) -> None:
        function = piece.get("function") or {}
        id, name = piece.get("id") or "", function.get("name") or ""
        id = "" if id == "null" else id  # Mistral
        partial = self._call_at(piece.get("index"), id, name)
        partial.id = partial.id or id
        partial.name = partial.name or name
        if partial.state == "pending" and partial.id and partial.name:
            self.start_call(partial, events)
        arguments = function.get("arguments")
        if arguments:
            self.append_text(partial, arguments if isinstance(arguments, str) else json.dumps(arguments), events)

    def _call_at(self, index: object, id: str, name: str) -> PartialBlock:
        """Return the call that a piece belongs to, which may be a new call."""
        if index is None:
            # Without an index, calls differ by id; without an id, a name begins a new call.
            index = id or ("last" if not name else object())
        partial = self._calls.get(index)
        if partial is None or (id and name and partial.id and partial.id != id):
            partial = self._calls[index] = self.open_block("call")
        self._calls["last"] = partial
        return partial

    def _finished(self, reason: str, error: Any) -> None:
        if error or reason in ("error", "network_error"):
            fail(error or "the server failed; try again", "server_error")
        if reason == "model_context_window_exceeded":  # Z.ai
            fail("the conversation is too long for the context window", reason)
        if reason == "content_filter":
            fail("the answer was withheld by the provider's content filter", reason)
        self._stop = _STOPS.get(reason, "end_turn")

    def _usage(self, usage: dict[str, Any], events: list[StreamEvent]) -> None:
        """Report a usage object. Its prompt tokens include cached tokens, whose field has several names."""
        if not usage:
            return
        prompt = fields(usage.get("prompt_tokens_details"))
        read = token_count(
            prompt.get("cached_tokens") or usage.get("cached_tokens") or usage.get("prompt_cache_hit_tokens")
        )
        write = token_count(prompt.get("cache_write_tokens"))
        thought = fields(usage.get("completion_tokens_details")).get("reasoning_tokens")
        total = Usage(
            input=max(token_count(usage.get("prompt_tokens")) - read - write, 0),
            output=token_count(usage.get("completion_tokens")),
            cache_read=read,
            cache_write=write,
            reasoning=None if thought is None else token_count(thought),
        )
        self.report_usage(total, events)


def _text_of(parts: list[Any]) -> str:
    """Return the text of a content that is a list of parts."""
    return "".join(part.get("text", "") for part in parts if part.get("type") == "text")
