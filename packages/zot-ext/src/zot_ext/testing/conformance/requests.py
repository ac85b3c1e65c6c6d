"""The requests of a check: several for each registration of an extension."""

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
from zot_ext.testing.conformance.session import CheckRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zot_ext.testing.conformance.session import CheckSession, OutputLine

ODD = 'Grüße, 日本語, 🙂, \u2028\u2029\x85, \\n "quoted" \u202e'
"""Text with characters that careless readers mishandle: they split lines at three of them."""
LARGE = 1024 * 1024
"""Size of a large argument in bytes."""
_CALL = {"command": "echo zot check"}


class Registered(Record):
    """The registrations of an extension."""

    commands: dict[str, RegisterCommand]
    tools: dict[str, RegisterTool]
    events: tuple[str, ...]
    intercepts: tuple[str, ...]

    def entries(self) -> set[str]:
        """Return each registration as text, for comparison."""
        return {
            *(f"command {each.name!r} ({each.description})" for each in self.commands.values()),
            *(f"tool {each.name!r} ({each.description}) {each.schema.text}" for each in self.tools.values()),
            *(f"event {name!r}" for name in self.events),
            *(f"interception of {name!r}" for name in self.intercepts),
        }


def read_registered(lines: Sequence[OutputLine]) -> Registered:
    """Collect the registrations from the lines of an extension; the last registration of a name wins."""
    frames = [line.frame for line in lines]
    subscribed = [frame for frame in frames if isinstance(frame, Subscribe)]
    return Registered(
        {frame.name: frame for frame in frames if isinstance(frame, RegisterCommand)},
        {frame.name: frame for frame in frames if isinstance(frame, RegisterTool)},
        tuple(dict.fromkeys(name for each in subscribed for name in each.events)),
        tuple(dict.fromkeys(name for each in subscribed for name in each.intercept)),
    )


def requests(session: CheckSession, registered: Registered) -> Iterator[list[CheckRequest]]:
    """Yield all requests, grouped by handler, so that a group can be skipped after an unanswered request."""
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


def carrier(session: CheckSession, asked: CheckRequest, text: str = "zot check", extra: str = "") -> CheckRequest:
    """Make a request to the same handler as `asked`, with `text` in it and with `extra` members, given as JSON.

    `asked` is of an earlier run. Characters are escaped only where JSON requires it.
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
    return CheckRequest(frame["id"], asked.what, asked.reply, asked.limit, line.encode() + b"\n")


def _with_text(args: dict[str, Any], text: str) -> dict[str, Any]:
    name = next((name for name, value in args.items() if isinstance(value, str)), "zot_check_unknown")
    return {**args, name: text}


def command(session: CheckSession, name: str, args: str) -> CheckRequest:
    """Make a request that runs a command."""
    id = session.id()
    what = f"command {name!r} {'with' if args else 'without'} arguments"
    line = encode(CommandInvoked(id, name, args))
    return CheckRequest(id, what, CommandResponse, session.limits.command_seconds, line)


def call(session: CheckSession, name: str, args: dict[str, Any], how: str) -> CheckRequest:
    """Make a request that calls a tool."""
    id = session.id()
    line = encode(ToolCall(id, name, RawObject.from_value(args)))
    return CheckRequest(id, f"tool {name!r} with {how}", ToolResult, session.limits.tool_seconds, line)


def intercept(session: CheckSession, event: str) -> CheckRequest:
    """Make a request that asks about an event."""
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
    return CheckRequest(
        id, f"interception of {event!r}", EventInterceptResponse, session.limits.intercept_seconds, line
    )


def events(registered: Registered) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the frame of an event for each kind that is observed."""
    fields: dict[str, dict[str, Any]] = {
        "turn_start": {"step": 1},
        "turn_end": {"stop": "end_turn"},
        "tool_call": {"tool_id": "call-1", "tool_name": "bash", "tool_args": RawObject.from_value(_CALL)},
        "assistant_message": {"text": "zot check"},
    }
    for name in (each for each in EVENTS if each in registered.events):
        yield name, encode(Event(name, **fields.get(name, {})))
