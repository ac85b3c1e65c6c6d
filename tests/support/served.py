"""`Served`: a running `zot serve`, and a client of its HTTP endpoints and WebSockets."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import httpx
import websockets
from json_schema import RPC_SCHEMA
from waiting import PATIENCE
from websockets.asyncio.client import ClientConnection

from zot_agent.serve.address import Address

TOKEN = "a token of at least sixteen characters"


StreamEvent: TypeAlias = tuple[str, str, Any]
"""Event type, id and data of a server-sent event."""


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
        assert RPC_SCHEMA.faults(self.seen[-1], "FromServer") == [], text
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

    async def command(self, session: str, type: str, /, **fields: Any) -> dict[str, Any]:
        """A response that was posted for."""
        response = await self.http.post(f"/sessions/{session}/commands", content=json.dumps({"type": type} | fields))
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        assert RPC_SCHEMA.faults(answer, "FromServer") == [], answer
        return answer

    async def until_state(self, session: str, **fields: Any) -> None:
        """Wait until the state of a session has these values."""
        async with asyncio.timeout(PATIENCE):
            while not fields.items() <= (await self.command(session, "get_state"))["data"].items():
                await asyncio.sleep(0.01)

    async def raw(self, data: bytes) -> bytes:
        """What comes back for bytes that no client would send, up to the end of the connection."""
        loop, found = asyncio.get_running_loop(), b""
        with socket.socket() as client:
            client.setblocking(False)
            await loop.sock_connect(client, (self.address.host, self.address.port))
            async with asyncio.timeout(PATIENCE):
                # The server may close while it is still sent to; what it said before can be read nevertheless.
                with suppress(ConnectionError):
                    await loop.sock_sendall(client, data)
                with suppress(ConnectionError):
                    while piece := await loop.sock_recv(client, 1 << 16):
                        found += piece
        return found

    def socket(self, id: str, **options: Any) -> AbstractAsyncContextManager[Socket]:
        """The WebSocket of a session."""
        return self.socket_at(f"/sessions/{id}/ws", **options)

    @asynccontextmanager
    async def socket_at(self, path: str, **options: Any) -> AsyncIterator[Socket]:
        url = f"ws://{self.address.host}:{self.address.port}{path}"
        options = {"additional_headers": {"Authorization": f"Bearer {TOKEN}"}, "max_size": None} | options
        async with websockets.connect(url, **options) as connection:
            yield Socket(connection)

    async def events(self, id: str, after: int | None = None) -> AsyncGenerator[StreamEvent]:
        """The server-sent events of a session."""
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


class Serving(Protocol):
    """Serves sessions of the scripted server; keywords are fields of the limits and of the service."""

    def __call__(self, **given: Any) -> AbstractAsyncContextManager[Served]: ...


CORP = """
import sys
from zot_ext import Extension, SignInTokens
ext = Extension("corp", "1")
corp = ext.provider("corp")
@corp.login
def login(page):
    page.show(url="https://corp.example/in", message="One moment")
    return SignInTokens(access="corp-token-" + page.ask("What does it show?"))
ext.run()
"""


def write_corp(folder: Path) -> str:
    """An extension that signs in to a provider of its own; returns its folder."""
    folder.mkdir()
    (folder / "main.py").write_text(CORP)
    provider = {"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions", "models": [{"id": "m"}]}
    provider |= {"name": "Corp", "signIn": {"title": "a Corp account"}}
    manifest = {"name": "corp", "exec": sys.executable, "args": ["main.py"], "providers": {"corp": provider}}
    (folder / "extension.json").write_text(json.dumps(manifest))
    return str(folder)
