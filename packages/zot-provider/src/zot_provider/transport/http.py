"""`HttpTransport`: requests to model servers, over http and https. Every failure is raised as a `ProviderError`."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, TypeAlias

from zot_provider.errors import ConfigError, ProtocolError
from zot_provider.record import Record
from zot_provider.transport.answer import check_stream, unpacked
from zot_provider.transport.connection import request_bytes
from zot_provider.transport.failure import connection_failure
from zot_provider.transport.pool import ConnectionPool, DirectExchange, Origin, Resolve
from zot_provider.transport.proxies import proxy_for
from zot_provider.transport.status import status_error
from zot_provider.transport.url import location, parse_url
from zot_provider.version import __version__

if TYPE_CHECKING:
    from zot_provider.transport.proxy import ProxiedExchange, ProxyClient

_Exchange: TypeAlias = "DirectExchange | ProxiedExchange"

_ERROR_BODY = 64 * 1024
"""Most bytes of an error answer that are read; the connection is closed without reading the rest."""
_DOCUMENT = 16 << 20
_REPLY = 1 << 20


class HttpLimits(Record):
    """Limits of an exchange.

    `connect`: seconds to make a connection, with its TLS handshake. `read`: seconds for an answer to begin, or to
    continue. `write`: seconds to send the request through a proxy. `idle`: seconds for which a connection without a
    request is kept for the next one. `grace`: seconds for which an answer may stay open after the model has stopped.
    `answer`: bytes of an answer above which it is refused. `coalesce_seconds`: the pause in reading after every piece,
    so that a consumer that draws 25 times a second is not woken more often; clients then join the deltas of a piece.
    """

    connect: float = 15.0
    read: float = 300.0
    write: float = 60.0
    idle: float = 90.0
    grace: float = 5.0
    answer: int = 128 << 20
    coalesce_seconds: float = 0.0


class HttpReply(Record):
    """A whole answer, whatever its status. Header names are in lower case; `body` is decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpTransport:
    """Posts JSON and streams the answer. One instance serves any number of requests concurrently."""

    def __init__(
        self, limits: HttpLimits | None = None, *, insecure: bool = False, resolve: Resolve | None = None
    ) -> None:
        """With `insecure` any certificate is accepted, also a forged one. `resolve` takes the place of the system's
        resolver for every connection that is not made by a proxy."""
        self.limits = limits or HttpLimits()
        self._insecure = insecure
        self.coalesces = self.limits.coalesce_seconds > 0
        self._pool = ConnectionPool(idle_limit=self.limits.idle, insecure=insecure, resolve=resolve)
        self._proxies: ProxyClient | None = None

    async def post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        answered: Callable[[int, Mapping[str, str]], None] | None = None,
    ) -> AsyncGenerator[bytes, None]:
        """Post `body`, which is JSON, and yield the raw pieces of the answer. `answered` is called with its status and
        its headers.

        Raises `StatusError`, `ConnectError`, `ResponseTimeout`, `StreamCut`, or `ProtocolError` if the answer is a web
        page or plain JSON instead of an event stream.
        """
        sent = {"content-type": "application/json", "accept": "text/event-stream", "accept-encoding": "identity"}
        received = 0
        try:
            exchange = await self._begin("POST", url, sent, headers, body)
            try:
                if answered is not None:
                    answered(exchange.status, exchange.headers)
                if exchange.status >= 300:
                    async with asyncio.timeout(self.limits.read):  # an error may come drop by drop
                        error_body = await _read(exchange, _ERROR_BODY)
                    raise status_error(exchange.status, error_body, exchange.headers)
                async with aclosing(unpacked(exchange.chunks(), exchange.headers)) as chunks:
                    async with asyncio.timeout(self.limits.read):  # as may what is no stream
                        head = await check_stream(chunks, exchange.headers, url, _ERROR_BODY)
                    if head:
                        received = len(head)
                        yield head
                    async for chunk in chunks:
                        received += len(chunk)
                        if received > self.limits.answer:
                            size = self.limits.answer >> 20
                            raise ProtocolError(f"{location(url)} sent more than {size} MiB; cut off")
                        yield chunk
            finally:
                await exchange.close()
        except OSError as error:
            raise connection_failure(error, url, answered=received > 0) from error

    async def get(self, url: str, headers: Mapping[str, str], limit: float = 10.0, body: bytes = b"") -> bytes:
        """Return a document of at most 16 MiB, fetched within `limit` seconds. With a `body`, which is JSON, it is the
        answer to a POST. Raises like `post`."""
        sent = {"accept": "*/*", "accept-encoding": "gzip"}
        sent |= {"content-type": "application/json"} if body else {}
        try:
            async with asyncio.timeout(limit):
                exchange = await self._begin("POST" if body else "GET", url, sent, headers, body)
                try:
                    document = await _read(exchange, _DOCUMENT)
                finally:
                    await exchange.close()
        except OSError as error:
            raise connection_failure(error, url, answered=False) from error
        if exchange.status >= 400:
            raise status_error(exchange.status, document, exchange.headers)
        return document

    async def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        limit: float = 30.0,
        size: int = _REPLY,
    ) -> HttpReply:
        """Return the answer to a request, of any status and cut at `size` bytes, that came within `limit` seconds.

        Raises `ConnectError`, `ResponseTimeout` and `StreamCut`.
        """
        try:
            async with asyncio.timeout(limit):
                exchange = await self._begin(method, url, {"accept": "*/*", "accept-encoding": "gzip"}, headers, body)
                try:
                    return HttpReply(exchange.status, exchange.headers, await _read(exchange, size))
                finally:
                    await exchange.close()
        except OSError as error:
            raise connection_failure(error, url, answered=False) from error

    async def close(self) -> None:
        """Close all connections. Closing twice is harmless."""
        self._pool.close()
        if self._proxies is not None:
            proxies, self._proxies = self._proxies, None
            await proxies.close()

    async def _begin(
        self, method: str, url: str, defaults: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> "_Exchange":
        """Send a request and return the exchange once the head of the answer has come.

        `headers` override `defaults`.
        """
        parsed, limits = parse_url(url), self.limits
        sent = {"user-agent": f"zot/{__version__}", **defaults}
        sent.update((name.lower(), value) for name, value in headers.items())
        if proxy := proxy_for(parsed):
            return await self._open_proxies().begin(method, url, sent, body, proxy)
        sent = {"host": parsed.authority, "connection": "keep-alive", **sent}
        if parsed.authorization:
            sent["authorization"] = parsed.authorization
        if body:
            sent["content-length"] = str(len(body))
        if any("\n" in value or "\r" in value for value in sent.values()):
            raise ConfigError(f"a header for {location(url)} has a line break")
        lines = [(name.encode("ascii"), value.encode("utf-8")) for name, value in sent.items()]
        origin = Origin(parsed.host, parsed.port, parsed.secure)
        exchange = DirectExchange(self._pool, origin, limits.read, limits.coalesce_seconds)
        await exchange.begin(request_bytes(method.encode(), parsed.target.encode(), lines, body), limits.connect)
        return exchange

    def _open_proxies(self) -> "ProxyClient":
        if self._proxies is None:
            from zot_provider.transport.proxy import ProxyClient  # noqa: PLC0415  httpx: takes 80 ms

            limits = self.limits
            self._proxies = ProxyClient(
                limits.connect, limits.read, limits.write, limits.idle, limits.coalesce_seconds, insecure=self._insecure
            )
        return self._proxies


async def _read(exchange: "_Exchange", limit: int) -> bytes:
    """Return the first `limit` bytes of the body, decompressed; nothing of a body that is encoded in another way."""
    try:
        unpacking = unpacked(exchange.chunks(), exchange.headers)
    except ProtocolError:
        return b""
    body = bytearray()
    async with aclosing(unpacking) as chunks:
        async for chunk in chunks:
            body += chunk
            if len(body) >= limit:
                break
    return bytes(body[:limit])
