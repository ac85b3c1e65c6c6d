"""A server of raw sockets, for what no well-behaved one does."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class RawServer:
    """Runs a handler for each connection. `ended` counts connections whose handler is over."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.connections = 0
        self.ended = 0
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1/x"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await self.handler(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):  # the last: the test is over
            pass
        finally:
            self.ended += 1
            writer.close()


@pytest.fixture
def raw_server() -> Any:
    @asynccontextmanager
    async def start(handler: Handler, **options: Any) -> Any:
        running = RawServer(handler)
        listener = await asyncio.start_server(running.serve, "127.0.0.1", 0, **options)
        running.port = listener.sockets[0].getsockname()[1]
        try:
            yield running
        finally:
            listener.close()

    return start
