"""Events of a conversation as JSON: the agent's events and those of extensions."""

from collections.abc import Callable, Sequence
from typing import Any

from zot_core.conversation import events
from zot_core.conversation.events import ConversationEvent, Panel
from zot_core.display import Todo
from zot_core.event_json import ENCODED, encode_event, encode_message
from zot_core.events import Notice
from zot_provider.json_text import dump, escape_line_ends


def _panel(panel: Panel) -> dict[str, Any]:
    return {"id": panel.id, "title": panel.title, "lines": list(panel.lines), "footer": panel.footer}


def _placed(panel: events.PlacedPanel) -> dict[str, Any]:
    return {
        "id": panel.id,
        "mode": panel.mode,
        "title": panel.title,
        "lines": list(panel.lines),
        "footer": panel.footer,
        "column": panel.column,
        "row": panel.row,
        "width": panel.width,
        "height": panel.height,
        "hidden": panel.hidden,
        "focused": panel.focused,
        "order": panel.order,
        "cursor": None if panel.cursor is None else list(panel.cursor),
        "mouse": panel.mouse,
        "key_kinds": panel.key_kinds,
    }


def todo_fields(items: Sequence[Todo]) -> list[dict[str, str]]:
    """Return the items of a `todo` event, which are also those in `get_state`."""
    return [{"content": item.content, "status": item.status} for item in items]


_FIELDS: dict[type, Callable[[Any], dict[str, Any]]] = {
    events.Notify: lambda event: {"level": event.level, "message": event.message},
    events.Display: lambda event: {"text": event.text},
    events.ClearNotes: lambda event: {},
    events.Insert: lambda event: {"text": event.text},
    events.Submit: lambda event: {"text": event.text},
    events.PanelOpen: lambda event: {"panel": _panel(event.panel)},
    events.PanelRender: lambda event: {"panel": _panel(event.panel)},
    events.PanelClose: lambda event: {"panel_id": event.panel_id},
    events.PanelShow: lambda event: {"panel": _placed(event.panel)},
    events.WidgetChange: lambda event: {
        "key": event.key,
        "place": event.place,
        "lines": list(event.lines),
        "priority": event.priority,
    },
    events.TitleChange: lambda event: {"text": event.text},
    events.Alert: lambda event: {"text": event.text},
    events.EntryAdded: lambda event: {"id": event.id, "custom_type": event.custom_type},
    events.KeyChange: lambda event: {"key": event.key, "command": event.command},
    events.RendererChange: lambda event: {"kind": event.kind, "name": event.name, "change": event.change},
    events.WorkingChange: lambda event: {
        "message": event.message,
        "frames": list(event.frames),
        "interval_ms": event.interval_ms,
        "hidden": event.hidden,
        "thinking": event.thinking,
    },
}


_WHOLE = (
    events.SessionStart,
    events.SessionTreeMove,
    events.PermissionRequest,
    events.PermissionResolved,
    events.DialogResolved,
    events.ExpandChange,
)
"""Events whose JSON has all their fields and no others."""


def encode_conversation_event(event: ConversationEvent) -> list[str]:
    """Encode an event as lines of JSON without line breaks: usually one, none for an event that is not in the
    schema."""
    kind = type(event)
    if kind in ENCODED:
        return [encode_event(event)]  # type: ignore[arg-type]
    if isinstance(event, events.Undelivered):
        texts = (" ".join(text.split()) for text in event.texts)
        return [encode_event(Notice("warn", f"not delivered, because the prompt has ended: {text}")) for text in texts]
    if isinstance(event, events.Submit) and event.refused:  # no `ext_submit`: clients expect a `done` for each
        return [encode_event(Notice("warn", f"{event.extension}: {event.refused}"))]
    if kind in _FIELDS:
        fields = {"type": event.type, "extension": event.extension, **_FIELDS[kind](event)}  # type: ignore[union-attr]
        return [escape_line_ends(dump(fields))]
    if isinstance(event, events.MessageAdded):
        fields = {"type": event.type, "extension": event.extension}
        return [escape_line_ends(f"{dump(fields)[:-1]},{encode_message(event.message)[1:]}")]
    if isinstance(event, events.DialogRequest):
        fields = {"type": event.type, "extension": event.extension, "request": event.request, **event.question}
        return [escape_line_ends(dump(fields))]
    if isinstance(event, events.FieldRequest):
        return [escape_line_ends(dump({"type": event.type, "request": event.request, **event.question}))]
    if isinstance(event, events.TodoUpdate):
        return [escape_line_ends(dump({"type": event.type, "items": todo_fields(event.items)}))]
    if isinstance(event, _WHOLE):
        fields = {"type": event.type} | {name: getattr(event, name) for name in event.__match_args__}
        return [escape_line_ends(dump(fields))]
    return []
