"""Frames that the host sends.

To add a frame: a class here, its name in `FromHost` below, and a handler in `zot_ext.runtime.runner`.
"""

from __future__ import annotations

from zot_ext.protocol.events import EVENTS as EVENTS
from zot_ext.protocol.events import INTERCEPTS as INTERCEPTS
from zot_ext.protocol.frame import NO_EXTRA, Frame
from zot_ext.protocol.groups.panels import PanelFocus as PanelFocus
from zot_ext.protocol.groups.panels import PanelMouse as PanelMouse
from zot_ext.protocol.groups.panels import PanelPaste as PanelPaste
from zot_ext.protocol.groups.panels import PanelResize as PanelResize
from zot_ext.protocol.groups.providers import ProviderInput, ProviderQuestion, ProviderStream
from zot_ext.protocol.groups.tool_ops import OpInput, OpRequest
from zot_ext.protocol.groups.tools import ToolAnswer as ToolAnswer
from zot_ext.protocol.groups.tools import ToolCancel as ToolCancel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from zot_ext.protocol.raw import RawList, RawObject

TOOL_PREPARE = "tool_prepare"
"""The event of an `event_intercept` about a call of a tool with `prepare_args`. It needs no subscription."""

CODES = (
    "unsupported",
    "unavailable",
    "busy",
    "cancelled",
    "timeout",
    "invalid",
    "denied",
    "not_found",
    "stale_session",
    "too_large",
    "session_locked",
    "jobs_running",
    "failed",
)
"""Values of `host_result.code`: `session_locked` if another process has the session open, `jobs_running` if commands
run in the background which the call does not stop."""

MODES = ("tui", "rpc", "serve", "acp", "print", "stream", "json")
"""Values of `hello_ack.mode`."""

STATUSES = ("ok", "shadowed", "rejected")
"""Values of `registration_result.status`."""

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


class HelloAck(Frame, type="hello_ack"):
    """Answers `hello` at once."""

    protocol_version: int
    """`zot_ext.protocol.PROTOCOL_VERSION` of the host."""
    zot_version: str
    provider: str
    model: str
    cwd: str
    """Directory of the project, absolute. The extension process runs in its own directory."""
    extension_dir: str = ""
    """Directory of the manifest; `""` from hosts older than the field."""
    data_dir: str = ""
    """Directory for files of the extension; equals `extension_dir` in protocol version 1."""
    capabilities: tuple[str, ...] = ()
    """Groups that the host grants. Empty from an original host, with which only the original frames may be used."""
    session_id: str = ""
    """The session that the agent writes; `""` from original hosts, or without a session."""
    host_name: str = ""
    """`zot`. This field and the following ones are sent only to an extension that is granted a group beyond the groups
    of the first hosts: `commands tools events panels submit`."""
    mode: str = ""
    """The front end that shows the conversation. See `MODES`."""
    has_ui: bool = False
    """Whether somebody can be asked: whether the methods of the group `ui` can have answers."""
    session_file: str = ""
    """The file of the session; empty if it is not stored."""
    reasoning: str = ""
    """The reasoning level of the model."""
    project_trusted: bool = False
    """Whether the person has allowed what the project brings."""
    supported_events: tuple[str, ...] = ()
    """Events that can be observed."""
    supported_intercepts: tuple[str, ...] = ()
    """Events that can be intercepted."""
    limits: RawObject | None = None
    """Limits of this host: `frame_bytes`, `tool_timeout_ms`, `command_timeout_ms`, `intercept_timeout_ms`,
    `open_calls`, `kv_bytes`."""
    flags: RawObject | None = None
    """The values of the flags in the manifest, by name. Only in the group `flags`, as is the next field."""
    explicit_flags: tuple[str, ...] = ()
    """The names of the flags on the command line."""
    theme: str = ""
    """The name of the theme, where there is a screen. The events `theme_changed` and `resize` follow it."""
    terminal: RawObject | None = None
    """The terminal, where there is a screen: `width` and `height` in cells, `images` (`kitty`, `iterm`, `half` for half
    blocks, or `off`) and `color` (`truecolor`, `256`, `16` or `none`)."""


class CommandInvoked(Frame, type="command_invoked"):
    """The user ran a command of this extension; answer with `command_response`."""

    id: str
    name: str
    args: str
    """The text after the name, trimmed; empty without any. Always there."""


class ToolCall(Frame, type="tool_call"):
    """The model called a tool of this extension; answer with `tool_result`."""

    id: str
    name: str
    args: RawObject
    """The arguments as the model wrote them. The extension must check them."""
    call_id: str = ""
    """The id of the call in events, in renderers and in the session. In the group `tools2`."""


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
    """`tool_call`: the arguments from the model, before any interceptor rewrites them."""
    text: str = ""
    """`assistant_message`: the text that the user sees."""
    extra: Mapping[str, object] = NO_EXTRA
    """Other fields of this event, parsed. On the wire they are members of the frame like the fields above."""


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
    """`tool_call`: the arguments after the rewrites of earlier interceptors."""
    text: str = ""
    """`assistant_message`: the text after the rewrites of earlier interceptors."""
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
    """`before_agent_start`: the prompt after the rewrites of earlier interceptors."""
    messages: RawList | None = None
    """`context`, `session_before_compact`: messages with their `id`."""
    payload: RawObject | None = None
    """`before_provider_request`: the body."""
    extra: Mapping[str, object] = NO_EXTRA
    """Other fields of this event, parsed. On the wire they are members of the frame like the fields above."""


class PanelKey(Frame, type="panel_key"):
    """A key was pressed while a panel of this extension had the focus."""

    panel_id: str
    key: str
    """See `PANEL_KEYS`. In the group `panels2` also any other: `f5`, `insert`, and a character with modifiers: `c`."""
    text: str = ""
    """The typed character when `key` is `rune`."""
    mods: tuple[str, ...] = ()
    """In the group `panels2`: the modifiers among `ctrl`, `alt`, `shift`, `super` and `hyper` that were held."""
    seq: int = 0
    """In the group `panels2`: the number of the key, for `panel_key_result`; 0 if it needs no answer."""
    kind: str = "press"
    """`press`; for a panel with `key_kinds` also `repeat`, while the key is held down, and `release`."""


class PanelClose(Frame, type="panel_close"):
    """The user closed the panel, or another panel took its place."""

    panel_id: str


class HostResult(Frame, type="host_result"):
    """Answers `host_call`. With a `code` the call has failed."""

    id: str
    """The id of the `host_call`."""
    result: RawObject | None = None
    code: str = ""
    """Why it failed; empty if it did not. See `CODES`."""
    error: str = ""
    """The same for a person: one line."""


class HostProgress(Frame, type="host_progress"):
    """A part of the result of an open `host_call` that asked for parts (`stream`)."""

    id: str
    """The id of the `host_call`."""
    delta: str
    """More text."""


class CancelRequest(Frame, type="cancel"):
    """Nobody waits any more for the answer to a request of the host. Only with the capability `cancel`, and
    for requests of the groups `providers` and `tool_ops`."""

    id: str
    """The id of the request."""


class RegistrationResult(Frame, type="registration_result"):
    """The result of a registration, once for each and again when it changes. Only with the capability
    `registration_result`."""

    kind: str
    """`command`, `tool`, `intercept`, `event` or `flag`."""
    name: str
    status: str
    """See `STATUSES`. What is shadowed is used when its owner ends."""
    reason: str = ""


class Shutdown(Frame, type="shutdown"):
    """Answer with `shutdown_ack` and exit within `ExtensionLimits.shutdown_seconds`."""


FromHost = (
    HelloAck
    | CommandInvoked
    | ToolCall
    | Event
    | EventIntercept
    | PanelKey
    | PanelClose
    | PanelPaste
    | PanelMouse
    | PanelFocus
    | PanelResize
    | ToolAnswer
    | ToolCancel
    | HostResult
    | HostProgress
    | CancelRequest
    | RegistrationResult
    | ProviderStream
    | ProviderQuestion
    | ProviderInput
    | OpRequest
    | OpInput
    | Shutdown
)

PANEL_FRAMES = (PanelKey, PanelClose, PanelPaste, PanelMouse, PanelFocus, PanelResize)
"""The frames about an open panel."""

FROM_HOST: tuple[type[FromHost], ...] = FromHost.__args__
