import json

import pytest

from zot_core.conversation import events
from zot_core.conversation.event_json import encode_conversation_event
from zot_core.conversation.events import ConversationEvent, Panel
from zot_core.display import Todo
from zot_provider.messages import Message, TextBlock

PANEL = Panel("p", "Title", ("one",), "end")
SHOWN = {"id": "p", "title": "Title", "lines": ["one"], "footer": "end"}


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        (events.Notify("ext", "warn", "careful"), {"level": "warn", "message": "careful"}),
        (events.Display("ext", "a\u2028b"), {"text": "a\u2028b"}),
        (events.ClearNotes("ext"), {}),
        (events.Insert("ext", "text"), {"text": "text"}),
        (events.Submit("ext", "text"), {"text": "text"}),
        (events.PanelOpen("ext", PANEL), {"panel": SHOWN}),
        (events.PanelRender("ext", PANEL), {"panel": SHOWN}),
        (events.PanelClose("ext", "p"), {"panel_id": "p"}),
        (events.TitleChange("ext", "title"), {"text": "title"}),
        (events.KeyChange("ext", "f9", "plan"), {"key": "f9", "command": "plan"}),
        (
            events.RendererChange("ext", "message", "card", "set"),
            {"kind": "message", "name": "card", "change": "set"},
        ),
        (events.Alert("ext", "done"), {"text": "done"}),
        (
            events.MessageAdded("ext", Message("user", [TextBlock("a")], "now", custom_type="note")),
            {
                "id": "",
                "custom_type": "note",
                "role": "user",
                "content": [{"type": "text", "text": "a"}],
                "time": "now",
            },
        ),
        (
            events.WidgetChange("ext", "k", "header", ("line",), 2),
            {"key": "k", "place": "header", "lines": ["line"], "priority": 2},
        ),
        (
            events.WorkingChange("ext", "busy", ("-", "+"), 100),
            {"message": "busy", "frames": ["-", "+"], "interval_ms": 100, "hidden": False, "thinking": ""},
        ),
        (events.DialogRequest("ext", "7", {"kind": "confirm"}), {"request": "7", "kind": "confirm"}),
    ],
)
def test_an_event_of_an_extension_is_a_line_with_its_name(event: ConversationEvent, fields: dict[str, object]) -> None:
    (line,) = encode_conversation_event(event)
    assert line.isascii() or "\u2028" not in line
    assert json.loads(line) == {"type": event.type, "extension": "ext", **fields}


def test_prompts_that_could_not_be_delivered_are_notes() -> None:
    first, second = (json.loads(each) for each in encode_conversation_event(events.Undelivered(["a\nb", "c"])))
    assert first == {"type": "notice", "level": "warn", "message": "not delivered, because the prompt has ended: a b"}
    assert second["message"].endswith(": c")


def test_a_refused_prompt_of_an_extension_is_a_note() -> None:
    (line,) = encode_conversation_event(events.Submit("ext", "text", refused="not now"))
    assert json.loads(line) == {"type": "notice", "level": "warn", "message": "ext: not now"}


def test_the_end_of_a_dialog_has_its_id() -> None:
    (line,) = encode_conversation_event(events.DialogResolved("7"))
    assert json.loads(line) == {"type": "ext_ui_resolved", "request": "7"}


def test_sessions_permissions_and_lists_are_lines_of_their_own() -> None:
    for event, fields in (
        (events.SessionStart("s1", "fork"), {"session_id": "s1", "reason": "fork"}),
        (events.SessionTreeMove("s1", "e1"), {"session_id": "s1", "entry": "e1"}),
        (events.PermissionResolved("7", "yes"), {"request": "7", "answer": "yes"}),
        (events.DialogResolved("7"), {"request": "7"}),
        (events.ExpandChange(expanded=True), {"expanded": True}),
        (events.FieldRequest("8", {"method": "paste", "text": "a"}), {"request": "8", "method": "paste", "text": "a"}),
        (events.TodoUpdate([Todo("write", "pending")]), {"items": [{"content": "write", "status": "pending"}]}),
    ):
        (line,) = encode_conversation_event(event)
        assert json.loads(line) == {"type": event.type, **fields}
    assert encode_conversation_event(events.Changed("queue")) == []
