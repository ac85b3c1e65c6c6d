"""Agent events as JSON: the schema shared by `--json`, RPC and the SDK.

An image has its size and an id. A call has its arguments as the model wrote them, a result the arguments that the tool
received. Messages omit reasoning blocks, which are reported as `reasoning_delta`. New fields and event types
may be added within one protocol version.
"""

from collections.abc import Callable
from json.encoder import encode_basestring as quote
from typing import Any, get_args

from zot_core.events import (
    AgentEvent,
    AssistantMessage,
    AssistantStart,
    AutoRetryEnd,
    Done,
    ErrorEvent,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolResultEvent,
    ToolUseArgs,
    TurnEnd,
    TurnStart,
    UsageEvent,
    UserMessage,
)
from zot_provider.json_text import dump, is_object, line_text
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.usage import Usage
from zot_provider.wire.reasoning import levels


def raw_arguments(text: str) -> tuple[str, str]:
    """Encode arguments as members of an object: `"args":...`, then `,"args_raw":"..."` unless `text` is an object."""
    if not text.strip():
        return '"args":{}', ""
    if is_object(text):
        return f'"args":{text.replace(chr(10), " ").replace(chr(13), " ")}', ""
    return '"args":{}', f',"args_raw":{quote(text)}'


def _tool_call(call: ToolCall | ToolCallBlock) -> str:
    args, raw = raw_arguments(call.arguments)
    return f'{{"type":"tool_call","id":{quote(call.id)},"name":{quote(call.name)},{args}{raw}}}'


def image_id(data: str) -> str:
    """Return the id of an image, 16 hex digits, from its base64 `data`."""
    from hashlib import blake2b  # noqa: PLC0415  2 ms that only conversations with images need

    return blake2b(data.encode(), digest_size=8).hexdigest()


def encode_block(block: Block) -> str:
    """Encode a content block of a message; empty for a block that is not reported."""
    match block:
        case TextBlock(text):
            return f'{{"type":"text","text":{quote(text)}}}'
        case ImageBlock():
            kind, id = quote(block.mime_type), image_id(block.data)
            return f'{{"type":"image","mime_type":{kind},"bytes":{block.size},"id":"{id}"}}'
        case ToolCallBlock():
            return _tool_call(block)
        case ToolResultBlock(call_id, content, is_error):
            head = f'{{"type":"tool_result","call_id":{quote(call_id)},"is_error":{"true" if is_error else "false"}'
            fate = "" if block.fate == "ran" else f',"fate":"{block.fate}"'
            return f'{head},"content":{encode_blocks(content)}{fate}}}'
        case ReasoningBlock():
            return ""


def encode_blocks(blocks: "list[Block] | list[TextBlock | ImageBlock]") -> str:
    return f"[{','.join(filter(None, map(encode_block, blocks)))}]"


def encode_message(message: Message) -> str:
    """Encode a message as the model knows it, and what the user sees in its place: `display_text`,
    `hidden`, `summarized_tokens`; and of a message that an extension may draw, its `id` and `custom_type`."""
    return f'{{"role":"{message.role}",{_content(message)}{_seen(message)}}}'


def _content(message: Message) -> str:
    return f'"content":{encode_blocks(message.content)},"time":{quote(message.time)}'


def _seen(message: Message) -> str:
    seen = "" if message.display_text is None else f',"display_text":{quote(message.display_text)}'
    seen += f',"hidden":{quote(message.hidden)}' if message.hidden else ""
    seen += "" if message.summarized_tokens is None else f',"summarized_tokens":{message.summarized_tokens}'
    custom = message.custom_type
    return f'{seen},"id":{quote(message.id)},"custom_type":{quote(custom)}' if custom else seen


def usage_fields(usage: Usage) -> dict[str, Any]:
    """Return the fields of a `usage` event, which are also the fields of the usage in `get_state`."""
    return {**usage.counts, "cost_usd": usage.shown_cost, "reasoning": usage.reasoning}


def model_fields(model: Model) -> dict[str, Any]:
    """Return the fields of a model in a list. Prices are US dollars per million tokens, null if they are unknown."""
    names = ("id", "provider", "name", "context_window", "max_output", "reasoning")
    kinds = ("input", "output", "cache_read", "cache_write")
    return {name: getattr(model, name) for name in names} | {
        "reasoning_levels": list(levels(model)),
        "images": model.images,
        **{f"price_{kind}": None if model.price is None else getattr(model.price, kind) for kind in kinds},
    }


def _message(event: UserMessage | AssistantMessage) -> str:
    message: Message = event.message
    seen = _seen(message) if isinstance(event, UserMessage) else ""
    return f'{{"type":"{event.type}",{_content(message)}{seen}}}'


def _tool_result(event: ToolResultEvent) -> str:
    args = "" if event.arguments is None else "," + "".join(raw_arguments(event.arguments))
    fate = "" if event.fate == "ran" else f',"fate":"{event.fate}"'
    return (
        f'{{"type":"tool_result","id":{quote(event.id)},"name":{quote(event.name)},'
        f'"is_error":{"true" if event.is_error else "false"},"content":{encode_blocks(event.content)}'
        f"{args}{fate}{_details(event)}}}"
    )


def _details(event: ToolResultEvent) -> str:
    """Encode the `details` member; empty without details, or if a tool put a value into them that is not JSON."""
    try:
        return f',"details":{dump(event.details)}' if event.details else ""
    except (TypeError, ValueError, RecursionError):
        return ""


def _usage(event: UsageEvent) -> str:
    value = {"type": "usage", **usage_fields(event.usage), "cumulative": usage_fields(event.cumulative)}
    return dump(value | {"agent_id": event.agent_id} if event.agent_id else value)


def _fields(event: AgentEvent) -> str:
    return dump({"type": event.type} | {name: getattr(event, name) for name in event.__match_args__})


def _auto_retry_end(event: AutoRetryEnd) -> str:
    value = {"type": event.type, "success": event.success, "attempt": event.attempt}
    return dump(value | {"final_error": event.final_error} if event.final_error else value)


def _turn_end(event: TurnEnd) -> str:
    error = f',"error":{quote(event.error)}' if event.error else ""
    return f'{{"type":"turn_end","stop":"{event.stop}"{error}}}'


def _error(event: ErrorEvent) -> str:
    more = {"retryable": True, "candidates": event.candidates} if event.retryable else {}
    more |= {"auth": True} if event.auth else {}
    return dump({"type": "error", "message": event.message, **more})


def _turn_start(event: TurnStart) -> str:
    named = "".join(
        f',"{name}":"{value}"' for name, value in (("mode", event.mode), ("sandbox", event.sandbox)) if value
    )
    return f'{{"type":"turn_start","step":{event.step}{named}}}'


def _done(event: Done) -> str:
    plain = event.reason in ("completed", "aborted", "error")
    return '{"type":"done"}' if plain else f'{{"type":"done","reason":"{event.reason}"}}'


_ENCODERS: dict[type, Callable[[Any], str]] = {
    TextDelta: lambda event: f'{{"type":"text_delta","delta":{quote(event.delta)}}}',
    ReasoningDelta: lambda event: f'{{"type":"reasoning_delta","delta":{quote(event.delta)}}}',
    ToolUseArgs: lambda event: f'{{"type":"tool_use_args","id":{quote(event.id)},"delta":{quote(event.delta)}}}',
    AutoRetryEnd: _auto_retry_end,
    UserMessage: _message,
    TurnStart: _turn_start,
    AssistantStart: lambda event: '{"type":"assistant_start"}',
    AssistantMessage: _message,
    ToolCall: _tool_call,
    ToolResultEvent: _tool_result,
    UsageEvent: _usage,
    TurnEnd: _turn_end,
    ErrorEvent: _error,
    Done: _done,
}
"""Events of which some fields are left out or have another form, and the pieces of an answer, which are many. Of all
others every field is in the JSON."""

ENCODED = frozenset(get_args(AgentEvent))
"""The event classes that `encode_event` accepts."""


def encode_event(event: AgentEvent) -> str:
    """Encode an event as one line of JSON, without a line break."""
    return line_text(_ENCODERS.get(type(event), _fields)(event))
