"""Write what `zot --json` and `zot rpc` say as JSON Schema: `events.schema.json` and `rpc.schema.json`.

Types come from the records of `zot_core.events` and `zot_core.conversation.events`, from the operations, and from the
typed dictionaries that they return; descriptions from their docstrings. Run `make generate` after changing one.
"""

import types
import typing
from pathlib import Path
from typing import Any

from answer_schema import add_definitions, answer_class, may_be_missing
from json_lines import in_lines

import zot_agent.rpc
import zot_core
from zot_agent.extensions.calls.methods.screen.widgets import FLAGS
from zot_agent.operations.fields import FailureCode, or_null
from zot_agent.operations.operation import Operation
from zot_agent.operations.registry import all_operations
from zot_agent.rpc.handshake import PROTOCOL_VERSION
from zot_core import events
from zot_core.conversation import events as extension_events
from zot_core.conversation.dialogs import DialogKind
from zot_core.display import TodoStatus
from zot_core.permission_mode import MODES, SandboxState
from zot_ext.protocol.fields import CallField
from zot_provider.messages import Message
from zot_provider.record import Record

EVENTS = Path(zot_core.__file__).parent / "events.schema.json"
RPC = Path(zot_agent.rpc.__file__).parent / "rpc.schema.json"

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT: dict[str, Any] = {"type": "string"}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
BLOCKS: dict[str, Any] = {"type": "array", "items": {"$ref": "#/$defs/Block"}}
TIME = TEXT | {"description": "UTC, RFC 3339; empty if it is not known."}
ARGUMENTS = {
    "args": {"type": "object", "description": "The arguments; empty if the model wrote no JSON object."},
    "args_raw": TEXT | {"description": "What the model wrote, where that is no JSON object."},
}


def place(name: str) -> dict[str, Any]:
    """A reference."""
    return {"$ref": f"#/$defs/{name}"}


def closed_object(properties: dict[str, Any], optional: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """An object whose fields are all there but for the optional ones. Further ones are allowed: versions add fields."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", **more, "properties": properties, "required": required}


def block(type: str, properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """A content block."""
    return closed_object({"type": {"const": type}, **properties}, optional)


AGENT = "What happens while the agent works."
SESSIONS = "The conversation continues elsewhere, and its messages have changed; or its to-do list has changed."
TODO = closed_object({"content": TEXT, "status": {"enum": list(typing.get_args(TodoStatus))}})
PERMISSIONS = "Somebody must say whether a tool call may run."
DIALOGS = "An extension asks the person something, or a client about its input field."
EXTENSIONS = "What extensions want to be seen; at any time."
USUAL_ENDS = ("completed", "aborted", "error")
"""Not written: the events before `done` tell them."""

MESSAGE = {"content": BLOCKS, "time": TIME}
SEEN = {
    "display_text": TEXT | {"description": "What the user sees in place of the text."},
    "hidden": TEXT | {"description": "Why the user does not see the text."},
    "id": TEXT | {"description": "Of a message that an extension may draw, for `get_rendering`."},
    "custom_type": TEXT | {"description": "The `name` of its renderer."},
}
SUMMARY = {"summarized_tokens": COUNT | {"description": "Of a summary: the tokens that it replaces, 0 if unknown."}}
SPAN = closed_object(
    {"text": TEXT, "style": TEXT, "bg": TEXT} | {name: {"const": True} for name in FLAGS}, ("style", "bg", *FLAGS)
)
LINE = {
    "description": "Text, which may have colours of the terminal (SGR), or spans; a style is a token of the theme, or "
    "`#rrggbb`.",
    "oneOf": [TEXT, {"type": "array", "items": SPAN}],
}
SHAPES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "user_message": (MESSAGE | SEEN, tuple(SEEN)),
    "turn_start": (
        {"step": {"type": "integer"}}
        | {"mode": {"enum": list(MODES), "description": "Which calls run without a question; once, for `zot --json`."}}
        | {
            "sandbox": {
                "enum": list(typing.get_args(SandboxState)),
                "description": "What confines commands; as `mode`.",
            }
        },
        ("mode", "sandbox"),
    ),
    "assistant_start": ({}, ()),
    "assistant_message": (MESSAGE, ()),
    "tool_call": ({"id": TEXT, "name": TEXT, **ARGUMENTS}, ("args_raw",)),
    "tool_result": (
        {"id": TEXT, "name": TEXT, "is_error": {"type": "boolean"}, "content": BLOCKS, **ARGUMENTS}
        | {"fate": {"enum": list(typing.get_args(events.Fate)[1:]), "description": "Why the tool gave no result."}}
        | {"details": {"type": "object", "description": "What the tool says of it besides, for programs."}},
        ("args", "args_raw", "fate", "details"),
    ),
    "usage": (
        {"$usage": {}, "cumulative": place("Usage")}
        | {"agent_id": TEXT | {"description": "The sub-agent whose model call it was; not sent for the agent's own."}},
        ("agent_id",),
    ),
    "error": (
        {"message": TEXT, "retryable": {"const": True}, "candidates": {"type": "array", "items": TEXT}}
        | {"auth": {"const": True}},
        ("retryable", "candidates", "auth"),
    ),
    "permission_request": (
        {"request": TEXT, "tool_call": TEXT, "name": TEXT, "args": {"type": "object"}, "reason": TEXT}
        | {"agent_id": TEXT | {"description": "The sub-agent that calls; empty for the agent itself."}}
        | {
            "rules": {"type": "array", "items": TEXT, "description": "What the answer always adds; empty if it cannot."}
        },
        (),
    ),
    "ext_ui_request": (
        {"extension": TEXT, "request": TEXT, "method": {"enum": list(typing.get_args(DialogKind))}, "title": TEXT}
        | {"message": TEXT, "options": {"type": "array", "items": TEXT}, "placeholder": TEXT, "prefill": TEXT}
        | {"secret": {"type": "boolean"}, "multi": {"type": "boolean"}, "timeout_ms": {"type": "integer"}}
        | {name: {"type": "array", "items": {"type": "object"}} for name in ("fields", "rows")},
        ("message", "options", "placeholder", "prefill", "secret", "multi", "timeout_ms", "fields", "rows"),
    ),
    "ext_field_request": (
        {"request": TEXT, "method": {"enum": ["read", "edit", "paste"]}, "text": TEXT, "cursor": {"type": "integer"}}
        | {"expected": TEXT | {"description": "Change nothing, and answer `busy`, if the text is another one."}},
        ("text", "cursor", "expected"),
    ),
    "todo": ({"items": {"type": "array", "items": TODO}}, ()),
    "ext_widget": (
        {"extension": TEXT, "key": TEXT, "place": {"enum": list(typing.get_args(extension_events.WidgetPlace))}}
        | {
            "lines": {"type": "array", "items": place("WidgetLine"), "description": "None to remove it."},
            "priority": {"type": "integer"},
        },
        (),
    ),
    "ext_message": (
        {"extension": TEXT, "role": {"enum": list(typing.get_args(typing.get_type_hints(Message)["role"]))}}
        | MESSAGE
        | SEEN,
        tuple(SEEN),
    ),
    "ext_submit": ({"extension": TEXT, "text": TEXT}, ()),
    "done": (
        {"reason": {"enum": [end for end in typing.get_args(events.RunEnd) if end not in USUAL_ENDS]}},
        ("reason",),
    ),
}
"""Events whose JSON differs from their record: their fields, and the optional fields."""

USAGE = closed_object(
    {
        "input": COUNT | {"description": "Tokens that were not in the cache."},
        "output": COUNT,
        "cache_read": COUNT,
        "cache_write": COUNT,
        "cost_usd": {"type": ["number", "null"], "description": "US dollars; null where the price is unknown."},
        "reasoning": {"type": ["integer", "null"], "description": "Part of the output; null where nobody says."},
    },
    description="Tokens and US dollars.",
)

SHARED: dict[str, Any] = {
    "Block": {
        "description": "A part of a message. An image is described by its size.",
        "oneOf": [
            block("text", {"text": TEXT}),
            block("image", {"mime_type": TEXT, "bytes": COUNT, "id": TEXT}),
            block("tool_call", {"id": TEXT, "name": TEXT, **ARGUMENTS}, ("args_raw",)),
            block("tool_result", {"call_id": TEXT, "is_error": {"type": "boolean"}, "content": BLOCKS}),
        ],
    },
    "Usage": USAGE,
    "WidgetLine": LINE,
}


def plain(doc: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((doc or "").split("\n\n")[0].split())


def annotated(hint: Any) -> dict[str, Any]:
    """The schema of a field by its annotation."""
    if typing.get_origin(hint) is typing.Literal:
        return {"enum": list(typing.get_args(hint))}
    if isinstance(hint, types.GenericAlias):  # tuple[str, ...]
        return {"type": "array", "items": annotated(typing.get_args(hint)[0])}
    if isinstance(hint, type) and issubclass(hint, Record):
        return place(hint.__name__)
    if hint == extension_events.WidgetLine:
        return place("WidgetLine")
    if hint == tuple[int, int] | None:
        return {"type": ["array", "null"], "items": {"type": "integer"}}
    if hint == int | None:
        return {"type": ["integer", "null"]}
    if hint == float | None:
        return {"type": ["number", "null"]}
    return {str: TEXT, int: {"type": "integer"}, float: {"type": "number"}, bool: {"type": "boolean"}}[hint]


def event_schema(cls: Any) -> dict[str, Any]:
    """One event as it is written."""
    if cls.type in SHAPES:
        fields, optional = SHAPES[cls.type]
        if "$usage" in fields:
            fields = {**USAGE["properties"], **{name: value for name, value in fields.items() if name != "$usage"}}
    else:
        hints = typing.get_type_hints(cls)
        fields = {name: annotated(hints[name]) for name in cls.__match_args__}
        optional = {events.TurnEnd: ("error",), events.AutoRetryEnd: ("final_error",)}.get(cls, ())
    return closed_object({"type": {"const": cls.type}, **fields}, optional, description=plain(cls.__doc__))


def union(prefix: str, classes: typing.Iterable[Any], words: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schemas of events, and of any one of them."""
    found = {f"{prefix}.{cls.type}": event_schema(cls) for cls in classes}
    return found, {"description": words, "oneOf": [place(name) for name in found]}


def events_schema() -> dict[str, Any]:
    """What `zot --json` prints."""
    agent, agent_event = union("event", events.AgentEvent.__args__, AGENT)
    shown, shown_event = union("event", extension_events.ExtensionEvent.__args__, EXTENSIONS)
    moved, session_event = union("event", extension_events.SessionEvent.__args__, SESSIONS)
    return {
        "$schema": DIALECT,
        "$id": f"urn:zot:events:{PROTOCOL_VERSION}",
        "title": f"Events of zot, version {PROTOCOL_VERSION}",
        "description": "One JSON object per line of UTF-8. Versions add fields and events; readers ignore what they do "
        "not know.",
        "oneOf": [place("Event"), place("ExtensionEvent"), place("SessionEvent")],
        "$defs": {
            "Event": agent_event,
            "ExtensionEvent": shown_event,
            "SessionEvent": session_event,
            **agent,
            **shown,
            **moved,
            **SHARED,
            "Panel": record_schema(extension_events.Panel),
            "PlacedPanel": record_schema(extension_events.PlacedPanel),
        },
    }


COMMANDS = {name: each for name, each in all_operations().items() if each.scope != "extension"}


def type_schema(operation: Operation[..., Any]) -> dict[str, Any]:
    """The name of a command, and its short name."""
    return {"enum": [operation.name, operation.alias]} if operation.alias else {"const": operation.name}


def command_schema(operation: Operation[..., Any]) -> dict[str, Any]:
    """A command as a client writes it."""
    properties = {"type": type_schema(operation), "id": {"description": "Anything; it comes back."}}
    for field in operation.fields:
        kind = field.schema if field.required else or_null(field.schema)
        properties[field.name] = {**kind, "description": field.doc}
    optional = tuple(["id", *(field.name for field in operation.fields if not field.required)])
    conditions = [condition(field, operation) for field in operation.fields if field.only]
    return closed_object(
        properties, optional, description=operation.doc, **({"allOf": conditions} if conditions else {})
    )


def condition(field: CallField, operation: Operation[..., Any]) -> dict[str, Any]:
    """What another field must be where this one is set."""
    assert field.only is not None
    other, values = field.only.other, field.only.values
    (usual,) = (each.default for each in operation.fields if each.name == other)
    free = usual in values
    return {
        "if": {"properties": {field.name: {"not": {"enum": [field.default, *{None} - {field.default}]}}}}
        | {"required": [field.name]},
        "then": {"properties": {other: {"enum": [*values, *([None] if free else [])]}}}
        | ({} if free else {"required": [other]}),
    }


def response_schema(operation: Operation[..., Any], found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A response that is a success; the definitions of its data are added to `found`."""
    properties: dict[str, Any] = {"type": {"const": "response"}, "id": {}, "command": type_schema(operation)}
    answer = answer_class(operation.handler)
    properties |= {"success": {"const": True}, "data": {} if answer is None else add_definitions(answer, found)}
    missing = answer is None or may_be_missing(operation.handler)
    return closed_object(properties, ("id", "data") if missing else ("id",))


def rpc_schema() -> dict[str, Any]:
    """What `zot rpc` reads and writes."""
    agent, agent_event = union("event", events.AgentEvent.__args__, AGENT)
    shown, shown_event = union("event", extension_events.ExtensionEvent.__args__, EXTENSIONS)
    moved, session_event = union("event", extension_events.SessionEvent.__args__, SESSIONS)
    asked, permission_event = union("event", extension_events.PermissionEvent.__args__, PERMISSIONS)
    questions, dialog_event = union("event", extension_events.DialogEvent.__args__, DIALOGS)
    commands = {f"command.{name}": command_schema(method) for name, method in COMMANDS.items()}
    data: dict[str, dict[str, Any]] = {}
    responses = {f"response.{name}": response_schema(method, data) for name, method in COMMANDS.items()}
    failure = closed_object(
        {
            "type": {"const": "response"},
            "id": {},
            "command": TEXT,
            "success": {"const": False},
            "error": TEXT,
            "code": {"enum": [*typing.get_args(FailureCode)]},
        },
        ("id",),
        description="The command failed. `command` is empty if the line was not a command.",
    )
    message = {"role": {"enum": list(typing.get_args(typing.get_type_hints(Message)["role"]))}, **MESSAGE}
    message |= SEEN | SUMMARY
    return {
        "$schema": DIALECT,
        "$id": f"urn:zot:rpc:{PROTOCOL_VERSION}",
        "title": f"The protocol of zot rpc, version {PROTOCOL_VERSION}",
        "description": "One JSON object per line of UTF-8, in both directions. Versions add commands, events and "
        "fields; readers ignore what they do not know.",
        "anyOf": [place("FromClient"), place("FromServer")],
        "$defs": {
            "FromClient": {"description": "A line a client writes.", "oneOf": [place(name) for name in commands]},
            "FromServer": {
                "description": "A line a client reads.",
                "oneOf": [
                    *map(
                        place, ("Event", "ExtensionEvent", "SessionEvent", "PermissionEvent", "DialogEvent", "Response")
                    ),
                ],
            },
            "Response": {
                "description": "The one answer to a command.",
                "oneOf": [*(place(name) for name in responses), place("failure")],
            },
            "Event": agent_event,
            "ExtensionEvent": shown_event,
            "SessionEvent": session_event,
            "PermissionEvent": permission_event,
            "DialogEvent": dialog_event,
            **commands,
            **responses,
            **data,
            "failure": failure,
            **agent,
            **shown,
            **moved,
            **asked,
            **questions,
            **SHARED,
            "Message": closed_object(message, (*SEEN, *SUMMARY), description="A message of the conversation."),
            "Panel": record_schema(extension_events.Panel),
            "PlacedPanel": record_schema(extension_events.PlacedPanel),
        },
    }


def record_schema(cls: Any) -> dict[str, Any]:
    """A record that has no type."""
    hints = typing.get_type_hints(cls)
    fields = {name: annotated(hints[name]) for name in cls.__match_args__}
    return closed_object(fields, description=plain(cls.__doc__))


def texts() -> dict[Path, str]:
    """The files and their content."""
    schemas = {EVENTS: events_schema(), RPC: rpc_schema()}
    return {path: in_lines(schema, 2) for path, schema in schemas.items()}


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text, "utf-8")
