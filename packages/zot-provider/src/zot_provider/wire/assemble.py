"""`BlockDecoder`, the base of all decoders: parses JSON, assembles blocks, counts usage once, raises failures in order.

The decoder of a wire is a subclass with one method for each kind of event of that wire. It opens a `PartialBlock` for
each block, appends text to it, closes it, and ends the answer.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Literal, NoReturn

from jiter import from_json

from zot_provider.errors import ModelError, ProtocolError, ProviderError, StreamCut
from zot_provider.events import (
    ReasoningDelta,
    Stop,
    StreamEnd,
    StreamEvent,
    TextDelta,
    ToolUseArgs,
    ToolUseEnd,
    ToolUseStart,
    UsageReport,
)
from zot_provider.json_text import without_surrogates
from zot_provider.messages import Block, ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.usage import Usage
from zot_provider.wire.think import ThinkTags

_MAX_MESSAGE = 400
"""Most characters of a provider's message that an error quotes."""

_IMPOSSIBLE_COUNT = 10**12
"""Tokens of an answer; the cost of 400 digits of them would not fit into a float."""


class PartialBlock:
    """A block that is still being received.

    `state` concerns tool calls: "pending" until both name and id are known, then "started", then "ended".
    """

    __slots__ = (
        "encrypted",
        "free_text",
        "id",
        "kind",
        "name",
        "parts",
        "pending_surrogate",
        "phase",
        "signature",
        "state",
    )

    def __init__(self, kind: Literal["text", "reasoning", "call"]) -> None:
        self.kind = kind
        self.parts: list[str] = []
        self.pending_surrogate = ""  # a high surrogate whose low surrogate has not arrived yet
        self.id = self.name = self.phase = self.signature = self.encrypted = ""
        self.state: Literal["pending", "started", "ended"] = "pending"
        self.free_text = False


class BlockDecoder(ABC):
    """Base of all decoders; the contract is that of `zot_provider.wire.base.Decoder`."""

    wire: ClassVar[str]

    def __init__(self) -> None:
        self.ended = False
        self.size = 0
        self.partials: list[PartialBlock] = []
        self._failure: ProviderError | None = None
        self._reported = Usage()
        self._ids: set[str] = set()
        self._has_surrogates = False  # whether texts may hold lone surrogates
        self._tags: ThinkTags | None = ThinkTags()  # until it is known whether the first text begins with thinking
        self._head: PartialBlock | None = None  # that text
        self._thinking: PartialBlock | None = None  # what was found at its head

    def feed(self, data: Iterable[bytes]) -> list[StreamEvent]:
        if self._failure is not None:
            raise self._failure
        events: list[StreamEvent] = []
        if self.ended:
            return events
        decode = self.decode
        try:
            for item in data:
                try:
                    value = from_json(item)
                except ValueError:
                    value = self._lenient_json(item, events)
                    if value is None:
                        if self.ended:
                            break
                        continue
                if value is None:  # some servers keep a connection alive so
                    continue
                decode(value, events)
                if self.ended:
                    break
        except ProviderError as error:
            self._fail(error, events)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            failure = ProtocolError(
                f"the server sent an event of an unknown shape: {_one_line(repr(item))}", again=True
            )
            failure.__cause__ = error
            self._fail(failure, events)
        return events

    def finish(self) -> list[StreamEvent]:
        if self._failure is not None:
            raise self._failure
        events: list[StreamEvent] = []
        if not self.ended:
            stop = self.last_stop()
            if stop is None:
                raise StreamCut("the answer broke off before its end; try again")
            self.end(stop, events)
        return events

    # Implemented by the decoders of wires.

    @abstractmethod
    def decode(self, value: Any, events: list[StreamEvent]) -> None:
        """Decode one event. May raise any lookup, type or value error for a `value` of the wrong shape."""

    def handle_sentinel(self, text: bytes, events: list[StreamEvent]) -> bool:
        """Handle data that is not JSON. Returns whether it has a meaning on this wire."""
        return False

    def last_stop(self) -> Stop | None:
        """Why the model stopped, for a body that ended without a final event; None if the model had not stopped."""
        return None

    # Called by the decoders of wires.

    def open_block(self, kind: Literal["text", "reasoning", "call"]) -> PartialBlock:
        """Begin the next block of the answer."""
        partial = PartialBlock(kind)
        self.partials.append(partial)
        if kind == "text" and self._tags is not None and self._head is None:
            self._head = partial
        return partial

    def append_text(self, partial: PartialBlock, text: str, events: list[StreamEvent]) -> None:
        """Append text to a block and emit its delta."""
        if self._has_surrogates:
            text = self._join_surrogates(partial, text)
        if not text:
            return
        if text.__class__ is not str:
            raise TypeError(f"text expected, not {text!r}")
        self.size += 1
        if partial is self._head:
            text = self._without_thinking(partial, text, events)
            if not text:
                return
        partial.parts.append(text)
        kind = partial.kind
        if kind == "text":
            events.append(TextDelta(text))
        elif kind == "reasoning":
            events.append(ReasoningDelta(text))
        elif partial.state == "started":
            events.append(ToolUseArgs(partial.id, text))

    def start_call(self, partial: PartialBlock, events: list[StreamEvent], spare: str = "call") -> None:
        """Emit the start of a tool call, and the arguments received so far. An empty id becomes `spare`."""
        partial.id = self._unique_id(str(partial.id or spare))  # some servers count calls with numbers
        partial.name = without_surrogates(str(partial.name))
        partial.state = "started"
        events.append(ToolUseStart(partial.id, partial.name))
        if partial.parts:
            events.append(ToolUseArgs(partial.id, "".join(partial.parts)))

    def close_block(self, partial: PartialBlock, events: list[StreamEvent]) -> None:
        """Complete a block: no more text comes for it."""
        if partial.pending_surrogate:
            pending_surrogate, partial.pending_surrogate = partial.pending_surrogate, ""
            self.append_text(partial, without_surrogates(pending_surrogate), events)
        if partial is self._head:
            self.finish_thinking(events)
        if partial.kind == "call" and partial.state == "started":
            partial.state = "ended"
            events.append(ToolUseEnd(partial.id))

    def tagged_thinking(self, text: PartialBlock) -> PartialBlock:
        """Return the block for the thinking at the head of a text, a new one before it."""
        thinking = PartialBlock("reasoning")
        self.partials.insert(self.partials.index(text), thinking)
        return thinking

    def finish_thinking(self, events: list[StreamEvent]) -> None:
        """The first text is complete: what was held back of it is the answer."""
        partial, tags = self._head, self._tags
        if partial is not None and tags is not None:
            self._head = self._tags = None
            self.append_text(partial, tags.finish(), events)

    def report_usage(self, total: Usage, events: list[StreamEvent]) -> None:
        """Report the tokens that `total`, the count of the answer so far, adds to the earlier reports."""
        before = self._reported
        now = Usage(
            input=max(total.input, before.input),
            output=max(total.output, before.output),
            cache_read=max(total.cache_read, before.cache_read),
            cache_write=max(total.cache_write, before.cache_write),
            reasoning=before.reasoning if total.reasoning is None else max(total.reasoning, before.reasoning or 0),
            hour=max(total.hour, before.hour),
        )
        if now == before:
            return
        self._reported = now
        added = Usage(
            input=now.input - before.input,
            output=now.output - before.output,
            cache_read=now.cache_read - before.cache_read,
            cache_write=now.cache_write - before.cache_write,
            reasoning=None if now.reasoning is None else now.reasoning - (before.reasoning or 0),
            hour=now.hour - before.hour,
        )
        events.append(UsageReport(added))

    def end(self, stop: Stop, events: list[StreamEvent]) -> None:
        """Complete the answer: close all blocks and emit `StreamEnd`."""
        for partial in self.partials:
            self.close_block(partial, events)
        content = [block for partial in self.partials if (block := self._finished_block(partial)) is not None]
        # Some servers report an ordinary end of turn although a tool is to run.
        if stop == "end_turn" and any(isinstance(block, ToolCallBlock) for block in content):
            stop = "tool_use"
        self.ended = True
        events.append(StreamEnd(stop, content))

    # Inside.

    def _without_thinking(self, partial: PartialBlock, text: str, events: list[StreamEvent]) -> str:
        """Return what is the answer in a piece of the first text; the rest goes to a block of thinking, or is held."""
        if self._tags is None:
            return text
        thought, answer = self._tags.feed(text)
        if thought:
            self._thinking = self._thinking or self.tagged_thinking(partial)
            self.append_text(self._thinking, thought, events)
        if answer:
            self._head = self._tags = None
        return answer

    def _fail(self, error: ProviderError, events: list[StreamEvent]) -> None:
        self._failure = error
        self.ended = True
        if not events:
            raise error

    def _lenient_json(self, item: bytes, events: list[StreamEvent]) -> Any:
        """Parse data that the strict parser refused: JSON with bad UTF-8 or lone surrogates. None for a sentinel."""
        text = item.strip()
        if not text or self.handle_sentinel(text, events):
            return None
        try:
            value = json.loads(text.decode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            raise ProtocolError(
                f"the server sent an event that is not JSON: {_one_line(repr(text))}", again=True
            ) from error
        self._has_surrogates = True
        return value

    def _join_surrogates(self, partial: PartialBlock, text: str) -> str:
        """Join surrogate pairs, also across two pieces of text; a lone surrogate becomes U+FFFD."""
        text = partial.pending_surrogate + text
        partial.pending_surrogate = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            partial.pending_surrogate = text[-1]
            text = text[:-1]
        return without_surrogates(text)

    def _unique_id(self, id: str) -> str:
        """Return the id, with a number appended if another call of this answer has the same id."""
        base = unused = without_surrogates(id)
        number = 1
        while unused in self._ids:
            number += 1
            unused = f"{base}_{number}"
        self._ids.add(unused)
        return unused

    def _finished_block(self, partial: PartialBlock) -> Block | None:
        text = "".join(partial.parts)
        if partial.kind == "call":
            return (
                None if partial.state == "pending" else ToolCallBlock(partial.id, partial.name, text, partial.free_text)
            )
        if partial.kind == "text":
            return TextBlock(text, without_surrogates(partial.phase)) if text else None
        if not (text or partial.signature or partial.encrypted):
            return None
        return ReasoningBlock(
            summary=text,
            reasoning_id=without_surrogates(str(partial.id)),
            encrypted_content=without_surrogates(partial.encrypted),
            signature=without_surrogates(partial.signature),
            wire=self.wire,
        )


def fail(error: Any, fallback: str = "", *, again: bool = False) -> NoReturn:
    """Raise the `ModelError` for the error of an event: an object with `message`, `code` and `type`, or a text.

    `again`: the same request may succeed.
    """
    if isinstance(error, dict):
        details = error.get("details")
        named = details.get("error_code") if isinstance(details, dict) else None  # Anthropic
        code = str(named or error.get("code") or error.get("type") or fallback)
        message = str(error.get("message") or error.get("detail") or "")
    else:
        code, message = fallback, str(error or "")
    code, message = without_surrogates(code), without_surrogates(message)
    reason = _one_line(message) or "no reason given"
    failure = ModelError(f"the model failed: {reason}" + (f" ({code})" if code else ""), code=code, message=message)
    failure.retryable = failure.retryable or again
    raise failure


def token_count(value: Any) -> int:
    """Return a token count from an answer; 0 unless it is a positive whole number of a size that is possible."""
    possible = isinstance(value, int | float) and 0 < value < _IMPOSSIBLE_COUNT
    return int(value) if possible and value == int(value) else 0


def fields(value: Any) -> dict[str, Any]:
    """Return an object of a usage; without fields if it is something else: counts are not worth an answer."""
    return value if isinstance(value, dict) else {}


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_MESSAGE else text[: _MAX_MESSAGE - 1] + "…"
