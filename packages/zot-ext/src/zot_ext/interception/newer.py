"""How the answers of interceptors of the group `intercepts2` become one: see `zot_ext.protocol.events.decisions`."""

from __future__ import annotations

from zot_ext.protocol.events.decisions import EVENTS
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.raw import RawList, RawObject, dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeVar

    from zot_ext.protocol.from_host import EventIntercept
    from zot_ext.record import Record

    D = TypeVar("D", bound=Record)

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


def asked(request: Record) -> dict[str, Any]:
    """Return the members of the question that a request is."""
    return {name: getattr(request, name) for name in request.__fields__}


def decision(cls: type[D], answer: EventInterceptResponse) -> D:
    """Return the decision that an answer holds. Its members have been checked against the row of the event."""
    given = {**answer.extra, **{name: getattr(answer, name) for name in answer.__fields__ if name in cls.__fields__}}
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
