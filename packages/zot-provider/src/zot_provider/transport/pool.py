"""Connections for later requests, by origin, and an exchange on one of them."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeAlias

from zot_provider.record import Record
from zot_provider.transport.connection import BrokenConnection, HttpConnection

if TYPE_CHECKING:
    import ssl

Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host, of which the first that answers is connected to. What it raises ends the request."""


class Origin(Record):
    """Where a connection goes. With `secure` it has TLS."""

    host: str
    port: int
    secure: bool = False


class ConnectionPool:
    """Idle connections by origin, each used again within `idle_limit` seconds: after a while, routers forget
    connections without a word. With `insecure` any certificate is accepted. `resolve` takes the place of the system's
    resolver."""

    def __init__(self, *, idle_limit: float = 90.0, insecure: bool = False, resolve: Resolve | None = None) -> None:
        self._idle: dict[tuple[str, int, bool], list[tuple[HttpConnection, float]]] = {}
        self._idle_limit = idle_limit
        self._insecure = insecure
        self._resolve = resolve

    async def acquire(self, origin: Origin, limit: float) -> tuple[HttpConnection, bool]:
        """Return a connection, and whether it was used before.

        Raises OSError if it cannot connect within `limit` seconds, and ProviderError if certificates cannot be loaded.
        """
        idle = self._idle.get(_key(origin), [])
        while idle:
            connection, since = idle.pop()
            if connection.reusable and time.monotonic() - since < self._idle_limit:
                return connection, True
            connection.abort()
        context = self._context() if origin.secure else None
        try:
            async with asyncio.timeout(limit):
                return await _connect(origin, context, limit, self._resolve), False
        except TimeoutError as error:
            if error.errno:  # the time limit of the system
                raise
            raise BrokenConnection(f"no connection within {limit:g} s") from error

    def _context(self) -> "Future[ssl.SSLContext]":
        from zot_provider.transport.tls import load_context  # noqa: PLC0415  only for https

        return load_context(insecure=self._insecure)

    def release(self, origin: Origin, connection: HttpConnection) -> None:
        """Return a connection to the pool, or close it if it cannot be reused."""
        if connection.reusable:
            self._idle.setdefault(_key(origin), []).append((connection, time.monotonic()))
        else:
            connection.abort()

    def close(self) -> None:
        for connections in self._idle.values():
            for connection, _ in connections:
                connection.abort()
        self._idle.clear()


def _key(origin: Origin) -> tuple[str, int, bool]:
    return origin.host, origin.port, origin.secure


async def _connect(
    origin: Origin, context: "Future[ssl.SSLContext] | None", limit: float, resolve: Resolve | None
) -> HttpConnection:
    """Connect while the context is being loaded, then shake hands."""
    try:
        hosts = [origin.host] if resolve is None else await resolve(origin.host, origin.port)
        connection = await _connect_first(hosts, origin, limit)
    except OSError:
        if context is not None:
            await asyncio.wrap_future(context)  # certificates that cannot be loaded are the failure to report
        raise
    if context is not None:
        try:
            await connection.start_tls(await asyncio.wrap_future(context), origin.host, limit)
        except BaseException:
            connection.abort()
            raise
    return connection


async def _connect_first(hosts: Sequence[str], origin: Origin, limit: float) -> HttpConnection:
    """Connect to the first of `hosts` that answers in its share of `limit` seconds. Raises the error of the last."""
    loop = asyncio.get_running_loop()
    for left, host in zip(range(len(hosts) - 1, -1, -1), hosts, strict=True):
        try:
            async with asyncio.timeout(limit / len(hosts)):
                _, connection = await loop.create_connection(
                    lambda: HttpConnection(secure=origin.secure), host, origin.port
                )
        except OSError:
            if not left:
                raise
        else:
            return connection
    raise BrokenConnection("the host has no address")


class DirectExchange:
    """A request and its answer. The names of the headers are in lower case."""

    def __init__(self, pool: ConnectionPool, origin: Origin, read_limit: float, coalesce_seconds: float) -> None:
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self._pool = pool
        self._origin = origin
        self._read_limit = read_limit
        self._coalesce_seconds = coalesce_seconds

    async def begin(self, data: bytes, connect_limit: float) -> None:
        """Send the request and wait for the head. An idle connection that the server has closed is replaced."""
        while True:
            self._connection, reused = await self._pool.acquire(self._origin, connect_limit)
            try:
                self._connection.send(data)
                self.status, headers = await self._connection.head(self._read_limit)
            except BrokenConnection:
                self._connection.abort()
                if not reused:
                    raise
            except BaseException:
                self._connection.abort()
                raise
            else:
                self.headers = {
                    name.decode("latin-1").lower(): value.decode("utf-8", "replace") for name, value in headers
                }
                return

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it was sent. Raises OSError."""
        return self._connection.chunks(self._read_limit, self._coalesce_seconds)

    async def close(self) -> None:
        """End the exchange. If its answer was not read to the end, this closes the connection."""
        self._pool.release(self._origin, self._connection)
