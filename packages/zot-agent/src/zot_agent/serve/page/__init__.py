"""The web page at `/`: static files without private data, served without a token, and the colours of the themes."""

from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from zot_agent.serve.page.theme_css import theme_css

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_FOLDER = Path(__file__).parent


def _found() -> dict[str, Path]:
    files = sorted(path for path in _FOLDER.rglob("*") if path.suffix in _TYPES)
    return {f"/{path.relative_to(_FOLDER).as_posix()}": path for path in files if path.name != "index.html"}


FILES = {"/": _FOLDER / "index.html", **_found()}
"""The file for each path."""

THEME = "/styles/theme.css"
PATHS = (*FILES, THEME)
"""All paths of the page."""


def page_routes() -> list[Route]:
    """Return a route for each path. The files are read at once."""
    files = [_route(path, file.read_bytes, _TYPES[file.suffix]) for path, file in FILES.items()]
    return [*files, _route(THEME, lambda: theme_css().encode(), _TYPES[".css"])]


def _route(path: str, read: Callable[[], bytes], kind: str) -> Route:
    content = read()

    async def give(request: Request) -> Response:
        return Response(content, media_type=f"{kind}; charset=utf-8")

    return Route(path, give, methods=["GET"])
