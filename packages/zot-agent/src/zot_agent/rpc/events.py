"""What extensions want a person to see, as JSON: the same text in RPC as in any other program's log."""

from collections.abc import Callable
from typing import Any

from zot_agent.extensions import events
from zot_agent.extensions.events import ExtensionEvent, Panel
from zot_provider.json_text import dump, escape_line_ends


def _panel(panel: Panel) -> dict[str, Any]:
    return {"id": panel.id, "title": panel.title, "lines": list(panel.lines), "footer": panel.footer}


_FIELDS: dict[type, Callable[[Any], dict[str, Any]]] = {
    events.Notify: lambda event: {"level": event.level, "message": event.message},
    events.Display: lambda event: {"text": event.text},
    events.ClearNotes: lambda event: {},
    events.Insert: lambda event: {"text": event.text},
    events.Submit: lambda event: {"text": event.text},
    events.PanelOpen: lambda event: {"panel": _panel(event.panel)},
    events.PanelRender: lambda event: {"panel": _panel(event.panel)},
    events.PanelClose: lambda event: {"panel_id": event.panel_id},
}


def encode_extension_event(event: ExtensionEvent) -> str:
    """The event as one line of JSON, without its line break."""
    return escape_line_ends(dump({"type": event.type, "extension": event.extension, **_FIELDS[type(event)](event)}))
