"""Lines of another program as runs: text with colours of the terminal, or spans with styles of the theme; pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from zot_tui.color import DEFAULT, Color, parse_color
from zot_tui.text.ansi import ATTRIBUTES, PLAIN, Sgr, parse_ansi
from zot_tui.text.runs import Row
from zot_tui.text.sanitize import detached, sanitize
from zot_tui.theme.theme import Theme
from zot_tui.theme.tokens import TOKENS

TAB = " " * 4

_NAMES = frozenset(token.name for token in TOKENS)


def line_runs(line: str | Sequence[Mapping[str, Any]], theme: Theme, plain: str = "text") -> Row[Any]:
    """Return the runs of a line. What has no style is drawn as `plain`, a token.

    A span is an object with `text`, and `style` and `bg` (tokens, or `#rrggbb`), and `ATTRIBUTES` that are true.
    Unknown tokens and colours count as none. Control sequences other than colours are dropped.
    """
    if isinstance(line, str):
        runs, _ = parse_ansi(line)
        return [(plain if style == PLAIN else style, _clean(text)) for style, text in runs]
    return [(span_style(span, theme, plain), _clean(str(span.get("text", "")))) for span in line]


def _clean(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return detached(sanitize(text).replace("\n", " ").replace("\t", TAB))


def span_style(span: Mapping[str, Any], theme: Theme, plain: str) -> Any:
    """Return a token, which follows the theme, or colours of this theme for what is more than a token."""
    style, ground = span.get("style") or plain, span.get("bg")
    if style in _NAMES and len(span) == 2 and "style" in span:  # the usual span: animations have many of them
        return style
    attributes = tuple(name for name in ATTRIBUTES if span.get(name) is True)
    if style in _NAMES and not ground and not attributes:
        return style
    found = theme.style(style) if style in _NAMES else theme.style(plain)
    color = found.foreground if style in _NAMES else _color(style) or found.foreground
    behind = (theme.style(ground).background or theme.style(ground).foreground) if ground in _NAMES else _color(ground)
    given = Sgr(color, behind or found.background or DEFAULT)
    return given.switched((*found.attributes, *attributes), on=True)


def _color(value: object) -> Color | None:
    if not isinstance(value, str) or not value.startswith("#"):
        return None
    try:
        return parse_color(value)
    except ValueError:
        return None
