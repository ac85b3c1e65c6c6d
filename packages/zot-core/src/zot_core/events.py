"""`AgentEvent`: the union of all events that an agent emits.

The order of events in one run (`step` counts model calls from 1):

```text
user_message
  turn_start  assistant_start  (text_delta | reasoning_delta | tool_use_start/args/end)*
              usage*  assistant_message?  tool_call*  turn_end
  (tool_start? tool_progress* tool_result)*           per call, in call order unless they run in parallel
  ... next turn_start
error?  done
```

A compaction, on its own or within a run, is `compact_start usage* compact_done`; if it fails or is stopped, `notice`,
`error` or `done` replaces `compact_done`. Within a run it comes before a `turn_start`, after the last `turn_end`, or,
if the provider rejected the conversation as too long, between `assistant_start` and a second `assistant_start`.

A second `assistant_start` in a turn says that the answer begins again: forget the deltas and the beginnings of calls
since the one before, of which nothing has been done. If a model call fails and may succeed later, also in the middle of
its answer, `auto_retry_start` comes before the wait for its repetition, once for each repetition, and one
`auto_retry_end` when the answer begins or the last repetition has failed; the second `assistant_start` comes with the
first delta of the new answer, so that the part which has come is there as long as nothing replaces it. A compaction has
these two events too. If the provider refused images, a `notice` and a second `assistant_start` follow, and the request
is sent without them.

Every `turn_start` is followed by a `turn_end`, which comes before the tools of its turn run. `done` is always the last
event of a run. A steering or follow-up message is another `user_message`, before the `turn_start` of the turn in which
the model first reads it.
"""

from typing import Any, ClassVar, Literal, TypeAlias

from zot_core.display import DisplayBlock
from zot_core.permission_mode import PermissionMode, SandboxState
from zot_core.result import Sight
from zot_provider.events import AutoRetryStart as AutoRetryStart
from zot_provider.events import ReasoningDelta as ReasoningDelta
from zot_provider.events import TextDelta as TextDelta
from zot_provider.events import ToolUseArgs as ToolUseArgs
from zot_provider.events import ToolUseEnd as ToolUseEnd
from zot_provider.events import ToolUseStart as ToolUseStart
from zot_provider.messages import Fate as Fate
from zot_provider.messages import ImageBlock, Message, TextBlock, ToolCallBlock
from zot_provider.record import Record, field
from zot_provider.usage import Usage

TurnStop: TypeAlias = Literal["end_turn", "tool_use", "length", "error", "aborted"]
JobState: TypeAlias = Literal["running", "ended", "stopped", "failed"]
CompactReason: TypeAlias = Literal["manual", "threshold", "overflow"]
RunEnd: TypeAlias = Literal[
    "completed", "aborted", "error", "refused", "max_steps", "max_cost", "max_tokens", "deadline"
]
"""How a run ended: `refused` by a hook, and the last four at a limit of `RunLimits`."""


class UserMessage(Record):
    """A user message was added to the history (and to the session file, if there is one)."""

    type: ClassVar[str] = "user_message"
    message: Message


class TurnStart(Record):
    """A turn starts: model call number `step` of the run. Where `zot --json` prints the first turn, it says which calls
    may run without a question (`mode`) and what confines commands (`sandbox`)."""

    type: ClassVar[str] = "turn_start"
    step: int
    mode: PermissionMode | None = None
    sandbox: SandboxState | None = None


class AssistantStart(Record):
    """The request is being sent; deltas may follow. Those since an earlier one of the same turn are void.

    `deferred`: a hook may replace or hide the complete text, so a front end shows it only with `AssistantMessage`. Not
    part of the JSON.
    """

    type: ClassVar[str] = "assistant_start"
    deferred: bool = False


class AssistantMessage(Record):
    """The model's answer in this turn, as the user sees it. Sent once in a turn, after the deltas.

    `message` has the text that hooks returned, and the tool calls, if any; the history keeps the original. Not sent for
    an answer without content, and if a hook hides the text.
    """

    type: ClassVar[str] = "assistant_message"
    message: Message


class ToolCall(Record):
    """The model calls a tool; sent for all calls of a turn before the first one runs.

    `arguments` is the JSON text as the model wrote it, which may be invalid.
    """

    type: ClassVar[str] = "tool_call"
    id: str
    name: str
    arguments: str

    @classmethod
    def of(cls, block: ToolCallBlock) -> "ToolCall":
        """Return the event for a call."""
        return cls(block.id, block.name, block.arguments)


class ToolStart(Record):
    """A tool starts to run: its arguments were parsed, and the call was confirmed if that is required."""

    type: ClassVar[str] = "tool_start"
    id: str
    name: str


class ToolProgress(Record):
    """Progress of a running tool, usually the next lines of its output."""

    type: ClassVar[str] = "tool_progress"
    id: str
    text: str


class ToolResultEvent(Record):
    """The result of a call. `arguments` is the JSON text that the tool received, None if it did not run.

    `fate` says whether the call ran, was refused, was stopped or did not run. `kept`, `terminate` and
    `seen` come from `ToolResult`, and are not part of the JSON.
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
    changed_by: str = ""
    kept: bool = False
    terminate: bool = False
    seen: Sight | None = None


class UsageEvent(Record):
    """Tokens and cost to add, and the total of the session so far. A model call may have several of these events.

    `agent_id` is the sub-agent whose model call it was, empty for one of the agent itself.
    """

    type: ClassVar[str] = "usage"
    usage: Usage
    cumulative: Usage
    agent_id: str = ""


class AutoRetryEnd(Record):
    """The repetitions of a model call have ended: with an answer (`success`), or because of `final_error`.

    `attempt` is the number of the last repetition. `final_error` is one line, empty after a success.
    """

    type: ClassVar[str] = "auto_retry_end"
    success: bool
    attempt: int
    final_error: str = ""


class TurnEnd(Record):
    """The model call of a turn has ended; `error` has the reason if `stop` is "error"."""

    type: ClassVar[str] = "turn_end"
    stop: TurnStop
    error: str = ""


class CompactStart(Record):
    """The model starts to write a summary of the conversation. The history is still unchanged.

    `reason`: requested ("manual"), the context window is nearly full ("threshold"), or the provider rejected the
    conversation as too long ("overflow"). `tokens_before` is an estimate for the `message_count` messages.
    """

    type: ClassVar[str] = "compact_start"
    reason: CompactReason
    message_count: int
    tokens_before: int


class CompactDone(Record):
    """The history now consists of the summary and the last `kept` messages.

    `summary` is the model's text, without the heading it has in the history. Token counts are estimates.
    """

    type: ClassVar[str] = "compact_done"
    summary: str
    kept: int = 0
    tokens_before: int = 0
    tokens_after: int = 0


class JobStart(Record):
    """A command starts in the background. This and `job_end` come at any time, also between two runs."""

    type: ClassVar[str] = "job_start"
    id: str
    command: str


class JobEnd(Record):
    """A command in the background has ended by itself or at its time limit ("ended"), was stopped, or could not be
    started ("failed"). `exit_code` is None unless it ended by itself."""

    type: ClassVar[str] = "job_end"
    id: str
    command: str
    state: JobState
    exit_code: int | None

    @property
    def line(self) -> str:
        """The state of the command, as one line for a person."""
        how = {"failed": "could not be started", "stopped": "was stopped"}.get(self.state, "has ended")
        code = f" with exit code {self.exit_code}" if self.exit_code else ""
        first = self.command.partition("\n")[0]
        return f"job {self.id} {how}{code}: {first}"


class SubagentStart(Record):
    """A sub-agent starts. This and the other events of sub-agents come at any time during a run.

    `agent_id` counts from 1 in all sub-agents of a session. `name` is that of its definition, `parent` the id of the
    sub-agent that started it, `tool_call` the call of the tool `agent`; each may be empty. `session` is the path of its
    session file, empty without one.
    """

    type: ClassVar[str] = "subagent_start"
    agent_id: str
    name: str
    task: str
    model: str
    parent: str = ""
    tool_call: str = ""
    background: bool = False
    session: str = ""


class SubagentProgress(Record):
    """The present work of a sub-agent: `line` is the last line of its text, or its last tool call. Sent a few times a
    second at most. `tokens` are all tokens so far, `seconds` the time since its start."""

    type: ClassVar[str] = "subagent_progress"
    agent_id: str
    line: str
    tokens: int
    seconds: float


class SubagentStop(Record):
    """A sub-agent has ended: `end` as in `done`, `error` why, unless it was completed. `cost_usd` is None if the price
    is unknown. `branch` has what it changed in a worktree, empty without that; `worktree` is the folder of the worktree
    if that could not be removed."""

    type: ClassVar[str] = "subagent_stop"
    agent_id: str
    name: str
    end: RunEnd
    error: str
    steps: int
    tokens: int
    cost_usd: float | None
    seconds: float
    branch: str = ""
    worktree: str = ""


SubagentEvent: TypeAlias = SubagentStart | SubagentProgress | SubagentStop


class Notice(Record):
    """Information for the user that does not end the run, e.g. why a hook hid a message."""

    type: ClassVar[str] = "notice"
    level: Literal["info", "warn", "error"]
    message: str


class ErrorEvent(Record):
    """The run failed; `message` is one line. `exit_code` is the exit code for a program that ends with the run.

    `retryable`: the account, the server or the network is at fault, so the same prompt may be answered later, or by
    another model; `candidates` names models of other providers with a credential (PROVIDER/ID). `auth`: the key or
    sign-in of the provider is missing, or was refused.
    """

    type: ClassVar[str] = "error"
    message: str
    exit_code: int = 1
    retryable: bool = False
    candidates: list[str] = field(default_factory=list)
    auth: bool = False


class Done(Record):
    """The run has ended and the agent is idle. `reason` says how the run ended."""

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
    | AutoRetryStart
    | AutoRetryEnd
    | AssistantMessage
    | ToolCall
    | ToolStart
    | ToolProgress
    | ToolResultEvent
    | UsageEvent
    | TurnEnd
    | CompactStart
    | CompactDone
    | JobStart
    | JobEnd
    | SubagentStart
    | SubagentProgress
    | SubagentStop
    | Notice
    | ErrorEvent
    | Done
)
"""The events of a run, in the order in which they happen."""
