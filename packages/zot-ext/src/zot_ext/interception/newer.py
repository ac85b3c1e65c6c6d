"""The requests and decisions of the events in the group `intercepts2`, which newer hosts have.

A request has the members of the question. A decision has those of the answer; None leaves something as it is. With
`block` the event is refused, and `reason` says why: to the model for a tool result, to the user for any other event.
"""

from __future__ import annotations

from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.raw import RawList, RawObject, dump
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from zot_ext.protocol.from_host import EventIntercept


class InputRequest(Record):
    """`input`: a prompt, before its slash command is read, or a message for a running prompt (`deliver_as` is `steer`
    or `follow_up`). `source` is the mode of zot where it was typed, as in `hello_ack`; or `extension`, and the field
    `extension` has its name."""

    text: str
    images: list[dict[str, str]]
    source: str
    extension: str
    deliver_as: str


class InputDecision(Record):
    """Decides on `input`. With `handled` nothing is sent to the model."""

    text: str | None = None
    images: Sequence[Mapping[str, str]] | None = None
    handled: bool | None = None
    block: bool = False
    reason: str = ""


class ContextRequest(Record):
    """`context`: the messages of a request, each with `id`, `role` and `content`."""

    messages: list[dict[str, Any]]


class ContextDecision(Record):
    """Decides on `context`: other messages, or the ids of messages to leave out. The conversation does not change."""

    messages: Sequence[Mapping[str, Any]] | None = None
    drop_ids: Sequence[str] | None = None
    block: bool = False
    reason: str = ""


class PayloadRequest(Record):
    """`before_provider_request`: the body of a request, as the provider reads it. `api` is the wire."""

    provider: str
    model: str
    api: str
    payload: dict[str, Any]


class PayloadDecision(Record):
    """Decides on `before_provider_request`."""

    payload: Mapping[str, Any] | None = None
    block: bool = False
    reason: str = ""


class HeadersRequest(Record):
    """`before_provider_headers`: the headers of a request, without those of the key."""

    provider: str
    model: str
    headers: dict[str, str]


class HeadersDecision(Record):
    """Decides on `before_provider_headers`: headers to add or replace; None as a value removes one."""

    headers: Mapping[str, str | None] | None = None
    block: bool = False
    reason: str = ""


class MessageEndRequest(Record):
    """`message_end`: a message of the user or of the model, before it is stored: `role`, `content`."""

    message: dict[str, Any]


class MessageEndDecision(Record):
    """Decides on `message_end`: the message instead, of the same role. `block` hides the text of an answer, and stops
    a prompt."""

    message: Mapping[str, Any] | None = None
    block: bool = False
    reason: str = ""


class ToolResultRequest(Record):
    """`tool_result`: the result of a tool, before the model reads it. `content` are text and image blocks."""

    tool_id: str
    tool_name: str
    tool_args: dict[str, Any]
    content: list[dict[str, Any]]
    details: dict[str, Any]
    is_error: bool


class ToolResultDecision(Record):
    """Decides on `tool_result`. With `block` the model reads `reason` in its place."""

    content: Sequence[Mapping[str, Any]] | None = None
    details: Mapping[str, Any] | None = None
    is_error: bool | None = None
    block: bool = False
    reason: str = ""


class UserBashRequest(Record):
    """`user_bash`: a command that the user runs with `!`."""

    command: str
    exclude_from_context: bool
    cwd: str


class UserBashDecision(Record):
    """Decides on `user_bash`: another command, or its output, with which it is not run."""

    command: str | None = None
    output: str | None = None
    exit_code: int | None = None
    block: bool = False
    reason: str = ""


class BashSpawnRequest(Record):
    """`bash_spawn`: a shell that is about to start; `env` is added to its environment."""

    command: str
    cwd: str
    env: dict[str, str]


class BashSpawnDecision(Record):
    """Decides on `bash_spawn`. `env` are variables to add or replace."""

    command: str | None = None
    cwd: str | None = None
    env: Mapping[str, str] | None = None
    block: bool = False
    reason: str = ""


class StopRequest(Record):
    """`before_stop`: a run that is about to end with the answer `text`; `continued` counts how often it was kept from
    that."""

    step: int
    text: str
    continued: int


class StopDecision(Record):
    """Decides on `before_stop`. With `block` the model reads `reason` and the run continues."""

    block: bool = False
    reason: str = ""


class ProjectTrustRequest(Record):
    """`project_trust`: the project in the folder `cwd` brings what can run, a line for each thing, and the person has
    not decided about it. `changes` are files that have changed since the person allowed it."""

    cwd: str
    brings: list[str]
    changes: list[str]


class ProjectTrustDecision(Record):
    """Decides on `project_trust`, for this run: `trusted` uses it, `block` does not. Without either the person is
    asked, if there is a screen."""

    trusted: bool | None = None
    block: bool = False
    reason: str = ""


class SessionSwitchRequest(Record):
    """`session_before_switch`: `reason` is `new` or `resume`, `target_file` the file of a session that is resumed."""

    reason: str
    target_file: str


class SessionForkRequest(Record):
    """`session_before_fork`: a copy of the session up to `entry`, or all of it; `position` is `at` or `before`."""

    entry: str
    position: str


class SessionDecision(Record):
    """Decides on `session_before_switch` and `session_before_fork`."""

    block: bool = False
    reason: str = ""


class CompactRequest(Record):
    """`session_before_compact`: the messages of a conversation that is about to be compacted."""

    reason: str
    messages: list[dict[str, Any]]
    first_kept_id: str
    tokens_before: int
    instructions: str


class CompactDecision(Record):
    """Decides on `session_before_compact`: with a `summary` the model is not asked for one; with `instructions` it
    reads these in place of the person's."""

    summary: str | None = None
    first_kept_id: str | None = None
    instructions: str | None = None
    block: bool = False
    reason: str = ""


class TreeRequest(Record):
    """`session_before_tree`: the conversation is about to continue at, or `before`, the entry `target_id`."""

    target_id: str
    position: str
    old_leaf_id: str
    wants_summary: bool
    instructions: str


class TreeDecision(Record):
    """Decides on `session_before_tree`: a summary of what is left behind, or instructions for it, and a label for the
    entry."""

    summary: str | None = None
    label: str | None = None
    instructions: str | None = None
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
    "project_trust": (ProjectTrustRequest, ProjectTrustDecision),
    "session_before_switch": (SessionSwitchRequest, SessionDecision),
    "session_before_fork": (SessionForkRequest, SessionDecision),
    "session_before_compact": (CompactRequest, CompactDecision),
    "session_before_tree": (TreeRequest, TreeDecision),
}
"""The request and the decision of each event."""

_ZEROS: dict[str, Any] = {"str": "", "bool": False, "int": 0}


def members(frame: EventIntercept) -> dict[str, Any]:
    """Return the members of a question, parsed."""
    values: dict[str, Any] = dict(frame.extra)
    for name in frame.__fields__:
        if name not in ("id", "event", "extra") and (value := getattr(frame, name)):
            values[name] = _parsed(value)
    return values


def _parsed(value: Any) -> Any:
    return value.value if isinstance(value, RawObject) else value.items if isinstance(value, RawList) else value


def request(event: str, values: Mapping[str, Any]) -> Record:
    """Return the request for an interceptor; what a host leaves out is empty."""
    cls = EVENTS[event][0]
    found = {}
    for name, annotation in cls.__fields__.items():
        zero = _ZEROS.get(annotation)
        found[name] = values.get(name, ([] if annotation.startswith("list") else {}) if zero is None else zero)
    return cls(**found)


def rewrites(decision: Record) -> dict[str, Any]:
    """Return the members of the answer that a decision sets."""
    return {
        name: value
        for name in decision.__fields__
        if name not in ("block", "reason") and (value := getattr(decision, name)) is not None
    }


def decision(event: str, answer: EventInterceptResponse) -> Any:
    """Return the decision that an answer holds. Its members have been checked against the row of the event."""
    cls, given = EVENTS[event][1], answer.extra
    return cls(**{name: value for name in cls.__fields__ if (value := given.get(name)) is not None})


def applied(values: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of the question for the next interceptor."""
    found = {**values, **{name: value for name, value in changed.items() if name in values}}
    for name in ("headers", "env"):
        if name in changed and name in values:
            merged = {**values[name], **changed[name]}
            found[name] = {key: value for key, value in merged.items() if value is not None}
    if "drop_ids" in changed:
        left_out = set(changed["drop_ids"])
        found["messages"] = [each for each in values.get("messages", ()) if each.get("id") not in left_out]
    return found


def response(id: str, changed: Mapping[str, Any]) -> EventInterceptResponse:
    """Return the answer with these members. Raises `FrameError` for values without a JSON form."""
    extra = {name: value for name, value in changed.items() if name not in ("messages", "payload")}
    messages, payload = changed.get("messages"), changed.get("payload")
    return EventInterceptResponse(
        id,
        messages=None if messages is None else RawList.from_values(messages),
        payload=None if payload is None else RawObject.from_parsed(dump(payload), payload),
        extra=extra,
    )
