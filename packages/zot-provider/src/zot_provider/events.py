"""`StreamEvent`: the events of a model's answer.

Their order: any number of deltas and tool calls, usage reports anywhere (each an increment), then exactly one
`StreamEnd`. A tool call is `ToolUseStart`, `ToolUseArgs`..., `ToolUseEnd` with the same id; tool calls may interleave.
A failure is an exception (`zot_provider.errors`), never an event. A failure after which the request is sent again is
`AutoRetryStart`: text, thinking and calls that came before it are void, and the answer begins again. Usage counts.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import ClassVar, Literal, TypeAlias

from zot_provider.messages import Block
from zot_provider.record import Record
from zot_provider.usage import Usage

Stop: TypeAlias = Literal["end_turn", "tool_use", "length"]


class TextDelta(Record):
    """The next piece of the answer's text; never empty."""

    type: ClassVar[str] = "text_delta"
    delta: str


class ReasoningDelta(Record):
    """The next piece of the thinking, or of its summary; never empty."""

    type: ClassVar[str] = "reasoning_delta"
    delta: str


class ToolUseStart(Record):
    """The model has begun to write a tool call."""

    type: ClassVar[str] = "tool_use_start"
    id: str
    name: str


class ToolUseArgs(Record):
    """The next piece of JSON text of the arguments of call `id`; never empty."""

    type: ClassVar[str] = "tool_use_args"
    id: str
    delta: str


class ToolUseEnd(Record):
    """The arguments of call `id` are complete."""

    type: ClassVar[str] = "tool_use_end"
    id: str


class UsageReport(Record):
    """Tokens to add to the count of the answer; there may be several reports."""

    type: ClassVar[str] = "usage_report"
    usage: Usage


class StreamEnd(Record):
    """The answer is complete: its blocks in order, and why the model stopped."""

    type: ClassVar[str] = "stream_end"
    stop: Stop
    content: list[Block]


def span(seconds: float) -> str:
    """Return a time as a person says it: "75 s", "12 min", "23 h 59 min", "3 days"."""
    if seconds < 120:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{round(hours / 24)} days"


class AutoRetryStart(Record):
    """The model call failed, and is repeated after `delay_ms` milliseconds.

    `attempt` counts the repetitions from 1 to at most `max_attempts`; `error_message` is the failure in one line.
    """

    type: ClassVar[str] = "auto_retry_start"
    attempt: int
    max_attempts: int
    delay_ms: int
    error_message: str

    @property
    def line(self) -> str:
        """The failure and the wait, as one line for a person."""
        wait = span(round(self.delay_ms / 1000))
        return f"{self.error_message}; trying again in {wait} ({self.attempt} of {self.max_attempts})"


StreamEvent: TypeAlias = (
    TextDelta | ReasoningDelta | ToolUseStart | ToolUseArgs | ToolUseEnd | UsageReport | AutoRetryStart | StreamEnd
)
"""The parts in which an answer arrives; `StreamEnd` is the last."""


def join_deltas(events: Iterable[StreamEvent]) -> list[StreamEvent]:
    """Join adjacent deltas of the same text or call."""
    joined: list[StreamEvent] = []
    for _, group in groupby(events, lambda event: (type(event), event.id if isinstance(event, ToolUseArgs) else "")):
        deltas = list(group)
        text = "".join(each.delta for each in deltas if isinstance(each, TextDelta | ReasoningDelta | ToolUseArgs))
        match deltas[0]:
            case TextDelta() | ReasoningDelta():
                joined.append(type(deltas[0])(text))
            case ToolUseArgs(call):
                joined.append(ToolUseArgs(call, text))
            case _:
                joined += deltas
    return joined
