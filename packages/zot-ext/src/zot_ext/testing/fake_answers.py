"""The answers of `FakeHost` to the calls of an extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zot_ext.errors import HostError
from zot_ext.protocol.calls import METHODS, reader, refusal
from zot_ext.protocol.fields import FieldFault
from zot_ext.protocol.from_host import HostResult
from zot_ext.protocol.groups.tools import ToolAnswer
from zot_ext.protocol.raw import RawObject
from zot_ext.protocol.values import TextBlock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from zot_ext.protocol.from_extension import HostCall
    from zot_ext.protocol.from_host import HelloAck
    from zot_ext.protocol.groups.tools import CallTool

    ToolText: TypeAlias = str | Callable[[Mapping[str, Any]], str]
    Answer: TypeAlias = Mapping[str, object] | Callable[[Mapping[str, Any]], Mapping[str, object] | None]


def tool_answer(call: CallTool, tools: Mapping[str, ToolText]) -> ToolAnswer:
    """Return the result of a tool that the extension calls."""
    found = tools.get(call.name)
    try:
        if found is None:
            raise LookupError(f"the model has no tool with the name {call.name!r}")
        text = found if isinstance(found, str) else found(call.args.value)
    except Exception as error:  # noqa: BLE001 - the function of a test
        return ToolAnswer(call.id, call.name, (TextBlock(str(error)),), is_error=True)
    return ToolAnswer(call.id, call.name, (TextBlock(text),))


def call_result(call: HostCall, answer: Answer | None, ack: HelloAck, *, in_command: bool) -> HostResult:
    """Return the result of a call, which a host with the greeting `ack` checks as zot does. `in_command`: its
    `parent_id` is that of an open command."""
    method, params = METHODS.get(call.method), {} if call.params is None else call.params.value

    def failed(code: str, error: str) -> HostResult:
        return HostResult(call.id, code=code, error=error)

    if method is None:
        return failed(*refusal(call.method))
    if method.group not in ack.capabilities:
        return failed("denied", f"{method.group!r} is not granted")
    if method.in_command and not in_command:
        return failed("denied", f"{call.method} needs the parent_id of a command")
    if call.session_id and call.session_id != ack.session_id:
        return failed("stale_session", f"the session {call.session_id} is not open")
    try:
        params = reader(call.method).read(params)
    except FieldFault as fault:
        return failed(fault.code, str(fault))
    if answer is None:
        return failed("unavailable", "this host has no answer")
    try:
        fields = answer(params) if callable(answer) else answer
    except HostError as error:
        return failed(error.code, str(error))
    return HostResult(call.id, RawObject.from_value(fields or {}))
