"""`Client`: the one method through which zot talks to a model, and `HttpClient`, which does it over HTTP."""

import asyncio
import json
import logging
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol

from zot_provider.body import BodyWriter
from zot_provider.endpoint import endpoint
from zot_provider.errors import ConfigError, MissingKey, ProtocolError, ProviderError, StatusError, StreamCut
from zot_provider.request import Request
from zot_provider.stream import StreamEvent
from zot_provider.transport.retry import RetryPolicy, with_retries
from zot_provider.transport.sse import SseSplitter
from zot_provider.vendors.spec import Vendor
from zot_provider.version import __version__
from zot_provider.wire import load_wire

if TYPE_CHECKING:
    from zot_provider.transport.http import HttpTransport

_log = logging.getLogger("zot_provider.client")
# What is logged goes nowhere unless whoever embeds us wants it.
logging.getLogger("zot_provider").addHandler(logging.NullHandler())

_LINGER = 0.2
"""Seconds a server gets to close the body after the answer's end, so that the connection can be used again."""

_PLAIN_URL = re.compile(
    r"https?://(?!.*xn--)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*(?::[1-9][0-9]{0,3})?(?:/[a-z0-9._/-]*)?"
)
"""Addresses that are right without being taken apart."""


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
        self,
        vendor: Vendor,
        *,
        key: str = "",
        base_url: str = "",
        transport: "HttpTransport | None" = None,
        retries: RetryPolicy | None = None,
        gather: float = 0.0,
    ) -> None:
        """`base_url` is what the vendor's own SDK takes, empty for the vendor's own. `gather` is that of `HttpLimits`;
        a `transport` has its own.

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
        self.vendor = vendor
        self._key = key
        self._wire = load_wire(vendor.wire)
        self._url = endpoint(base, self._wire)
        if not _PLAIN_URL.fullmatch(base.strip()):
            from zot_provider.transport.http import check_url  # noqa: PLC0415  see `_open`

            check_url(base.strip())
        self._transport = transport
        self._gather = gather
        self._writer = BodyWriter(self._wire, vendor.quirks)
        self._retries = retries or RetryPolicy()
        self.on_retry: Callable[[str, float], None] | None = None
        """Told why a request is made again, in one line, and after how many seconds."""

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """See `Client`."""
        wire, quirks = self._wire, self.vendor.quirks
        body = self._writer.write(request)
        headers = {"user-agent": f"zot/{__version__}", **dict(quirks.headers), **wire.auth(self._key)}
        try:
            # Text from files and tools may hold lone surrogates, which UTF-8 cannot.
            data = body.encode("utf-8", "replace")
            transport = self._open()
            _log.debug("POST %s %s", _shown(self._url), body)
            chunks = with_retries(lambda: transport.post(self._url, headers, data), self._retries, self._retrying)
            async with aclosing(chunks), aclosing(self._events(chunks)) as batches:
                async for batch in batches:
                    yield batch
        except ProviderError as error:
            raise self._explained(error, request.model.id) from error.__cause__

    async def _events(self, chunks: AsyncIterator[bytes]) -> AsyncGenerator[Sequence[StreamEvent], None]:
        splitter, decoder = SseSplitter(), self._wire.decoder()
        received = heard = False
        async for chunk in chunks:
            received = True
            events = splitter.feed(chunk)
            heard = heard or bool(events)
            batch = decoder.feed(events)
            if batch:
                yield batch
            if decoder.ended:
                break
        try:
            batch = decoder.finish()  # raises a failure that came in the stream
        except StreamCut as error:
            if not heard:
                what = "something that is no event stream" if received else "an empty body"
                raise _own(f"the server answered with {what}; check --base-url and the model") from error
            raise
        if batch:
            yield batch
        await _drain(chunks)

    def _retrying(self, error: ProviderError, delay: float) -> None:
        why = f"{self.vendor.id}: {self._struck(str(error), error.foreign)}"
        _log.info("%s; again in %g s", why, delay)
        if self.on_retry is not None:
            self.on_retry(why, delay)

    async def models(self) -> list[str]:
        """The ids the server lists at `/v1/models`; raises `ProviderError` if it lists none."""
        path = "/models" if self._wire.version_in_base else "/v1/models"
        url = self._url.replace(self._wire.path, path)
        headers = self._wire.auth(self._key)
        try:
            listed = await self._open().get(url, headers | dict(self.vendor.quirks.headers))
            try:
                ids = [str(entry["id"]) for entry in json.loads(listed)["data"]]
            except (ValueError, LookupError, TypeError, RecursionError) as error:
                raise _own(f"{_shown(url)} is no list of models; check --base-url", _shown(url)) from error
            if not ids:
                raise _own(f"the server at {_shown(url)} has no model loaded", _shown(url))
        except ProviderError as error:
            raise self._explained(error, url=url) from error.__cause__
        return ids

    async def close(self) -> None:
        """See `Client`."""
        if self._transport is not None:
            await self._transport.close()

    def _open(self) -> "HttpTransport":
        if self._transport is None:
            from zot_provider.transport.http import HttpLimits, HttpTransport  # noqa: PLC0415  httpx: not before a request

            self._transport = HttpTransport(HttpLimits(gather=self._gather))
        return self._transport

    def _explained(self, error: ProviderError, model: str = "", url: str = "") -> ProviderError:
        """The same error with what to do next, and never with the key in it."""
        text = self._struck(str(error), error.foreign)
        if isinstance(error, StatusError):
            text += self._advice(error, model, self._struck(_shown(url or self._url)))
        error.args = (f"{self.vendor.id}: {text}",)
        _log.info("%s", error)
        return error

    def _struck(self, text: str, foreign: Sequence[str] | None = None) -> str:
        """`text` without the key in its `foreign` parts, in which a server may have repeated it: all of it for None.

        A key may be a word that zot uses too (`server`), and its sentences must stay.
        """
        key = self._key
        if len(key) < 4:
            return text
        for part in sorted(foreign or (), key=len, reverse=True):
            if key in part:
                if part not in text:  # it stands there in another form
                    return text.replace(key, "***")
                text = text.replace(part, part.replace(key, "***"))
        return text if foreign is not None else text.replace(key, "***")

    def _advice(self, error: StatusError, model: str, url: str) -> str:
        """What to do next, after `url` was asked, which may be shown."""
        if error.auth:
            names = [name for name in self.vendor.key_env if os.environ.get(name, "").strip() == self._key]
            if self._key and not names:
                return "; check the API key that was given"
            return f"; check the API key ({' or '.join(names) or '--api-key'})"
        if error.status == 404:
            advice = f"; asked {url}" + (f" for model {model!r}" if model else "")
            if self._wire.version_in_base and "/v1" not in url:
                advice += "; a base URL of this kind usually ends in /v1"
            return advice
        if error.status == 429:
            return f"; try again in {error.retry_after:g} s" if error.retry_after else "; try again later"
        return "; try again" if error.retryable else ""


def _own(text: str, *foreign: str) -> ProtocolError:
    """An error in zot's own words, but for `foreign`."""
    error = ProtocolError(text)
    error.foreign = foreign
    return error


def _shown(url: str) -> str:
    """The URL as it may be shown."""
    from zot_provider.transport.http import location  # noqa: PLC0415  see `HttpClient._open`

    return location(url)


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read what follows the end of an answer, for a moment: a connection whose body was read can be used again."""
    try:
        async with asyncio.timeout(_LINGER):
            async for _ in chunks:
                pass
    except (TimeoutError, ProviderError):
        return
