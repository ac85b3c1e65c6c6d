"""The requests of a check: several for each registration of an extension."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from zot_ext.protocol.codec import encode
from zot_ext.protocol.events import BUS
from zot_ext.protocol.events.interceptable import INTERCEPTABLE
from zot_ext.protocol.events.observable import OBSERVABLE
from zot_ext.protocol.events.questions import QUESTIONS
from zot_ext.protocol.from_extension import (
    CommandResponse,
    EventInterceptResponse,
    HostCall,
    RegisterCommand,
    RegisterFlag,
    RegisterTool,
    Subscribe,
    ToolResult,
)
from zot_ext.protocol.from_host import EVENTS, TOOL_PREPARE, CommandInvoked, Event, EventIntercept, ToolCall
from zot_ext.protocol.groups.providers import ProviderEvent, ProviderStream, RegisterProvider
from zot_ext.protocol.groups.tool_ops import OpRequest, OpResponse, RegisterToolOps
from zot_ext.protocol.raw import RawList, RawObject
from zot_ext.record import Record
from zot_ext.testing.conformance.sample import sample
from zot_ext.testing.conformance.screen_rules import questions
from zot_ext.testing.conformance.session import CheckRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zot_ext.protocol.fields import CallField
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
    flags: tuple[RegisterFlag, ...]
    providers: dict[str, RegisterProvider]
    questions: tuple[tuple[str, Mapping[str, Any]], ...]
    """The questions of a host about completers and renderers: the event and its members."""
    machine: RegisterToolOps | None = None

    def entries(self) -> set[str]:
        """Return each registration as text, for comparison."""
        return {
            *(f"command {each.name!r} ({each.description})" for each in self.commands.values()),
            *(f"tool {each.name!r} ({each.description}) {each.schema.text}" for each in self.tools.values()),
            *(f"event {name!r}" for name in self.events),
            *(f"interception of {name!r}" for name in self.intercepts),
            *(f"provider {each.name!r} {each.config.text}" for each in self.providers.values()),
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
        tuple(frame for frame in frames if isinstance(frame, RegisterFlag)),
        {frame.name: frame for frame in frames if isinstance(frame, RegisterProvider)},
        tuple(each for frame in frames if isinstance(frame, HostCall) for each in questions(frame)),
        next((frame for frame in frames if isinstance(frame, RegisterToolOps)), None),
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
        if tool.prepare_args and "tools2" in session.ack.capabilities:
            yield [intercept(session, TOOL_PREPARE, name)]
    for name in (each for each in INTERCEPTABLE if each in registered.intercepts):
        yield [intercept(session, name)]
    for name, provider in registered.providers.items():
        if provider.config.value.get("stream"):
            yield [model_call(session, name, provider.config.value.get("models"))]
    if registered.machine is not None and "tool_ops" in session.ack.capabilities:
        yield [operation(session, "stat"), operation(session, "zot_check")]
    for event, members in registered.questions:
        yield [question(session, event, members)]


def carrier(session: CheckSession, asked: CheckRequest, text: str = "zot check", extra: str = "") -> CheckRequest:
    """Make a request to the same handler as `asked`, with `text` in it and with `extra` members, given as JSON.

    `asked` belongs to an earlier run. Characters are escaped only where JSON requires it.
    """
    frame = json.loads(asked.line)
    frame["id"] = session.id()
    if asked.reply is CommandResponse:
        frame["args"] = text
    elif asked.reply is ToolResult:
        frame["args"] = _with_text(frame["args"], text)
    elif frame["event"] in ("tool_call", TOOL_PREPARE):
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
    id = session.id()
    what = f"command {name!r} {'with' if args else 'without'} arguments"
    line = encode(CommandInvoked(id, name, args))
    return CheckRequest(id, what, CommandResponse, session.limits.command_seconds, line)


def call(session: CheckSession, name: str, args: dict[str, Any], how: str) -> CheckRequest:
    id = session.id()
    line = encode(ToolCall(id, name, RawObject.from_value(args)))
    return CheckRequest(id, f"tool {name!r} with {how}", ToolResult, session.limits.tool_seconds, line)


def operation(session: CheckSession, op: str) -> CheckRequest:
    """Make a request for an operation on another machine, which may fail, and must be answered."""
    id = session.id()
    return CheckRequest(id, f"operation {op!r}", OpResponse, session.limits.op_seconds, encode(OpRequest(id, op, "/")))


def model_call(session: CheckSession, name: str, models: object) -> CheckRequest:
    """Make a request that asks the first model of a provider, without a key."""
    id, model = session.id(), "check"
    if isinstance(models, list) and models and isinstance(models[0], dict):
        model = str(models[0].get("id"))
    messages = [{"role": "user", "content": [{"type": "text", "text": "zot check"}]}]
    context = RawObject.from_value({"system": "zot check", "messages": messages, "tools": []})
    line = encode(ProviderStream(id, name, model, context, RawObject("{}")))
    return CheckRequest(id, f"provider {name!r}", ProviderEvent, session.limits.stream_idle_seconds, line)


def intercept(session: CheckSession, event: str, tool: str = "bash") -> CheckRequest:
    """Make a request that asks about an event, or about the arguments of a `tool`."""
    id = session.id()
    fields: dict[str, dict[str, Any]] = {
        "tool_call": {"tool_id": "call-1", "tool_name": "bash", "tool_args": RawObject.from_value(_CALL)},
        TOOL_PREPARE: {"tool_name": tool, "tool_args": RawObject.from_value(_CALL)},
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
    row = INTERCEPTABLE[event]
    given = fields[event] if event in fields else _members(row.members)
    line = encode(EventIntercept(id, event, **EventIntercept.fields_of(given)))
    limit = getattr(session.limits, row.limit)
    return CheckRequest(id, f"interception of {event!r}", EventInterceptResponse, limit, line)


def question(session: CheckSession, event: str, members: Mapping[str, Any]) -> CheckRequest:
    """Make a request about a completer or a renderer."""
    id = session.id()
    line = encode(EventIntercept(id, event, **EventIntercept.fields_of(members)))
    what = members.get("trigger") or members.get("command") or f"{members.get('kind')} {members.get('name')}"
    return CheckRequest(
        id, f"{event} of {what!r}", EventInterceptResponse, getattr(session.limits, QUESTIONS[event].limit), line
    )


_TEXT_BLOCK = {"type": "text", "text": "zot check"}
_MESSAGE = {"id": "entry-1", "role": "user", "content": [_TEXT_BLOCK], "time": "2026-01-31T12:00:00.000Z"}
_SAMPLES: dict[str, Any] = {
    "messages": RawList.from_values([_MESSAGE]),
    "message": _MESSAGE,
    "content": [_TEXT_BLOCK],
    "payload": RawObject.from_value({"model": "check", "messages": []}),
    "tool_args": RawObject.from_value({"command": "true"}),
    "headers": {"x-check": "1"},
}
_KINDS: dict[str, Any] = {"string": "zot check", "integer": 1, "boolean": False, "array": [], "object": {}}


def _members(params: tuple[CallField, ...]) -> dict[str, Any]:
    """Make the members of an event, as a host might send them."""
    return {each.name: _SAMPLES.get(each.name, _KINDS.get(each.kind.type)) for each in params}


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
    for name in (each for each in registered.events if each.startswith(BUS)):
        message = {
            "channel": name.removeprefix(BUS).replace("*", "check"),
            "data": {"zot": "check"},
            "from": "zot-check",
        }
        yield name, encode(Event(name, extra=message))
    for name in (each for each in OBSERVABLE if each in registered.events):
        yield name, encode(Event(name, **Event.fields_of(_members(OBSERVABLE[name].members))))
