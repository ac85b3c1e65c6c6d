"""`zot serve` in the test's own process, on a real socket, and a model server that says what was written for it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from websockets.asyncio.client import ClientConnection

from zot_agent.host.options import HostOptions
from zot_agent.serve.address import Address
from zot_agent.serve.limits import ServeLimits
from zot_agent.serve.server import ServeConfig, running
from zot_provider.testing import ScriptedServer

TOKEN = "a token of at least sixteen characters"
PATIENCE = 60
"""Seconds after which something that should have come counts as missing."""


class Socket:
    """A WebSocket: it sends commands, and looks at what comes back in the order in which it came."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.seen: list[dict[str, Any]] = []

    async def send(self, type: str, **fields: Any) -> None:
        await self.connection.send(json.dumps({"type": type, **fields}))

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            text = await self.connection.recv()
        assert isinstance(text, str)
        assert "\n" not in text
        self.seen.append(json.loads(text))
        return self.seen[-1]

    async def until(self, type: str) -> list[dict[str, Any]]:
        """The next lines up to the first of a type."""
        found = [await self.next()]
        while found[-1]["type"] != type:
            found.append(await self.next())
        return found

    async def call(self, type: str, **fields: Any) -> dict[str, Any]:
        """Send a command; its response."""
        await self.send(type, **fields)
        return (await self.until("response"))[-1]

    async def code(self) -> int:
        """The code with which the other side closes; what comes before it is passed over."""
        async with asyncio.timeout(PATIENCE):
            try:
                while True:
                    await self.connection.recv()
            except websockets.ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else 0


class Served:
    """A server, and a client of it that has the token."""

    def __init__(self, address: Address, http: httpx.AsyncClient) -> None:
        self.address, self.http = address, http

    async def open(self, **asked: Any) -> str:
        """The id of a new session."""
        response = await self.http.post("/sessions", json=asked)
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    async def sessions(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self.http.get("/sessions")).json()["sessions"]
        return found

    async def command(self, session: str, type: str, **fields: Any) -> dict[str, Any]:
        """A response that was posted for."""
        response = await self.http.post(f"/sessions/{session}/commands", json={"type": type, **fields})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    def url(self, id: str) -> str:
        return f"ws://{self.address.host}:{self.address.port}/sessions/{id}/ws"

    @asynccontextmanager
    async def socket(self, id: str, **options: Any) -> AsyncIterator[Socket]:
        options = {"additional_headers": {"Authorization": f"Bearer {TOKEN}"}, "max_size": None} | options
        async with websockets.connect(self.url(id), **options) as connection:
            yield Socket(connection)

    async def events(self, id: str, after: int | None = None) -> AsyncIterator[tuple[str, str, Any]]:
        """Event type, id and data of server-sent events."""
        headers = {} if after is None else {"last-event-id": str(after)}
        async with self.http.stream("GET", f"/sessions/{id}/events", headers=headers) as response:
            assert response.status_code == 200, await response.aread()
            assert response.headers["content-type"].startswith("text/event-stream")
            fields: dict[str, str] = {}
            async for line in response.aiter_lines():
                name, _, value = line.partition(": ")
                if name:
                    fields[name] = value
                elif line == "" and "data" in fields:
                    yield fields.get("event", "message"), fields.get("id", ""), json.loads(fields["data"])
                    fields = {}


Serving = Callable[..., AbstractAsyncContextManager[Served]]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def serving(server: ScriptedServer, alone: Path) -> Serving:
    """Serves sessions of the scripted server; keywords are fields of the limits and of the service."""

    @asynccontextmanager
    async def begin(**given: Any) -> AsyncIterator[Served]:
        mine = {name: given.pop(name) for name in ("roots", "names", "address", "defaults") if name in given}
        defaults = HostOptions(
            provider="openai", model="scripted", base_url=server.base_url("openai-chat"), api_key="sk-test",
            cwd=str(alone), no_session=True,
        ).replace(**mine.pop("defaults", {}))  # fmt: skip
        service = ServeConfig(
            mine.pop("address", Address(host="127.0.0.1")), TOKEN, defaults,
            limits=ServeLimits().replace(**given), **mine,
        )  # fmt: skip
        async with running(service) as address:
            headers = {"authorization": f"Bearer {TOKEN}"}
            transport = httpx.AsyncHTTPTransport(uds=address.path) if address.path else None
            base = "http://localhost" if address.path else str(address)
            async with httpx.AsyncClient(
                base_url=base, headers=headers, timeout=PATIENCE, transport=transport, trust_env=False
            ) as http:
                yield Served(address, http)

    return begin
