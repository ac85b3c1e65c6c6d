"""Events of extensions: the names that every host knows; `observable` and `interceptable` have the events of newer
ones."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Intercepted: TypeAlias = Literal[
        "tool_call",
        "turn_start",
        "assistant_message",
        "before_agent_start",
        "input",
        "context",
        "before_provider_request",
        "before_provider_headers",
        "message_end",
        "tool_result",
        "user_bash",
        "bash_spawn",
        "before_stop",
        "before_exit",
        "project_trust",
        "session_before_switch",
        "session_before_fork",
        "session_before_compact",
        "session_before_tree",
    ]

EVENTS = ("session_start", "turn_start", "turn_end", "tool_call", "assistant_message")
"""Events that every host has; `observable` lists the events of newer hosts."""

INTERCEPTS = ("tool_call", "turn_start", "assistant_message", "before_agent_start")
"""Events that can be intercepted on every host; `interceptable` lists the events of newer hosts too."""

NEWER_INTERCEPTS = (
    "input", "context", "before_provider_request", "before_provider_headers", "message_end", "tool_result", "user_bash",
    "bash_spawn", "before_stop", "before_exit", "project_trust", "session_before_switch", "session_before_fork",
    "session_before_compact", "session_before_tree",
)  # fmt: skip
"""The other rows of `interceptable`, by name: events of the group `intercepts2`."""

BUS = "bus:"
"""The beginning of the names of events of the bus; a pattern of channels follows."""

CHANNEL_LENGTH = 200
"""The most characters of a channel, and of a pattern."""


def channel_problem(channel: str, *, pattern: bool = False) -> str:
    """Return what is wrong with the name of a channel, or with a pattern; empty if nothing is."""
    plain = channel.removesuffix("*") if pattern else channel
    if (plain or channel) and "*" not in plain and " " not in plain and channel.isprintable():
        return "" if len(channel) <= CHANNEL_LENGTH else f"must be at most {CHANNEL_LENGTH} characters"
    return "must be a name without spaces" + (", which may end in *" if pattern else " and *")


def fits(pattern: str, channel: str) -> bool:
    """Whether a pattern covers a channel: `plan.*` covers `plan.done`, `*` every channel."""
    return channel.startswith(pattern[:-1]) if pattern.endswith("*") else pattern == channel
