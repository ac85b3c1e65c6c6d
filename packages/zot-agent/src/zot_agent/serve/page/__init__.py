"""The web page at `/`: ten static files without private data, served without a token."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/accounts.js": ("accounts.js", "text/javascript; charset=utf-8"),
    "/app.css": ("app.css", "text/css; charset=utf-8"),
    "/app.js": ("app.js", "text/javascript; charset=utf-8"),
    "/earlier.js": ("earlier.js", "text/javascript; charset=utf-8"),
    "/log.js": ("log.js", "text/javascript; charset=utf-8"),
    "/permission.js": ("permission.js", "text/javascript; charset=utf-8"),
    "/server.js": ("server.js", "text/javascript; charset=utf-8"),
    "/settings.js": ("settings.js", "text/javascript; charset=utf-8"),
    "/waiting.js": ("waiting.js", "text/javascript; charset=utf-8"),
}
"""The file and its media type for each path."""


def page_routes() -> list[Route]:
    """Return a route for each file. The files are read at once."""
    return [_route(path, name, kind) for path, (name, kind) in FILES.items()]


def _route(path: str, name: str, kind: str) -> Route:
    content = (Path(__file__).parent / name).read_bytes()

    async def give(request: Request) -> Response:
        return Response(content, media_type=kind)

    return Route(path, give, methods=["GET"])
