"""The commands of clients with a screen about what extensions do there: their renderers, and the input field."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from zot_agent.extensions.calls.renderer_set import ANSWER, MARKDOWN
from zot_agent.rpc.method import CommandField, InvalidCommand, Method
from zot_provider.json_text import read_object
from zot_provider.messages import Fate, Message, TextBlock, ToolCallBlock, ToolResultBlock

if TYPE_CHECKING:
    from zot_agent.operations.answers import RenderingInfo
    from zot_agent.rpc.context import CommandContext

_WIDEST = 1000
_MOST_TEXT = 64 * 1024
"""Characters of a result or a message that a renderer gets."""

_STATES: dict[Fate, str] = {"refused": "refused", "not_run": "failed", "stopped": "stopped"}


async def get_rendering(context: "CommandContext", fields: dict[str, Any]) -> "RenderingInfo":
    """Ask an extension for the lines of a part of the conversation."""
    kind, item, width = fields["kind"], fields.get("item", ""), fields["width"]
    if not 0 < width <= _WIDEST:
        raise InvalidCommand(f"width must be 1 to {_WIDEST}")
    messages, owner = context.runtime.messages, ""
    if kind == MARKDOWN:
        name, members = ANSWER, {"text": fields.get("text", "")}
    elif kind == "entry":
        name, members, owner = await _entry(context, item)
    elif kind == "message":
        name, members = _message(messages, item)
    elif kind in ("tool_call", "tool_result"):
        name, members = _call(context, messages, item)
    else:
        raise InvalidCommand("kind must be tool_call, tool_result, message, entry or markdown")
    renderers = context.screen.known_renderers
    if renderers is None or (kind == "tool_result" and members["state"] == "running"):
        return {"lines": None}
    members = {"item": item, "width": width, "expanded": bool(fields.get("expanded")), **members}
    return {"lines": await renderers.draw(kind, name, members, owner)}


async def _entry(context: "CommandContext", id: str) -> tuple[str, dict[str, Any], str]:
    """Return the type of an entry, the members of the question about it, and its extension. Raises
    `InvalidCommand`."""
    found = await context.screen.entries().find(id)
    if found is None:
        raise InvalidCommand(f"the conversation has no entry {id!r} of an extension")
    return found.custom_type, {"data": found.data}, found.extension


def _message(messages: Sequence[Message], id: str) -> tuple[str, dict[str, Any]]:
    """Return the type of a message and the members of the question about it. Raises `InvalidCommand`."""
    found = next((each for each in reversed(messages) if each.id == id and each.custom_type), None)
    if found is None:
        raise InvalidCommand(f"the conversation has no message {id!r} with a custom_type")
    return found.custom_type, {"text": _text(found.content)}


def _call(context: "CommandContext", messages: Sequence[Message], id: str) -> tuple[str, dict[str, Any]]:
    """Return the tool of a call and the members of the question about it. Raises `InvalidCommand`."""
    result: ToolResultBlock | None = None
    for message in reversed(messages):
        for block in message.content:
            if isinstance(block, ToolResultBlock) and block.call_id == id:
                result = block
            elif isinstance(block, ToolCallBlock) and block.id == id:
                return block.name, _members(context, block, result)
    raise InvalidCommand(f"the conversation has no call {id!r}")


def _members(context: "CommandContext", call: ToolCallBlock, result: ToolResultBlock | None) -> dict[str, Any]:
    arguments, event = call.arguments, context.displays.results.get(call.id)
    if event is not None:  # its message comes after the results of all calls of the answer
        result = ToolResultBlock(call.id, event.content, event.is_error, event.fate)
        arguments = event.arguments or arguments
    state, text = "running" if context.conversation.busy else "stopped", ""
    if result is not None:
        state = _STATES.get(result.fate, "failed" if result.is_error else "ok")
        text = _text(result.content)
    return {"state": state, "args": read_object(arguments), "text": text}


def _text(content: Sequence[object]) -> str:
    return "\n".join(each.text for each in content if isinstance(each, TextBlock))[:_MOST_TEXT]


def use_field(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Say that the person types in the field of this client, or that it has none any more."""
    known = context.screen.fields()
    (known.left if fields.get("on") is False else known.typed)(context.sender)


def ext_field_claim(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Say that this client is about to change its field."""
    if not context.screen.fields().claim(fields["request"]):
        raise InvalidCommand(f"no ext_field_request {fields['request']!r} waits for an answer")


def ext_field_response(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Answer an `ext_field_request`."""
    text, cursor = fields.get("text", ""), fields.get("cursor", 0)
    if not 0 <= cursor <= len(text):
        raise InvalidCommand(f"cursor must be 0 to {len(text)}")
    answer = {"text": text, "cursor": cursor, "busy": bool(fields.get("busy"))}
    if not context.screen.fields().answer(fields["request"], answer):
        raise InvalidCommand(f"no ext_field_request {fields['request']!r} waits for an answer")


METHODS = (
    Method(
        "get_rendering",
        get_rendering,
        "Ask the extension that [draws](extension-calls.md#what-is-drawn-in-the-conversation) a part of the "
        "conversation for its lines: see the event `ext_renderer`. `lines` is null if the client is to draw it itself, "
        "and empty if nothing is to be shown. An extension has a second to answer; 8 questions are open at once.",
        (
            CommandField(
                "kind", "string", "`tool_call`, `tool_result`, `message`, `entry` or `markdown`.", required=True
            ),
            CommandField("item", "string", "The id of the call, of the message or of the entry."),
            CommandField("text", "string", "The Markdown of an answer; `lines` has one text, the Markdown to show."),
            CommandField("width", "number", "How many cells a line has, 1 to 1000.", required=True),
            CommandField("expanded", "boolean", "Whether the person wants to see all of it."),
        ),
    ),
    Method(
        "use_field",
        use_field,
        "Say that this client has an [input field](extension-editor.md#without-a-terminal) that extensions may use, "
        "and that the person types there. Of several clients the last to say so is asked with the event "
        "`ext_field_request`. In `zot serve` it must come over the WebSocket.",
        (CommandField("on", "boolean", "False: it has none any more."),),
    ),
    Method(
        "ext_field_claim",
        ext_field_claim,
        "Say that this client is about to do what an event `ext_field_request` asks for. A client sends it before it "
        "changes its field. If it fails, the extension waits no more, and the text must stay as it is; else there are "
        "again two seconds for `ext_field_response`.",
        (CommandField("request", "string", "The `request` of the event.", required=True),),
    ),
    Method(
        "ext_field_response",
        ext_field_response,
        "Answer an event `ext_field_request` within two seconds.",
        (
            CommandField("request", "string", "The `request` of the event.", required=True),
            CommandField("text", "string", "What is in the field now."),
            CommandField("cursor", "number", "The place of the cursor in it, in characters from 0."),
            CommandField(
                "busy",
                "boolean",
                "True: nothing was changed, because the text was not `expected`, or the person composes a character.",
            ),
        ),
    ),
)
