"""`FolderRoutes`: the directories in which a session may begin, for the page and other clients."""

import asyncio
import os
from itertools import islice

from starlette.requests import Request
from starlette.responses import Response

from zot_agent.operations.stored_sessions import StoredSessions
from zot_agent.serve.allowed_dirs import AllowedDirs
from zot_agent.serve.http_error import JsonResponse

_RECENT = 50  # sessions whose directories are listed
_MOST = 500  # directories in an answer
_LOOKED_AT = 20_000  # entries of a directory


class FolderRoutes:
    """The endpoint `/folders`. What is outside the served directories does not exist here."""

    def __init__(self, stored: StoredSessions, allowed: AllowedDirs) -> None:
        self._stored, self._allowed = stored, allowed

    async def list(self, request: Request) -> Response:
        """List the directories in `?path=DIR`; without it the served ones, and the directories of the last sessions."""
        allowed = self._allowed
        if not (given := request.query_params.get("path", "")):
            page = await self._stored.list(None, _RECENT)
            recent = dict.fromkeys(each["cwd"] for each in page["sessions"])
            there = await asyncio.to_thread(lambda: [each for each in recent if os.path.isdir(each)])
            return JsonResponse({"base": allowed.base, "roots": allowed.folders, "recent": there})
        path = allowed.resolve(given)
        names, more = await asyncio.to_thread(_below, path, allowed)
        above = os.path.dirname(path)
        parent = above if above != path and allowed.has(above) else None
        return JsonResponse({"path": path, "parent": parent, "folders": names, "more": more})


def _below(path: str, allowed: AllowedDirs) -> tuple[list[str], bool]:
    """Return the names of the served directories in a directory, without hidden ones, and whether there are more."""
    names: list[str] = []
    try:
        with os.scandir(path) as entries:
            for entry in islice(entries, _LOOKED_AT):
                if not entry.name.startswith(".") and entry.is_dir() and allowed.has(os.path.realpath(entry.path)):
                    names.append(entry.name)
    except OSError:
        return [], False
    return sorted(names, key=str.lower)[:_MOST], len(names) > _MOST
