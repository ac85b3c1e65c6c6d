"""The events that an extension can intercept: each with its group, its members and what the answer can change, as data.

Documentation, the SDK, `zot ext check` and the checks of the host read this table. To add one: its request and
decision in `decisions`, and a row in the table of the host,
`zot_agent/extensions/hooks/intercepts.py`.
"""

from __future__ import annotations

from zot_ext.protocol.events.decisions import EVENTS
from zot_ext.protocol.events.row import MODEL, STEP, TOOL, EventRow
from zot_ext.protocol.fields import CallField, FieldReader, param

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from zot_ext.record import Record


class InterceptableEvent(EventRow):
    """An event that is asked about, with the members of the question and of the answer.

    `blockable`: the answer `block` refuses it. `limit` is the field of `ExtensionLimits` with the time for an answer.
    """

    answer: tuple[CallField, ...] = ()
    blockable: bool = True
    limit: str = "intercept_seconds"


_ARGS = param("tool_args", "object", "its arguments")

_LIMITS = {
    **dict.fromkeys(("context", "before_provider_request"), "context_seconds"),
    **dict.fromkeys(("session_before_compact", "session_before_tree"), "summary_seconds"),
}
_KINDS = {"str": "message", "bool": "flag", "int": "whole", "list": "list", "Sequence": "list"}


def _params(cls: type[Record]) -> tuple[CallField, ...]:
    """Return the fields of a request or a decision as members; their words are lines of its docstring."""
    words = dict(line.strip().split(": ", 1) for line in (cls.__doc__ or "").splitlines()[1:] if ": " in line)
    return tuple(
        param(name, _KINDS.get(kind.partition("[")[0].removesuffix(" | None"), "object"), words.get(name, ""))
        for name, kind in cls.__fields__.items()
        if cls.__fields__.get("block") is None or name not in ("block", "reason")
    )


def _newer(name: str) -> InterceptableEvent:
    """Return the row of an event of the group `intercepts2`."""
    asked, decision = EVENTS[name]
    doc = " ".join((asked.__doc__ or "").partition("\n\n")[0].split())
    limit = _LIMITS.get(name, "intercept_seconds")
    return InterceptableEvent(name, "intercepts2", doc, _params(asked), _params(decision), limit=limit)


INTERCEPTABLE: Mapping[str, InterceptableEvent] = {
    row.name: row
    for row in (
        InterceptableEvent(
            "tool_call",
            "events",
            "A tool is about to run.",
            (*TOOL, _ARGS),
            (
                param("modified_args", "object", "the arguments for the tool"),
                param("terminate", "flag", "the model need not answer the result, if all of its batch say so"),
            ),
        ),
        InterceptableEvent(
            "turn_start",
            "events",
            "A model is about to be called.",
            (STEP,),
        ),
        InterceptableEvent(
            "assistant_message",
            "events",
            "A text of the model is about to be shown.",
            (param("text", "text", "the text"),),
            (param("replace_text", "message", "what the user sees; the model keeps its own words"),),
        ),
        InterceptableEvent(
            "before_agent_start",
            "events",
            "The agent is about to begin. With the group `intercepts2` also `prompt` and `message`.",
            (
                param("session_id", "text", "the session"),
                param("agent_run_id", "text", "the run"),
                param("cwd", "text", "the directory of the project"),
                *MODEL,
                param("system_prompt", "text", "the system prompt"),
                param("prompt", "text", "what the user wrote"),
            ),
            (
                param("system_prompt", "message", "the system prompt, exactly; empty removes it"),
                param(
                    "message",
                    "object",
                    "a message before the answer: `content`, and `display`: false hides it; "
                    "`custom_type` and `details` as in `messages.send`",
                ),
            ),
            blockable=False,
        ),
        *map(_newer, EVENTS),
    )
}
"""The events by name, every host's first."""


def answer_problem(event: str, answer: Mapping[str, object]) -> str:
    """Return what is wrong with the members of an answer, one line; empty if nothing is. Unknown ones are ignored."""
    return FieldReader("", INTERCEPTABLE[event].answer).problem(answer)
