"""`Client`: the one method through which zot talks to a model, and `HttpClient`, which does it over HTTP."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Protocol

from zot_provider.endpoint import endpoint
from zot_provider.errors import ConfigError, MissingKey, ProtocolError, ProviderError, StatusError, StreamCut
from zot_provider.request import Request
from zot_provider.stream import StreamEnd, StreamEvent
from zot_provider.transport.http import HttpTransport
from zot_provider.transport.sse import SseSplitter
from zot_provider.vendors.spec import Vendor
from zot_provider.version import __version__
from zot_provider.wire import load_wire

_LINGER = 0.2
"""Seconds a server gets to close the body after the answer's end, so that the connection can be used again."""


class Client(Protocol):
    """Something that answers requests with a stream of events.

    `stream` yields non-empty batches, one for each read from the network, so that a consumer pays for a wake-up once
    a read and not once a delta. The order of events is that of `zot_provider.stream`. Closing the iterator (or
    cancelling the task that runs it) closes the connection at once. Failures are raised as `ProviderError`.
    """

    def stream(self, request: Request) -> AsyncIterator[Sequence[StreamEvent]]:
        """Ask the model; the batches of its answer."""
        ...

    async def close(self) -> None:
        """Release connections. Closing twice is harmless."""
        ...


class HttpClient:
    """The client of one vendor: its wire, at its address, with its credential."""

    def __init__(
        self, vendor: Vendor, *, key: str = "", base_url: str = "", transport: HttpTransport | None = None
    ) -> None:
        """`base_url` is what the vendor's own SDK takes, empty for the vendor's own.

        Raises `MissingKey` if the vendor needs a key and there is none, `ConfigError` without any base URL.
        """
        if vendor.key_env and not key:
            names = " or ".join(vendor.key_env)
            raise MissingKey(f"no API key for {vendor.id}: set {names}, or pass --api-key")
        if not key.isascii() or any(character.isspace() or not character.isprintable() for character in key):
            raise ConfigError(f"the API key for {vendor.id} holds spaces or unusual characters; copy it again")
        base = base_url or vendor.base_url
        if not base:
            raise ConfigError(f"{vendor.id} has no address of its own: pass --base-url http://HOST:PORT/v1")
        if not base.startswith(("http://", "https://")):
            raise ConfigError(f"--base-url must begin with http:// or https://, got {base!r}")
        self.vendor = vendor
        self._key = key
        self._wire = load_wire(vendor.wire)
        self._url = endpoint(base, self._wire)
        self._transport = transport or HttpTransport()

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """See `Client`."""
        wire, quirks = self._wire, self.vendor.quirks
        body = json.dumps(wire.encode(request, quirks), ensure_ascii=False, separators=(",", ":"))
        headers = {"user-agent": f"zot/{__version__}", **dict(quirks.headers)}
        if self._key:
            headers |= wire.auth(self._key)
        try:
            # Text from files and tools may hold lone surrogates, which UTF-8 cannot.
            chunks = self._transport.post(self._url, headers, body.encode("utf-8", "replace"))
            async with aclosing(chunks), aclosing(self._events(chunks)) as batches:
                async for batch in batches:
                    yield batch
        except ProviderError as error:
            raise self._explained(error, request) from error.__cause__

    async def _events(self, chunks: AsyncIterator[bytes]) -> AsyncGenerator[Sequence[StreamEvent], None]:
        splitter, decoder = SseSplitter(), self._wire.decoder()
        ended = received = False
        async for chunk in chunks:
            received = True
            batch = decoder.feed(splitter.feed(chunk))
            if batch:
                ended = isinstance(batch[-1], StreamEnd)
                yield batch
            if ended:
                await _drain(chunks)
                return
        try:
            batch = decoder.finish()
        except StreamCut as error:
            if not received:
                raise ProtocolError("the server answered with an empty body; check --base-url and the model") from error
            raise
        if batch:
            yield batch

    async def models(self) -> list[str]:
        """The ids the server lists at `/v1/models`; raises `ProviderError` if it lists none."""
        url = self._url.removesuffix(self._wire.path) + ("/models" if self._wire.version_in_base else "/v1/models")
        headers = self._wire.auth(self._key) if self._key else {}
        listed = await self._transport.get(url, headers | dict(self.vendor.quirks.headers))
        try:
            ids = [str(entry["id"]) for entry in json.loads(listed)["data"]]
        except (ValueError, LookupError, TypeError) as error:
            raise ProtocolError(f"{self.vendor.id}: {url} is no list of models; check --base-url") from error
        if not ids:
            raise ProtocolError(f"{self.vendor.id}: the server at {url} has no model loaded")
        return ids

    async def close(self) -> None:
        """See `Client`."""
        await self._transport.close()

    def _explained(self, error: ProviderError, request: Request) -> ProviderError:
        """The same error with what to do next, and never with the key in it."""
        text = str(error)
        if isinstance(error, StatusError):
            text += self._advice(error, request)
        if self._key and len(self._key) >= 4:
            text = text.replace(self._key, "***")
        error.args = (f"{self.vendor.id}: {text}",)
        return error

    def _advice(self, error: StatusError, request: Request) -> str:
        if error.auth:
            source = " or ".join(self.vendor.key_env) or "--api-key"
            return f"; check the API key ({source})"
        if error.status == 404:
            advice = f"; asked {self._url} for model {request.model.id!r}"
            if self._wire.version_in_base and "/v1" not in self._url:
                advice += "; a base URL of this kind usually ends in /v1"
            return advice
        if error.status == 429:
            return f"; try again in {error.retry_after:g} s" if error.retry_after else "; try again later"
        return "; try again" if error.retryable else ""


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read what follows the end of an answer, for a moment: a connection whose body was read can be used again."""
    try:
        async with asyncio.timeout(_LINGER):
            async for _ in chunks:
                pass
    except (TimeoutError, ProviderError):
        return
