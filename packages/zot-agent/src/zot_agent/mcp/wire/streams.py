"""`repaired`: the streams of a transport, through which only what the package `mcp` takes arrives."""

from collections.abc import Callable
from types import TracebackType
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from zot_agent.mcp.wire.repair import Repair

OPEN = 1000
"""The most requests whose method is remembered, because some are never answered."""
CHANGES = frozenset(f"notifications/{each}/list_changed" for each in ("tools", "prompts", "resources"))


class Exchange:
    """The requests that a server has not answered yet, and how its answers are repaired."""

    def __init__(self, repair: Repair, changed: Callable[[], None]) -> None:
        """`changed` is called when the server says that a list has changed, before the answer that follows is passed
        on; the library passes it on in a task, which may run later."""
        self._repair, self._changed = repair, changed
        self._open: dict[Any, tuple[str, dict[str, Any]]] = {}

    @property
    def waits_for(self) -> str:
        """The method of the newest request without an answer; empty without such a request."""
        return next((method for method, _ in reversed(self._open.values())), "")

    def sent(self, message: Any) -> None:
        """Take note of a message to the server."""
        if isinstance(message, JSONRPCRequest):
            if len(self._open) >= OPEN:
                del self._open[next(iter(self._open))]
            self._open[str(message.id)] = message.method, message.params or {}
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._open.pop(str((message.params or {}).get("requestId")), None)

    def received(self, message: Any) -> Any:
        """Return a message of the server as the library takes it."""
        if isinstance(message, JSONRPCNotification) and message.method in CHANGES:
            self._changed()
        if not isinstance(message, JSONRPCResponse | JSONRPCError):
            return message
        if message.id is None and len(self._open) == 1:  # an error of a server that could not read the request
            message.id = next(iter(self._open))
        method, params = self._open.pop(str(message.id), ("", {}))
        if not method or isinstance(message, JSONRPCError):
            return message
        try:
            result = self._repair.result(method, params, message.result)
        except (ValueError, TypeError, RecursionError) as error:
            why = ErrorData(code=INTERNAL_ERROR, message=f"its answer cannot be read: {type(error).__name__}")
            return JSONRPCError(jsonrpc="2.0", id=message.id, error=why)
        return JSONRPCResponse(jsonrpc="2.0", id=message.id, result=result)


class _Stream:
    """A stream that ends as the one under it does."""

    def __init__(self, inner: Any, exchange: Exchange) -> None:
        self._inner, self._exchange = inner, exchange

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> "_Stream":
        return self

    async def __aexit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        await self.aclose()


class ToServer(_Stream):
    """The stream to the server."""

    async def send(self, item: SessionMessage) -> None:
        """Send a message, and take note of it."""
        self._exchange.sent(item.message)
        await self._inner.send(item)


class FromServer(_Stream):
    """The stream from the server."""

    async def receive(self) -> Any:
        """Return the next message, repaired. Raises `anyio.EndOfStream`."""
        item = await self._inner.receive()
        if isinstance(item, SessionMessage):
            item.message = self._exchange.received(item.message)
        return item

    def __aiter__(self) -> "FromServer":
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


def repaired(streams: tuple[Any, Any], exchange: Exchange) -> tuple[FromServer, ToServer]:
    """Return streams in place of a transport's."""
    incoming, outgoing = streams
    return FromServer(incoming, exchange), ToServer(outgoing, exchange)
