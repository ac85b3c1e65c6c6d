"""The part of `hello_ack` for extensions with more than the original groups."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.from_host import EVENTS, INTERCEPTS, HelloAck
from zot_ext.protocol.raw import RawObject

if TYPE_CHECKING:
    from zot_agent.extensions.declared.flags import FlagValues
    from zot_core.conversation.driver import Conversation


def greeting(
    ack: HelloAck,
    conversation: "Conversation | None",
    limits: ExtensionLimits,
    flags: "FlagValues | None",
    *,
    project_trusted: bool,
) -> HelloAck:
    """Return `ack` with the fields that only extensions with more than the original groups get."""
    fields = {name: getattr(ack, name) for name in HelloAck.__fields__}
    observed, intercepted = _supported(ack.capabilities)
    fields |= {
        "host_name": "zot",
        "project_trusted": project_trusted,
        "supported_events": observed,
        "supported_intercepts": intercepted,
        "limits": RawObject.from_value(
            {
                "frame_bytes": limits.large_frame_bytes if "large_frames" in ack.capabilities else limits.frame_bytes,
                "tool_timeout_ms": round(limits.tool_seconds * 1000),
                "command_timeout_ms": round(limits.command_seconds * 1000),
                "intercept_timeout_ms": round(limits.intercept_seconds * 1000),
                "open_calls": limits.open_calls,
                "kv_bytes": limits.kv_bytes,
            }
        ),
    }
    if "flags" in ack.capabilities and flags is not None:
        fields |= {"flags": RawObject.from_value(flags.values), "explicit_flags": tuple(flags.given)}
    if conversation is not None:
        session = conversation.runtime.session
        fields |= {
            "mode": conversation.front_end,
            "has_ui": conversation.actions.ask_person is not None,
            "session_file": "" if session is None else session.path,
            "reasoning": conversation.runtime.agent.reasoning,
        }
        if conversation.actions.screen is not None:
            screen = conversation.actions.screen()
            fields |= {"theme": screen.theme, "terminal": RawObject.from_value(screen.terminal)}
    return HelloAck(**fields)


def _supported(groups: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the events that an extension with these groups can observe, and the events that it can intercept."""
    if {"events2", "stream_events", "intercepts2"}.isdisjoint(groups):
        return EVENTS, INTERCEPTS
    from zot_ext.protocol.events.interceptable import INTERCEPTABLE  # noqa: PLC0415  few extensions want more events
    from zot_ext.protocol.events.observable import OBSERVABLE  # noqa: PLC0415  as above

    observed = (name for name, row in OBSERVABLE.items() if row.group in groups)
    intercepted = (name for name, row in INTERCEPTABLE.items() if name in INTERCEPTS or row.group in groups)
    return (*EVENTS, *observed), tuple(intercepted)
