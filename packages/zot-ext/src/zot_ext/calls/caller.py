"""`Caller`: sends calls to the host and waits for their results."""

from __future__ import annotations

import threading
from contextvars import ContextVar

from zot_ext.errors import HostError
from zot_ext.protocol.from_extension import CancelCall, HostCall
from zot_ext.protocol.groups.tools import CallTool, CallToolCancel
from zot_ext.protocol.raw import RawObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import CancelRequest, HostProgress, HostResult
    from zot_ext.protocol.groups.tools import ToolAnswer, ToolCancel

current_request: ContextVar[str] = ContextVar("current_request", default="")
"""The id of the request that the running handler answers; handlers of events have none."""

current_session: ContextVar[str] = ContextVar("current_session", default="")
"""The session that the running handler means; empty for whichever is open."""


def _nothing() -> None:
    """Cancel a plain handler, which must look at `Caller.cancelled`."""


class Calls:
    """The base of what an extension asks for in the groups of one subject: `call` sends a call with its fields, and
    returns the fields of the result. Each method raises `HostError`."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call


class _Waiting:
    """A call without a result. `arrived` is released when there are `parts` of one, or the `outcome`."""

    __slots__ = ("arrived", "outcome", "parts")

    def __init__(self) -> None:
        self.arrived = threading.Lock()
        self.arrived.acquire()
        self.parts: list[str] = []
        self.outcome: dict[str, Any] | ToolAnswer | HostError | None = None

    def wake(self) -> None:
        """Wake the thread that waits; not from two threads at once."""
        if self.arrived.locked():
            self.arrived.release()


class Caller:
    """The calls of one extension to its host, from any thread."""

    def __init__(self, send: Callable[[FromExtension], None]) -> None:
        self._send = send
        self._requests: dict[str, Callable[[], object]] = {}  # not answered yet, with what cancels their coroutine
        self._cancelled: set[str] = set()
        self._lock = threading.Lock()
        self._open: dict[str, _Waiting] = {}
        self._count = 0
        self._closed = ""

    def call(
        self, method: str, params: Mapping[str, object], progress: Callable[[str], None] | None = None
    ) -> dict[str, Any]:
        """Return the fields of the result. `progress` takes its parts as they come, in the thread of the caller. Raises
        `HostError`, and what `progress` raises.

        The call belongs to the request that the handler answers: it ends with that request. What a handler has started,
        such as a task, calls for itself once the request is answered.
        """
        given = {name: value for name, value in params.items() if value is not None}
        raw = RawObject.from_value(given) if given else None
        outcome = self._wait(
            lambda id: HostCall(id, method, raw, self._parent(), current_session.get()),
            CancelCall,
            progress,
        )
        if isinstance(outcome, dict):
            return outcome
        raise HostError("failed", "the host gave the result of a tool")

    def call_tool(self, name: str, args: RawObject, *, builtin: bool) -> ToolAnswer:
        """Call a tool and return its result. Raises `HostError` if the host ends."""
        outcome = self._wait(lambda id: CallTool(id, name, args, self._parent(), builtin), CallToolCancel)
        if isinstance(outcome, dict):
            raise HostError("failed", "the host gave the result of a call")
        return outcome

    def _wait(
        self,
        frame: Callable[[str], FromExtension],
        taken_back: type[CancelCall | CallToolCancel],
        progress: Callable[[str], None] | None = None,
    ) -> dict[str, Any] | ToolAnswer:
        """Send a frame, with a new id, and return what the host answers. Raises `HostError`."""
        waiting = _Waiting()
        with self._lock:
            if self._closed:
                raise HostError("unavailable", self._closed)
            self._count += 1
            id = f"call-{self._count}"
            self._open[id] = waiting
        try:
            self._send(frame(id))
            outcome = self._outcome(waiting, progress)
        except BaseException:
            self._open.pop(id, None)
            self._send(taken_back(id))
            raise
        if isinstance(outcome, HostError):
            raise outcome
        return outcome

    def _outcome(
        self, waiting: _Waiting, progress: Callable[[str], None] | None
    ) -> dict[str, Any] | ToolAnswer | HostError:
        """Wait for the outcome; the end of the host is one too."""
        while True:
            waiting.arrived.acquire()
            with self._lock:
                parts, waiting.parts, outcome = waiting.parts, [], waiting.outcome
            if progress is not None:
                for part in parts:
                    progress(part)
            if outcome is not None:
                return outcome

    # Requests of the host

    def _parent(self) -> str:
        request = current_request.get()
        return request if request in self._requests else ""

    def expect(self, request: str) -> None:
        """Note a request of the host, which can be cancelled from now on."""
        self._requests[request] = _nothing

    @staticmethod
    def begin(request: str) -> None:
        """Note that the current thread answers a request."""
        current_request.set(request)

    def end(self, request: str) -> None:
        """Note that it has answered."""
        current_request.set("")
        self._requests.pop(request, None)
        self._cancelled.discard(request)

    def running(self, cancel: Callable[[], object]) -> None:
        """Note what cancels the coroutine that answers the request of the current thread."""
        if current_request.get() in self._requests:
            self._requests[current_request.get()] = cancel
        if self.cancelled:
            cancel()

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the answer to the current request any more."""
        return current_request.get() in self._cancelled

    # Frames of the host

    def frame_handlers(self) -> dict[type[object], Callable[[Any], None]]:
        """Return the method for each class of frame."""
        from zot_ext.protocol import from_host  # noqa: PLC0415 - defined when the host first sends something

        return {
            from_host.HostResult: self.answered,
            from_host.HostProgress: self.progressed,
            from_host.CancelRequest: self.cancel,
            from_host.ToolCancel: self.cancel,
            from_host.ToolAnswer: lambda frame: self._settle(frame.id, frame),
        }

    def cancel(self, frame: CancelRequest | ToolCancel) -> None:
        """Cancel a request that is not answered yet."""
        if frame.id in self._requests:
            self._cancelled.add(frame.id)
            self._requests.get(frame.id, _nothing)()

    def answered(self, frame: HostResult) -> None:
        """Take a result."""
        fields = frame.result.value if frame.result is not None else {}
        self._settle(frame.id, HostError(frame.code, frame.error) if frame.code else fields)

    def progressed(self, frame: HostProgress) -> None:
        """Take a part of a result."""
        with self._lock:
            waiting = self._open.get(frame.id)
            if waiting is not None:
                waiting.parts.append(frame.delta)
                waiting.wake()

    def close(self, why: str) -> None:
        """Fail all calls, also later ones."""
        with self._lock:
            self._closed = why
        for id in list(self._open):
            self._settle(id, HostError("unavailable", why))

    def _settle(self, id: str, outcome: dict[str, Any] | ToolAnswer | HostError) -> None:
        with self._lock:
            waiting = self._open.pop(id, None)
            if waiting is not None:
                waiting.outcome = outcome
                waiting.wake()
