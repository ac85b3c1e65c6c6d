"""`SettingRoutes`: the settings of the person who runs `zot serve`, as new sessions will have them."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host.setting_changes import checked_values, setting_rows, store_values
from zot_agent.serve.http_error import HttpError, JsonResponse, json_object
from zot_provider.registry import ModelRegistry


class SettingRoutes:
    """The endpoint `/settings`. What only the person may change is refused, and no answer holds a password."""

    def __init__(self, registry: Callable[[], ModelRegistry], body: Callable[[Request], Awaitable[bytes]]) -> None:
        """`registry` returns the providers, `body` reads the body of a request."""
        self._registry, self._body = registry, body

    async def list(self, request: Request) -> Response:
        settings = load_settings(zot_home())
        return JsonResponse({"settings": setting_rows(settings), "notes": settings.problems})

    async def change(self, request: Request) -> Response:
        """Store the values in the body, null for a default, all or none of them."""
        if not (values := json_object(await self._body(request))):
            raise HttpError(400, "the body must be a JSON object with the settings to change")
        await store_values(checked_values(values, self._registry(), load_settings(zot_home())))
        return await self.list(request)
