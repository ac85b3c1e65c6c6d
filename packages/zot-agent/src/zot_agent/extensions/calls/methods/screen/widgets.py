"""Calls for what an extension shows beside the conversation."""

from typing import Any, cast

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.extensions.calls.widgets import OwnWidgets
from zot_agent.operations.fields import OperationFailed
from zot_core.conversation.events import TitleChange, WidgetChange, WidgetLine, WidgetPlace, WorkingChange

FLAGS = ("bold", "faint", "italic", "underline", "inverse", "strike")
MOST_CHARACTERS = 20_000


def set(call: ExtensionCall) -> None:
    widgets = _widgets(call)
    key, lines = call.text("key"), call.params.get("lines") or []
    place = cast("WidgetPlace", call.text("place", "above_editor"))
    read = tuple(read_line(each, f"lines[{at}]") for at, each in enumerate(lines))
    if sum(map(length, read)) > MOST_CHARACTERS:
        raise OperationFailed("too_large", f"a widget has at most {MOST_CHARACTERS} characters")
    widgets.set(WidgetChange(call.extension, key, place, read, call.params.get("priority") or 0))


def title(call: ExtensionCall) -> None:
    """Name the window."""
    _widgets(call).change(TitleChange(call.extension, call.text("text")[:200]))


def alert(call: ExtensionCall) -> None:
    _widgets(call).alert(call.text("text")[:200])


def working(call: ExtensionCall) -> None:
    """Change the working row."""
    widgets = _widgets(call)
    frames, interval = call.params.get("frames") or [], call.params.get("interval_ms") or 0
    message, hidden = call.text("message")[:200], call.flag("hidden")
    thinking = call.text("thinking")[:50]
    widgets.change(WorkingChange(call.extension, message, tuple(frames), interval, hidden, thinking))


def _widgets(call: ExtensionCall) -> OwnWidgets:
    if not call.conversation.actions.shows_widgets:
        raise OperationFailed("unavailable", f"nothing is shown in {call.mode}")
    return call.widgets()


def read_line(given: Any, where: str) -> WidgetLine:
    """Return a line as it is kept. Raises `OperationFailed`."""
    if isinstance(given, str):
        return given
    if not isinstance(given, list):
        raise OperationFailed("invalid", f"{where} must be a string or a list of spans")
    return [_span(each, where) for each in given]


def _span(given: Any, where: str) -> dict[str, Any]:
    """Return a span without what is not known."""
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        raise OperationFailed("invalid", f"{where}: a span must be an object with text")
    span: dict[str, Any] = {"text": given["text"]}
    span |= {name: given[name] for name in ("style", "bg") if isinstance(given.get(name), str)}
    return span | {name: True for name in FLAGS if given.get(name) is True}


def length(line: WidgetLine) -> int:
    return len(line) if isinstance(line, str) else sum(len(span["text"]) for span in line)
