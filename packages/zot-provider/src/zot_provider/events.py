"""`StreamEvent`: what comes back from a model, while it comes.

Order of one answer: any number of deltas and tool uses, usage reports anywhere (each an increment), then exactly
one `StreamEnd`. A tool use is `ToolUseStart`, `ToolUseArgs`..., `ToolUseEnd` with one id; two of them may
interleave. A failure is an exception (`zot_provider.errors`), never an event.
"""

from typing import ClassVar, Literal, TypeAlias

from zot_provider.messages import Block
from zot_provider.record import Record, record
from zot_provider.usage import Usage

Stop: TypeAlias = Literal["end_turn", "tool_use", "length"]


@record
class TextDelta(Record):
    """More of the answer's text; never empty."""

    type: ClassVar[str] = "text_delta"
    delta: str


@record
class ReasoningDelta(Record):
    """More of the thinking, or of its summary; never empty."""

    type: ClassVar[str] = "reasoning_delta"
    delta: str


@record
class ToolUseStart(Record):
    """The model begins to write a tool call."""

    type: ClassVar[str] = "tool_use_start"
    id: str
    name: str


@record
class ToolUseArgs(Record):
    """More JSON text of the arguments of call `id`; never empty."""

    type: ClassVar[str] = "tool_use_args"
    id: str
    delta: str


@record
class ToolUseEnd(Record):
    """The arguments of call `id` are complete."""

    type: ClassVar[str] = "tool_use_end"
    id: str


@record
class UsageReport(Record):
    """Tokens to add to the answer's count; a wire may report more than once."""

    type: ClassVar[str] = "usage_report"
    usage: Usage


@record
class StreamEnd(Record):
    """The answer is complete: its blocks in order, and why the model stopped."""

    type: ClassVar[str] = "stream_end"
    stop: Stop
    content: list[Block]


StreamEvent: TypeAlias = TextDelta | ReasoningDelta | ToolUseStart | ToolUseArgs | ToolUseEnd | UsageReport | StreamEnd
