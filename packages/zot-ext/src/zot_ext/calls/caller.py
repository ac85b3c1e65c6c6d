"""`Caller`: sends calls to the host and waits for their results."""

from __future__ import annotations

import threading
from contextvars import ContextVar

from zot_ext.errors import HostError
from zot_ext.protocol.from_extension import CancelCall, HostCall
from zot_ext.protocol.raw import RawObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import CancelRequest, HostProgress, HostResult

current_request: ContextVar[str] = ContextVar("current_request", default="")
"""The id of the request that the running handler answers; handlers of events have none."""


class _Waiting:
    """A call without a result. `done` is released when it has one."""

    __slots__ = ("done", "outcome", "progress")

    def __init__(self, progress: Callable[[str], None] | None) -> None:
        self.done = threading.Lock()
        self.done.acquire()
        self.outcome: dict[str, Any] | HostError | None = None
        self.progress = progress


class Caller:
    """The calls of one extension to its host, from any thread."""

    def __init__(self, send: Callable[[FromExtension], None]) -> None:
        self._send = send
        self._requests: dict[str, Callable[[], object]] = {}  # being answered, with what cancels their coroutine
        self._cancelled: set[str] = set()
        self._lock = threading.Lock()
        self._open: dict[str, _Waiting] = {}
        self._count = 0
        self._closed = ""

    def call(
        self, method: str, params: Mapping[str, object], progress: Callable[[str], None] | None = None
    ) -> dict[str, Any]:
        """Return the fields of the result. `progress` takes its parts as they come. Raises `HostError`.

        The call belongs to the request that the handler answers: it ends with that request.
        """
        given = {name: value for name, value in params.items() if value is not None}
        raw = RawObject.from_value(given) if given else None
        waiting = _Waiting(progress)
        with self._lock:
            if self._closed:
                raise HostError("unavailable", self._closed)
            self._count += 1
            id = f"call-{self._count}"
            self._open[id] = waiting
        try:
            self._send(HostCall(id, method, raw, current_request.get()))
            waiting.done.acquire()  # the end of the host ends it too
        except BaseException:
            self._open.pop(id, None)
            self._send(CancelCall(id))
            raise
        if isinstance(waiting.outcome, dict):
            return waiting.outcome
        raise waiting.outcome or HostError("unavailable", "the host gave no result")

    # Requests of the host

    def begin(self, request: str) -> None:
        """Note that the current thread answers a request of the host."""
        current_request.set(request)
        self._requests[request] = str

    def end(self, request: str) -> None:
        """Note that it has answered."""
        current_request.set("")
        self._requests.pop(request, None)
        self._cancelled.discard(request)

    def running(self, cancel: Callable[[], object]) -> None:
        """Note what cancels the coroutine that answers the request of the current thread."""
        if current_request.get() in self._requests:
            self._requests[current_request.get()] = cancel

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
        }

    def cancel(self, frame: CancelRequest) -> None:
        """Cancel a request that is being answered."""
        cancel = self._requests.get(frame.id)
        if cancel is not None:
            self._cancelled.add(frame.id)
            cancel()

    def answered(self, frame: HostResult) -> None:
        """Take a result."""
        fields = frame.result.value if frame.result is not None else {}
        self._settle(frame.id, HostError(frame.code, frame.error) if frame.code else fields)

    def progressed(self, frame: HostProgress) -> None:
        """Take a part of a result. What `progress` raises is lost, like the part."""
        waiting = self._open.get(frame.id)
        if waiting is not None and waiting.progress is not None:
            waiting.progress(frame.delta)

    def close(self, why: str) -> None:
        """Fail all calls, also later ones."""
        with self._lock:
            self._closed = why
        for id in list(self._open):
            self._settle(id, HostError("unavailable", why))

    def _settle(self, id: str, outcome: dict[str, Any] | HostError) -> None:
        waiting = self._open.pop(id, None)
        if waiting is not None:
            waiting.outcome = outcome
            waiting.done.release()
