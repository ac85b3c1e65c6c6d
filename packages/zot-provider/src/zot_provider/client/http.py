"""`HttpClient`: the client of a provider over HTTP."""

import asyncio
import json
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from zot_provider.client.body import BodyWriter
from zot_provider.client.endpoint import endpoint
from zot_provider.client.repeating import Client, RepeatingClient, mark_origin, redact
from zot_provider.client.retry import UNATTENDED, RetryPolicy
from zot_provider.credentials import Authorization, Credentials, GivenKey
from zot_provider.errors import ConfigError, ProtocolError, ProviderError, StatusError, StreamCut
from zot_provider.events import StreamEvent, join_deltas, span
from zot_provider.json_text import without_surrogates
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.record import Record
from zot_provider.request import Request
from zot_provider.transport.sse import SseSplitter
from zot_provider.transport.status import server_message, stated_failure
from zot_provider.transport.url import location, parse_url
from zot_provider.version import __version__
from zot_provider.wire import load_wire
from zot_provider.wire.base import Decoder, Wire

if TYPE_CHECKING:
    from zot_provider.transport.http import HttpTransport

_log = logging.getLogger("zot_provider.client.http")

__all__ = ["Client", "HttpClient"]

_DRAIN_SECONDS = 0.2
"""Seconds to wait after an answer for the end of its body, so that the connection can be reused."""

_HEAD = 4096
"""Bytes of an answer without events that an error may quote."""

_FIELDS = (b":", b"data:", b"event:", b"id:", b"retry:")
"""The beginnings of the lines of an event stream."""


class _Service(Record):
    """How some models of a provider are served: a provider record for these models, its wire, and the writer of their
    bodies."""

    provider: Provider
    wire: Wire
    writer: BodyWriter

    def url(self, model_id: str = "", *, path: str = "") -> str:
        """Return the URL of requests to this model, or of another `path` below the base URL."""
        return endpoint(self.provider.base_url or "", self.wire, model_id, path=path)

    def named(self, request: Request) -> Request:
        """Return the request with the server's own name of its model."""
        name = dict(self.provider.names).get(request.model.id)
        return request if name is None else request.replace(model=request.model.replace(id=name))


class HttpClient(RepeatingClient):
    """The client of one provider over HTTP, with its wires, base URL and key."""

    def __init__(
        self,
        provider: Provider,
        *,
        key: str = "",
        credentials: Credentials | None = None,
        base_url: str = "",
        transport: "HttpTransport | Callable[[], HttpTransport] | None" = None,
        retries: RetryPolicy | None = None,
        coalesce_seconds: float = 0.0,
    ) -> None:
        """`base_url` is the base URL of the provider's own SDK, empty for the provider's default. `credentials` replace
        `key`: each request asks them for the key. `transport` is a transport, or a function that makes one for the
        first request; it is closed with the client. `coalesce_seconds` is passed to `HttpLimits` if there is no
        `transport`.

        Raises `MissingKey` if the provider needs a key and has none, `ConfigError` without a valid base URL.
        """
        super().__init__(provider, credentials or GivenKey(key), retries)
        self.credentials.check(provider)
        self._base_url = base_url.strip()
        self._services: list[_Service] = []
        self._last: tuple[Model, str, _Service] | None = None  # that of the last request, with its model and base URL
        base = self._base_url or provider.base_url
        if not base:
            raise ConfigError(f"{provider.id} has no default address: pass a base URL, http://HOST:PORT/v1")
        parse_url(base)  # raises ConfigError
        self._transport = None if callable(transport) else transport
        self._make_transport = transport if callable(transport) else None
        self._coalesce_seconds = coalesce_seconds
        self._session = os.urandom(8).hex()  # the id of a conversation without one

    def check(self, model: Model) -> None:
        self.credentials.check(self.provider)

    def answer(self, request: Request, authorization: Authorization) -> AsyncGenerator[Sequence[StreamEvent], None]:
        service = self._service(request.model, authorization)
        sent = service.named(request)
        return self._answer(service, service.url(sent.model.id), sent, authorization)

    def judge(self, error: ProviderError, request: Request, authorization: Authorization) -> None:
        if isinstance(error, StatusError) and not error.message and error.status in (400, 413):
            service = self._service(request.model, authorization)
            error.context_overflow |= service.provider.quirks.bodyless_overflow

    def explain(self, error: ProviderError, request: Request, authorization: Authorization) -> ProviderError:
        url = ""
        if isinstance(error, StatusError):
            service = self._service(request.model, authorization)
            url = service.url(service.named(request).model.id)
        return self._with_advice(error, authorization.key, url, request.model)

    async def _answer(
        self, service: _Service, url: str, request: Request, authorization: Authorization
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Send a request once and yield the batches of its answer."""
        # A system prompt or a schema may hold lone surrogates, which UTF-8 cannot encode.
        body = without_surrogates(service.writer.write(request))
        if _log.isEnabledFor(logging.DEBUG):
            _log.debug("POST %s %s", location(url), body)
        own, answered = service.provider.quirks.request_headers(request, self._session), None
        if request.watcher is not None:
            own, body = await request.watcher.sending(service.provider.wire, own, body)
            answered = request.watcher.answered
        encoded = body.encode()
        headers = _headers(service, authorization, own, url, encoded)
        chunks = self._open().post(url, headers, encoded, answered)
        asyncio.get_running_loop().call_soon(service.writer.prepare, request)  # while the server works
        async with aclosing(chunks), aclosing(self._events(chunks, service.wire, request.model)) as batches:
            async for batch in batches:
                yield batch

    async def _events(
        self, chunks: AsyncIterator[bytes], wire: Wire, model: Model
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        splitter, decoder = (wire.splitter or SseSplitter)(), wire.open_decoder()
        joins, had_events, head, whole = self._open().coalesces, False, b"", False
        async with aclosing(_until_complete(chunks, decoder, self._open().limits.grace)) as pieces:
            async for chunk in pieces:
                whole = whole or (not had_events and not head.strip() and chunk.lstrip()[:1] in (b"{", b"["))
                if whole:
                    head += chunk
                    continue
                events = splitter.feed(chunk)
                had_events = had_events or bool(events)
                if not had_events and len(head) < _HEAD:
                    head += chunk[:_HEAD]
                batch = decoder.feed(events)
                if joins:
                    batch = join_deltas(batch)
                if decoder.ended:
                    mark_origin(batch, model)
                if batch:
                    yield batch
                if decoder.ended:
                    break
        try:
            batch = _decode_whole(head, decoder) if whole else decoder.finish()  # raises a failure of the stream
        except StreamCut as error:
            if had_events or not head.strip() or head.lstrip().startswith(_FIELDS):
                raise
            raise _no_stream(head) from error
        if batch:
            mark_origin(batch, model)
            yield batch
        await _drain(chunks)

    async def models(self) -> list[str]:
        """Return the ids of `served_models`."""
        return [model.id for model in await self.served_models()]

    async def served_models(self) -> list[Model]:
        """Return the models that the server lists at `/v1/models`, with what it says of them. Raises `ProviderError` if
        the list is missing or empty, `ConfigError` if the provider has none, and the errors of `stream` for the key."""
        from zot_provider.catalog.server_list import list_owner, parse_list  # noqa: PLC0415  not before a request
        from zot_provider.client.local_servers import complete_list  # noqa: PLC0415  not before a request

        if not self.provider.listed:
            raise ConfigError(f"{self.provider.id} has no list of models that a key can ask for")
        authorization, url = Authorization(), ""
        try:
            authorization = await self.authorize()
            service = self._service(Model("", self.provider.id), authorization)
            url = service.url(path=service.wire.list_path)
            own = dict(service.provider.quirks.headers)

            async def ask(path: str, content: dict[str, Any] | None = None) -> Any:
                where = url.partition("?")[0].removesuffix("/v1/models") + path if path else url
                body = b"" if content is None else json.dumps(content).encode()
                headers = _headers(service, authorization, own, where, body)
                return json.loads(await self._open().get(where, headers, body=body))

            try:
                listed = await ask("")
                models = parse_list(listed, self.provider)
            except (ValueError, RecursionError) as error:
                raise _protocol_error(
                    f"{location(url)} is not a list of models; check the base URL", location(url)
                ) from error
            if not models:
                raise _protocol_error(f"the server at {location(url)} has no model loaded", location(url))
            return await complete_list(models, list_owner(listed), self.provider, ask)
        except ProviderError as error:
            raise self._with_advice(error, authorization.key, url) from error.__cause__

    async def close(self) -> None:
        if self._transport is not None:
            await self._transport.close()

    def _open(self) -> "HttpTransport":
        if self._transport is None:
            if self._make_transport is not None:
                self._transport = self._make_transport()
            else:
                from zot_provider.transport.http import HttpLimits, HttpTransport  # noqa: PLC0415  not before a request

                self._transport = HttpTransport(HttpLimits(coalesce_seconds=self._coalesce_seconds))
        return self._transport

    def _service(self, model: Model, authorization: Authorization) -> _Service:
        """Return how the model is served with this account."""
        base_url = self._base_url or authorization.base_url
        if self._last is not None and self._last[0] is model and self._last[1] == base_url:
            return self._last[2]
        served = self.provider.serve(model, base_url)
        service = next((each for each in self._services if each.provider == served), None)
        if service is None:
            wire = load_wire(served.wire)
            service = _Service(served, wire, BodyWriter(wire, served.quirks))
            self._services.append(service)
        self._last = model, base_url, service
        return service

    def _with_advice(self, error: ProviderError, key: str, url: str, model: Model | None = None) -> ProviderError:
        """Return the same error with advice, and without the key."""
        text = redact(str(error), key, error.untrusted_parts)
        advice = ""
        fixed = isinstance(error, StatusError) and (error.auth or error.spent or error.status == 404)
        if error.retryable and error.retry_after and not fixed:
            advice = self._wait_advice(error.retry_after)
        elif isinstance(error, StatusError):
            advice = self._advice(error, key, redact(location(url), key), model)
        error.args = (self.named(text.removesuffix(".") + advice if advice else text),)
        _log.info("%s", error)
        return error

    def _advice(self, error: StatusError, key: str, url: str, model: Model | None) -> str:
        """Return advice for a status. `url` is the URL of the request, as it may be shown."""
        if error.auth:
            return f"; {self.credentials.advice(self.provider, key)}"
        if error.status == 404:
            advice = f"; asked {url}" + (f" for model {model.id!r}" if model and model.id else "")
            version = load_wire(self.provider.wire).version
            if version and "/v1" not in url:
                advice += f"; a base URL of this kind usually ends in {version}"
            return advice
        if error.spent:
            return "; check the plan and the balance of the account"
        if error.status == 429:
            return "; try again later"
        return "; try again" if error.retryable else ""

    def _wait_advice(self, asked: float) -> str:
        """Return advice for a server that asks to wait a number of seconds, which the policy has not done."""
        if asked <= self._retries.longest_wait:  # it was asked often enough
            longer = ""
        else:
            longer = ", or use --wait" if asked <= UNATTENDED.longest_wait else ", or use --retry-wait"
        return f"; it asks to wait for {span(asked)}: try again then{longer}"


async def _until_complete(chunks: AsyncIterator[bytes], decoder: Decoder, grace: float) -> AsyncGenerator[bytes, None]:
    """Yield the pieces of an answer. Once the model has stopped, the answer is complete, whatever becomes of its
    connection: the counts that follow may take `grace` seconds. Some servers say in each piece that the model has
    stopped, so these count from the last content."""
    loop = asyncio.get_running_loop()
    deadline: float | None = None
    size = 0
    while True:
        if decoder.last_stop() is not None and (deadline is None or decoder.size != size):
            deadline, size = loop.time() + grace, decoder.size
        try:
            if deadline is None:
                chunk = await anext(chunks)
            else:
                async with asyncio.timeout_at(deadline):
                    chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except (TimeoutError, ProviderError):
            if deadline is None:
                raise
            return
        yield chunk


def _headers(
    service: _Service, authorization: Authorization, own: Mapping[str, str], url: str, body: bytes
) -> dict[str, str]:
    """Return the headers of a request; `own` has the provider's."""
    headers = {"user-agent": f"zot/{__version__}", **own, **authorization.headers}
    if authorization.sign is not None:
        return {**headers, **authorization.sign(url, headers, body)}
    return {**headers, **service.wire.auth(authorization.key, authorization.scheme or service.provider.scheme)}


def _decode_whole(body: bytes, decoder: Decoder) -> list[StreamEvent]:
    """Return the events of an answer that is one JSON value, of a server that does not stream. Raises `StreamCut` for
    JSON that is no answer."""
    try:
        value = json.loads(body)
        if isinstance(value, dict) and value.get("error"):
            raise ValueError
        return [*decoder.feed([body]), *decoder.finish()]
    except (ValueError, RecursionError, ProtocolError) as error:
        raise StreamCut("the answer is no answer of a model") from error


def _no_stream(head: bytes) -> ProviderError:
    """Return the error for an answer that begins with `head` and has no events."""
    stated = stated_failure(head, {})
    if stated is not None:
        return stated
    message = server_message(head)
    what = "something that is not an event stream"
    if head.lstrip().startswith(b"<"):
        what = "a web page"
    quoted = f" ({message})" if message else ""
    return _protocol_error(f"the server answered with {what}{quoted}; check the base URL and the model", message)


def _protocol_error(text: str, *untrusted_parts: str) -> ProtocolError:
    """Return an error whose text is zot's own, except for `untrusted_parts`."""
    error = ProtocolError(text)
    error.untrusted_parts = untrusted_parts
    return error


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read the rest of the body for a moment: a connection is reusable only after its body was read."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in chunks:
                pass
    except (TimeoutError, ProviderError):
        return
