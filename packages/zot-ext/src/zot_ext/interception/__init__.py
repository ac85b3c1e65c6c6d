"""Interception: the request to an interceptor (`...Request`), its answer (`...Decision`), and how answers combine.

This module has the classes of every host; `zot_ext.protocol.events.decisions` has the classes of the group
`intercepts2`.
"""

from __future__ import annotations

from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.raw import RawObject
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from zot_ext.protocol.from_host import EventIntercept


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


def _request(frame: EventIntercept) -> Record:
    if frame.event == "tool_call":
        text = frame.tool_args.text if frame.tool_args else "{}"
        return ToolCallRequest(frame.tool_id, frame.tool_name, RawObject(text).value, text)
    if frame.event == "turn_start":
        return TurnStartRequest(frame.step)
    if frame.event == "assistant_message":
        return AssistantMessageRequest(frame.text)
    prompt = str(frame.extra.get("prompt", ""))
    return AgentStartRequest(
        frame.system_prompt, frame.cwd, frame.provider, frame.model, frame.session_id, frame.agent_run_id, prompt
    )


DECISIONS: dict[str, type[Record]] = {
    "tool_call": ToolCallDecision,
    "turn_start": TurnStartDecision,
    "assistant_message": AssistantMessageDecision,
    "before_agent_start": AgentStartDecision,
}
"""Events that can be intercepted on every host, with the decision that answers each."""


def decision_of(event: str) -> type[Record] | None:
    """Return the class of the decisions on an event; None for an event that cannot be intercepted."""
    if event in DECISIONS:
        return DECISIONS[event]
    from zot_ext.protocol.events.decisions import EVENTS  # noqa: PLC0415 - few extensions intercept more

    return EVENTS[event][1] if event in EVENTS else None


_BLOCKABLE = ("tool_call", "turn_start", "assistant_message")
_REFUSALS = (ToolCallDecision, TurnStartDecision, AssistantMessageDecision)

_REWRITES = {
    "modified_args": "tool_args",
    "replace_text": "text",
    "system_prompt": "system_prompt",
}


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
    if frame.event not in DECISIONS:
        return _newer_frame(frame, interceptors, call, failed)
    rewrites: dict[str, object] = {}
    extra: dict[str, object] = {}
    terminate = False
    for interceptor in interceptors:
        try:
            decision = call(interceptor.handler, _request(frame))
            if decision is None:
                continue
            if isinstance(decision, Blocked):
                return _refusal(frame, decision)
            found = _rewrites_of(frame.event, decision)
        except BaseException as error:  # noqa: BLE001 - a foreign handler; all its exceptions are treated alike
            failed(error)
            if interceptor.blocks_on_error:
                return EventInterceptResponse(frame.id, block=True, reason=f"a guard failed: {error}")
            continue
        if isinstance(decision, ToolCallDecision) and decision.terminate:
            terminate = True
        if isinstance(decision, _REFUSALS) and decision.block:
            return EventInterceptResponse(frame.id, block=True, reason=decision.reason, terminate=terminate)
        for field, value in found.items():
            rewrites[field] = value
            frame = _with(frame, _REWRITES[field], value)
        if isinstance(decision, AgentStartDecision) and decision.message is not None:
            extra["message"] = dict(decision.message)
    more = {"extra": extra} if extra else {}
    return EventInterceptResponse(frame.id, terminate=terminate, **rewrites, **more)  # type: ignore[arg-type]


def _newer_frame(
    frame: EventIntercept,
    interceptors: Iterable[RegisteredInterceptor],
    call: Callable[..., object],
    failed: Callable[[BaseException], None],
) -> EventInterceptResponse:
    """Do what `intercept_frame` does, for an event of the group `intercepts2`."""
    from zot_ext.interception import newer  # noqa: PLC0415 - few extensions intercept more
    from zot_ext.protocol.events.decisions import EVENTS  # noqa: PLC0415 - as above

    values = newer.members(frame)
    changed: dict[str, Any] = {}
    answer = newer.response(frame.id, changed)
    expected = EVENTS[frame.event][1] if frame.event in EVENTS else Record
    for interceptor in interceptors:
        try:
            decision: Any = call(interceptor.handler, newer.request(frame.event, values))
            if decision is None:
                continue
            known = isinstance(decision, (Blocked, expected))
            if not known:
                raise TypeError(f"an interceptor of {frame.event!r} answers {expected.__name__}, block(...) or None")
            if isinstance(decision, Blocked) or decision.block:
                return EventInterceptResponse(frame.id, block=True, reason=decision.reason)
            found = newer.rewrites(decision)
            answer = newer.response(frame.id, {**changed, **found})
        except BaseException as error:  # noqa: BLE001 - as in `intercept_frame`
            failed(error)
            if interceptor.blocks_on_error:
                return EventInterceptResponse(frame.id, block=True, reason=f"a guard failed: {error}")
            continue
        values = newer.applied(values, found)
        changed.update(found)
    return answer


def _refusal(frame: EventIntercept, answer: Blocked) -> EventInterceptResponse:
    if frame.event not in _BLOCKABLE:
        raise TypeError(f"{frame.event!r} cannot be blocked; {', '.join(_BLOCKABLE)} can")
    return EventInterceptResponse(frame.id, block=True, reason=answer.reason)


def _rewrites_of(event: str, decision: object) -> dict[str, object]:
    expected = DECISIONS[event]
    if type(decision) is not expected:
        answers = f"{expected.__name__}, block(...)" if event in _BLOCKABLE else expected.__name__
        raise TypeError(f"an interceptor of {event!r} answers {answers} or None, not {decision!r}")
    found: dict[str, object] = {}
    for field in _REWRITES:
        value = getattr(decision, field, None)
        if value is None or (field == "replace_text" and not value):
            continue
        if field == "modified_args" and not isinstance(value, RawObject):
            value = RawObject.from_value(value)
        elif field != "modified_args" and not isinstance(value, str):
            raise TypeError(f"{field} must be text, not {value!r}")
        found[field] = value
    return found


def _with(frame: EventIntercept, field: str, value: object) -> EventIntercept:
    fields = {name: getattr(frame, name) for name in frame.__fields__}
    return type(frame)(**{**fields, field: value})
