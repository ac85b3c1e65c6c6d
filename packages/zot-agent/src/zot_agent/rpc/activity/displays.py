"""What a person sees besides the model's words, for clients with a screen: `get_display`, `get_image`, `get_shown`."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import CommandField, Encoded, InvalidCommand, Method
from zot_core.display import recalled_display, shown_content
from zot_core.event_json import image_id
from zot_provider.messages import ImageBlock, ToolCallBlock, ToolResultBlock

if TYPE_CHECKING:
    from zot_agent.operations.answers import DisplayInfo, Image, ShownEvents
    from zot_agent.rpc.context import CommandContext
    from zot_core.display import DisplayBlock

_CALLS = 100
"""Calls that one command may ask about."""


def get_display(context: "CommandContext", fields: dict[str, Any]) -> "DisplayInfo":
    """Return what a person sees of calls that have a result."""
    asked = fields["calls"]
    if len(asked) > _CALLS:
        raise InvalidCommand(f"calls may name {_CALLS} calls at most")
    wanted, displays = set(asked), {}
    calls: dict[str, ToolCallBlock] = {}
    for message in context.runtime.messages:
        for block in message.content:
            if isinstance(block, ToolCallBlock) and block.id in wanted:
                calls[block.id] = block
            elif isinstance(block, ToolResultBlock) and block.call_id in calls:
                displays[block.call_id] = recalled_display(calls[block.call_id], block, context.runtime.agent.tools)
    for id in wanted:
        if (result := context.displays.results.get(id)) is not None:
            displays[id] = result.display or shown_content(result.content)
    return {"displays": {id: [_fields(each) for each in blocks] for id, blocks in displays.items()}}


def _fields(block: "DisplayBlock") -> dict[str, Any]:
    """Return a display block as JSON, with the id of an image in place of its data."""
    found: dict[str, Any] = {str(name): getattr(block, name) for name in block.__match_args__}
    if "data" in found:
        found["id"] = image_id(found.pop("data"))
    if "items" in found:
        found["items"] = [{"content": each.content, "status": each.status} for each in found["items"]]
    return {"kind": block.kind, **found}


def get_image(context: "CommandContext", fields: dict[str, Any]) -> "Image":
    """Return an image of the conversation."""
    for block in _images(context):
        if image_id(block.data) == fields["image"]:
            return {"mime_type": block.mime_type, "data": block.data}
    raise InvalidCommand(f"the conversation has no image {fields['image']!r}")


def _images(context: "CommandContext") -> "list[ImageBlock]":
    found = [each for result in context.displays.results.values() for each in result.content]
    for message in context.runtime.messages:
        for block in message.content:
            found += block.content if isinstance(block, ToolResultBlock) else [block]  # type: ignore[list-item]
    return [each for each in found if isinstance(each, ImageBlock)]


def get_shown(context: "CommandContext", fields: dict[str, Any]) -> "Encoded[ShownEvents]":
    """Return the events that lead to what extensions show."""
    from zot_core.conversation.event_json import encode_conversation_event  # noqa: PLC0415  for screens only

    lines = [line for event in context.displays.shown for line in encode_conversation_event(event)]
    return Encoded(f'{{"events":[{",".join(lines)}]}}')


METHODS = (
    Method(
        "get_display",
        get_display,
        "Say what a person sees of tool calls that have a result, as the chat screen shows it. Calls without a result "
        "are left out.",
        (CommandField("calls", "strings", f"The ids of calls, {_CALLS} at most.", required=True),),
    ),
    Method(
        "get_image",
        get_image,
        "Return an image of the conversation.",
        (CommandField("image", "string", "The `id` of an image block.", required=True),),
    ),
    Method(
        "get_shown",
        get_shown,
        "Return what extensions show now, for a client that comes later: the latest events `ext_widget`, `ext_title`, "
        "`ext_working`, `ext_key`, `ext_renderer`, `ext_expand`, `ext_panel_open` and `ext_panel_show`.",
    ),
)
