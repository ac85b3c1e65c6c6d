"""`PendingRequests`: the requests to one extension that have no reply yet."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import CommandResponse, EventInterceptResponse, ToolResult
from zot_provider.errors import ZotError

Reply: TypeAlias = CommandResponse | ToolResult | EventInterceptResponse
R = TypeVar("R", CommandResponse, ToolResult, EventInterceptResponse)

_REMEMBERED = 64
"""The most finished requests that are remembered, each with the reason why a later reply to it is dropped."""


class ExtensionEnded(ZotError):
    """An extension has ended, perhaps during a request. `str(error)` names it and says why."""


class TimedOut(ZotError):
    """An extension did not answer in time. A later reply is dropped."""


class PendingRequests:
    """The open requests to the extension `name`, by id. Unexpected replies are reported to `log`."""

    def __init__(self, name: str, log: Callable[[str], None]) -> None:
        self._name = name
        self._log = log
        self._open: dict[str, tuple[type[Reply], asyncio.Future[Any]]] = {}
        self._finished: dict[str, str] = {}
        self.owed: set[str] = set()
        """The ids of requests that nobody waits for any more and that have no reply yet."""

    def open(self, id: str, kind: type[R]) -> "asyncio.Future[R]":
        """Expect a reply of the class `kind`, the result of the future. ValueError if the id is in use."""
        if id in self._open:
            raise ValueError(f"request {id!r} is open already")
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._open[id] = (kind, future)
        return future

    def resolve(self, reply: Reply) -> None:
        """Pass a reply to its request."""
        kind, future = self._open.pop(reply.id, (None, None))
        if kind is None or future is None:
            self.owed.discard(reply.id)
            late = self._finished.get(reply.id, "nobody asked for it")
            self._log(f"{reply.type} frame for id {reply.id!r}: {late}; dropped")
            return
        self._remember(reply.id, "there was a reply before")
        if isinstance(reply, kind):
            _settle(future, reply)
            return
        wrong = FrameError(f"is no reply to this request, {kind.type} is", frame=reply.type, id=reply.id)
        self._log(f"{wrong}; the request {reply.id!r} has failed")
        _settle(future, wrong)

    def reject(self, error: FrameError) -> None:
        """Fail the request whose reply could not be decoded, if `error.id` is the id of an open request."""
        _, future = self._open.pop(error.id, (None, None))
        if future is not None:
            self._remember(error.id, "there was a reply before")
            _settle(future, error)

    def time_out(self, id: str, seconds: float) -> None:
        """Fail a request that has waited for too long."""
        _, future = self._open.pop(id, (None, None))
        if future is not None:
            self.owed.add(id)
            self._remember(id, "it came after the time limit")
            _settle(future, TimedOut(f"extension {self._name!r} did not answer within {seconds:g} s"))

    def abandon(self, id: str) -> None:
        """Forget a request whose caller no longer waits. Harmless when it is finished."""
        if self._open.pop(id, None) is not None:
            self.owed.add(id)
            self._remember(id, "nobody waits for it any more")

    def fail_all(self, why: str) -> None:
        """Fail all requests, because the extension has ended."""
        requests, self._open = self._open, {}
        for _, future in requests.values():
            _settle(future, ExtensionEnded(f"extension {self._name!r} {why}"))

    def _remember(self, id: str, why: str) -> None:
        self._finished[id] = why
        if len(self._finished) > _REMEMBERED:
            del self._finished[next(iter(self._finished))]


def _settle(future: "asyncio.Future[Any]", outcome: object) -> None:
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
