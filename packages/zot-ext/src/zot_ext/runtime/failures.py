"""`failed`: the reply to a request that no handler has answered."""

from __future__ import annotations

from zot_ext.protocol.from_extension import CommandResponse, EventInterceptResponse, FromExtension, ToolResult
from zot_ext.protocol.groups.providers import ProviderEvent, ProviderResult
from zot_ext.protocol.groups.tool_ops import OpResponse
from zot_ext.protocol.values import TextBlock


def failed(type: str, id: str, reason: str, *, block: bool) -> FromExtension:
    """Return the reply that says why there is no other one. `type` is the type of the request; an interception is
    refused if it is to `block`."""
    reason = reason[:2000]
    match type:
        case "command_invoked":
            return CommandResponse(id, error=reason)
        case "tool_call":
            return ToolResult(id, (TextBlock(reason),), is_error=True)
        case "provider_stream":
            return ProviderEvent(id, "error", message=reason)
        case "provider_request":
            return ProviderResult(id, error=reason)
        case "op_request":
            return OpResponse(id, code="EIO", error=reason)
        case _:
            return EventInterceptResponse(id, block=block, reason=reason if block else "")
