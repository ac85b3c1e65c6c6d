"""The web page at `/`: static files without private data, served without a token, and the colours of the themes."""

from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from zot_tui.color import DEFAULT, Color
from zot_tui.theme import TOKENS, Theme, builtin

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


_FONTS = {
    "bold": "font-weight: 700",
    "faint": "opacity: .8",
    "italic": "font-style: italic",
    "underline": "text-decoration: underline",
    "strike": "text-decoration: line-through",
}


def theme_css() -> str:
    """Return a style sheet with the classes `t-TOKEN` for a foreground and `b-TOKEN` for a background, and variables
    `--t-TOKEN` for colours. A token's dots and underscores are hyphens. The dark theme counts where the system is
    dark."""
    light, dark = (_rules(builtin(name)) for name in ("light", "dark"))
    return f"{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _rules(theme: Theme) -> str:
    lines, colors = [], []
    for token in (each.name for each in TOKENS):
        style, name = theme.style(token), token.replace(".", "-").replace("_", "-")
        said = [_FONTS[each] for each in style.attributes if each in _FONTS]
        if color := _color(style.foreground):
            said.insert(0, f"color: {color}")
            colors.append(f"--t-{name}: {color}; ")
        if said:
            lines.append(f".t-{name} {{ {'; '.join(said)} }}\n")
        if color := _color(style.background):
            lines.append(f".b-{name} {{ background: {color} }}\n")
    return f":root {{ {''.join(colors)}}}\n{''.join(lines)}"


def _color(color: Color | None) -> str:
    return "" if color is None or color == DEFAULT else str(color)
