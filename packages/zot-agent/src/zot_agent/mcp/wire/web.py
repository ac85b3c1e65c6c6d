"""`http_transport`: a server behind a URL, with limits on what it sends."""

from __future__ import annotations

import contextlib
import json
import os
import re
import ssl
from collections.abc import AsyncIterator, Callable
from functools import cache, partial
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, JSONRPCResponse

from zot_agent.mcp.config import McpServerConfig
from zot_agent.mcp.wire.lines import read_messages
from zot_agent.mcp.wire.stdio import LINE_BYTES, Lines, ServerLost

CONNECT_SECONDS = 15.0
OLD_EVENT_BYTES = (1 << 20) - 1024
"""The longest event of the old transport, for which the package has no setting; a little is around the data."""
READ_SECONDS = 300.0
"""Without a byte in an open stream; the package's own."""
REFUSAL_BYTES = 16 << 10
"""The most that is read of the body of a refusal."""
REFUSAL_CHARACTERS = 500
"""The most characters that an error quotes of it."""
_JSON = "application/json"
_UNCLEAR = ("", "text/plain", "application/octet-stream", "text/json", "application/json-rpc")
"""Types of bodies that are JSON all the same."""
_OWN_MEANING = (401, 403, 404)
"""Refusals that the package reads itself: sign-ins, and sessions that have ended."""
_ORIGIN = re.compile(rb"^data:\s*https?://[^/\s]+(?=/)")
OLD_STATUS = (400, 404, 405, 406, 415)
"""The answers of a server with the old transport to a request of the new one (specification, backwards
compatibility)."""


class WebAnswers:
    """The last refusal of a server: the status of the last answer if it is a refusal, else 0, and its words."""

    def __init__(self) -> None:
        self.refusal, self.words = 0, ""

    @property
    def refused(self) -> str:
        """The refusal as people name it; empty without one."""
        return f"HTTP {self.refusal} {self.words}".rstrip() if self.refusal else ""


class _Body(httpx2.AsyncByteStream):
    """A response body of at most `LINE_BYTES`."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self.inner:
            size += len(chunk)
            if size > LINE_BYTES:
                raise httpx2.StreamError(f"the answer has more than {LINE_BYTES >> 20} MiB")
            yield chunk

    async def aclose(self) -> None:
        await self.inner.aclose()


class _Whole(_Body):
    """A body that is one message, as `read_messages` reads it; of several, the answer."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield _messages(b"".join([chunk async for chunk in super().__aiter__()]))[-1]


class _Refusal(_Body):
    """The body of a refusal, as the error of its request that says what the server says."""

    def __init__(self, inner: Any, request: Any, refused: str) -> None:
        super().__init__(inner)
        self._request, self._refused = request, refused

    async def __aiter__(self) -> AsyncIterator[bytes]:
        said = b""
        async for chunk in self.inner:
            said += chunk
            if len(said) > REFUSAL_BYTES:
                break
        try:
            (message,) = read_messages(said)
        except ValueError:
            message = None
        if not isinstance(message, JSONRPCError):
            message = self._error(said[:REFUSAL_BYTES].decode("utf-8", "replace"))
        yield message.model_dump_json(by_alias=True, exclude_unset=True).encode()

    def _error(self, said: str) -> JSONRPCError:
        words = "" if said.lstrip().startswith("<") else " ".join(said.split())[:REFUSAL_CHARACTERS]
        why = f"{self._refused}: {words}" if words else self._refused
        return JSONRPCError(
            jsonrpc="2.0",
            id=json.loads(self._request.content).get("id"),
            error=ErrorData(code=INTERNAL_ERROR, message=why),
        )


class _Events(_Body):
    """Server-sent events, of which the data are messages as `read_messages` reads them."""

    most = LINE_BYTES

    async def __aiter__(self) -> AsyncIterator[bytes]:
        lines = Lines()
        try:
            async for chunk in self.inner:
                for line in lines.feed(chunk):
                    yield _event_line(line, self.most) + b"\n"
        except ServerLost as error:
            raise httpx2.StreamError(str(error)) from None
        yield lines.rest


class _OldEvents(_Events):
    """The events of the old transport, which the package ends the connection for if one is too long, or if it names an
    address for messages at another host, as servers behind a proxy do: only its path counts."""

    most = OLD_EVENT_BYTES

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for line in super().__aiter__():
            yield _ORIGIN.sub(b"data: ", line)


def _event_line(line: bytes, most: int) -> bytes:
    """Return a line of an event; data that are a whole message in the form that the library takes, and an answer of
    more than `most` bytes as an error."""
    data = line.removeprefix(b"data:").strip()
    if not line.startswith(b"data:") or not data.startswith((b"{", b"[")):
        return line
    return b"data: " + b"\n\ndata: ".join(_messages(data, most))


def _messages(text: bytes, most: int = LINE_BYTES) -> list[bytes]:
    """Return messages in the form that the library takes, with answers behind others; something else as it is."""
    try:
        found = sorted(read_messages(text), key=lambda each: isinstance(each, JSONRPCResponse | JSONRPCError))
    except ValueError:
        return [text]
    return [_taken(each, most) for each in found]


def _taken(message: Any, most: int) -> bytes:
    taken: bytes = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    if len(taken) > most and isinstance(message, JSONRPCResponse):
        why = ErrorData(code=INTERNAL_ERROR, message=f"its answer has more than {-(-most >> 20)} MiB")
        error = JSONRPCError(jsonrpc="2.0", id=message.id, error=why)
        return error.model_dump_json(by_alias=True, exclude_unset=True).encode()
    return taken


async def _watch(answers: WebAnswers, response: Any) -> None:
    """Take note of a refusal, and repair and limit what the server says."""
    status, request = response.status_code, response.request
    posted = request.method == "POST" and request.headers.get("content-type") == _JSON
    posted = posted and b'"jsonrpc"' in await request.aread()  # and does not register a client
    if posted:
        answers.refusal, answers.words = status if status >= 400 else 0, response.reason_phrase
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        response.stream = _Body(response.stream)  # it was asked for none
    elif posted and status >= 400 and status not in _OWN_MEANING:
        response.headers["content-type"] = _JSON
        response.stream = _Refusal(response.stream, request, answers.refused)
    elif kind == "text/event-stream":
        response.stream = _Events(response.stream)
    elif kind == _JSON or (posted and kind in _UNCLEAR):
        response.headers["content-type"] = _JSON
        response.stream = _Whole(response.stream)
    else:
        response.stream = _Body(response.stream)
    if posted and status == 202 and kind:  # with an answer, if it was asked for one
        response.status_code = 200


def _client(config: McpServerConfig, auth: Any, answers: WebAnswers) -> httpx2.AsyncClient:
    """Return the client for a server; the package's own asks for compressed answers, and has other limits."""
    return httpx2.AsyncClient(
        headers={"accept-encoding": "identity"} | dict(config.headers),
        timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, write=CONNECT_SECONDS, pool=CONNECT_SECONDS),
        auth=auth,
        verify=_trust(),
        event_hooks={"response": [partial(_watch, answers)]},
    )


@cache
def _trust() -> ssl.SSLContext:
    """Return the certificates that the package trusts, read once for all servers: that takes 20 ms of the processor."""
    return httpx2.create_ssl_context()


@contextlib.asynccontextmanager
async def http_transport(config: McpServerConfig, auth: Any, answers: WebAnswers) -> AsyncIterator[Any]:
    """Yield the streams that `mcp.Client` takes. Raises `ServerLost` for a URL that cannot be used."""
    try:
        client = _client(config, auth, answers)
    except (httpx2.InvalidURL, ValueError) as error:
        raise ServerLost(f"cannot be used: {error}") from None
    async with (
        client,
        streamable_http_client(config.url, http_client=client, max_sse_event_size=LINE_BYTES) as streams,
    ):
        yield streams


@contextlib.asynccontextmanager
async def old_transport(
    config: McpServerConfig, auth: Any, answers: WebAnswers, lost: Callable[[str], None]
) -> AsyncIterator[Any]:
    """Yield such streams over the transport of before 2025 (specification 2024-11-05, HTTP with SSE). `lost` is called
    with the reason when the server refuses a message, because the package's transport only stops then."""

    async def watch(response: Any) -> None:
        if isinstance(response.stream, _Events):
            response.stream = _OldEvents(response.stream.inner)
        if response.request.method == "POST" and response.status_code >= 400:
            lost(f"refused a message: HTTP {response.status_code} {response.reason_phrase}".rstrip())

    def client(**_: Any) -> httpx2.AsyncClient:
        found = _client(config, auth, answers)
        found.event_hooks["response"].append(watch)
        return found

    async with sse_client(config.url, httpx_client_factory=client) as streams:
        yield streams


def system_words(error: BaseException | None) -> str:
    """Return what the system says of the failure behind an error, which libraries name only as a failed attempt; empty
    if it says nothing."""
    while error is not None:
        if isinstance(error, OSError) and error.errno:
            return os.strerror(error.errno) if error.errno > 0 else str(error.strerror)
        several = error.__cause__ or error.__context__
        error = several.exceptions[0] if isinstance(several, BaseExceptionGroup) else several
    return ""
