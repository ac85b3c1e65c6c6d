"""Calls for what extensions draw in the conversation."""

from functools import partial
from typing import TYPE_CHECKING, Any

from zot_agent.extensions.calls.call import ExtensionCall, available
from zot_agent.extensions.calls.methods.screen.widgets import length, read_line
from zot_agent.extensions.calls.question import ask
from zot_agent.extensions.calls.renderer_set import MARKDOWN
from zot_agent.extensions.connection import Connection
from zot_agent.operations.fields import OperationFailed
from zot_core.conversation.events import WidgetLine
from zot_core.conversation.extensions import RendererAccess
from zot_ext.protocol.events.questions import RENDER

if TYPE_CHECKING:
    from zot_ext.protocol.answers import Expansion

MOST_LINES, MOST_CHARACTERS, LONGEST_LINE = 500, 200_000, 2000


def register(call: ExtensionCall) -> None:
    """Draw something in the conversation, or change the Markdown of answers."""
    kind, name = _what(call)
    if kind != "entry" and not call.connection.terms.permissions.conversation:  # it is sent what it draws
        raise OperationFailed("denied", f"the permissions of its manifest do not have conversation, which {kind} needs")
    access, limits = _renderers(call), call.services.limits
    draw = partial(_draw, call.connection, limits.render_seconds)
    access.add_renderer(call.extension, kind, name, draw, limits.render_misses)
    call.widgets().at_end["renderers"] = partial(access.remove_renderer, call.extension)


def unregister(call: ExtensionCall) -> None:
    """Let zot draw it again."""
    _renderers(call).remove_renderer(call.extension, *_what(call))


def again(call: ExtensionCall) -> None:
    """Draw again what a renderer has drawn."""
    _renderers(call).render_again(call.extension, *_what(call))


def expand(call: ExtensionCall) -> "Expansion":
    access = _renderers(call)
    if call.params.get("expanded") is not None:
        access.expanded = call.flag("expanded")
    return {"expanded": access.expanded}


def _renderers(call: ExtensionCall) -> RendererAccess:
    return available(call.conversation.actions.renderers, f"extensions draw nothing in {call.mode}")


def _what(call: ExtensionCall) -> tuple[str, str]:
    kind, name = call.text("kind"), call.text("name")
    return kind, name


async def _draw(connection: Connection, seconds: float, members: dict[str, Any]) -> list[WidgetLine] | None:
    answer = await ask(connection, RENDER, seconds, members)
    if members["kind"] == MARKDOWN:
        return None if (shown := answer.get("text")) is None else [shown[:MOST_CHARACTERS]]
    try:
        return _lines(answer.get("lines"))
    except OperationFailed as error:
        connection.log(f"not drawn: {error}")
        return None


def _lines(given: Any) -> list[WidgetLine] | None:
    """Return the lines, cut to what a screen can show. Raises `OperationFailed`."""
    if given is None:
        return None
    lines: list[WidgetLine] = []
    left = MOST_CHARACTERS
    for at, each in enumerate(given[:MOST_LINES]):
        line = read_line(each[:LONGEST_LINE] if isinstance(each, str) else each, f"lines[{at}]")
        left -= length(line)
        if left < 0:
            break
        lines.append(line)
    return lines
