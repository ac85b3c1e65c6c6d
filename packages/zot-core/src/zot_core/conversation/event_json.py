"""Events of a conversation as JSON: events of the agent and of extensions."""

from collections.abc import Sequence
from typing import Any

from zot_core.conversation import events
from zot_core.conversation.events import ConversationEvent
from zot_core.display import Todo
from zot_core.event_json import ENCODED, encode_event, encode_message
from zot_core.events import Notice
from zot_provider.json_text import dump, line_text
from zot_provider.record import Record


def _members(record: Record) -> dict[str, Any]:
    """Return the fields of a record as members of an object; a record in one of them is an object too."""
    found = {name: getattr(record, name) for name in record.__match_args__}
    return {name: _members(value) if isinstance(value, Record) else value for name, value in found.items()}


def todo_fields(items: Sequence[Todo]) -> list[dict[str, str]]:
    """Return the items of a `todo` event, which are also those in `get_state`."""
    return [{"content": item.content, "status": item.status} for item in items]


def encode_conversation_event(event: ConversationEvent) -> list[str]:
    """Encode an event as lines of JSON without line breaks: usually one, with all fields of the event; none for an
    event that is not in the schema."""
    if type(event) in ENCODED:
        return [encode_event(event)]  # type: ignore[arg-type]
    match event:
        case events.Changed() | events.ShellStart() | events.ShellOutput() | events.ShellEnd():
            return []
        case events.Undelivered(texts):
            said = (f"not delivered, because the prompt has ended: {' '.join(text.split())}" for text in texts)
            return [encode_event(Notice("warn", each)) for each in said]
        case events.Submit(extension, text, refused):
            if refused:  # no `ext_submit`: clients expect a `done` for each
                return [encode_event(Notice("warn", f"{extension}: {refused}"))]
            fields: dict[str, Any] = {"extension": extension, "text": text}
        case events.MessageAdded(extension, message):
            begin = dump({"type": event.type, "extension": extension})
            return [line_text(f"{begin[:-1]},{encode_message(message)[1:]}")]
        case events.DialogRequest() | events.FieldRequest():
            fields = _members(event)
            fields |= fields.pop("question")
        case events.TodoUpdate(items):
            fields = {"items": todo_fields(items)}
        case _:
            fields = _members(event)
    return [line_text(dump({"type": event.type} | fields))]
