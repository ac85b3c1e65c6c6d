"""`OpenCalls`: the calls of one extension that have no result yet."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

from zot_agent.extensions.calls.call import CallServices, ExtensionCall
from zot_agent.extensions.requests import COMMAND_IDS
from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.failures import failure_code
from zot_agent.operations.fields import OperationFailed, checked
from zot_agent.operations.names import MODULES
from zot_agent.operations.registry import find_for_client
from zot_core.aio import cancel_soon, spawn
from zot_core.errors import error_line
from zot_ext.protocol.calls import METHODS, HostMethod, reader, refusal
from zot_ext.protocol.from_extension import CancelCall, HostCall
from zot_ext.protocol.from_host import CancelRequest, HostProgress, HostResult
from zot_ext.protocol.raw import RawObject, dump
from zot_provider.errors import ZotError

if TYPE_CHECKING:
    from zot_agent.extensions.calls.widgets import OwnWidgets
    from zot_agent.extensions.connection import Connection
    from zot_agent.operations.operation import Answer

_log = logging.getLogger("zot_agent.extensions")

_MODULES = {
    **{name: f"screen.{name}" for name in ("completions", "editor", "keys", "panels", "renderers", "theme", "widgets")},
    **{name: f"stored.{name}" for name in ("auth", "kv", "secret")},
}
"""The modules of methods, by the first word of their name or the whole of it; of others it is the first word."""

AT_END = (
    *("session.info", "session.entries", "session.entry", "control.state"),
    *("kv.get", "kv.set", "kv.delete", "kv.keys"),
)
"""The methods that are answered between `shutdown` and the end of an extension: they read, or write its own values."""


@cache
def handler(method: str) -> "Callable[[ExtensionCall], Answer | Awaitable[Answer]]":
    """Return the function for a method: `entries` of the module `session` for `session.entries`."""
    first, _, name = method.partition(".")
    module = _MODULES.get(method) or _MODULES.get(first, first)
    found: Callable[[ExtensionCall], Answer | Awaitable[Answer]] = getattr(
        import_module(f"zot_agent.extensions.calls.methods.{module}"), name
    )
    return found


class OpenCalls:
    """Carries out the calls of the extension at `connection`, side by side, and answers each exactly once.

    A call ends with the request that it belongs to (`parent_id`), and with the extension.
    """

    def __init__(self, connection: "Connection", services: Callable[[], CallServices | None]) -> None:
        """`services` returns None while the extension has no conversation."""
        self._connection, self._services = connection, services
        self._open: dict[str, asyncio.Task[None]] = {}
        self._children: dict[str, set[str]] = {}
        self._own_widgets: OwnWidgets | None = None
        connection.pending.ended.append(self._request_ended)

    def received(self, frame: HostCall | CancelCall) -> None:
        """Carry out a call, or begin to; or take one back. Harmless if that is not open."""
        if isinstance(frame, CancelCall):
            self._cancel(frame.id)
        elif self._connection.state in ("running", "stopping"):
            self._begin(frame)

    def _begin(self, frame: HostCall) -> None:
        if not frame.id or frame.id in self._open:
            # An answer would be taken for that of the other call.
            self._connection.log(f"the id {frame.id!r} of a host_call is empty or in use; the call is dropped")
            return
        try:
            answer = self._call(frame)
            if not isinstance(answer, Awaitable):
                self._answer(frame, answer)
                return
        except Exception as error:  # noqa: BLE001  the top of a call
            self._failed(frame, error)
            return
        self._open[frame.id] = spawn(self._finish(frame, answer), f"{frame.method} of {self._connection.name}")
        if frame.parent_id:
            self._children.setdefault(frame.parent_id, set()).add(frame.id)

    def _cancel(self, id: str) -> None:
        task = self._open.get(id)
        if task is not None:
            cancel_soon(task)

    def close(self) -> None:
        """Take all calls back, because the extension has ended."""
        for task in self._open.values():
            cancel_soon(task)
        if self._own_widgets is not None:
            self._own_widgets.remove()

    def _widgets(self, services: CallServices) -> "OwnWidgets":
        if self._own_widgets is None:
            from zot_agent.extensions.calls.widgets import OwnWidgets  # noqa: PLC0415  few extensions show something

            self._own_widgets = OwnWidgets(self._connection.name, services.emit)
        return self._own_widgets

    def _call(self, frame: HostCall) -> "Answer | Awaitable[Answer]":
        method, connection = METHODS.get(frame.method), self._connection
        services = self._services()
        if method is None:
            raise OperationFailed(*refusal(frame.method))
        self._check(method, frame)
        if self._connection.state == "stopping" and frame.method not in AT_END:
            raise OperationFailed("unavailable", "the extension is being ended")
        if services is None:
            raise OperationFailed("unavailable", "there is no conversation")
        if len(self._open) >= services.limits.open_calls:
            raise OperationFailed("busy", f"{len(self._open)} calls of this extension are open already")
        if frame.session_id and frame.session_id != services.conversation.runtime.state.session_id:
            raise OperationFailed("stale_session", f"the session {frame.session_id} is not open any more")
        params = {} if frame.params is None else frame.params.value
        if frame.method not in MODULES:  # an operation reads its fields itself
            params = checked(reader(frame.method).read, params)
        progress, widgets = partial(self._progress, frame), partial(self._widgets, services)
        call = ExtensionCall(frame.id, connection, services, params, frame.parent_id, progress, widgets)
        if frame.method not in MODULES:
            return handler(frame.method)(call)
        caller = OperationCaller(services.conversation, services.stored, extension=call)
        return find_for_client(frame.method).answer(caller, params)

    def _check(self, method: HostMethod, frame: HostCall) -> None:
        if method.group not in self._connection.granted:
            raise OperationFailed(
                "denied", f"{method.name} needs the group {method.group!r}, which hello.capabilities does not have"
            )
        if method.in_command and not frame.parent_id.startswith(COMMAND_IDS):
            raise OperationFailed("denied", f"{method.name} needs the parent_id of a slash command or a shortcut")
        if frame.parent_id and not self._connection.pending.has(frame.parent_id):
            raise OperationFailed("not_found", f"no request {frame.parent_id!r} is open")

    async def _finish(self, frame: HostCall, answer: "Awaitable[Answer]") -> None:
        try:
            fields = await answer
            self._forget(frame)
            self._answer(frame, fields)
        except asyncio.CancelledError:
            self._forget(frame)
            self._send(HostResult(frame.id, code="cancelled", error=f"{frame.method} was cancelled"))
        except Exception as error:  # noqa: BLE001  the top of a call
            self._forget(frame)
            self._failed(frame, error)

    def _forget(self, frame: HostCall) -> None:
        """Free the id, before the answer: the extension may use it again."""
        self._open.pop(frame.id, None)
        children = self._children.get(frame.parent_id)
        if children is not None:
            children.discard(frame.id)
            if not children:
                del self._children[frame.parent_id]

    def _request_ended(self, id: str, owed: bool) -> None:  # noqa: FBT001  the callback of `PendingRequests`
        if owed and "cancel" in self._connection.granted:
            self._send(CancelRequest(id))
        for child in self._children.pop(id, ()):
            self._cancel(child)

    # Answers

    def _answer(self, frame: HostCall, fields: "Answer") -> None:
        services = self._services()
        result: RawObject | None = None
        if fields is not None:
            result = RawObject(fields) if isinstance(fields, str) else RawObject.from_parsed(dump(fields), dict(fields))
        if result is not None and services is not None and len(result.text) > services.limits.result_bytes:
            text = f"the result of {frame.method} has {len(result.text)} characters; ask for less"
            self._send(HostResult(frame.id, code="too_large", error=text))
        else:
            self._send(HostResult(frame.id, result))

    def _progress(self, frame: HostCall, text: str) -> None:
        if frame.id in self._open:
            self._send(HostProgress(frame.id, text))

    def _failed(self, frame: HostCall, error: Exception) -> None:
        code = failure_code(error)
        if code == "failed" and not isinstance(error, ZotError):
            _log.error("the call %s failed", frame.method, exc_info=error)
        text = error_line(error) or type(error).__name__
        self._connection.log(f"{frame.method} failed: {code}: {text}")
        self._send(HostResult(frame.id, code=code, error=text))

    def _send(self, frame: HostResult | HostProgress | CancelRequest) -> None:
        self._connection.send(frame)
