"""`StoredRoutes`: the stored sessions of the directories that are served, for the page and other clients."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import IO, Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from zot_agent.operations.stored_sessions import StoredSessions
from zot_agent.serve.allowed_dirs import AllowedDirs
from zot_agent.serve.http_error import HttpError, JsonResponse
from zot_agent.verbs.stored import list_stored, search
from zot_core.errors import SessionNotFound

_LISTED = 50  # sessions in a list, if the client names no number
_PIECE = 1 << 18  # bytes read at a time
_KINDS = {
    "zotsession": "application/x-ndjson",
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
}


class StoredRoutes:
    """The endpoints below `/stored`. What belongs to other directories does not exist here."""

    def __init__(
        self, stored: StoredSessions, allowed: AllowedDirs, body: Callable[[Request], Awaitable[bytes]]
    ) -> None:
        """`body` reads the body of a request."""
        self._stored, self._allowed, self._body = stored, allowed, body

    async def list(self, request: Request) -> Response:
        """List the sessions, or those with some words."""
        asked: dict[str, Any] = {"limit": str(_LISTED), "query": "", "after": ""} | dict(request.query_params)
        limit, cwd = asked["limit"], self._allowed.resolve(asked["cwd"]) if asked.get("cwd") else None
        number = int(limit[:9]) if limit.isascii() and limit.isdigit() else limit
        given = (search if asked["query"] else list_stored).check(asked | {"limit": number})
        if "query" in given:
            return JsonResponse(await self._stored.search(given["query"], cwd, given["limit"]))
        return JsonResponse(await self._stored.list(cwd, given["limit"], given["after"]))

    async def show(self, request: Request) -> Response:
        """Say what a session is about."""
        return JsonResponse(await self._stored.show(_name(request), self._allowed.base))

    async def export(self, request: Request) -> Response:
        """Send a session as a file."""
        kind = request.query_params.get("format", "zotsession")
        if kind not in _KINDS:
            raise HttpError(400, f"format must be one of {', '.join(_KINDS)}")
        name, file = await self._stored.export_open(_name(request), self._allowed.base, f".{kind}")
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(_pieces(file), media_type=_KINDS[kind], headers=headers)

    async def add(self, request: Request) -> Response:
        """Add the session in the body."""
        cwd = self._allowed.resolve(request.query_params.get("cwd", ""))
        added = await self._stored.add_content(await self._body(request), cwd)
        return JsonResponse(added, 201, {"location": f"/stored/{added['id']}"})

    async def remove(self, request: Request) -> Response:
        """Delete a session that nobody has open."""
        await self._stored.delete(_name(request), self._allowed.base)
        return Response(status_code=204)


def _name(request: Request) -> str:
    """Return the id in the path, which is no path of a file."""
    name: str = request.path_params["id"]
    if os.path.basename(name) != name or len(name) < 4:
        raise SessionNotFound.named(name)
    return name


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece
