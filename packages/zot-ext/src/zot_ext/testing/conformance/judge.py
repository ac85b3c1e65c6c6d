"""Rules about the lines that an extension wrote, and rules about its replies."""

from __future__ import annotations

import binascii
import json
from typing import TYPE_CHECKING

from zot_ext.protocol.calls import METHODS, reader, refusal
from zot_ext.protocol.events import BUS, EVENTS, INTERCEPTS, channel_problem
from zot_ext.protocol.events.interceptable import INTERCEPTABLE
from zot_ext.protocol.events.observable import OBSERVABLE
from zot_ext.protocol.frame import Unknown
from zot_ext.protocol.from_extension import (
    ACTIONS,
    LEVELS,
    CommandResponse,
    EventInterceptResponse,
    Hello,
    HostCall,
    Notify,
    OpenPanel,
    PanelDraw,
    PanelKeyResult,
    RegisterCommand,
    RegisterFlag,
    RegisterTool,
    Submit,
    Subscribe,
    ToolResult,
)
from zot_ext.protocol.groups.providers import STOPS, ProviderEvent, RegisterProvider
from zot_ext.protocol.groups.tool_ops import RegisterToolOps, machine_problem
from zot_ext.protocol.groups.tools import UnregisterTool
from zot_ext.protocol.values import ImageBlock, TextBlock
from zot_ext.registrations import command_name, tool_name
from zot_ext.testing.conformance.findings import finding
from zot_ext.testing.conformance.screen_rules import answer_fault, registration_problem
from zot_ext.testing.conformance.session import REPLIES
from zot_ext.testing.conformance.tool_rules import TOOL_GROUPS, judge_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zot_ext.testing.conformance.findings import CheckFinding
    from zot_ext.testing.conformance.session import CheckRequest, CheckSession, OutputLine

GRANTED_FRAMES: dict[type, str] = {
    Submit: "submit",
    OpenPanel: "panels",
    PanelDraw: "panels2",
    PanelKeyResult: "panels2",
    RegisterFlag: "flags",
    **TOOL_GROUPS,
}
"""The group that a frame needs."""
TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
_OTHER_RULES = {"id", "name", "schema", "content"}  # another rule covers the absence of these fields
_CHANGES = {
    "tool_call": "modified_args",
    "assistant_message": "replace_text",
    "before_agent_start": "system_prompt",
    "context": "messages",
    "before_provider_request": "payload",
}


def judge_lines(session: CheckSession) -> Iterator[CheckFinding]:
    """Yield findings about each line that a program wrote, in order."""
    names: set[str] = set()
    for number, line in enumerate(session.lines):
        if line.frame is None or not _is_utf8(line.raw):
            yield _unreadable(line)
            continue
        yield from _missing(line)
        frame = line.frame
        if isinstance(frame, Unknown):
            yield finding("unknown-frame", f"no frame {frame.type!r} in protocol version 1", line.raw)
        elif isinstance(frame, Hello) and number:
            yield finding("second-hello", "hello was sent again", line.raw)
        elif group := GRANTED_FRAMES.get(type(frame), ""):
            yield from _granted(frame.type, group, session, line)
            names.discard(f"tool {frame.name}" if isinstance(frame, UnregisterTool) else "")
        elif isinstance(frame, (RegisterCommand, RegisterTool, RegisterProvider, RegisterToolOps)):
            kind = frame.type.removeprefix("register_")
            if f"{kind} {frame.name}" in names:
                yield finding("registered-twice", f"{kind} {frame.name!r} was registered again", line.raw)
            names.add(f"{kind} {frame.name}")
            yield from _registration(frame, line)
        elif isinstance(frame, Subscribe):
            yield from _subscription(frame, session, line)
        elif isinstance(frame, Notify) and frame.level not in (*LEVELS, "warning", ""):
            yield finding("unknown-level", f"a note of level {frame.level!r}; {', '.join(LEVELS)} exist", line.raw)
        elif isinstance(frame, CommandResponse):
            yield from _action(frame, line)
        elif isinstance(frame, ToolResult):
            yield from _content(frame, line)
    yield from _calls(session)
    yield from judge_tools(session)
    yield from _answers(session)


def _granted(type: str, group: str, session: CheckSession, line: OutputLine) -> Iterator[CheckFinding]:
    if group not in session.ack.capabilities:
        text = f"{type} was sent to a host that does not grant {group!r} in hello_ack.capabilities"
        yield finding("not-granted", text, line.raw)


def _answers(session: CheckSession) -> Iterator[CheckFinding]:
    """Judge the events of answers."""
    ended: set[str] = set()
    for line in session.lines:
        frame = line.frame
        if not isinstance(frame, ProviderEvent):
            continue
        if "providers" not in session.ack.capabilities:
            text = "provider_event was sent to a host that does not grant 'providers' in hello_ack.capabilities"
            yield finding("not-granted", text, line.raw)
        elif frame.id in ended:
            yield finding("bad-provider-event", f"{frame.event!r} came after the end of the answer", line.raw)
        elif frame.event == "done" and frame.stop not in ("", *STOPS):
            text = f"the answer stopped because of {frame.stop!r}; {', '.join(STOPS)} exist"
            yield finding("bad-provider-event", text, line.raw)
        elif frame.event == "tool_start" and not (frame.call_id and frame.name):
            yield finding("bad-provider-event", "tool_start needs call_id and name", line.raw)
        if frame.event in ("done", "error"):
            ended.add(frame.id)


def judge_replies(session: CheckSession, *, died: bool) -> Iterator[CheckFinding]:
    """Yield findings about requests that were not answered once, in time, with the right frame.

    A program that `died` is not blamed for missing replies.
    """
    asked = {request.id: request for request in session.requests}
    answered: set[str] = set()
    for line in session.lines:
        if not isinstance(line.frame, REPLIES) or not line.is_reply:
            continue
        request = asked.get(line.frame.id)
        if request is None:
            what = f"the id {line.frame.id!r}, which was never asked" if line.frame.id else "no id"
            yield finding("unknown-id", f"{line.frame.type} with {what}", line.raw)
            continue
        if request.id in answered:
            yield finding("double-reply", f"{request.what} was answered more than once", line.raw)
        elif not isinstance(line.frame, request.reply):
            text = f"{request.what} was answered with {line.frame.type} in place of {request.reply.type}"
            yield finding("wrong-reply", text, line.raw)
        elif line.at - request.sent_at > request.limit:
            text = f"{request.what} was answered after more than the {request.limit:g} s that a host waits"
            yield finding("late-reply", text, line.raw)
        if isinstance(line.frame, EventInterceptResponse):
            yield from _decision(line.frame, request, line)
        answered.add(request.id)
    answered |= {line.answers for line in session.lines}
    if not died:
        for request in session.requests:
            if request.id not in answered:
                yield finding("no-reply", f"{request.what} was not answered within {request.limit:g} s", request.line)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _unreadable(line: OutputLine) -> CheckFinding:
    if line.oversized:
        return finding("oversized-frame", "a line of more than 4 MiB; hosts drop it", line.raw)
    if not line.raw.lstrip().startswith(b"{"):
        return finding("stdout-noise", "a line on standard output is not a frame; log to standard error", line.raw)
    if line.error is None:
        return finding("not-utf8", "the bytes of a frame are not UTF-8", line.raw)
    rule = "wrong-field-type" if line.error.frame else "malformed-frame"
    return finding(rule, str(line.error), line.raw)


def _missing(line: OutputLine) -> Iterator[CheckFinding]:
    if isinstance(line.frame, (Unknown, type(None))):
        return
    there = json.loads(line.raw)
    for field in line.frame.__fields__:
        needed = field not in line.frame.__defaults__ and field not in _OTHER_RULES
        if needed and there.get(field) is None:
            yield finding("missing-field", f"{line.frame.type} frame: field {field!r} is missing", line.raw)


def _registration(
    frame: RegisterCommand | RegisterTool | RegisterProvider | RegisterToolOps, line: OutputLine
) -> Iterator[CheckFinding]:
    if isinstance(frame, RegisterToolOps):
        if problem := machine_problem(frame):
            yield finding("bad-machine", problem, line.raw)
        return
    if isinstance(frame, RegisterProvider):
        return  # only a host knows what its description may say
    try:
        if isinstance(frame, RegisterCommand):
            command_name(frame.name)
        else:
            tool_name(frame.name)
    except ValueError as error:
        yield finding(f"bad-{'command' if isinstance(frame, RegisterCommand) else 'tool'}-name", str(error), line.raw)
    if isinstance(frame, RegisterTool):
        wrong = _schema_fault(frame.schema.value, "schema", top=True)
        if wrong:
            yield finding("bad-tool-schema", f"tool {frame.name!r}: {wrong}", line.raw)


def _schema_fault(schema: object, path: str, *, top: bool = False) -> str:
    """Say what is wrong with a JSON Schema; `""` if it has no fault that providers are known to refuse."""
    if not isinstance(schema, dict):
        return "" if isinstance(schema, bool) and not top else f"{path} must be an object"
    kind = schema.get("type")
    if top and kind != "object":
        return f"{path}.type must be 'object', not {kind!r}"
    for each in kind if isinstance(kind, list) else [kind]:
        if each is not None and each not in TYPES:
            return f"{path}.type must be one of {', '.join(TYPES)}, not {each!r}"
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict):
        return f"{path}.properties must be an object"
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return f"{path}.required must be a list of names"
    for name, inner in properties.items():
        if wrong := _schema_fault(inner, f"{path}.properties.{name}"):
            return wrong
    return _schema_fault(schema["items"], f"{path}.items") if isinstance(schema.get("items"), dict) else ""


def _subscription(frame: Subscribe, session: CheckSession, line: OutputLine) -> Iterator[CheckFinding]:
    for name in frame.events:
        if name.startswith(BUS):
            if problem := channel_problem(name.removeprefix(BUS), pattern=True):
                yield finding("bad-channel", f"event {name!r}: a pattern of channels {problem}", line.raw)
        elif name not in EVENTS and name not in OBSERVABLE:
            yield finding("unknown-event", f"event {name!r} is not in protocol version 1", line.raw)
        elif name in OBSERVABLE:
            yield from _group(f"to observe {name}", OBSERVABLE[name].group, session, line)
    for name in frame.intercept:
        if name not in INTERCEPTABLE:
            text = f"{name!r} cannot be intercepted; {', '.join(INTERCEPTABLE)} can"
            yield finding("unknown-intercept", text, line.raw)
        elif name not in INTERCEPTS:
            yield from _group(f"to intercept {name}", INTERCEPTABLE[name].group, session, line)


def _group(what: str, group: str, session: CheckSession, line: OutputLine) -> Iterator[CheckFinding]:
    hello = next((each.frame for each in session.lines if isinstance(each.frame, Hello)), None)
    if hello is not None and group not in hello.capabilities:
        yield finding("not-asked-for", f"{what} needs {group!r} in hello.capabilities", line.raw)


def _calls(session: CheckSession) -> Iterator[CheckFinding]:
    ids = {""}
    for line in session.lines:
        if isinstance(line.frame, HostCall):
            yield from _call(line.frame, session, line)
            if line.frame.id in ids:
                text = f"the id {line.frame.id!r} of a call is empty, or was used before"
                yield finding("bad-call-id", text, line.raw)
            ids.add(line.frame.id)


def _call(frame: HostCall, session: CheckSession, line: OutputLine) -> Iterator[CheckFinding]:
    method, params = METHODS.get(frame.method), {} if frame.params is None else frame.params.value
    if method is None:
        yield finding("unknown-method", refusal(frame.method)[1], line.raw)
    elif method.group not in session.ack.capabilities:
        text = f"{frame.method} was called, and the host did not grant {method.group!r} in hello_ack.capabilities"
        yield finding("not-granted", text, line.raw)
    elif problem := reader(frame.method).problem(params) or registration_problem(frame.method, params):
        yield finding("bad-params", f"{frame.method}: {problem}", line.raw)
    elif frame.method == "bus.emit" and frame.params is not None:
        channel = str(frame.params.value["channel"])
        if problem := channel_problem(channel):
            yield finding("bad-channel", f"channel {channel!r} {problem}", line.raw)
    elif method.in_command and not any(
        request.id == frame.parent_id and request.reply is CommandResponse for request in session.requests
    ):
        text = f"{frame.method} was called, and its parent_id {frame.parent_id!r} is no command"
        yield finding("not-in-command", text, line.raw)


def _action(frame: CommandResponse, line: OutputLine) -> Iterator[CheckFinding]:
    if frame.error or not frame.action:
        return
    if frame.action not in ACTIONS:
        text = f"a command answered with action {frame.action!r}; {', '.join(ACTIONS)} exist"
        yield finding("unknown-action", text, line.raw)
    elif frame.action == "open_panel":
        if frame.open_panel is None or not frame.open_panel.id:
            yield finding("incomplete-action", "action 'open_panel' without a panel that has an id", line.raw)
    elif frame.action != "noop" and not getattr(frame, frame.action):
        yield finding("incomplete-action", f"action {frame.action!r} without text in {frame.action!r}", line.raw)


def _content(frame: ToolResult, line: OutputLine) -> Iterator[CheckFinding]:
    if not frame.content:
        yield finding("empty-content", "the result of a tool has no content; the model learns nothing", line.raw)
    for block in frame.content:
        if isinstance(block, ImageBlock):
            try:
                data = binascii.a2b_base64(block.data, strict_mode=True)
            except (binascii.Error, ValueError):
                data = b""
            if not data or not block.mime_type.startswith("image/"):
                text = "an image needs a mime_type of an image and data in base64"
                yield finding("bad-content", text, line.raw)
        elif not isinstance(block, TextBlock):
            yield finding("bad-content", f"a content block of type {block.type!r}; text and image exist", line.raw)


def _decision(frame: EventInterceptResponse, request: CheckRequest, line: OutputLine) -> Iterator[CheckFinding]:
    event = str(json.loads(request.line).get("event"))
    if problem := answer_fault(event, frame.extra):
        yield finding("bad-answer", f"{request.what}: {problem}", line.raw)
    if frame.block and event == "before_agent_start":
        yield finding("misplaced-field", f"{request.what}: it cannot be blocked", line.raw)
    event = "tool_call" if event == "tool_prepare" else event
    for changed, field in _CHANGES.items():
        if changed != event and getattr(frame, field) not in (None, ""):
            yield finding("misplaced-field", f"{request.what}: {field!r} belongs to {changed!r}", line.raw)
