"""`HttpTransport`: connections to model servers. The only module that imports httpx.

To use `httpx2`, the maintained successor of httpx with the same API, change the import line below. httpx handles
proxies (from the environment), TLS and HTTP semantics; plain http without a proxy uses `zot_provider.transport.plain`.
Every failure is raised as a `ProviderError`.
"""

import asyncio
import errno
import os
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Mapping

import httpx

from zot_provider.errors import ConfigError, ConnectError, ProtocolError, ProviderError, ResponseTimeout, StreamCut
from zot_provider.record import Record, record
from zot_provider.transport.plain import BrokenConnection, ConnectionPool, request_bytes
from zot_provider.transport.status import server_message, status_error

_PROXY_VARIABLES = ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
_ERROR_BODY = 64 * 1024
"""Most bytes of an error answer that are read; the connection is closed without reading the rest."""


@record
class HttpLimits(Record):
    """Limits of an exchange.

    `connect`: seconds to make a connection. `read`: seconds for an answer to begin, or to continue. `write`: seconds to
    send the request. `answer`: bytes of an answer above which it is refused. `coalesce_seconds`: the pause in reading
    after each piece, so that a consumer that draws 25 times a second is not woken more often.
    """

    connect: float = 15.0
    read: float = 300.0
    write: float = 60.0
    answer: int = 128 << 20
    coalesce_seconds: float = 0.0


class _PlainBody(httpx.AsyncByteStream):
    """The body of an answer over plain http. Closing it early closes the connection."""

    def __init__(self, pool: ConnectionPool, host: str, port: int, limits: HttpLimits) -> None:
        self._pool, self._host, self._port, self._limits = pool, host, port, limits

    async def begin(self, data: bytes) -> tuple[int, list[tuple[bytes, bytes]]]:
        """Send the request. Returns status and headers. An idle connection that the server has closed is replaced."""
        while True:
            self._connection, reused = await self._pool.acquire(self._host, self._port, self._limits.connect)
            try:
                self._connection.send(data)
                return await self._connection.head(self._limits.read)
            except BrokenConnection:
                self._connection.abort()
                if not reused:
                    raise
            except BaseException:
                self._connection.abort()
                raise

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._connection.chunks(self._limits.read, self._limits.coalesce_seconds)

    async def aclose(self) -> None:
        self._pool.release(self._host, self._port, self._connection)


class _PlainTransport(httpx.AsyncBaseTransport):
    """Adapter from httpx to `zot_provider.transport.plain`."""

    def __init__(self, limits: HttpLimits) -> None:
        self._pool = ConnectionPool()
        self._limits = limits

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        body = _PlainBody(self._pool, url.host, url.port or 80, self._limits)
        data = request_bytes(request.method.encode(), url.raw_path, request.headers.raw, await request.aread())
        status, headers = await body.begin(data)
        return httpx.Response(status, headers=headers, stream=body)

    async def aclose(self) -> None:
        self._pool.close()


class HttpTransport:
    """Posts JSON and streams the answer. One instance serves any number of requests concurrently."""

    def __init__(self, limits: HttpLimits | None = None, *, insecure: bool = False) -> None:
        """With `insecure` any certificate is accepted, also a forged one."""
        self._limits = limits or HttpLimits()
        self._insecure = insecure
        self._plain: httpx.AsyncClient | None = None
        self._full: httpx.AsyncClient | None = None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> AsyncGenerator[bytes, None]:
        """Post `body`, which is JSON, and yield the raw pieces of the answer.

        Raises `StatusError`, `ConnectError`, `ResponseTimeout`, `StreamCut`, or `ProtocolError` if the answer is a web
        page or plain JSON instead of an event stream.
        """
        client = await self._client(url)
        sent = {"content-type": "application/json", "accept": "text/event-stream", "accept-encoding": "identity"}
        request = client.build_request("POST", url, headers={**sent, **headers}, content=body)
        received = 0
        try:
            response = await client.send(request, stream=True)
            coalesced = None
            if self._limits.coalesce_seconds and client is self._full:
                coalesced = _coalesced(response.aiter_raw(), self._limits.coalesce_seconds)
            try:
                await self._check(response)
                async for chunk in coalesced or response.aiter_raw():
                    received += len(chunk)
                    if received > self._limits.answer:
                        raise ProtocolError(f"{location(url)} sent more than {self._limits.answer >> 20} MiB; cut off")
                    yield chunk
            finally:
                if coalesced is not None:
                    await coalesced.aclose()
                await response.aclose()
        except (httpx.HTTPError, OSError) as error:
            raise convert(error, url, answered=received > 0) from error

    async def get(self, url: str, headers: Mapping[str, str], limit: float = 10.0) -> bytes:
        """Return a document of at most 16 MiB, fetched within `limit` seconds. Raises like `post`."""
        client = await self._client(url)
        try:
            async with asyncio.timeout(limit), client.stream("GET", url, headers=dict(headers)) as response:
                body = await self._read(response, 16 << 20)
        except (httpx.HTTPError, OSError) as error:
            raise convert(error, url, answered=False) from error
        if response.status_code >= 400:
            raise status_error(response.status_code, body, response.headers, url)
        return body

    async def close(self) -> None:
        """Close all connections. Closing twice is harmless."""
        clients, self._plain, self._full = (self._plain, self._full), None, None
        for client in clients:
            if client is not None:
                await client.aclose()

    async def _client(self, url: str) -> httpx.AsyncClient:
        if url.startswith("http://") and (_is_local(url) or not any(map(os.environ.get, _PROXY_VARIABLES))):
            if self._plain is None:
                self._plain = httpx.AsyncClient(transport=_PlainTransport(self._limits), trust_env=False)
            return self._plain
        if self._full is None:
            timeout = httpx.Timeout(
                None, connect=self._limits.connect, read=self._limits.read, write=self._limits.write
            )
            try:
                # Reading the certificates takes some 30 ms: not on the event loop, and only for TLS.
                context = await asyncio.to_thread(httpx.create_ssl_context, verify=not self._insecure)
                made = httpx.AsyncClient(timeout=timeout, verify=context)
            except (OSError, ValueError, ImportError) as error:
                raise ProviderError(
                    f"cannot use a proxy or certificate file named in the environment: {one_line(str(error))}"
                ) from error
            self._full = self._full or made  # a concurrent request may have made one
        return self._full

    @staticmethod
    async def _read(response: httpx.Response, limit: int) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) >= limit:
                break
        return bytes(body[:limit])

    async def _check(self, response: httpx.Response) -> None:
        """Refuse an answer that is not a stream of events."""
        status = response.status_code
        if status >= 300:
            raise status_error(status, await self._read(response, _ERROR_BODY), response.headers, str(response.url))
        kind = response.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind in ("text/html", "application/json", "application/xhtml+xml"):
            what = "JSON" if kind == "application/json" else "a web page"
            message = server_message(await self._read(response, _ERROR_BODY))
            where = location(str(response.url))
            error = ProtocolError(
                f"{where} answered with {what}{f' ({message})' if message else ''}, not with a model's "
                "event stream; check the base URL: it must be the address of the API itself"
            )
            error.untrusted_parts = (where, message)
            raise error


async def _coalesced(pieces: AsyncIterator[bytes], seconds: float) -> AsyncGenerator[bytes, None]:
    """Yield the pieces, with a pause after each that was not immediately available.

    During the pause data stays in the kernel, since anyio reads on demand. The next read returns all of it, without a
    pause between its pieces.
    """
    loop = asyncio.get_running_loop()
    while True:
        waited: list[bool] = []
        turn = loop.call_soon(waited.append, True)  # called if the event loop runs before a piece is available
        try:
            piece = await anext(pieces)
        except StopAsyncIteration:
            return
        finally:
            turn.cancel()
        yield piece
        if waited:
            await asyncio.sleep(seconds)


def check_url(url: str) -> None:
    """Raise `ConfigError`, without a password in its text, unless `post` and `get` can use `url`."""
    scheme, separator, rest = url.rpartition("://")
    shown = (f"{scheme}://" if separator and scheme.isalnum() else "") + rest.rpartition("@")[2]
    try:
        parts = httpx.URL(url)
        parts.host.encode("idna")
    except httpx.InvalidURL as error:
        raise ConfigError(f"the base URL {shown!r} is not valid: {error}") from error
    except UnicodeError as error:
        raise ConfigError(f"the base URL {shown!r} is not valid: its host is not a possible name") from error
    if parts.scheme not in ("http", "https"):
        raise ConfigError(f"the base URL must begin with http:// or https://, got {shown!r}")
    if not parts.host or (parts.port is not None and not 0 < parts.port < 65536):
        raise ConfigError(f"the base URL {shown!r} has no valid {'port' if parts.host else 'host'}")


def _is_local(url: str) -> bool:
    """Whether the host is this machine, whose servers no proxy can reach."""
    host = httpx.URL(url).host
    return host == "localhost" or host == "::1" or host.startswith("127.")


def location(url: str) -> str:
    """Return the URL without user, password, query and fragment, as it may be shown."""
    return str(httpx.URL(url).copy_with(username=None, password=None, query=None, fragment=None))


def convert(error: Exception, url: str, *, answered: bool) -> ProviderError:
    """Return the `ProviderError` for a failure of httpx or a socket; `answered`: part of the answer had come."""
    cause = _cause(error)
    proxy = _proxy_of(url) if isinstance(error, httpx.HTTPError) and not answered else ""
    words = _system_message(cause)
    found = _classify(error, cause, location(url), proxy, words, answered=answered)
    if not _is_tls(cause):  # whose messages are quoted in part
        found.untrusted_parts = tuple(part for part in (location(url), proxy, words) if part in str(found))
    return found


def _system_message(cause: OSError) -> str:
    """Return the system's description of a failure."""
    system = "" if _is_tls(cause) or (cause.errno or 0) <= 0 else os.strerror(cause.errno or 0)
    return system or one_line(str(cause)) or type(cause).__name__


def _is_tls(cause: OSError) -> bool:
    return "ssl" in type(cause).__name__.lower()  # importing `ssl` takes too long for this


def _classify(error: Exception, cause: OSError, where: str, proxy: str, words: str, *, answered: bool) -> ProviderError:
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        if isinstance(error, httpx.ConnectTimeout):
            through = f" through the proxy {proxy}" if proxy else ""
            return ConnectError(f"no connection to {where}{through} within the time limit; is the network up?")
        return ResponseTimeout(f"{where} stopped answering; try again, or check the server")
    if answered:
        return StreamCut(f"the answer of {where} broke off in the middle ({words}); try again")
    refused = cause.errno == errno.ECONNREFUSED or f"[Errno {errno.ECONNREFUSED}]" in words
    if proxy and (refused or isinstance(cause, socket.gaierror)):
        what = "connection refused" if refused else "no such host"
        return ConnectError(f"cannot connect to the proxy {proxy} on the way to {where}: {what}; check the proxy")
    if isinstance(error, httpx.ProxyError):
        return ConnectError(f"no connection to {where} through the proxy {proxy or 'of the environment'}: {words}")
    if refused:
        return ConnectError(f"cannot connect to {where}: connection refused; is the server running there?")
    if isinstance(cause, socket.gaierror):
        return ConnectError(f"cannot find the host of {where}; check the address and the network")
    if _is_tls(cause):
        return ConnectError(f"no secure connection to {where}: {_tls_message(str(cause))}")
    return ConnectError(f"no answer from {where}: {words}", retryable=True)


def _proxy_of(url: str) -> str:
    """Return the proxy that the environment names for a URL, as it may be shown; empty without a proxy."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415  needed only after a failure

    proxies, parts = getproxies(), httpx.URL(url)
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    if not proxy or proxy_bypass(parts.host):
        return ""
    return location(proxy if "://" in proxy else f"http://{proxy}")


def one_line(text: str) -> str:
    """Return the text without its line breaks."""
    return " ".join(text.split())


def _cause(error: BaseException) -> OSError:
    """Return the error of the operating system, which is more specific than the one of httpx."""
    if isinstance(error, OSError):
        return error
    found: BaseException | None = error
    system = OSError(str(error))
    while found is not None:
        system = found if isinstance(found, OSError) else system
        found = found.__cause__ or found.__context__
    return system


def _tls_message(text: str) -> str:
    """Return OpenSSL's message without its code and line number, and advice."""
    words = text.partition("] ")[2].partition(" (_ssl")[0] or text
    if "certificate" in words:
        return f"{words} (SSL_CERT_FILE may name a file of certificates to trust)"
    return f"{words}; does the server speak http:// instead?"
