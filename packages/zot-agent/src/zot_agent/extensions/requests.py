"""`PendingRequests`: what one extension has been asked and has not answered yet."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import CommandResponse, EventInterceptResponse, ToolResult
from zot_provider.errors import ZotError

Reply: TypeAlias = CommandResponse | ToolResult | EventInterceptResponse
R = TypeVar("R", CommandResponse, ToolResult, EventInterceptResponse)

_REMEMBERED = 64
"""PendingRequests that are over, of which is known why a reply to them is not wanted."""


class ExtensionEnded(ZotError):
    """An extension has ended, perhaps while it was asked something. `str(error)` names it and says why."""


class TimedOut(ZotError):
    """An extension did not answer in time. A reply that comes later is dropped."""


class PendingRequests:
    """The open requests of the extension `name` by their ids, and a word to `log` about replies nobody wants."""

    def __init__(self, name: str, log: Callable[[str], None]) -> None:
        self._name = name
        self._log = log
        self._open: dict[str, tuple[type[Reply], asyncio.Future[Any]]] = {}
        self._over: dict[str, str] = {}

    def open(self, id: str, kind: type[R]) -> "asyncio.Future[R]":
        """Expect a reply of the class `kind`; it is the future's result. ValueError for an id that is in use."""
        if id in self._open:
            raise ValueError(f"request {id!r} is open already")
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._open[id] = (kind, future)
        return future

    def settle(self, reply: Reply) -> None:
        """A reply has come."""
        kind, future = self._open.pop(reply.id, (None, None))
        if kind is None or future is None:
            over = self._over.get(reply.id, "nobody asked for it")
            self._log(f"{reply.type} frame for id {reply.id!r}: {over}; dropped")
            return
        self._remember(reply.id, "there was a reply before")
        if isinstance(reply, kind):
            _tell(future, reply)
            return
        wrong = FrameError(f"is no reply to this request, {kind.type} is", frame=reply.type, id=reply.id)
        self._log(f"{wrong}; the request {reply.id!r} has failed")
        _tell(future, wrong)

    def spoil(self, error: FrameError) -> None:
        """A frame that cannot be read has come. If its id is that of a request, the request has failed."""
        _, future = self._open.pop(error.id, (None, None))
        if future is not None:
            self._remember(error.id, "there was a reply before")
            _tell(future, error)

    def time_out(self, id: str, seconds: float) -> None:
        """The request has waited long enough."""
        _, future = self._open.pop(id, (None, None))
        if future is not None:
            self._remember(id, "it came after the time limit")
            _tell(future, TimedOut(f"extension {self._name!r} did not answer within {seconds:g} s"))

    def give_up(self, id: str) -> None:
        """Nobody waits for the reply any more. Harmless when the request is over."""
        if self._open.pop(id, None) is not None:
            self._remember(id, "nobody waits for it any more")

    def fail(self, why: str) -> None:
        """The extension has ended: no request will be answered."""
        requests, self._open = self._open, {}
        for _, future in requests.values():
            _tell(future, ExtensionEnded(f"extension {self._name!r} {why}"))

    def _remember(self, id: str, why: str) -> None:
        self._over[id] = why
        if len(self._over) > _REMEMBERED:
            del self._over[next(iter(self._over))]


def _tell(future: "asyncio.Future[Any]", outcome: object) -> None:
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
