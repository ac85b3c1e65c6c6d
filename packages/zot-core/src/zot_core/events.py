"""`AgentEvent`: everything that happens while an agent works, in one union.

Order of one run (`step` counts model calls from 1):

```text
user_message
  turn_start  assistant_start  (text_delta | reasoning_delta | tool_use_start/args/end)*
              usage*  assistant_message?  tool_call*  turn_end
  (tool_start? tool_progress* tool_result)*           per call, in call order unless they run in parallel
  ... next turn_start
error?  done
```

A compaction, on its own or within a run, is `compact_start usage* compact_done`, with `notice`, `error` or `done` in
place of `compact_done` if it failed or was stopped. Within a run it stands before a `turn_start`, after the last
`turn_end`, or, when the provider found the conversation too long, after `assistant_start`, which then comes again.

`turn_end` comes before the tools of its turn run, and follows every `turn_start`, however the turn went. `done` is the
last event of every run, whatever happened. A steering or follow-up message is a further `user_message` before the
`turn_start` that first shows it to the model.
"""

from typing import Any, ClassVar, Literal, TypeAlias

from zot_core.display import DisplayBlock
from zot_provider.events import ReasoningDelta as ReasoningDelta
from zot_provider.events import TextDelta as TextDelta
from zot_provider.events import ToolUseArgs as ToolUseArgs
from zot_provider.events import ToolUseEnd as ToolUseEnd
from zot_provider.events import ToolUseStart as ToolUseStart
from zot_provider.messages import Fate as Fate
from zot_provider.messages import ImageBlock, Message, TextBlock, ToolCallBlock
from zot_provider.record import Record, field, record
from zot_provider.usage import Usage

TurnStop: TypeAlias = Literal["end_turn", "tool_use", "length", "error", "aborted"]
CompactReason: TypeAlias = Literal["manual", "threshold", "overflow"]
RunEnd: TypeAlias = Literal[
    "completed", "aborted", "error", "refused", "max_steps", "max_cost", "max_tokens", "deadline"
]


@record
class UserMessage(Record):
    """A message of the user has joined the transcript (and the session file, if there is one)."""

    type: ClassVar[str] = "user_message"
    message: Message


@record
class TurnStart(Record):
    """One model call begins."""

    type: ClassVar[str] = "turn_start"
    step: int


@record
class AssistantStart(Record):
    """The request is on its way; deltas may follow.

    `deferred`: a hook may replace or hide the text when it is whole, so a person is shown it only with
    `AssistantMessage`. Not part of the JSON.
    """

    type: ClassVar[str] = "assistant_start"
    deferred: bool = False


@record
class AssistantMessage(Record):
    """The model's answer of this turn, as a person is to see it. Comes once a turn with text, after the deltas.

    `message` is what a hook made of it; the transcript keeps the original. Not sent when a hook hides the text.
    """

    type: ClassVar[str] = "assistant_message"
    message: Message


@record
class ToolCall(Record):
    """The model wants a tool to run; sent for all calls of a turn before the first one runs.

    `arguments` is the model's own JSON text, which may be broken.
    """

    type: ClassVar[str] = "tool_call"
    id: str
    name: str
    arguments: str

    @classmethod
    def of(cls, block: ToolCallBlock) -> "ToolCall":
        """The event for a call."""
        return cls(block.id, block.name, block.arguments)


@record
class ToolStart(Record):
    """A tool begins to run: its arguments have been read, and whoever is asked about the call has allowed it."""

    type: ClassVar[str] = "tool_start"
    id: str
    name: str


@record
class ToolProgress(Record):
    """A running tool has something to show: usually the next lines of its output."""

    type: ClassVar[str] = "tool_progress"
    id: str
    text: str


@record
class ToolResultEvent(Record):
    """A call has its result. `arguments` is what the tool really got (JSON text), None if it did not run.

    `fate` says what became of the call.
    """

    type: ClassVar[str] = "tool_result"
    id: str
    name: str
    is_error: bool
    content: list[TextBlock | ImageBlock]
    arguments: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    display: list[DisplayBlock] = field(default_factory=list)
    fate: Fate = "ran"


@record
class UsageEvent(Record):
    """Tokens and cost to add, and the sum of the session so far."""

    type: ClassVar[str] = "usage"
    usage: Usage
    cumulative: Usage


@record
class TurnEnd(Record):
    """One model call is over; `error` says why when `stop` is "error"."""

    type: ClassVar[str] = "turn_end"
    stop: TurnStop
    error: str = ""


@record
class CompactStart(Record):
    """A summary of the conversation begins to be written. Nothing has changed yet.

    `reason`: asked for, the context window is nearly full, or the provider found the conversation too long.
    `tokens_before` is an estimate of the `message_count` messages: four characters are one token.
    """

    type: ClassVar[str] = "compact_start"
    reason: CompactReason
    message_count: int
    tokens_before: int


@record
class CompactDone(Record):
    """The transcript is now the summary and its last messages, `kept` in number.

    `summary` is in the model's words, without the heading it has in the transcript. Tokens are estimates.
    """

    type: ClassVar[str] = "compact_done"
    summary: str
    kept: int = 0
    tokens_before: int = 0
    tokens_after: int = 0


@record
class Notice(Record):
    """Something a person should know that is no failure, e.g. why a hook hid a message."""

    type: ClassVar[str] = "notice"
    level: Literal["info", "warn", "error"]
    message: str


@record
class ErrorEvent(Record):
    """The run failed, in one line. `exit_code` is what a command line would end with."""

    type: ClassVar[str] = "error"
    message: str
    exit_code: int = 1


@record
class Done(Record):
    """The run is over and the agent idle. `reason` says how it ended."""

    type: ClassVar[str] = "done"
    reason: RunEnd = "completed"


AgentEvent: TypeAlias = (
    UserMessage
    | TurnStart
    | AssistantStart
    | TextDelta
    | ReasoningDelta
    | ToolUseStart
    | ToolUseArgs
    | ToolUseEnd
    | AssistantMessage
    | ToolCall
    | ToolStart
    | ToolProgress
    | ToolResultEvent
    | UsageEvent
    | TurnEnd
    | CompactStart
    | CompactDone
    | Notice
    | ErrorEvent
    | Done
)
