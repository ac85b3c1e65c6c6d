"""`RawServer`: a server of raw sockets, for responses that no well-behaved server sends."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, TypeAlias

Handler: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class RawServer:
    """Runs a handler for each connection. `ended` counts connections whose handler is over."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.connections = 0
        self.ended = 0
        self.port = 0
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1/x"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        try:
            await self.handler(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):  # the last: the test is over
            pass
        finally:
            self.ended += 1
            writer.close()
        with suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()
        del self._open[task]  # asyncio fails to abort a connection that has sent the rest of its data and is closed

    async def end(self) -> None:
        """End what is still open, so that no test after this one finds it."""
        for task, writer in list(self._open.items()):
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*self._open, return_exceptions=True)
        await asyncio.sleep(0)  # in which the transports close


StartRawServer: TypeAlias = Callable[..., AbstractAsyncContextManager[RawServer]]
"""`start_raw_server`, as a fixture."""


@asynccontextmanager
async def start_raw_server(handler: Handler, **options: Any) -> AsyncIterator[RawServer]:
    """Listen on a free port with `handler`; the options are those of `asyncio.start_server`."""
    running = RawServer(handler)
    listener = await asyncio.start_server(running.serve, "127.0.0.1", 0, **options)
    running.port = listener.sockets[0].getsockname()[1]
    try:
        yield running
    finally:
        listener.close()
        for _ in range(5):  # rounds of the loop that an accepted connection takes to its handler
            await asyncio.sleep(0)
        await running.end()
