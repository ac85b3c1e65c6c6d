"""`Api`: the HTTP endpoints and their routes. Request and response bodies are JSON."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route, Router, WebSocketRoute
from starlette.types import Receive, Scope, Send

from zot_agent.host.options import HostOptions
from zot_agent.operations.fields import FailureCode
from zot_agent.serve.guard import error_response
from zot_agent.serve.http_error import HttpError, JsonResponse
from zot_agent.serve.limits import ServeLimits
from zot_agent.serve.page import page_routes
from zot_agent.serve.routes.accounts import AccountRoutes
from zot_agent.serve.routes.folders import FolderRoutes
from zot_agent.serve.routes.metrics import MetricRoutes
from zot_agent.serve.routes.runs import RunRoutes
from zot_agent.serve.routes.settings import SettingRoutes
from zot_agent.serve.routes.stored_sessions import StoredRoutes
from zot_agent.serve.sessions import Sessions
from zot_agent.serve.streams import Streams
from zot_agent.version import __version__
from zot_provider.errors import UnknownName, ZotError
from zot_provider.registry import ModelRegistry

if TYPE_CHECKING:
    from zot_agent.fleet.view import FleetView

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

_STATUS: dict[FailureCode, int] = {"denied": 403, "not_found": 404, "session_locked": 409, "timeout": 504}
"""The status of what has failed with these codes; 400 for others."""


def _with_error_responses(endpoint: Endpoint) -> Endpoint:
    """Turn zot's own errors into responses."""

    @functools.wraps(endpoint)
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except HttpError as error:
            return error_response(error)
        except ZotError as error:
            from zot_agent.operations.failures import failure_code  # noqa: PLC0415  most requests do not fail

            code = failure_code(error)
            in_body = isinstance(error, UnknownName) and not request.path_params
            return error_response(HttpError(400 if in_body else _STATUS.get(code, 400), str(error), code))

    return answer


class Api:
    def __init__(
        self,
        sessions: Sessions,
        registry: Callable[[], ModelRegistry],
        limits: ServeLimits,
        options: HostOptions,
        fleet: "FleetView | None" = None,
    ) -> None:
        """`registry` returns the providers and the person's keys; `options` hold where a client names none."""
        self._sessions, self._limits = sessions, limits
        self._streams = Streams(sessions, limits)
        self._accounts = AccountRoutes(registry, self._body, limits, options)
        self._stored = StoredRoutes(sessions.stored, sessions.allowed, self._body)
        self._folders = FolderRoutes(sessions.stored, sessions.allowed)
        self._settings = SettingRoutes(registry, self._body)
        self._runs = RunRoutes(sessions.stored, self._body, fleet)
        self._metrics = MetricRoutes(sessions.all, fleet)

    def router(self) -> Router:
        """Return the router of all routes, including the page's."""
        routes = [
            *page_routes(),
            Route("/metrics", _with_error_responses(self._metrics.show), methods=["GET"]),
            Route("/sessions", _with_error_responses(self.list), methods=["GET"]),
            Route("/sessions", _with_error_responses(self.open), methods=["POST"]),
            Route("/sessions/{id}", _with_error_responses(self.show), methods=["GET"]),
            Route("/sessions/{id}", _with_error_responses(self.close), methods=["DELETE"]),
            Route("/sessions/{id}/commands", _with_error_responses(self.command), methods=["POST"]),
            Route("/sessions/{id}/events", _with_error_responses(self._streams.events), methods=["GET"]),
            Route("/sessions/{id}/ws", _with_error_responses(self.upgrade), methods=["GET"]),
            Route("/stored", _with_error_responses(self._stored.list), methods=["GET"]),
            Route("/stored", _with_error_responses(self._stored.add), methods=["POST"]),
            Route("/stored/{id}", _with_error_responses(self._stored.show), methods=["GET"]),
            Route("/stored/{id}", _with_error_responses(self._stored.remove), methods=["DELETE"]),
            Route("/stored/{id}/export", _with_error_responses(self._stored.export), methods=["GET"]),
            Route("/folders", _with_error_responses(self._folders.list), methods=["GET"]),
            Route("/runs", _with_error_responses(self._runs.list), methods=["GET"]),
            *[
                Route(f"/runs/{{id}}/{name}", _with_error_responses(getattr(self._runs, name)), methods=["POST"])
                for name in ("answer", "cancel", "retry", "steer")
            ],
            Route("/settings", _with_error_responses(self._settings.list), methods=["GET"]),
            Route("/settings", _with_error_responses(self._settings.change), methods=["PATCH"]),
            Route("/accounts", _with_error_responses(self._accounts.list), methods=["GET"]),
            Route("/accounts/{provider}", _with_error_responses(self._accounts.add), methods=["PUT"]),
            Route("/accounts/{provider}", _with_error_responses(self._accounts.remove), methods=["DELETE"]),
            Route("/accounts/{provider}/sign-in", _with_error_responses(self._accounts.sign_in), methods=["POST"]),
            Route("/sign-ins/{id}", _with_error_responses(self._accounts.answer), methods=["POST"]),
        ]
        socket = WebSocketRoute("/sessions/{id}/ws", self._streams.socket)
        no_route = _NoRoute(routes)
        return Router([*routes, socket, Route("/{path:path}", no_route)], redirect_slashes=False, default=no_route)

    async def list(self, request: Request) -> Response:
        sessions = [session.describe() for session in self._sessions.all()]
        return JsonResponse({"version": __version__, "sessions": sessions})

    async def open(self, request: Request) -> Response:
        """Open a new or a stored session."""
        session, notes = await self._sessions.open(await self._body(request))
        headers = {"location": f"/sessions/{session.id}"}
        return JsonResponse({**session.describe(), "notes": notes}, 201, headers)

    async def show(self, request: Request) -> Response:
        """Describe one session."""
        return JsonResponse(self._sessions.find(request.path_params["id"]).describe())

    async def close(self, request: Request) -> Response:
        """Close a session once everything it runs has stopped."""
        await self._sessions.close(request.path_params["id"])
        return Response(status_code=204)

    async def command(self, request: Request) -> Response:
        """Run one command. The status is 200 for a failed command too; its response says so."""
        session = self._sessions.find(request.path_params["id"])
        line = await session.answer(await self._body(request))
        return Response(line, media_type="application/json")

    async def upgrade(self, request: Request) -> Response:
        """Refuse a plain request for the WebSocket."""
        self._sessions.find(request.path_params["id"])
        response = error_response(HttpError(426, "this is a WebSocket: ask for it with Upgrade: websocket"))
        response.headers.update({"upgrade": "websocket", "connection": "Upgrade"})
        return response

    async def _body(self, request: Request) -> bytes:
        """Return the whole body. Raises `HttpError` if it is too long, takes too long, or breaks off."""
        limit = self._limits.body_bytes
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


class _NoRoute:
    """Refuses requests without a route: 405 for a wrong method, 404 for an unknown path."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; see the ASGI specification."""
        there = [route.methods or set() for route in self._routes if route.matches(scope)[0] is not Match.NONE]
        if there:
            allowed = ", ".join(sorted(set().union(*there)))
            response = error_response(HttpError(405, f"{scope['method']} is not done here, only {allowed}"))
            response.headers["allow"] = allowed
        else:
            response = error_response(HttpError(404, "there is nothing here"))
        await response(scope, receive, send)
