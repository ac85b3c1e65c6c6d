"""Interception: the request to an interceptor (`...Request`), its answer (`...Decision`), and how answers combine.

This module has the classes of every host; `zot_ext.protocol.events.decisions` has the classes of the group
`intercepts2`, which is loaded when one of its events is intercepted.
"""

from __future__ import annotations

from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.raw import RawList, RawObject, dump
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    from zot_ext.protocol.from_host import EventIntercept

    D = TypeVar("D", bound=Record)


class ToolCallRequest(Record):
    """`tool_call`: a tool call that is about to run."""

    id: str
    name: str
    args: dict[str, Any]
    """The arguments, parsed again for every interceptor: they may be changed and returned."""
    raw: str
    """The text of the arguments, exactly as received."""


class TurnStartRequest(Record):
    """`turn_start`: a turn, before the model is called."""

    step: int
    """The number of the model call in the run, from 1."""


class AssistantMessageRequest(Record):
    """`assistant_message`: a text of the model, before the user sees it."""

    text: str


class AgentStartRequest(Record):
    """`before_agent_start`: an agent, before its first turn. Only newer hosts send it; `prompt`, what the user wrote,
    only in the group `intercepts2`."""

    system_prompt: str
    cwd: str
    provider: str
    model: str
    session_id: str
    agent_run_id: str
    prompt: str = ""


class ToolCallDecision(Record):
    """Decides on `tool_call`. With `block` the model reads `reason` as the error of the call."""

    block: bool = False
    reason: str = ""
    modified_args: Mapping[str, object] | RawObject | None = None
    """The arguments that the tool receives instead; a `RawObject` keeps its text."""
    terminate: bool = False
    """The model need not answer the result, if all results of its batch say so. Older hosts ignore it."""


class TurnStartDecision(Record):
    """Decides on `turn_start`. With `block` the model is not called and the user reads `reason`."""

    block: bool = False
    reason: str = ""


class AssistantMessageDecision(Record):
    """Decides on `assistant_message`. With `block` the user reads `reason` instead of the text."""

    block: bool = False
    reason: str = ""
    replace_text: str = ""
    """The text that the user sees instead; empty keeps the text. The model still sees its own text."""


class AgentStartDecision(Record):
    """Decides on `before_agent_start`."""

    system_prompt: str | None = None
    """The system prompt, exactly; `""` removes it, `None` keeps it."""
    message: Mapping[str, object] | None = None
    """In the group `intercepts2`: a message before the answer: `content`, `display` (False hides it),
    `custom_type` and `details`."""


class Blocked(Record):
    """The answer that blocks an event, for every event that can be blocked; made by `block`."""

    reason: str = ""


def block(reason: str = "") -> Blocked:
    """Block an event: every event but `before_agent_start`.

    The model reads `reason` as the error of a tool call or as its result; the user reads it for any other event.
    """
    return Blocked(reason)


def rewrite(args: Mapping[str, object] | RawObject) -> ToolCallDecision:
    """Replace the arguments of a `tool_call` by `args`. The model does not see the change."""
    return ToolCallDecision(modified_args=args)


def replace(text: str) -> AssistantMessageDecision:
    """Show the user `text` instead of an `assistant_message`. The model still sees its own text.

    Raises `ValueError` for an empty text, with which the protocol keeps the message: use `block` to hide it.
    """
    if not text:
        raise ValueError("an empty text keeps the message; hide it with block(...)")
    return AssistantMessageDecision(replace_text=text)


class RegisteredInterceptor(Record):
    """A handler, and whether an exception in it blocks the event."""

    handler: Callable[..., object]
    blocks_on_error: bool = False


DECISIONS: dict[str, type[Record]] = {
    "tool_call": ToolCallDecision,
    "turn_start": TurnStartDecision,
    "assistant_message": AssistantMessageDecision,
    "before_agent_start": AgentStartDecision,
}
"""Events that can be intercepted on every host, with the decision that answers each."""

_REQUESTS: dict[str, type[Record]] = {
    "turn_start": TurnStartRequest,
    "assistant_message": AssistantMessageRequest,
    "before_agent_start": AgentStartRequest,
}
"""Their requests, whose fields are members of the question; that of `tool_call` has names of its own."""

_ASKED_AS = {"modified_args": "tool_args", "replace_text": "text"}
"""The members of the question that members of an answer replace, where they have other names."""

_ZEROS: dict[str, Any] = {"str": "", "bool": False, "int": 0}


def decision_of(event: str) -> type[Record] | None:
    """Return the class of the decisions on an event; None for an event that cannot be intercepted."""
    if event in DECISIONS:
        return DECISIONS[event]
    from zot_ext.protocol.events.decisions import EVENTS  # noqa: PLC0415 - few extensions intercept more

    return EVENTS[event][1] if event in EVENTS else None


def _request_of(event: str) -> type[Record]:
    if event in DECISIONS:
        return _REQUESTS.get(event, ToolCallRequest)
    from zot_ext.protocol.events.decisions import EVENTS  # noqa: PLC0415 - as above

    return EVENTS[event][0]


def intercept_frame(
    frame: EventIntercept,
    interceptors: Iterable[RegisteredInterceptor],
    call: Callable[..., object],
    failed: Callable[[BaseException], None],
) -> EventInterceptResponse:
    """Ask the interceptors in order and combine their answers into one reply.

    The first block wins; each interceptor sees the rewrites of the earlier ones. `call(handler, request)` runs a
    handler. An exception is passed to `failed`; then the event is blocked if the interceptor blocks on errors,
    otherwise the exception changes nothing.
    """
    values = {name: value for name in frame.__fields__ if (value := getattr(frame, name)) and name != "extra"}
    values |= frame.extra
    changed: dict[str, Any] = {}
    answer = _response(frame.id, changed)
    for interceptor in interceptors:
        try:
            decision: Any = call(interceptor.handler, request(frame.event, values))
            if decision is None:
                continue
            _check(frame.event, decision)
            if isinstance(decision, ToolCallDecision) and decision.terminate:
                changed["terminate"] = True
            if isinstance(decision, Blocked):
                return EventInterceptResponse(frame.id, block=True, reason=decision.reason)
            if "block" in decision.__fields__ and decision.block:
                ends = changed.get("terminate", False)
                return EventInterceptResponse(frame.id, block=True, reason=decision.reason, terminate=ends)
            found = _rewrites(decision)
            values, answer = _applied(frame.event, values, found), _response(frame.id, {**changed, **found})
        except BaseException as error:  # noqa: BLE001 - a foreign handler; all its exceptions are treated alike
            failed(error)
            if interceptor.blocks_on_error:
                return EventInterceptResponse(frame.id, block=True, reason=f"a guard failed: {error}")
            continue
        changed.update(found)
    return answer


def request(event: str, values: Mapping[str, Any]) -> Record:
    """Return the request for an interceptor from the members of the question; what a host leaves out is empty."""
    if event == "tool_call":
        text = args.text if (args := values.get("tool_args")) else "{}"
        return ToolCallRequest(values.get("tool_id", ""), values.get("tool_name", ""), RawObject(text).value, text)
    cls = _request_of(event)
    found = {}
    for name, annotation in cls.__fields__.items():
        zero = _ZEROS.get(annotation)
        found[name] = _parsed(values.get(name, ([] if annotation.startswith("list") else {}) if zero is None else zero))
    return cls(**found)


def members_of(request: Record) -> dict[str, Any]:
    """Return the members of the question that a request of the group `intercepts2` is."""
    return {name: getattr(request, name) for name in request.__fields__}


def decision_in(cls: type[D], answer: EventInterceptResponse) -> D:
    """Return the decision that an answer holds. Its members have been checked against the row of the event."""
    given = {**answer.extra, **{name: getattr(answer, name) for name in answer.__fields__ if name in cls.__fields__}}
    return cls(**{name: value for name in cls.__fields__ if (value := given.get(name)) is not None})


def _parsed(value: Any) -> Any:
    return value.value if isinstance(value, RawObject) else value.items if isinstance(value, RawList) else value


def _check(event: str, decision: object) -> None:
    expected = decision_of(event) or Record
    blockable = "block" in expected.__fields__
    if isinstance(decision, Blocked) and not blockable:
        others = ", ".join(name for name, cls in DECISIONS.items() if "block" in cls.__fields__)
        raise TypeError(f"{event!r} cannot be blocked; {others} can")
    if not isinstance(decision, (Blocked, expected)):
        answers = f"{expected.__name__}, block(...)" if blockable else expected.__name__
        raise TypeError(f"an interceptor of {event!r} answers {answers} or None, not {decision!r}")


def _rewrites(decision: Record) -> dict[str, Any]:
    """Return the members of the answer that a decision sets."""
    found = {
        name: value
        for name in decision.__fields__
        if name not in ("block", "reason", "terminate") and (value := getattr(decision, name)) is not None
    }
    for name in ("replace_text", "system_prompt"):
        if not isinstance(found.get(name, ""), str):
            raise TypeError(f"{name} must be text, not {found[name]!r}")
    if found.get("replace_text") == "":
        del found["replace_text"]
    if "modified_args" in found and not isinstance(found["modified_args"], RawObject):
        found["modified_args"] = RawObject.from_value(found["modified_args"])
    if "message" in found:
        found["message"] = dict(found["message"])
    return found


def _applied(event: str, values: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of the question for the next interceptor."""
    fields = _request_of(event).__fields__
    found = {**values, **{name: value for name, value in changed.items() if name in fields}}
    found |= {asked: changed[name] for name, asked in _ASKED_AS.items() if name in changed}
    for name in ("headers", "env"):
        if name in changed and name in fields:
            merged = {**values.get(name, {}), **changed[name]}
            found[name] = {key: value for key, value in merged.items() if value is not None}
    if "drop_ids" in changed:
        left_out = set(changed["drop_ids"])
        found["messages"] = [each for each in _parsed(values.get("messages", ())) if each.get("id") not in left_out]
    return found


def _response(id: str, changed: Mapping[str, Any]) -> EventInterceptResponse:
    """Return the answer with these members. Raises `FrameError` for values without a JSON form."""
    members = dict(changed)
    if "messages" in members:
        members["messages"] = RawList.from_values(members["messages"])
    if "payload" in members:
        members["payload"] = RawObject.from_parsed(dump(members["payload"]), members["payload"])
    return EventInterceptResponse(id, **EventInterceptResponse.fields_of(members))
