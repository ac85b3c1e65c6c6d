"""`Guard`: the gate in front of the application. What passes it was let in, and what leaves it is marked."""

import asyncio
from contextlib import suppress
from math import inf

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from zot_agent.serve.access import Access
from zot_agent.serve.page import FILES
from zot_agent.serve.http_error import HttpError
from zot_core.aio import spawn

PUBLIC = tuple(FILES)
"""What is served without a token: the page, which knows nothing before a person has given it one."""

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


_LINGER, _LEFT = 0.5, 1 << 20
"""Seconds, and bytes of a body that nobody wants, for a client to send on before it is answered."""


class Guard:
    """Refuses what `Access` does not let in, before a byte of the body is looked at. Understands HTTP/1.1 alone."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        app = self._app
        try:
            self._check(scope)
        except HttpError as refusal:
            app = refused(refusal)
        if scope["type"] == "http":
            await _Exchange(receive, send).run(app, scope)
        else:
            await app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        if scope["http_version"] not in ("1.0", "1.1"):
            raise HttpError(505, "only HTTP/1.1 is spoken here")
        self._access.check_place(scope["headers"])
        upgrade = scope["type"] == "websocket"
        if upgrade or scope["path"] not in PUBLIC:
            self._access.check_token(scope["headers"], upgrade=upgrade)


def refused(refusal: HttpError) -> JSONResponse:
    """The response, of a WebSocket that is refused too."""
    headers = {"www-authenticate": "Bearer"} if refusal.status == 401 else None
    return JSONResponse({"error": str(refusal)}, refusal.status, headers)


class _Exchange:
    """A request and its response.

    A client that is refused may still be sending: a connection that is closed on it would take the response along. So
    a part of the rest is read first. What is longer is read while the response goes out: the server would wait for
    ever to hand it over, and keep the connection.
    """

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._whole = False
        self._rest: asyncio.Task[None] | None = None

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        """Have `app` respond."""
        try:
            await app(scope, self._take, self._give)
        finally:
            if self._rest is not None:
                self._rest.cancel()

    async def _take(self) -> Message:
        message = await self._receive()
        self._whole = not message.get("more_body", False)
        return message

    async def _give(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *_HEADERS]
            if not self._whole:
                await self._linger()
            if not self._whole:
                self._rest = spawn(self._read_on(), "the rest of a body")
        await self._send(message)

    async def _linger(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER):
                await self._read_on(_LEFT)

    async def _read_on(self, most: float = inf) -> None:
        size = 0
        while not self._whole and size < most:
            size += len((await self._take()).get("body", b""))
