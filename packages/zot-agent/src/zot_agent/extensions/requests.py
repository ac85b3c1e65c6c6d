"""`PendingRequests`: the requests to one extension that have no reply yet."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from zot_ext.protocol.errors import FrameError
from zot_provider.errors import ZotError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias, TypeVar

    from zot_agent.extensions import frames
    from zot_agent.extensions.tool_calls.running_call import RunningCall

    Reply: TypeAlias = (
        frames.CommandResponse
        | frames.ToolResult
        | frames.EventInterceptResponse
        | frames.ProviderResult
        | frames.OpResponse
    )
    RequestFrame: TypeAlias = (
        frames.CommandInvoked | frames.ToolCall | frames.EventIntercept | frames.ProviderQuestion | frames.OpRequest
    )
    R = TypeVar(
        "R",
        frames.CommandResponse,
        frames.ToolResult,
        frames.EventInterceptResponse,
        frames.ProviderResult,
        frames.OpResponse,
    )

_REMEMBERED = 64
"""The most finished requests that are remembered, each with the reason why a later reply to it is dropped."""


COMMAND_IDS = ("command-", "shortcut-")
"""The beginnings of the ids of requests that a person makes. They may change the session."""

FOREGROUND_IDS = (*COMMAND_IDS, "user_bash-")
"""The requests for which the screen may step aside: a person waits for a program."""


class ExtensionEnded(ZotError):
    """An extension has ended, perhaps during a request. `str(error)` names it and says why."""


class TimedOut(ZotError):
    """An extension did not answer in time. A later reply is dropped."""


class _Open:
    """An open request. `left` are the seconds of its time limit, which run while `timer` is set; `pauses` counts its
    open dialogs."""

    __slots__ = ("extended", "future", "kind", "left", "pauses", "seconds", "timer")

    def __init__(self, kind: type[Reply], future: asyncio.Future[Any], seconds: float) -> None:
        self.kind, self.future = kind, future
        self.seconds = self.left = seconds
        self.pauses = 0
        self.extended = False
        self.timer: asyncio.TimerHandle | None = None


class PendingRequests:
    """The open requests to the extension `name`, by id. Unexpected replies are reported to `log`.

    `ended` is called with the id of each request that has ended, and whether its reply is still owed.
    """

    def __init__(self, name: str, log: Callable[[str], None]) -> None:
        self._name = name
        self._log = log
        self.ended: list[Callable[[str, bool], None]] = []
        """Called with the id of a request that has ended, and whether its reply is still owed."""
        self._open: dict[str, _Open] = {}
        self._finished: dict[str, str] = {}
        self.owed: set[str] = set()
        """The ids of requests that nobody waits for any more and that have no reply yet."""
        self.tool_calls: dict[str, RunningCall] = {}
        """The calls of tools that run, by the ids of their requests."""

    def open(self, id: str, kind: type[R], seconds: float) -> asyncio.Future[R]:
        """Expect a reply of the class `kind`, the result of the future, within `seconds`. ValueError if the id is in
        use."""
        if id in self._open:
            raise ValueError(f"request {id!r} is open already")
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._open[id] = request = _Open(kind, future, seconds)
        self._run_timer(id, request)
        return future

    def has(self, id: str) -> bool:
        return id in self._open

    async def closed(self, id: str) -> None:
        """Wait until the request is not open any more."""
        request = self._open.get(id)
        if request is not None:
            await asyncio.wait([request.future])

    def pause(self, id: str) -> None:
        """Stop the time limit of a request: a dialog for it is open. Harmless if it is not open."""
        request = self._open.get(id)
        if request is not None:
            request.pauses += 1
            self._stop_timer(request)

    def resume(self, id: str) -> None:
        """Let the time limit run again, for what was left of it, once no dialog is open."""
        request = self._open.get(id)
        if request is not None:
            request.pauses -= 1
            self._run_timer(id, request)

    def extend(self, id: str, seconds: float) -> bool:
        """Give an open request `seconds` from now on, once; return whether it was the first time."""
        request = self._open[id]
        if request.extended:
            return False
        request.extended = True
        self._stop_timer(request)
        request.seconds = request.left = seconds
        self._run_timer(id, request)
        return True

    def _run_timer(self, id: str, request: _Open) -> None:
        if not request.pauses:
            request.timer = asyncio.get_running_loop().call_later(request.left, self.time_out, id)

    def _stop_timer(self, request: _Open) -> None:
        if request.timer is not None:
            request.left = max(request.timer.when() - asyncio.get_running_loop().time(), 0.0)
            request.timer.cancel()
            request.timer = None

    def _close(self, id: str, *, owed: bool = False) -> _Open | None:
        """End a request: it is not open any more."""
        request = self._open.pop(id, None)
        if request is not None:
            self._stop_timer(request)
            if owed:
                self.owed.add(id)
            for ended in self.ended:
                ended(id, owed)
        return request

    def resolve(self, reply: Reply) -> None:
        request = self._close(reply.id)
        if request is None:
            self.owed.discard(reply.id)
            late = self._finished.get(reply.id, "nobody asked for it")
            self._log(f"{reply.type} frame for id {reply.id!r}: {late}; dropped")
            return
        self._remember(reply.id, "there was a reply before")
        if isinstance(reply, request.kind):
            _settle(request.future, reply)
            return
        wrong = FrameError(f"is no reply to this request, {request.kind.type} is", frame=reply.type, id=reply.id)
        self._log(f"{wrong}; the request {reply.id!r} has failed")
        _settle(request.future, wrong)

    def reject(self, error: FrameError) -> None:
        """Fail the request whose reply could not be decoded, if `error.id` is the id of an open request."""
        request = self._close(error.id)
        if request is not None:
            self._remember(error.id, "there was a reply before")
            _settle(request.future, error)

    def time_out(self, id: str) -> None:
        """Fail a request that has waited for too long."""
        request = self._close(id, owed=True)
        if request is not None:
            self._remember(id, "it came after the time limit")
            _settle(request.future, TimedOut(f"extension {self._name!r} did not answer within {request.seconds:g} s"))

    def abandon(self, id: str) -> None:
        """Forget a request whose caller no longer waits. Harmless when it is finished."""
        if self._close(id, owed=True) is not None:
            self._remember(id, "nobody waits for it any more")

    def fail_all(self, why: str) -> None:
        """Fail all requests, because the extension has ended."""
        for id in list(self._open):
            request = self._close(id)
            if request is not None:
                _settle(request.future, ExtensionEnded(f"extension {self._name!r} {why}"))

    def _remember(self, id: str, why: str) -> None:
        self._finished[id] = why
        if len(self._finished) > _REMEMBERED:
            del self._finished[next(iter(self._finished))]


def _settle(future: asyncio.Future[Any], outcome: object) -> None:
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


def refused(error: FrameError) -> frames.HostResult | frames.ToolAnswer:
    """Return the answer to a call of the extension that cannot be read."""
    from zot_ext.protocol.from_host import HostResult  # noqa: PLC0415  only for a mistake
    from zot_ext.protocol.groups.tools import ToolAnswer  # noqa: PLC0415  as above
    from zot_ext.protocol.values import TextBlock  # noqa: PLC0415  as above

    if error.frame == "host_call":
        return HostResult(error.id, code=error.code, error=str(error))
    return ToolAnswer(error.id, "", (TextBlock(str(error)),), is_error=True)
