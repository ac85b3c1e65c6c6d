"""The requests and decisions of the events in the group `intercepts2`, which newer hosts have.

A request has the members of the question. A decision has the members of the answer; None leaves something as it is.
With `block` the event is refused, and `reason` says why: to the model for a tool result, to the user for any other
event.

The rows of `interceptable` are made from these classes: the first paragraph of a request says
when it comes, and a line `NAME: ...` what a field is.
"""

from __future__ import annotations

from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class InputRequest(Record):
    """The user, or a program in the user's name, sends a prompt, before its slash command is read.

    text: the prompt
    images: its images: `mime_type`, `data` (base64)
    source: where it was typed, as `mode` of `hello_ack`; or `extension`
    extension: the extension that has sent it; empty for none
    deliver_as: `prompt`, or to a running prompt: `steer` or `follow_up`
    """

    text: str
    images: list[dict[str, str]]
    source: str
    extension: str
    deliver_as: str


class InputDecision(Record):
    """Decides on `input`.

    text: the prompt instead
    images: its images: `mime_type`, `data` (base64)
    handled: nothing is sent to the model: the extension did what was wanted
    """

    text: str | None = None
    images: Sequence[Mapping[str, str]] | None = None
    handled: bool | None = None
    block: bool = False
    reason: str = ""


class ContextRequest(Record):
    """A request is about to be sent: its messages. The conversation itself does not change.

    messages: messages: `id`, `role`, `content`, `time`
    """

    messages: list[dict[str, Any]]


class ContextDecision(Record):
    """Decides on `context`.

    messages: messages: `id`, `role`, `content`, `time`
    drop_ids: the ids of messages to leave out
    """

    messages: Sequence[Mapping[str, Any]] | None = None
    drop_ids: Sequence[str] | None = None
    block: bool = False
    reason: str = ""


class PayloadRequest(Record):
    """A request is about to be sent: its body, as the provider reads it.

    provider: the provider
    model: the model
    api: the wire
    payload: the body
    """

    provider: str
    model: str
    api: str
    payload: dict[str, Any]


class PayloadDecision(Record):
    """Decides on `before_provider_request`.

    payload: the body instead
    """

    payload: Mapping[str, Any] | None = None
    block: bool = False
    reason: str = ""


class HeadersRequest(Record):
    """A request is about to be sent: its headers, without the headers of the key.

    provider: the provider
    model: the model
    headers: names in lower case, and values
    """

    provider: str
    model: str
    headers: dict[str, str]


class HeadersDecision(Record):
    """Decides on `before_provider_headers`.

    headers: headers to add or replace; null removes one
    """

    headers: Mapping[str, str | None] | None = None
    block: bool = False
    reason: str = ""


class MessageEndRequest(Record):
    """A message of the user or of the model is about to be added to the conversation.

    message: `role`, `content`
    """

    message: dict[str, Any]


class MessageEndDecision(Record):
    """Decides on `message_end`. `block` hides the text of an answer, and stops a prompt.

    message: the message instead, of the same role
    """

    message: Mapping[str, Any] | None = None
    block: bool = False
    reason: str = ""


class ToolResultRequest(Record):
    """A tool has run, and the model is about to read its result.

    tool_id: the id of the call
    tool_name: its tool
    tool_args: its arguments
    content: text and image blocks
    details: what the tool adds for programs
    is_error: whether it has failed
    """

    tool_id: str
    tool_name: str
    tool_args: dict[str, Any]
    content: list[dict[str, Any]]
    details: dict[str, Any]
    is_error: bool


class ToolResultDecision(Record):
    """Decides on `tool_result`. With `block` the model reads `reason` in its place.

    content: text and image blocks instead
    details: details instead
    is_error: whether it counts as failed
    """

    content: Sequence[Mapping[str, Any]] | None = None
    details: Mapping[str, Any] | None = None
    is_error: bool | None = None
    block: bool = False
    reason: str = ""


class UserBashRequest(Record):
    """The user runs a command with `!`.

    command: the command line
    exclude_from_context: whether the model will not read its output
    cwd: where it runs
    """

    command: str
    exclude_from_context: bool
    cwd: str


class UserBashDecision(Record):
    """Decides on `user_bash`.

    command: the command line instead
    output: its output: the command is not run
    exit_code: its exit code, with `output`; 0 by default
    """

    command: str | None = None
    output: str | None = None
    exit_code: int | None = None
    block: bool = False
    reason: str = ""


class BashSpawnRequest(Record):
    """The tool bash, or the user with `!`, is about to start a shell, after every other check.

    command: the command line
    cwd: where it runs
    env: variables added for it
    """

    command: str
    cwd: str
    env: dict[str, str]


class BashSpawnDecision(Record):
    """Decides on `bash_spawn`.

    command: the command line instead
    cwd: where it runs instead
    env: variables to add or replace
    """

    command: str | None = None
    cwd: str | None = None
    env: Mapping[str, str] | None = None
    block: bool = False
    reason: str = ""


class StopRequest(Record):
    """The model has answered and calls no tool, so the run is about to end. With `block` the model reads `reason` as a
    message of the user, and the run continues, eight times at most.

    step: the number of the model call in the run, from 1
    text: the answer
    continued: how many times the run was kept from ending
    """

    step: int
    text: str
    continued: int


class StopDecision(Record):
    """Decides on `before_stop`, and on `before_exit`, where it changes nothing."""

    block: bool = False
    reason: str = ""


class ExitRequest(Record):
    """zot has answered its only prompt and is about to end. What is sent before this is decided is answered too.

    turns: how many such prompts there were
    """

    turns: int


class ProjectTrustRequest(Record):
    """The project brings what can run, and the person has not decided whether it may be used. With `block` it is not
    used in this run. The person is asked only without an answer.

    cwd: the folder of the project
    brings: a line for each thing that it brings
    changes: files that have changed since the person allowed it
    """

    cwd: str
    brings: list[str]
    changes: list[str]


class ProjectTrustDecision(Record):
    """Decides on `project_trust`, for this run.

    trusted: true: it is used in this run
    """

    trusted: bool | None = None
    block: bool = False
    reason: str = ""


class SessionSwitchRequest(Record):
    """The conversation is about to continue in another session.

    reason: `new` or `resume`
    target_file: the file of the session that is resumed
    """

    reason: str
    target_file: str


class SessionForkRequest(Record):
    """The conversation is about to continue in a copy of the session.

    entry: the entry up to which it is copied; empty for all
    position: `at` or `before` the entry
    """

    entry: str
    position: str


class SessionDecision(Record):
    """Decides on `session_before_switch` and `session_before_fork`."""

    block: bool = False
    reason: str = ""


class CompactRequest(Record):
    """The conversation is about to be compacted.

    reason: `manual`, `threshold` or `overflow`
    messages: messages: `id`, `role`, `content`, `time`
    first_kept_id: the first message that is kept; empty for none
    tokens_before: an estimate
    instructions: what the person wants of the summary
    """

    reason: str
    messages: list[dict[str, Any]]
    first_kept_id: str
    tokens_before: int
    instructions: str


class CompactDecision(Record):
    """Decides on `session_before_compact`.

    summary: the summary; the model is not asked for one
    instructions: what the model reads of this in place of the person's words
    first_kept_id: the first message that is kept, with `summary`
    """

    summary: str | None = None
    instructions: str | None = None
    first_kept_id: str | None = None
    block: bool = False
    reason: str = ""


class TreeRequest(Record):
    """The conversation is about to continue at another entry of its session.

    target_id: the entry
    position: `at` or `before` the entry
    old_leaf_id: the entry at which it is now
    wants_summary: whether the model is to summarise what is left behind
    instructions: what the person wants of the summary
    """

    target_id: str
    position: str
    old_leaf_id: str
    wants_summary: bool
    instructions: str


class TreeDecision(Record):
    """Decides on `session_before_tree`.

    summary: the summary; the model is not asked for one
    instructions: what the model reads of this in place of the person's words
    label: a label for the entry
    """

    summary: str | None = None
    instructions: str | None = None
    label: str | None = None
    block: bool = False
    reason: str = ""


EVENTS: dict[str, tuple[type[Record], type[Record]]] = {
    "input": (InputRequest, InputDecision),
    "context": (ContextRequest, ContextDecision),
    "before_provider_request": (PayloadRequest, PayloadDecision),
    "before_provider_headers": (HeadersRequest, HeadersDecision),
    "message_end": (MessageEndRequest, MessageEndDecision),
    "tool_result": (ToolResultRequest, ToolResultDecision),
    "user_bash": (UserBashRequest, UserBashDecision),
    "bash_spawn": (BashSpawnRequest, BashSpawnDecision),
    "before_stop": (StopRequest, StopDecision),
    "before_exit": (ExitRequest, StopDecision),
    "project_trust": (ProjectTrustRequest, ProjectTrustDecision),
    "session_before_switch": (SessionSwitchRequest, SessionDecision),
    "session_before_fork": (SessionForkRequest, SessionDecision),
    "session_before_compact": (CompactRequest, CompactDecision),
    "session_before_tree": (TreeRequest, TreeDecision),
}
"""The request and the decision of each event."""
