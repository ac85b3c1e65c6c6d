"""Calls for what extensions draw in the conversation."""

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

from zot_agent.extensions.calls.call import CallFailed, ExtensionCall
from zot_agent.extensions.calls.methods.screen.widgets import length, read_line
from zot_agent.extensions.calls.renderer_set import MARKDOWN
from zot_agent.extensions.connection import Connection
from zot_agent.extensions.requests import ExtensionEnded, TimedOut
from zot_core.conversation.events import WidgetLine
from zot_core.conversation.extensions import RendererAccess
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.events.questions import RENDER, RENDERED, question_problem
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.from_host import EventIntercept

if TYPE_CHECKING:
    from zot_ext.protocol.screen_answers import Expansion

MOST_LINES, MOST_CHARACTERS, LONGEST_LINE = 500, 200_000, 2000

_ids = itertools.count(1)


def register(call: ExtensionCall) -> None:
    """Draw something in the conversation, or change the Markdown of answers."""
    access, (kind, name), limits = _renderers(call), _what(call), call.services.limits
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
    access = call.conversation.actions.renderers
    if access is None:
        raise CallFailed("unavailable", f"extensions draw nothing in {call.mode}")
    return access()


def _what(call: ExtensionCall) -> tuple[str, str]:
    kind, name = call.text("kind"), call.text("name")
    if kind not in RENDERED:
        raise CallFailed("invalid", f"kind must be one of {', '.join(RENDERED)}")
    if not 0 < len(name) <= 100:
        raise CallFailed("invalid", "name must have 1 to 100 characters")
    return kind, name


async def _draw(connection: Connection, seconds: float, members: dict[str, Any]) -> list[WidgetLine] | None:
    text = members.pop("text", "")
    question = EventIntercept(f"render-{next(_ids)}", RENDER, text=text, extra=members)
    try:
        answer = await connection.request(question, EventInterceptResponse, seconds)
        if problem := question_problem(RENDER, answer.extra):
            raise FrameError(problem, frame=answer.type)
        if members["kind"] == MARKDOWN:
            shown: Any = answer.extra.get("text")
            return None if shown is None else [shown[:MOST_CHARACTERS]]
        return _lines(answer.extra.get("lines"))
    except TimedOut as error:
        raise TimeoutError(str(error)) from None
    except ExtensionEnded:
        return None
    except (FrameError, CallFailed) as error:
        connection.log(f"not drawn: {error}")
        return None


def _lines(given: Any) -> list[WidgetLine] | None:
    """Return the lines, cut to what a screen can show. Raises `CallFailed`."""
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
