"""`Turn`: a scripted answer of a model, and `Script`, a sequence of turns."""

import json
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, Literal, TypeAlias

from zot_provider.errors import ModelError
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
from zot_provider.messages import Block, ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.record import Record, field
from zot_provider.usage import Usage


class ScriptOver(ModelError):
    """A scripted model got more requests than it has turns."""


class Call(Record):
    """A tool call. `args` is an object, or the text the model writes in its place; an empty `id` is filled in.
    `free_text`: it is the text for a tool with a grammar, on the wire `openai-responses`."""

    name: str
    args: dict[str, Any] | str = field(default_factory=dict)
    id: str = ""
    free_text: bool = False

    @property
    def text(self) -> str:
        """The arguments as the text that the model writes."""
        return self.args if isinstance(self.args, str) else json.dumps(self.args, ensure_ascii=False)


class Fault(Record):
    """A fault in an answer of the server; the default is no fault.

    Instead of an answer: `status` with `headers` and `body` (a dict is sent as JSON, a text as it is; empty: an error
    in the format of the wire). A status of 200 with a body simulates another server, such as a web page. Before the
    answer: `stall` seconds before the status line. In the middle, after `after` server-sent events: `pause` seconds of
    silence, then `garbage` as raw bytes, then, if `cut`, the connection is reset; if `end`, the body ends as a complete
    one does. `headers` replace the headers of a stream too.
    """

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] | str = ""
    stall: float = 0.0
    after: int = 2
    pause: float = 0.0
    garbage: bytes = b""
    cut: bool = False
    end: bool = False


class Delivery(Record):
    """How the server writes a stream: one event, everything or one byte at a time, chunked or until it closes.

    With `writes="batch"`, each write has `batch` events. `end=False` leaves out the event that ends the answer.
    Then the body stays open for `hold` seconds, with `comments` of the event stream in between. `gzip`: it is packed;
    `members`: each event by itself. `stream=False`: the answer is one JSON value.
    """

    writes: Literal["event", "batch", "whole", "byte"] = "event"
    batch: int = 64
    framing: Literal["chunked", "close"] = "chunked"
    end: bool = True
    hold: float = 0.0
    comments: bool = False
    gzip: bool = False
    members: bool = False
    stream: bool = True


class Turn(Record):
    """One answer: thinking, then text, then tool calls.

    The default of `stop` is "tool_use" with calls and "end_turn" without. Texts are sent in deltas of `chunk`
    characters, with `delay` seconds before each. `signature` is the signature of the thinking, on wires that have one.
    `error` replaces the end: a `ScriptedClient` raises it, a `ScriptedServer` reports it inside the stream as the wire
    reports a failure of the model. `fault` and `delivery` are for the server only.
    """

    text: str = ""
    reasoning: str = ""
    calls: list[Call] = field(default_factory=list)
    usage: Usage = field(default_factory=lambda: Usage(input=10, output=5))
    stop: Stop | None = None
    chunk: int = 16
    delay: float = 0.0
    signature: str = "signature"
    error: Exception | None = None
    fault: Fault = field(default_factory=Fault)
    delivery: Delivery = field(default_factory=Delivery)

    @property
    def stop_reason(self) -> Stop:
        """Why the model stopped."""
        return self.stop or ("tool_use" if self.calls else "end_turn")

    def deltas(self, text: str) -> list[str]:
        """Split a text into pieces of `chunk` characters."""
        return [text[start : start + self.chunk] for start in range(0, len(text), self.chunk)]

    def content(self, wire: str = "") -> list[Block]:
        """Return the blocks of the answer, with thinking of this `wire`."""
        blocks: list[Block] = []
        if self.reasoning:
            blocks.append(ReasoningBlock(self.reasoning, signature=self.signature, wire=wire))
        if self.text:
            blocks.append(TextBlock(self.text))
        return [*blocks, *(ToolCallBlock(call.id, call.name, call.text) for call in self.calls)]


Answer: TypeAlias = "Turn | str | Callable[[Any], Turn]"
"""A turn, its text alone, or a function that makes a turn from the request."""


class Script:
    """Turns in order, for use by several threads."""

    def __init__(self, answers: Iterable[Answer], *, repeat: bool = False) -> None:
        """With `repeat` the script starts again when it is over."""
        self._answers = list(answers)
        self._repeat = repeat
        self._lock = Lock()
        self._asked = 0
        self._calls = 0

    def next(self, request: Any) -> Turn:
        """Return the turn for the next request, with an id for each call. Raises `ScriptOver` after the last turn."""
        with self._lock:
            count, self._asked = len(self._answers), self._asked + 1
            if not count or (self._asked > count and not self._repeat):
                raise ScriptOver(f"the script is over: {count} turns were written, this is request {self._asked}")
            answer = self._answers[(self._asked - 1) % count]
        turn = Turn(answer) if isinstance(answer, str) else answer if isinstance(answer, Turn) else answer(request)
        return turn.replace(calls=[call if call.id else call.replace(id=self._id()) for call in turn.calls])

    def add(self, *answers: Answer) -> None:
        with self._lock:
            self._answers.extend(answers)

    def _id(self) -> str:
        with self._lock:
            self._calls += 1
            return f"call_{self._calls}"


def turn_events(turn: Turn, wire: str = "") -> list[StreamEvent]:
    """Return the events of a turn, without its error. All calls must have ids."""
    events: list[StreamEvent] = [ReasoningDelta(delta) for delta in turn.deltas(turn.reasoning)]
    events += [TextDelta(delta) for delta in turn.deltas(turn.text)]
    for call in turn.calls:
        events.append(ToolUseStart(call.id, call.name))
        events += [ToolUseArgs(call.id, delta) for delta in turn.deltas(call.text)]
        events.append(ToolUseEnd(call.id))
    return [*events, UsageReport(turn.usage), StreamEnd(turn.stop_reason, turn.content(wire))]
