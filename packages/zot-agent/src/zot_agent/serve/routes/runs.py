"""`RunRoutes`: the durable runs of the directories that are served, and of a fleet, for the page and other clients."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from zot_agent.operations.stored_sessions import StoredSessions
from zot_agent.serve.http_error import HttpError, JsonResponse, json_object
from zot_agent.verbs.runs import answer_run, answered_run, cancelled_run, listed_runs, retried_run

if TYPE_CHECKING:
    from zot_agent.fleet.view import FleetView


class RunRoutes:
    """The endpoints below `/runs`. Local runs of other directories do not exist here. With `?fleet=1` a request is
    about the runs of the fleet, all of which clients may see."""

    def __init__(
        self, stored: StoredSessions, body: Callable[[Request], Awaitable[bytes]], fleet: "FleetView | None"
    ) -> None:
        """`body` reads the body of a request."""
        self._stored, self._body, self._fleet = stored, body, fleet

    async def list(self, request: Request) -> Response:
        if (fleet := self._asked(request)) is not None:
            return JsonResponse({"runs": await fleet.list()})
        runs = await asyncio.to_thread(listed_runs, self._stored)
        return JsonResponse({"runs": runs, "fleet": self._fleet is not None})

    async def answer(self, request: Request) -> Response:
        """Answer the question of a run, which then continues."""
        id = request.path_params["id"]
        given = answer_run.check(json_object(await self._body(request)) | {"run": id})
        answer, message = given["answer"], given.get("message", "")
        if (fleet := self._asked(request)) is not None:
            return JsonResponse({"run": await fleet.change(id, lambda runs: runs.answer(id, answer, message))})
        return JsonResponse({"run": await asyncio.to_thread(answered_run, self._stored, id, answer, message)})

    async def cancel(self, request: Request) -> Response:
        id = request.path_params["id"]
        if (fleet := self._asked(request)) is not None:
            return JsonResponse({"run": await fleet.change(id, lambda runs: runs.stop(id))})
        return JsonResponse({"run": await asyncio.to_thread(cancelled_run, self._stored, id)})

    async def retry(self, request: Request) -> Response:
        """Continue a run that has failed, was stopped, interrupted or parked."""
        id = request.path_params["id"]
        if (fleet := self._asked(request)) is not None:
            return JsonResponse({"run": await fleet.change(id, lambda runs: runs.retry(id))})
        return JsonResponse({"run": await asyncio.to_thread(retried_run, self._stored, id)})

    async def steer(self, request: Request) -> Response:
        """Send a message to a run of the fleet, for its next model call."""
        text, id = json_object(await self._body(request)).get("text"), request.path_params["id"]
        if not isinstance(text, str) or not text.strip():
            raise HttpError(400, "text must be a string with a message")
        if (fleet := self._asked(request)) is None:
            raise HttpError(400, "only runs of a fleet take messages; ask with ?fleet=1")
        return JsonResponse({"run": await fleet.change(id, lambda runs: runs.steer(id, text))})

    def _asked(self, request: Request) -> "FleetView | None":
        """Return the fleet if the request is about it. Raises `HttpError` if this server has none."""
        if request.query_params.get("fleet", "") in ("", "0"):
            return None
        if self._fleet is None:
            raise HttpError(404, "this server has no fleet; start it with zot serve --fleet")
        return self._fleet
