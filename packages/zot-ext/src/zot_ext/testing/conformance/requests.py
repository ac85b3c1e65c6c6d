"""What a host may ask an extension: a request for each thing that was registered, in several shapes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from zot_ext.protocol.codec import encode
from zot_ext.protocol.from_extension import (
    CommandResponse,
    EventInterceptResponse,
    RegisterCommand,
    RegisterTool,
    Subscribe,
    ToolResult,
)
from zot_ext.protocol.from_host import EVENTS, INTERCEPTS, CommandInvoked, Event, EventIntercept, ToolCall
from zot_ext.protocol.raw import RawObject
from zot_ext.record import Record
from zot_ext.testing.conformance.sample import sample
from zot_ext.testing.conformance.session import Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zot_ext.testing.conformance.session import Line, Session

ODD = 'Grüße, 日本語, 🙂, \u2028\u2029\x85, \\n "quoted" \u202e'
"""Text with characters on which careless readers trip: they cut lines at three of them."""
LARGE = 1024 * 1024
"""Bytes of a large argument."""
_CALL = {"command": "echo zot check"}


class Registered(Record):
    """What an extension has registered and can be asked."""

    commands: dict[str, RegisterCommand]
    tools: dict[str, RegisterTool]
    events: tuple[str, ...]
    intercepts: tuple[str, ...]

    def entries(self) -> set[str]:
        """Each registration as text, to be compared."""
        return {
            *(f"command {each.name!r} ({each.description})" for each in self.commands.values()),
            *(f"tool {each.name!r} ({each.description}) {each.schema.text}" for each in self.tools.values()),
            *(f"event {name!r}" for name in self.events),
            *(f"interception of {name!r}" for name in self.intercepts),
        }


def read_registered(lines: Sequence[Line]) -> Registered:
    """Gather the registrations from what was sent, the last one of a name."""
    frames = [line.frame for line in lines]
    subscribed = [frame for frame in frames if isinstance(frame, Subscribe)]
    return Registered(
        {frame.name: frame for frame in frames if isinstance(frame, RegisterCommand)},
        {frame.name: frame for frame in frames if isinstance(frame, RegisterTool)},
        tuple(dict.fromkeys(name for each in subscribed for name in each.events)),
        tuple(dict.fromkeys(name for each in subscribed for name in each.intercept)),
    )


def requests(session: Session, registered: Registered) -> Iterator[list[Request]]:
    """Every request to make, grouped by what answers it: a group can be left when the first goes unanswered."""
    for name in registered.commands:
        yield [command(session, name, ""), command(session, name, "zot check")]
    for name, tool in registered.tools.items():
        args = sample(tool.schema.value)
        args = args if isinstance(args, dict) else {}
        yield [
            call(session, name, args, "arguments of its schema"),
            call(session, name, {}, "no arguments"),
            call(session, name, {**args, "zot_check_unknown": True}, "an argument it does not have"),
        ]
    for name in (each for each in INTERCEPTS if each in registered.intercepts):
        yield [intercept(session, name)]


def carrier(session: Session, asked: Request, text: str = "zot check", extra: str = "") -> Request:
    """A request to the same handler as `asked`, of an earlier run, that carries `text` and, as JSON, `extra` members.

    What is sent is not escaped more than JSON requires.
    """
    frame = json.loads(asked.line)
    frame["id"] = session.id()
    if asked.reply is CommandResponse:
        frame["args"] = text
    elif asked.reply is ToolResult:
        frame["args"] = _with_text(frame["args"], text)
    elif frame["event"] == "tool_call":
        frame["tool_args"] = _with_text(frame["tool_args"], text)
    elif frame["event"] == "before_agent_start":
        frame["system_prompt"] = text
    else:
        frame["text"] = text
    line = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
    if extra:
        line = f"{line[:-1]},{extra}}}"
    return Request(frame["id"], asked.what, asked.reply, asked.limit, line.encode() + b"\n")


def _with_text(args: dict[str, Any], text: str) -> dict[str, Any]:
    name = next((name for name, value in args.items() if isinstance(value, str)), "zot_check_unknown")
    return {**args, name: text}


def command(session: Session, name: str, args: str) -> Request:
    """Run a command; without arguments the field is left out."""
    id = session.id()
    what = f"command {name!r} {'with' if args else 'without'} arguments"
    line = encode(CommandInvoked(id, name, args))
    return Request(id, what, CommandResponse, session.limits.command_seconds, line)


def call(session: Session, name: str, args: dict[str, Any], how: str) -> Request:
    """Call a tool."""
    id = session.id()
    line = encode(ToolCall(id, name, RawObject.from_value(args)))
    return Request(id, f"tool {name!r} with {how}", ToolResult, session.limits.tool_seconds, line)


def intercept(session: Session, event: str) -> Request:
    """Ask about an event of each kind."""
    id = session.id()
    fields: dict[str, dict[str, Any]] = {
        "tool_call": {"tool_id": "call-1", "tool_name": "bash", "tool_args": RawObject.from_value(_CALL)},
        "turn_start": {"step": 1},
        "assistant_message": {"text": "zot check"},
        "before_agent_start": {
            "session_id": "session-1",
            "agent_run_id": "run-1",
            "cwd": session.ack.cwd,
            "provider": session.ack.provider,
            "model": session.ack.model,
            "system_prompt": "zot check",
        },
    }
    line = encode(EventIntercept(id, event, **fields[event]))
    return Request(id, f"interception of {event!r}", EventInterceptResponse, session.limits.intercept_seconds, line)


def events(registered: Registered) -> Iterator[tuple[str, bytes]]:
    """An event of each kind that is observed: its name and its frame."""
    fields: dict[str, dict[str, Any]] = {
        "turn_start": {"step": 1},
        "turn_end": {"stop": "end_turn"},
        "tool_call": {"tool_id": "call-1", "tool_name": "bash", "tool_args": RawObject.from_value(_CALL)},
        "assistant_message": {"text": "zot check"},
    }
    for name in (each for each in EVENTS if each in registered.events):
        yield name, encode(Event(name, **fields.get(name, {})))
