"""A model call as a `provider_stream` frame."""

from collections.abc import Sequence
from typing import Any

from zot_agent.extensions.providers.offer import WIRE
from zot_ext.protocol.groups.providers import ProviderStream
from zot_ext.protocol.raw import RawObject
from zot_provider.json_text import dump, without_surrogates
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.request import Request
from zot_provider.wire.base import Quirks
from zot_provider.wire.normalize import normalize


def stream_frame(id: str, request: Request, api_key: str) -> ProviderStream:
    """Return the frame for a request, whose history is repaired as for every provider."""
    model = request.model
    # One message at a time, so that no call of the encoder takes long.
    messages = ",".join(dump(_message(each)) for each in normalize(request.messages, WIRE, model, Quirks()))
    system = dump(without_surrogates(request.system))
    tools = dump(
        [{"name": each.name, "description": each.description, "schema": each.schema} for each in request.tools]
    )
    context = RawObject.from_parsed(f'{{"system":{system},"messages":[{messages}],"tools":{tools}}}', {})
    options = {
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "reasoning": request.reasoning,
        "session_id": request.cache_key or None,
        "response_schema": request.response_schema,
        "api_key": api_key or None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    return ProviderStream(id, model.provider, model.id, context, RawObject.from_value(given))


def _message(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": _blocks(message.content)}


def _blocks(blocks: "Sequence[Block]") -> list[dict[str, Any]]:
    return [_block(each) for each in blocks]


def _block(block: Block) -> dict[str, Any]:
    match block:
        case TextBlock(text):
            return {"type": "text", "text": text}
        case ImageBlock(mime_type, data):
            return {"type": "image", "mime_type": mime_type, "data": data}
        case ToolCallBlock(id, name, arguments):
            return {"type": "tool_call", "id": id, "name": name, "arguments": arguments}
        case ToolResultBlock(call_id, content, is_error):
            return {"type": "tool_result", "call_id": call_id, "is_error": is_error, "content": _blocks(content)}
        case ReasoningBlock():
            opaque = {"signature": block.signature, "encrypted": block.encrypted_content}
            return {"type": "thinking", "text": block.summary} | {name: text for name, text in opaque.items() if text}
