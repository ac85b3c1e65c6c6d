"""`http_transport`: a server behind a URL, with limits on what it sends."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from zot_agent.mcp.config import McpServerConfig
from zot_agent.mcp.stdio import LINE_BYTES, ServerLost

CONNECT_SECONDS = 15.0
READ_SECONDS = 300.0
"""Without a byte in an open stream; the package's own."""


class _LimitedStream(httpx2.AsyncByteStream):
    """A response body of at most `LINE_BYTES`."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > LINE_BYTES:
                raise httpx2.StreamError(f"the answer has more than {LINE_BYTES >> 20} MiB")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _limit(response: Any) -> None:
    """Limit a response that is read whole; those of events are limited event by event."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        response.stream = _LimitedStream(response.stream)


@contextlib.asynccontextmanager
async def http_transport(config: McpServerConfig, auth: Any = None) -> AsyncIterator[Any]:
    """Yield the streams that `mcp.Client` takes. Raises `ServerLost` for a URL that cannot be used."""
    try:
        client = httpx2.AsyncClient(
            headers=dict(config.headers),
            timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, write=CONNECT_SECONDS, pool=CONNECT_SECONDS),
            auth=auth,
            event_hooks={"response": [_limit]},
        )
    except (httpx2.InvalidURL, ValueError) as error:
        raise ServerLost(f"cannot be used: {error}") from None
    async with client, streamable_http_client(config.url, http_client=client, max_sse_event_size=LINE_BYTES) as streams:
        yield streams
