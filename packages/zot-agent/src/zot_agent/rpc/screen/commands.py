"""The operations of clients with a screen on what extensions do there: their renderers, and the input field."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from zot_agent.extensions.calls.renderer_set import ANSWER
from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.operation import operation
from zot_agent.rpc.service import RpcService, service_of
from zot_ext.protocol.fields import OnlyIf
from zot_provider.json_text import read_object
from zot_provider.messages import Fate, Message, TextBlock, ToolCallBlock, ToolResultBlock

Drawn: TypeAlias = Literal["tool_call", "tool_result", "message", "entry", "markdown"]
Width: TypeAlias = Annotated[int, 1, 1000]

_MOST_TEXT = 64 * 1024
"""Characters of a result or a message that a renderer gets."""

_STATES: dict[Fate, str] = {"refused": "refused", "not_run": "failed", "stopped": "stopped"}


class RenderingInfo(TypedDict):
    """Lines that an extension draws: null if the client is to draw itself, empty if nothing is to be shown."""

    lines: (
        list[Annotated[str | list[dict[str, Any]], "WidgetLine"]] | None
    )  # the name of a definition in the JSON Schema


@operation("get_rendering", scope="watch")
async def get_rendering(
    caller: OperationCaller,
    kind: Drawn,
    *,
    item: str = "",
    text: Annotated[str, OnlyIf("kind", ("markdown",))] = "",
    width: Width,
    expanded: bool = False,
) -> RenderingInfo:
    """Ask the extension that [draws](extension-calls.md#what-is-drawn-in-the-conversation) a part of the conversation
    for its lines: see the event `ext_renderer`. `lines` is null if the client is to draw it itself, and empty if
    nothing is to be shown. An extension has a second to answer; 8 questions are open at once.

    kind: `tool_call`, `tool_result`, `message`, `entry` or `markdown`.
    item: The id of the call, of the message or of the entry.
    text: The Markdown of an answer; `lines` has one text, the Markdown to show.
    width: How many cells a line has.
    expanded: Whether the person wants to see all of it.
    """
    context, owner = service_of(caller), ""
    messages = context.host.runtime.messages
    name, members = ANSWER, dict[str, Any](text=text)
    if kind == "entry":
        name, members, owner = await _entry(context, item)
    elif kind == "message":
        name, members = _message(messages, item)
    elif kind != "markdown":
        name, members = _call(context, messages, item)
    if kind == "tool_result" and members["state"] == "running":
        return {"lines": None}
    members = {"item": item, "width": width, "expanded": expanded, **members}
    return {"lines": await context.screen.renderers.draw(kind, name, members, owner)}


async def _entry(context: RpcService, id: str) -> tuple[str, dict[str, Any], str]:
    """Return the type of an entry, the members of the question about it, and its extension. Raises
    `OperationFailed`."""
    found = await context.screen.entries.find(id)
    if found is None:
        raise OperationFailed("not_found", f"the conversation has no entry {id!r} of an extension")
    return found.custom_type, {"data": found.data}, found.extension


def _message(messages: Sequence[Message], id: str) -> tuple[str, dict[str, Any]]:
    """Return the type of a message and the members of the question about it. Raises `OperationFailed`."""
    found = next((each for each in reversed(messages) if each.id == id and each.custom_type), None)
    if found is None:
        raise OperationFailed("not_found", f"the conversation has no message {id!r} with a custom_type")
    return found.custom_type, {"text": _text(found.content)}


def _call(context: RpcService, messages: Sequence[Message], id: str) -> tuple[str, dict[str, Any]]:
    """Return the tool of a call and the members of the question about it. Raises `OperationFailed`."""
    result: ToolResultBlock | None = None
    for message in reversed(messages):
        for block in message.content:
            if isinstance(block, ToolResultBlock) and block.call_id == id:
                result = block
            elif isinstance(block, ToolCallBlock) and block.id == id:
                return block.name, _members(context, block, result)
    raise OperationFailed("not_found", f"the conversation has no call {id!r}")


def _members(context: RpcService, call: ToolCallBlock, result: ToolResultBlock | None) -> dict[str, Any]:
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


@operation("use_field", scope="drive")
def use_field(caller: OperationCaller, *, on: bool = True) -> None:
    """Say that this client has an [input field](extension-editor.md#without-a-terminal) that extensions may use, and
    that the person types there. Of several clients the last to say so is asked with the event `ext_field_request`. In
    `zot serve` it must come over the WebSocket.

    on: False: it has none any more.
    """
    context = service_of(caller)
    known = context.screen.fields
    (known.typed if on else known.left)(context.sender)


@operation("ext_field_claim", scope="drive")
def ext_field_claim(caller: OperationCaller, request: str) -> None:
    """Say that this client is about to do what an event `ext_field_request` asks for. A client sends it before it
    changes its field. If it fails, the extension stops waiting, and the text must stay as it is; else there are again
    two seconds for `ext_field_response`.

    request: The `request` of the event.
    """
    if not service_of(caller).screen.fields.claim(request):
        raise OperationFailed("not_found", f"no ext_field_request {request!r} waits for an answer")


@operation("ext_field_response", scope="drive")
def ext_field_response(
    caller: OperationCaller, request: str, *, text: str = "", cursor: int = 0, busy: bool = False
) -> None:
    """Answer an event `ext_field_request` within two seconds.

    request: The `request` of the event.
    text: What is in the field now.
    cursor: The place of the cursor in it, in characters from 0.
    busy: Nothing was changed, because the text was not `expected`, or the person composes a character.
    """
    if not 0 <= cursor <= len(text):
        raise OperationFailed("invalid", f"cursor must be 0 to {len(text)}")
    if not service_of(caller).screen.fields.answer(request, {"text": text, "cursor": cursor, "busy": busy}):
        raise OperationFailed("not_found", f"no ext_field_request {request!r} waits for an answer")
