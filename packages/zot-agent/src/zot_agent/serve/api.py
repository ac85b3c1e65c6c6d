"""`Api`: what can be asked over HTTP, and its routes. Bodies and answers are JSON."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route, Router, WebSocketRoute
from starlette.types import Receive, Scope, Send

from zot_agent.serve.guard import refused
from zot_agent.serve.limits import ServeLimits
from zot_agent.serve.page import page_routes
from zot_agent.serve.http_error import HttpError
from zot_agent.serve.sessions import Sessions
from zot_agent.serve.streams import Streams
from zot_agent.version import __version__
from zot_provider.errors import ZotError

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


def _answering(endpoint: Endpoint) -> Endpoint:
    """Has our own errors become responses."""

    @functools.wraps(endpoint)
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except HttpError as refusal:
            return refused(refusal)
        except ZotError as error:
            return refused(HttpError(400, str(error)))

    return answer


class Api:
    """The endpoints."""

    def __init__(self, sessions: Sessions, limits: ServeLimits) -> None:
        self._sessions, self._limits = sessions, limits
        self._streams = Streams(sessions, limits)

    def router(self) -> Router:
        """All routes, those of the page among them."""
        routes = [
            *page_routes(),
            Route("/sessions", _answering(self.list), methods=["GET"]),
            Route("/sessions", _answering(self.open), methods=["POST"]),
            Route("/sessions/{id}", _answering(self.show), methods=["GET"]),
            Route("/sessions/{id}", _answering(self.close), methods=["DELETE"]),
            Route("/sessions/{id}/commands", _answering(self.command), methods=["POST"]),
            Route("/sessions/{id}/events", _answering(self._streams.events), methods=["GET"]),
            Route("/sessions/{id}/ws", _answering(self.upgrade), methods=["GET"]),
        ]
        socket = WebSocketRoute("/sessions/{id}/ws", self._streams.socket)
        rest = _Rest(routes)
        return Router([*routes, socket, Route("/{path:path}", rest)], redirect_slashes=False, default=rest)

    async def list(self, request: Request) -> Response:
        """The open sessions."""
        sessions = [session.describe() for session in self._sessions.all()]
        return JSONResponse({"version": __version__, "sessions": sessions})

    async def open(self, request: Request) -> Response:
        """A new session, or a stored one, opened."""
        session, notes = self._sessions.open(await self._body(request))
        headers = {"location": f"/sessions/{session.id}"}
        return JSONResponse({**session.describe(), "notes": notes}, 201, headers)

    async def show(self, request: Request) -> Response:
        """One session."""
        return JSONResponse(self._sessions.find(request.path_params["id"]).describe())

    async def close(self, request: Request) -> Response:
        """Close a session once everything it runs has stopped."""
        await self._sessions.close(request.path_params["id"])
        return Response(status_code=204)

    async def command(self, request: Request) -> Response:
        """The response to one command. Whether that is a success stands in it."""
        session = self._sessions.find(request.path_params["id"])
        line = await session.answer(await self._body(request))
        return Response(line, media_type="application/json")

    async def upgrade(self, request: Request) -> Response:
        """What a request gets that should have been a WebSocket's."""
        self._sessions.find(request.path_params["id"])
        response = refused(HttpError(426, "this is a WebSocket: ask for it with Upgrade: websocket"))
        response.headers.update({"upgrade": "websocket", "connection": "Upgrade"})
        return response

    async def _body(self, request: Request) -> bytes:
        """The whole body. Raises `HttpError` for one that is too long, takes too long, or breaks off."""
        limit = self._limits.body
        length = request.headers.get("content-length", "")
        too_long = HttpError(413, f"the body is longer than {limit} bytes")
        if length.isdigit() and int(length) > limit:
            raise too_long
        found = bytearray()
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while (message := await request.receive())["type"] == "http.request":
                    found += message.get("body", b"")
                    if len(found) > limit:
                        raise too_long
                    if not message.get("more_body", False):
                        return bytes(found)
        except TimeoutError:
            raise HttpError(408, f"the body did not come within {self._limits.body_seconds:g} s") from None
        raise HttpError(400, "the body broke off")


class _Rest:
    """What no route takes: a method that is not done there, or a path at which there is nothing."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        there = [route.methods or set() for route in self._routes if route.matches(scope)[0] is not Match.NONE]
        if there:
            allowed = ", ".join(sorted(set().union(*there)))
            response = refused(HttpError(405, f"{scope['method']} is not done here, only {allowed}"))
            response.headers["allow"] = allowed
        else:
            response = refused(HttpError(404, "there is nothing here"))
        await response(scope, receive, send)
