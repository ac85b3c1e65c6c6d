"""`Guard`: ASGI middleware that checks every request and adds security headers to every response."""

from email.utils import formatdate

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from zot_agent.serve.access import Access
from zot_agent.serve.connections import CONNECTION
from zot_agent.serve.http_error import HttpError, JsonResponse
from zot_agent.serve.page import PATHS
from zot_core.errors import error_line

PUBLIC = PATHS
"""Paths served without a token: the page, which holds no data until the user enters a token."""

_HEADERS = [
    (b"content-security-policy",
     b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
     b"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types zot"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]  # fmt: skip


class Guard:
    """Refuses requests that `Access` does not allow, before any byte of the body is read. Serves HTTP/1.x only.

    While a request with the token is served, its connection is no stranger.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; see the ASGI specification."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                now = formatdate(usegmt=True).encode()
                message["headers"] = [*message.get("headers", ()), *_HEADERS, (b"date", now)]
            await send(message)

        try:
            with_token = self._check(scope)
        except HttpError as error:
            await error_response(error)(scope, receive, send_safely)
            return
        if not with_token:
            await self._app(scope, receive, send_safely)
            return
        with scope["state"][CONNECTION].admitted():
            await self._app(scope, receive, send_safely)

    def _check(self, scope: Scope) -> bool:
        """Return whether the request has the token, which requests for the page need not have. Raises `HttpError`."""
        if scope["http_version"] not in ("1.0", "1.1"):
            raise HttpError(505, "only HTTP/1.1 is spoken here")
        self._access.check_host_and_origin(scope["headers"])
        if scope["path"] in PUBLIC and scope["type"] == "http":
            return False
        self._access.check_token(scope["headers"], scope.get("subprotocols", ()))
        return True


def error_response(error: HttpError) -> JsonResponse:
    """Return the response for an error, also to a refused WebSocket."""
    headers = {"www-authenticate": "Bearer"} if error.status == 401 else None
    return JsonResponse({"error": error_line(error), "code": error.code}, error.status, headers)
