"""Interception: what an interceptor is asked (`Pending...`), what it answers, and how answers combine."""

from __future__ import annotations

from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.raw import RawObject
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from zot_ext.protocol.from_host import EventIntercept


class PendingCall(Record):
    """`tool_call`: a call that is about to run."""

    id: str
    name: str
    args: dict[str, Any]
    """The arguments, parsed anew for every interceptor: they may be changed and given back."""
    raw: str
    """The text of the arguments, exactly as it came."""


class PendingTurn(Record):
    """`turn_start`: a turn before the model is called."""

    step: int
    """From 1."""


class PendingMessage(Record):
    """`assistant_message`: a text before the user sees it."""

    text: str


class PendingStart(Record):
    """`before_agent_start`: an agent before its first turn. Newer hosts ask this."""

    system_prompt: str
    cwd: str
    provider: str
    model: str
    session_id: str
    agent_run_id: str


class ToolCallDecision(Record):
    """For `tool_call`. With `block` the model reads `reason` as the error of the call."""

    block: bool = False
    reason: str = ""
    modified_args: Mapping[str, object] | RawObject | None = None
    """The arguments that the tool receives instead; a `RawObject` keeps its text."""


class TurnStartDecision(Record):
    """For `turn_start`. With `block` the model is not called and the user reads `reason`."""

    block: bool = False
    reason: str = ""


class AssistantMessageDecision(Record):
    """For `assistant_message`. With `block` the user reads `reason` and not the text."""

    block: bool = False
    reason: str = ""
    replace_text: str = ""
    """What the user sees instead; empty keeps the text. The model still sees its own words."""


class SystemPromptDecision(Record):
    """For `before_agent_start`."""

    system_prompt: str | None = None
    """The system prompt, exactly; `""` removes it, `None` keeps it."""


class Blocked(Record):
    """The answer that blocks, for every event that can be blocked; made by `block`."""

    reason: str = ""


def block(reason: str = "") -> Blocked:
    """Refuse, from `tool_call`, `turn_start` and `assistant_message`.

    The model reads `reason` as the error of a tool call; the user reads it in place of a turn or of a message.
    """
    return Blocked(reason)


def rewrite(args: Mapping[str, object] | RawObject) -> ToolCallDecision:
    """Have a tool receive `args` in place of its arguments, from `tool_call`. The model does not see the change."""
    return ToolCallDecision(modified_args=args)


def replace(text: str) -> AssistantMessageDecision:
    """Show the user `text` in place of the message, from `assistant_message`. The model still sees its own words.

    Raises `ValueError` for an empty text, with which the protocol keeps the message: `block` hides it.
    """
    if not text:
        raise ValueError("an empty text keeps the message; hide it with block(...)")
    return AssistantMessageDecision(replace_text=text)


class Interceptor(Record):
    """A handler and what an exception in it means."""

    handler: Callable[..., object]
    blocks_on_error: bool = False


def _pending(frame: EventIntercept) -> Record:
    if frame.event == "tool_call":
        text = frame.tool_args.text if frame.tool_args else "{}"
        return PendingCall(frame.tool_id, frame.tool_name, RawObject(text).value, text)
    if frame.event == "turn_start":
        return PendingTurn(frame.step)
    if frame.event == "assistant_message":
        return PendingMessage(frame.text)
    return PendingStart(
        frame.system_prompt, frame.cwd, frame.provider, frame.model, frame.session_id, frame.agent_run_id
    )


DECISIONS: dict[str, type[Record]] = {
    "tool_call": ToolCallDecision,
    "turn_start": TurnStartDecision,
    "assistant_message": AssistantMessageDecision,
    "before_agent_start": SystemPromptDecision,
}
"""What can be intercepted, and the decision that answers it."""

_BLOCKABLE = ("tool_call", "turn_start", "assistant_message")

_REWRITES = {
    "modified_args": "tool_args",
    "replace_text": "text",
    "system_prompt": "system_prompt",
}


def intercept_frame(
    frame: EventIntercept,
    interceptors: Iterable[Interceptor],
    call: Callable[..., object],
    failed: Callable[[BaseException], None],
) -> EventInterceptResponse:
    """Ask the interceptors in order and make the one reply.

    The first block wins; each sees the rewrites of those before it. `call(handler, question)` runs a
    handler. An exception goes to `failed`; after it the event is blocked if the interceptor says so, and
    goes on as it was otherwise.
    """
    rewrites: dict[str, object] = {}
    for interceptor in interceptors:
        try:
            decision = call(interceptor.handler, _pending(frame))
            if decision is None:
                continue
            if isinstance(decision, Blocked):
                return _refusal(frame, decision)
            found = _rewrites_of(frame.event, decision)
        except BaseException as error:  # noqa: BLE001 - a foreign handler; whatever it raises has one fate
            failed(error)
            if interceptor.blocks_on_error:
                return EventInterceptResponse(frame.id, block=True, reason=f"a guard failed: {error}")
            continue
        if getattr(decision, "block", False):
            return EventInterceptResponse(frame.id, block=True, reason=getattr(decision, "reason", ""))
        for field, value in found.items():
            rewrites[field] = value
            frame = _with(frame, _REWRITES[field], value)
    return EventInterceptResponse(frame.id, **rewrites)  # type: ignore[arg-type]


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
