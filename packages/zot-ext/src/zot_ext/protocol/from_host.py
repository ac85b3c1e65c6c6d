"""Frames the host sends.

Adding one: a class here, its name in `FromHost` below, and a handler in the SDK.
"""

from __future__ import annotations

from types import MappingProxyType

from zot_ext.protocol.frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from zot_ext.protocol.raw import RawObject

EVENTS = ("session_start", "turn_start", "turn_end", "tool_call", "assistant_message")
"""Events an extension can observe in protocol version 1. Newer hosts send more."""

INTERCEPTS = ("tool_call", "turn_start", "assistant_message", "before_agent_start")
"""Events an extension can be asked about."""

PANEL_KEYS = (
    "up",
    "down",
    "left",
    "right",
    "enter",
    "esc",
    "tab",
    "pageup",
    "pagedown",
    "home",
    "end",
    "backspace",
    "delete",
    "rune",
)
"""Values of `panel_key.key`."""

# Read-only, because every frame without extra fields shares it.
_NO_EXTRA: Mapping[str, object] = MappingProxyType({})


class HelloAck(Frame, type="hello_ack"):
    """Answers `hello` at once."""

    protocol_version: int
    """`zot_ext.protocol.PROTOCOL_VERSION` of the host."""
    zot_version: str
    provider: str
    model: str
    cwd: str
    """Directory of the project, absolute. The extension itself runs in its own directory."""
    extension_dir: str = ""
    """Directory of the manifest; `""` from hosts older than the field."""
    data_dir: str = ""
    """Where the extension keeps its files; the same directory in protocol version 1."""
    capabilities: tuple[str, ...] = ()
    """Groups the host grants. Empty from an original host: then only the first frames may be used."""
    session_id: str = ""
    """The session the agent writes; `""` from original hosts, or where no session is kept."""


class CommandInvoked(Frame, type="command_invoked"):
    """The user ran a command of this extension; answer with `command_response`."""

    id: str
    name: str
    args: str = ""
    """What was typed after the name, trimmed."""


class ToolCall(Frame, type="tool_call"):
    """The model called a tool of this extension; answer with `tool_result`."""

    id: str
    name: str
    args: RawObject
    """The arguments as the model wrote them. Checking them is up to the extension."""


class Event(Frame, type="event"):
    """Something happened; no answer is expected. Which fields are set depends on `event`."""

    event: str
    """See `EVENTS`."""
    step: int = 0
    """`turn_start`: which step of the turn, from 1."""
    stop: str = ""
    """`turn_end`: why the model stopped. Read `end` as `end_turn`: the first host wrote both."""
    error: str = ""
    """`turn_end`: what went wrong."""
    tool_id: str = ""
    """`tool_call`."""
    tool_name: str = ""
    """`tool_call`."""
    tool_args: RawObject | None = None
    """`tool_call`: the arguments of the model, not those an interceptor made of them."""
    text: str = ""
    """`assistant_message`: the text the user sees."""
    extra: Mapping[str, object] = _NO_EXTRA
    """Fields of this event that have no name above, parsed. They stand beside the others on the wire."""


class EventIntercept(Frame, type="event_intercept"):
    """Something is about to happen; answer with `event_intercept_response`."""

    id: str
    event: str
    """See `INTERCEPTS`."""
    step: int = 0
    """`turn_start`: which step of the turn, from 1."""
    tool_id: str = ""
    """`tool_call`."""
    tool_name: str = ""
    """`tool_call`."""
    tool_args: RawObject | None = None
    """`tool_call`: the arguments as the interceptors asked before have left them."""
    text: str = ""
    """`assistant_message`: the text as the interceptors asked before have left it."""
    session_id: str = ""
    """`before_agent_start`."""
    agent_run_id: str = ""
    """`before_agent_start`."""
    cwd: str = ""
    """`before_agent_start`."""
    provider: str = ""
    """`before_agent_start`."""
    model: str = ""
    """`before_agent_start`."""
    system_prompt: str = ""
    """`before_agent_start`: the prompt as the interceptors asked before have left it."""
    extra: Mapping[str, object] = _NO_EXTRA
    """Fields of this event that have no name above, parsed. They stand beside the others on the wire."""


class PanelKey(Frame, type="panel_key"):
    """A key was pressed while a panel of this extension has the focus."""

    panel_id: str
    key: str
    """See `PANEL_KEYS`."""
    text: str = ""
    """The typed character when `key` is `rune`."""


class PanelClose(Frame, type="panel_close"):
    """The user closed the panel, or another panel took its place."""

    panel_id: str


class Shutdown(Frame, type="shutdown"):
    """Answer with `shutdown_ack` and exit within `Limits.shutdown_seconds`."""


FromHost = HelloAck | CommandInvoked | ToolCall | Event | EventIntercept | PanelKey | PanelClose | Shutdown

FROM_HOST: tuple[type[FromHost], ...] = FromHost.__args__
