"""The operations on what a person sees besides the model's words, for clients with a screen."""

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.operation import Encoded, operation
from zot_agent.rpc.service import RpcService, service_of
from zot_core.display import recalled_display, shown_content
from zot_core.event_json import image_id
from zot_provider.messages import ImageBlock, ToolCallBlock, ToolResultBlock

if TYPE_CHECKING:
    from zot_agent.operations.answers import Image
    from zot_core.display import DisplayBlock

AskedCalls: TypeAlias = Annotated[list[str], 100]


class DisplayInfo(TypedDict):
    """The display of tool calls: a list of blocks for each call, by its id. The `kind` of a block is text,
    markdown, code (of the file `path`, from `start_line`), diff (lines that begin with a space, `-` or `+`, or are
    `...`), files, terminal, image or todo."""

    displays: dict[str, list[dict[str, Any]]]


@operation("get_display", scope="watch")
def get_display(caller: OperationCaller, calls: AskedCalls) -> DisplayInfo:
    """Say what a person sees of tool calls that have a result, as the chat screen shows it. Calls without a result are
    left out.

    calls: The ids of calls.
    """
    context = service_of(caller)
    wanted, displays = set(calls), {}
    known: dict[str, ToolCallBlock] = {}
    for message in context.host.runtime.messages:
        for block in message.content:
            if isinstance(block, ToolCallBlock) and block.id in wanted:
                known[block.id] = block
            elif isinstance(block, ToolResultBlock) and block.call_id in known:
                displays[block.call_id] = recalled_display(
                    known[block.call_id], block, context.host.runtime.agent.tools
                )
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


@operation("get_image", scope="watch")
def get_image(caller: OperationCaller, image: str) -> "Image":
    """Return an image of the conversation.

    image: The `id` of an image block.
    """
    for block in _images(service_of(caller)):
        if image_id(block.data) == image:
            return {"mime_type": block.mime_type, "data": block.data}
    raise OperationFailed("not_found", f"the conversation has no image {image!r}")


def _images(context: RpcService) -> "list[ImageBlock]":
    found = [each for result in context.displays.results.values() for each in result.content]
    for message in context.host.runtime.messages:
        for block in message.content:
            found += block.content if isinstance(block, ToolResultBlock) else [block]  # type: ignore[list-item]
    return [each for each in found if isinstance(each, ImageBlock)]


class ShownEvents(TypedDict):
    """The events that lead to what extensions show now."""

    events: list[Annotated[dict[str, Any], "ExtensionEvent"]]  # the name of a definition in the JSON Schema


@operation("get_shown", scope="watch")
def get_shown(caller: OperationCaller) -> Encoded[ShownEvents]:
    """Return what extensions show now, for a client that comes later: the latest events `ext_widget`, `ext_title`,
    `ext_working`, `ext_key`, `ext_renderer`, `ext_expand`, `ext_panel_open` and `ext_panel_show`."""
    from zot_core.conversation.event_json import encode_conversation_event  # noqa: PLC0415  for screens only

    lines = [line for event in service_of(caller).displays.shown for line in encode_conversation_event(event)]
    return Encoded(f'{{"events":[{",".join(lines)}]}}')
