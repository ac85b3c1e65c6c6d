"""`Guard`: ASGI middleware that checks every request and adds security headers to every response."""

import asyncio
from contextlib import suppress
from math import inf

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from zot_agent.serve.access import Access
from zot_agent.serve.http_error import HttpError
from zot_agent.serve.page import FILES
from zot_core.aio import spawn

PUBLIC = tuple(FILES)
"""Paths served without a token: the page, which holds no data until the user enters a token."""

_HEADERS = [
    (b"content-security-policy",
     b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
     b"form-action 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]  # fmt: skip


_LINGER_SECONDS, _LINGER_BYTES = 0.5, 1 << 20
"""How long, and how much of, an unwanted body is read before the response is sent."""


class Guard:
    """Refuses requests that `Access` does not allow, before any byte of the body is read. Serves HTTP/1.x only."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a connection; see the ASGI specification."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        app = self._app
        try:
            self._check(scope)
        except HttpError as error:
            app = error_response(error)
        if scope["type"] == "http":
            await _Exchange(receive, send).run(app, scope)
        else:
            await app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        if scope["http_version"] not in ("1.0", "1.1"):
            raise HttpError(505, "only HTTP/1.1 is spoken here")
        self._access.check_host_and_origin(scope["headers"])
        upgrade = scope["type"] == "websocket"
        if upgrade or scope["path"] not in PUBLIC:
            self._access.check_token(scope["headers"], upgrade=upgrade)


def error_response(error: HttpError) -> JSONResponse:
    """Return the response for an error, also to a refused WebSocket."""
    headers = {"www-authenticate": "Bearer"} if error.status == 401 else None
    return JSONResponse({"error": str(error)}, error.status, headers)


class _Exchange:
    """A request and its response.

    A refused client may still be sending its body. If the connection were closed then, the client would lose the
    response, so a part of the body is read first. The rest is read while the response is sent: otherwise the server
    would wait for ever to hand it over, and keep the connection open.
    """

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._body_complete = False
        self._rest: asyncio.Task[None] | None = None

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        """Let `app` respond."""
        try:
            await app(scope, self._receive_part, self._send_part)
        finally:
            if self._rest is not None:
                self._rest.cancel()

    async def _receive_part(self) -> Message:
        message = await self._receive()
        self._body_complete = not message.get("more_body", False)
        return message

    async def _send_part(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *_HEADERS]
            if not self._body_complete:
                await self._read_a_part()
            if not self._body_complete:
                self._rest = spawn(self._read_rest(), "the rest of a body")
        await self._send(message)

    async def _read_a_part(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_SECONDS):
                await self._read_rest(_LINGER_BYTES)

    async def _read_rest(self, max_bytes: float = inf) -> None:
        size = 0
        while not self._body_complete and size < max_bytes:
            size += len((await self._receive_part()).get("body", b""))
