"""Rules about completers, renderers and the editor: their questions, and what the answers may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zot_ext.protocol.calls.screen import RENDERED
from zot_ext.protocol.events.interceptable import INTERCEPTABLE, answer_problem
from zot_ext.protocol.events.questions import (
    COMPLETE,
    EDITOR_DECORATE,
    EDITOR_KEY,
    RENDER,
    completer_problem,
    question_problem,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zot_ext.protocol.from_extension import HostCall


def questions(call: HostCall) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the questions that a host asks once a call has registered something: the event and its members."""
    params: dict[str, Any] = {} if call.params is None else call.params.value
    if call.method == "completions.register" and not completer_problem(params):
        trigger, command = params.get("trigger") or "", params.get("command") or ""
        for prefix in ("", "zot check"[:3]):
            line = f"/{command} {prefix}" if command else trigger + prefix
            yield COMPLETE, {"trigger": trigger, "command": command, "prefix": prefix, "line": line}
    elif call.method == "renderers.register" and params.get("kind") in RENDERED:
        kind, name = params["kind"], "bash" if params.get("name") == "*" else params.get("name")
        members = {"kind": kind, "name": name, "item": "item-1", "expanded": False, "text": "zot check"}
        if kind == "entry":
            members["data"] = {"zot": "check"}
        elif kind.startswith("tool"):
            members |= {"state": "ok", "args": {"command": "echo zot check"}}
        for width in (1, 80):
            yield RENDER, members | {"width": width}
    elif call.method == "editor.keys" and params.get("on"):
        members = {"text": "zot check", "cursor": 9, "mode": "", "mods": []}
        for key, typed in (("rune", "x"), ("tab", "")):
            yield EDITOR_KEY, members | {"key": key, "typed": typed}
    elif call.method == "editor.decorate" and params.get("on"):
        yield EDITOR_DECORATE, {"text": "zot check", "cursor": 9}


def registration_problem(method: str, params: Mapping[str, Any]) -> str:
    """Return what is wrong with a call that registers something for the screen; empty if nothing is."""
    return completer_problem(params) if method == "completions.register" else ""


def answer_fault(event: str, answer: Mapping[str, object]) -> str:
    """Return what is wrong with the members of an answer and their entries; empty if nothing is."""
    if problem := answer_problem(event, answer) if event in INTERCEPTABLE else question_problem(event, answer):
        return problem
    listed: Any = answer.get(_LISTS.get(event, "")) or ()
    if event == COMPLETE and not all(isinstance(each, str) or _has_text(each) for each in listed):
        return "items must be strings, or objects with text"
    if event == RENDER and not all(isinstance(each, str) or _is_line(each) for each in listed):
        return "lines must be strings, or lists of spans with text"
    if event == EDITOR_KEY and not all(isinstance(each, dict) and len(each) == 1 for each in listed):
        return "ops must be objects with one member"
    if event == EDITOR_DECORATE and not all(map(_is_range, listed)):
        return "spans must be objects with start and end"
    return ""


_LISTS = {COMPLETE: "items", RENDER: "lines", EDITOR_KEY: "ops", EDITOR_DECORATE: "spans"}


def _is_range(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), int) for name in ("start", "end"))


def _has_text(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("text"), str)


def _is_line(value: object) -> bool:
    return isinstance(value, list) and all(map(_has_text, value))
