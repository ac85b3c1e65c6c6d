"""`held_list`: a server whose list of models comes when the test says so."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def held_list(*ids: str) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Serve a list of these models; yields the base URL, and the event that lets the answers go."""
    answered = asyncio.Event()
    body = json.dumps({"data": [{"id": id} for id in ids]}).encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await answered.wait()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", answered
