"""Frames that an extension sends, roughly in the order of their use.

To add a frame: a class here, its name in `FromExtension` below, and a handler in the host.
"""

from __future__ import annotations

from zot_ext.protocol.frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from zot_ext.protocol.raw import RawObject
    from zot_ext.protocol.values import Block, PanelSpec

CAPABILITIES = (
    "commands",
    "tools",
    "events",
    "panels",
    "submit",
    "ui",
    "messages",
    "session",
    "storage",
    "control",
    "model",
    "exec",
    "cancel",
    "registration_result",
)
"""Values of `hello.capabilities`, one for each group of frames. Other values may be sent and are ignored."""

CALL_GROUPS = ("ui", "messages", "session", "storage", "control", "model", "exec", "cancel")
"""The groups with methods for `host_call`: see `zot_ext.protocol.calls`."""

ACTIONS = ("prompt", "insert", "display", "open_panel", "noop")
"""Values of `command_response.action`. An empty one means `noop`."""

LEVELS = ("info", "success", "warn", "error")
"""Values of `notify.level`."""


class Hello(Frame, type="hello"):
    """The first frame. The host answers `hello_ack`; registrations need not wait for it."""

    name: str
    """Should equal the name in the manifest, which wins if they differ. Never empty."""
    version: str = ""
    capabilities: tuple[str, ...] = ()
    """See `CAPABILITIES`. Advisory for the groups of protocol version 1."""


class RegisterCommand(Frame, type="register_command"):
    """Registers a slash command."""

    name: str
    """Without the slash."""
    description: str = ""


class RegisterTool(Frame, type="register_tool"):
    """Registers a tool that the model can call."""

    name: str
    description: str
    schema: RawObject
    """JSON Schema of the arguments; passed to the provider as it was written."""


class Subscribe(Frame, type="subscribe"):
    """Subscribes to events. Several frames add up; names that the host does not know are ignored."""

    events: tuple[str, ...] = ()
    """Events to observe: see `zot_ext.protocol.from_host.EVENTS`."""
    intercept: tuple[str, ...] = ()
    """Events to intercept: see `zot_ext.protocol.from_host.INTERCEPTS`."""
    intercept_options: RawObject | None = None
    """Options of intercepted events, by event: `{"tool_call": {"on_timeout": "block"}}`. `on_timeout` and `on_exit` say
    what happens to the event if the extension does not answer in time, or has ended: `allow` or `block`. `priority`, a
    whole number: higher ones are asked first. `cadence` of `before_agent_start`: `session` or `prompt`."""


class Ready(Frame, type="ready"):
    """The initial registrations are complete; the host need not wait any longer."""


class CommandResponse(Frame, type="command_response"):
    """Answers `command_invoked` within `ExtensionLimits.command_seconds`. Only the field of its action is used."""

    id: str
    """The id of the `command_invoked`."""
    action: str = ""
    """See `ACTIONS`."""
    prompt: str = ""
    """Submitted as a message from the user."""
    insert: str = ""
    """Inserted into the editor at the cursor, not submitted."""
    display: str = ""
    """Shown as a note; the model never sees it."""
    open_panel: PanelSpec | None = None
    error: str = ""
    """Shown as an error; the action is not carried out."""


class ToolResult(Frame, type="tool_result"):
    """Answers `tool_call` within `ExtensionLimits.tool_seconds`."""

    id: str
    """The id of the `tool_call`."""
    content: tuple[Block, ...]
    is_error: bool = False


class EventInterceptResponse(Frame, type="event_intercept_response"):
    """Answers `event_intercept` within `ExtensionLimits.intercept_seconds`. The defaults allow the
    event unchanged.

    With `block` the rewriting fields are ignored when the frame is read, even malformed ones: a refusal
    must not be lost because of a field without effect.
    """

    id: str
    """The id of the `event_intercept`."""
    block: bool = False
    reason: str = ""
    """Shown to the model for a tool call, to the user for any other event."""
    modified_args: RawObject | None = None
    """For `tool_call`: the arguments the tool receives instead. An object; `null` is the same as absent."""
    replace_text: str = ""
    """For `assistant_message`: the text the user sees instead. Empty is the same as absent."""
    system_prompt: str | None = None
    """For `before_agent_start`: the system prompt, exactly. `""` removes it, `None` keeps it."""

    @classmethod
    def ignored(cls, values: Mapping[str, object]) -> tuple[str, ...]:
        return ("modified_args", "replace_text", "system_prompt") if values.get("block") is True else ()


class Notify(Frame, type="notify"):
    """Shows a note under the transcript until the next prompt."""

    level: str
    """See `LEVELS`."""
    message: str


class ClearNotes(Frame, type="clear_notes"):
    """Removes every note of this extension that is still shown."""


class OpenPanel(Frame, type="open_panel"):
    """Opens a panel outside of a command."""

    panel: PanelSpec


class PanelRender(Frame, type="panel_render"):
    """New contents of the open panel. An empty title keeps the old one; an empty footer clears it."""

    panel_id: str
    title: str = ""
    lines: tuple[str, ...] = ()
    footer: str = ""


class PanelClose(Frame, type="panel_close"):
    """Closes the panel. The host does not echo it."""

    panel_id: str


class Submit(Frame, type="submit"):
    """Submits a message from the user; it is queued while a run is in progress."""

    text: str


class HostCall(Frame, type="host_call"):
    """Asks the host to do something; it answers with `host_result`. Only in groups that `hello_ack` grants."""

    id: str
    """Chosen by the extension; no other open call has it."""
    method: str
    """A method of `zot_ext.protocol.calls`."""
    params: RawObject | None = None
    parent_id: str = ""
    """The id of the open request of the host on whose behalf this is asked. The call ends with that request, and the
    request's time limit does not run while a dialog of its own is open."""
    session_id: str = ""
    """The session that the extension means; the call fails with `stale_session` in any other."""


class CancelCall(Frame, type="cancel"):
    """Takes a `host_call` back. It is still answered, usually with the code `cancelled`."""

    id: str
    """The id of the `host_call`."""


class ShutdownAck(Frame, type="shutdown_ack"):
    """Answers `shutdown`; the process exits right afterwards."""


FromExtension = (
    Hello
    | RegisterCommand
    | RegisterTool
    | Subscribe
    | Ready
    | CommandResponse
    | ToolResult
    | EventInterceptResponse
    | Notify
    | ClearNotes
    | OpenPanel
    | PanelRender
    | PanelClose
    | Submit
    | HostCall
    | CancelCall
    | ShutdownAck
)

FROM_EXTENSION: tuple[type[FromExtension], ...] = FromExtension.__args__
