"""`http_transport`: a server behind a URL, with limits on what it sends."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from functools import partial
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
OLD_STATUS = (400, 404, 405, 406, 415)
"""What a server with the old transport answers to a request of the new one (specification, backwards compatibility)."""


class WebAnswers:
    """What a server has answered: the status of the last answer if it is a refusal, else 0, and its words."""

    def __init__(self) -> None:
        self.refusal, self.words = 0, ""


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
    """A body that is one message, as `read_messages` reads it."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield _message(b"".join([chunk async for chunk in super().__aiter__()]))


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
    """The events of the old transport, which the package ends the connection for if one is too long."""

    most = OLD_EVENT_BYTES


def _event_line(line: bytes, most: int) -> bytes:
    """Return a line of an event; data that are a whole message in the form that the library takes, and an answer of
    more than `most` bytes as an error."""
    data = line.removeprefix(b"data:").strip()
    return b"data: " + _message(data, most) if line.startswith(b"data:") and data.startswith((b"{", b"[")) else line


def _message(text: bytes, most: int = LINE_BYTES) -> bytes:
    """Return a message in the form that the library takes; something else as it is."""
    try:
        (message,) = read_messages(text)
        taken = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except ValueError:
        return text
    if len(taken) > most and isinstance(message, JSONRPCResponse):
        why = ErrorData(code=INTERNAL_ERROR, message=f"its answer has more than {-(-most >> 20)} MiB")
        error = JSONRPCError(jsonrpc="2.0", id=message.id, error=why)
        return error.model_dump_json(by_alias=True, exclude_unset=True).encode()
    return taken


async def _watch(answers: WebAnswers, response: Any) -> None:
    """Take note of a refusal, and repair and limit what the server says."""
    if response.request.method == "POST":
        refused = response.status_code >= 400
        answers.refusal, answers.words = response.status_code if refused else 0, response.reason_phrase
    kind = response.headers.get("content-type", "").lower()
    body = _Body
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        pass  # it was asked for none
    elif kind.startswith("text/event-stream"):
        body = _Events
    elif kind.startswith("application/json"):
        body = _Whole
    response.stream = body(response.stream)


def _client(config: McpServerConfig, auth: Any, answers: WebAnswers) -> httpx2.AsyncClient:
    """Return the client for a server; the package's own asks for compressed answers, and has other limits."""
    return httpx2.AsyncClient(
        headers={"accept-encoding": "identity"} | dict(config.headers),
        timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, write=CONNECT_SECONDS, pool=CONNECT_SECONDS),
        auth=auth,
        event_hooks={"response": [partial(_watch, answers)]},
    )


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
