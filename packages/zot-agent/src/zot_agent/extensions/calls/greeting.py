"""The part of `hello_ack` for extensions with calls."""

from typing import TYPE_CHECKING

from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.from_host import EVENTS, INTERCEPTS, HelloAck
from zot_ext.protocol.raw import RawObject

if TYPE_CHECKING:
    from zot_core.conversation.driver import Conversation


def greeting(
    ack: HelloAck, conversation: "Conversation | None", limits: ExtensionLimits, *, project_trusted: bool
) -> HelloAck:
    """Return `ack` with the fields that only extensions with calls get."""
    fields = {name: getattr(ack, name) for name in HelloAck.__fields__}
    fields |= {
        "host_name": "zot",
        "project_trusted": project_trusted,
        "supported_events": EVENTS,
        "supported_intercepts": INTERCEPTS,
        "limits": RawObject.from_value(
            {
                "frame_bytes": limits.frame_bytes,
                "tool_timeout_ms": round(limits.tool_seconds * 1000),
                "command_timeout_ms": round(limits.command_seconds * 1000),
                "intercept_timeout_ms": round(limits.intercept_seconds * 1000),
                "open_calls": limits.open_calls,
                "kv_bytes": limits.kv_bytes,
            }
        ),
    }
    if conversation is not None:
        session = conversation.runtime.session
        fields |= {
            "mode": conversation.front_end,
            "has_ui": conversation.ask_person is not None,
            "session_file": "" if session is None else session.path,
            "reasoning": conversation.runtime.agent.reasoning,
        }
    return HelloAck(**fields)
