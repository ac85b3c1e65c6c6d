"""Requests through proxies. The only module that imports httpx.

To use `httpx2`, the maintained successor of httpx with the same API, change the import line below.
"""

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing

import httpx

from zot_provider.errors import ConfigError, ConnectError, ProviderError, ResponseTimeout
from zot_provider.transport.failure import connection_failure, is_refusal, is_tls_failure, system_message
from zot_provider.transport.tls import load_context
from zot_provider.transport.url import location


class ProxiedExchange:
    """A request and its answer. The names of the headers are in lower case."""

    def __init__(self, response: httpx.Response, proxy: str, coalesce_seconds: float) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self._response, self._proxy = response, proxy
        self._coalesce_seconds = coalesce_seconds

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it was sent. Raises ProviderError."""
        answered = False
        pieces = self._response.aiter_raw()
        coalesced = _coalesced(pieces, self._coalesce_seconds)
        try:
            async with aclosing(coalesced):
                async for piece in coalesced:
                    answered = True
                    yield piece
        except (httpx.HTTPError, OSError) as error:
            raise _convert(error, str(self._response.url), self._proxy, answered=answered) from error

    async def close(self) -> None:
        """End the exchange. If its answer was not read to the end, this closes the connection."""
        await self._response.aclose()


class ProxyClient:
    """Sends requests through proxies, one pool of connections for each."""

    def __init__(
        self, connect: float, read: float, write: float, idle: float, coalesce_seconds: float, *, insecure: bool
    ) -> None:
        """The fields of `HttpLimits` with these names, in seconds."""
        self._limits = httpx.Limits(keepalive_expiry=idle)
        self._timeouts = httpx.Timeout(None, connect=connect, read=read, write=write)
        self._head_limit = connect + write + read
        self._coalesce_seconds = coalesce_seconds
        self._insecure = insecure
        self._clients: dict[str, httpx.AsyncClient] = {}

    async def begin(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, proxy: str
    ) -> ProxiedExchange:
        """Send a request through `proxy` and return the exchange once the head of the answer has come. Raises
        ProviderError, and ConfigError for a proxy that needs a package which is not there."""
        client = await self._open(proxy)
        request = client.build_request(method, url, headers=headers, content=body or None)
        try:
            async with asyncio.timeout(self._head_limit):  # the limits of httpx start again with each interim answer
                response = await client.send(request, stream=True)
        except (httpx.HTTPError, OSError) as error:
            raise _convert(error, url, proxy, answered=False) from error
        return ProxiedExchange(response, proxy, self._coalesce_seconds)

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.aclose()

    async def _open(self, proxy: str) -> httpx.AsyncClient:
        if proxy not in self._clients:
            context = await asyncio.wrap_future(load_context(insecure=self._insecure))
            try:
                made = httpx.AsyncClient(
                    timeout=self._timeouts, limits=self._limits, verify=context, proxy=proxy, trust_env=False
                )
            except ImportError:
                raise ConfigError(
                    f"the proxy {location(proxy)} speaks SOCKS, for which a package is missing: install zot with the "
                    "extra socks (uv tool install 'zot-agent[socks]', pipx inject zot-agent socksio)"
                ) from None
            except (OSError, ValueError) as error:
                raise ProviderError(
                    f"cannot use a proxy or certificate file named in the environment: {' '.join(str(error).split())}"
                ) from error
            self._clients.setdefault(proxy, made)  # a concurrent request may have made one
        return self._clients[proxy]


async def _coalesced(pieces: AsyncIterator[bytes], seconds: float) -> AsyncGenerator[bytes, None]:
    """Yield the pieces, with a pause after every that was not immediately available.

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
        if waited and seconds:
            await asyncio.sleep(seconds)


def _convert(error: Exception, url: str, through: str, *, answered: bool) -> ProviderError:
    """Return the `ProviderError` for a failure of httpx; `answered`: part of the answer had come."""
    cause = _cause(error)
    where, words = location(url), system_message(cause)
    proxy = "" if answered else location(through)
    found = _proxy_failure(error, cause, where, proxy, words)
    if found is None:
        return connection_failure(cause, url, answered=answered)
    if not is_tls_failure(cause):
        found.untrusted_parts = tuple(part for part in (where, proxy, words) if part in str(found))
    return found


def _proxy_failure(error: Exception, cause: OSError, where: str, proxy: str, words: str) -> ProviderError | None:
    """Return the error for a timeout of httpx or a failure at the proxy; None for other failures."""
    if isinstance(error, httpx.ConnectTimeout):
        through = f" through the proxy {proxy}" if proxy else ""
        return ConnectError(f"no connection to {where}{through} within the time limit; is the network up?")
    if isinstance(error, httpx.TimeoutException):
        return ResponseTimeout(f"{where} stopped answering; try again, or check the server")
    if proxy and (is_refusal(cause) or isinstance(cause, socket.gaierror)):
        what = "connection refused" if is_refusal(cause) else "no such host"
        return ConnectError(f"cannot connect to the proxy {proxy} on the way to {where}: {what}; check the proxy")
    if isinstance(error, httpx.ProxyError):
        return ConnectError(f"no connection to {where} through the proxy {proxy or 'of the environment'}: {words}")
    return None


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
