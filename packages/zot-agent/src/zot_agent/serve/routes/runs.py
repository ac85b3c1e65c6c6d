"""`RunRoutes`: the durable runs of the directories that are served, for the page and other clients."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from zot_agent.host.stored_sessions import StoredSessions
from zot_agent.rpc.stored.runs import answered_run, listed_runs
from zot_agent.serve.http_error import HttpError


class RunRoutes:
    """The endpoints below `/runs`. What belongs to other directories does not exist here."""

    def __init__(self, stored: StoredSessions, body: Callable[[Request], Awaitable[bytes]]) -> None:
        """`body` reads the body of a request."""
        self._stored, self._body = stored, body

    async def list(self, request: Request) -> Response:
        """List the runs."""
        return JSONResponse({"runs": await asyncio.to_thread(listed_runs, self._stored)})

    async def answer(self, request: Request) -> Response:
        """Answer the question of a run, which then continues."""
        try:
            fields = json.loads(await self._body(request))
        except (ValueError, RecursionError):
            raise HttpError(400, "the body is not JSON") from None
        if not isinstance(fields, dict):
            raise HttpError(400, "the body must be a JSON object")
        answer, message = fields.get("answer"), fields.get("message", "")
        if answer not in ("yes", "always", "no") or not isinstance(message, str):
            raise HttpError(400, "answer must be yes, always or no, and message a string")
        run = await asyncio.to_thread(answered_run, self._stored, request.path_params["id"], answer, message)
        return JSONResponse({"run": run})
