"""Frames that an extension sends, roughly in the order of their use.

To add a frame: a class here, its name in `FromExtension` below, and a handler in the host.
"""

from __future__ import annotations

from zot_ext.protocol.frame import NO_EXTRA, Frame
from zot_ext.protocol.groups.panels import PanelDraw as PanelDraw
from zot_ext.protocol.groups.panels import PanelKeyResult as PanelKeyResult
from zot_ext.protocol.groups.providers import (
    ProviderEvent,
    ProviderResult,
    ProviderStep,
    RegisterProvider,
    UnregisterProvider,
)
from zot_ext.protocol.groups.tool_ops import OpOutput, OpResponse, RegisterToolOps, UnregisterToolOps
from zot_ext.protocol.groups.tools import CallTool as CallTool
from zot_ext.protocol.groups.tools import CallToolCancel as CallToolCancel
from zot_ext.protocol.groups.tools import ShowProgress as ShowProgress
from zot_ext.protocol.groups.tools import UnregisterTool as UnregisterTool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from zot_ext.protocol.raw import RawList, RawObject
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
    "tools2",
    "call_tool",
    "tool_cancel",
    "widgets",
    "panels2",
    "editor",
    "keys",
    "autocomplete",
    "renderers",
    "cancel",
    "registration_result",
    "events2",
    "stream_events",
    "intercepts2",
    "large_frames",
    "flags",
    "bus",
    "resources",
    "providers",
    "tool_ops",
    "ready",
)
"""Values of `hello.capabilities`, one for each group of frames. Other values may be sent and are ignored."""

ORIGINAL_GROUPS = ("commands", "tools", "events", "panels", "submit", "call_tool", "tool_cancel")
"""The groups of the Go zot. An extension with any other one gets the whole `hello_ack`."""

CALL_GROUPS = (
    "ui",
    "messages",
    "session",
    "storage",
    "control",
    "model",
    "exec",
    "tools2",
    "resources",
    "bus",
    "widgets",
    "panels2",
    "editor",
    "keys",
    "autocomplete",
    "renderers",
    "cancel",
)
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
    hidden: bool = False
    """Lists of commands leave it out: only a key runs it, for example."""


class RegisterTool(Frame, type="register_tool"):
    """Registers a tool that the model can call."""

    name: str
    description: str
    schema: RawObject
    """JSON Schema of the arguments; passed to the provider as it was written."""
    prompt_snippet: str = ""
    """A line for the system prompt, there while the model has the tool. At most 500 characters."""
    execution_mode: str = ""
    """`parallel`: it may run at the same time as other such tools of a batch. `sequential`, or empty: it may not."""
    timeout_ms: int = 0
    """How long a call may take, `ExtensionLimits.longest_tool_seconds` at most; 0 for the usual `tool_seconds`."""
    read_only: bool = False
    """Calls change nothing: the permission mode `plan` asks about them and does not refuse them at once."""
    override: bool = False
    """It takes the place of a tool of the host with its name. Without it the host's tool wins."""
    deferred: bool = False
    """The model does not get it at once, but finds it with the tool `tool_search`."""
    exposure: str = ""
    """`direct`, or empty; `deferred`, the same as the field; `model-only` and `codemode`, the same as `direct`. With
    any other the tool is refused."""
    namespace: str = ""
    """The group of a deferred tool, at most 60 characters; the name of the extension without it. `tool_search` names
    the groups."""
    constrained_sampling: RawObject | None = None
    """The permitted arguments, where a provider can hold it to that. `{"type": "json_schema"}`: what fits
    the schema, which then has to name all properties in `required` and no others. `{"type": "lark", "grammar": "..."}`
    or `regex`: text of a grammar, the text `input`, which is the only property of the schema."""
    prepare_args: bool = False
    """The host asks with `event_intercept`, event `tool_prepare`, for the arguments before it shows them to anybody.
    Only in the group `tools2`."""


class Subscribe(Frame, type="subscribe"):
    """Subscribes to events. Several frames add up; names that the host does not know are ignored."""

    events: tuple[str, ...] = ()
    """Events to observe: see `zot_ext.protocol.from_host.EVENTS`; and `bus:PATTERN`, in the group `bus`."""
    intercept: tuple[str, ...] = ()
    """Events to intercept: see `zot_ext.protocol.from_host.INTERCEPTS`."""
    intercept_options: RawObject | None = None
    """Options of intercepted events, by event: `{"tool_call": {"on_timeout": "block"}}`. `on_timeout` and `on_exit` say
    what happens to the event if the extension does not answer in time, or has ended: `allow` or `block`. `priority`, a
    whole number: higher ones are asked first. `cadence` of `before_agent_start`: `session` or `prompt`. `contains` of
    `input`: texts; the extension is only asked about prompts with one of them."""


class RegisterFlag(Frame, type="register_flag"):
    """Says which flag of the command line the program reads. The manifest has to have it: the command line is read
    before any extension runs. Only in the group `flags`."""

    name: str
    """Without the dashes."""
    flag_type: str
    """`boolean`, `integer` or `string`."""
    default: bool | int | str | None = None
    """The value without the flag."""
    description: str = ""


class Ready(Frame, type="ready"):
    """The initial registrations are complete; the host need not wait any longer. Without the group `ready` it does not
    wait for this frame if the extension is silent for `ExtensionLimits.ready_idle_seconds`."""

    missing: tuple[str, ...] = ()
    """The parts that could not be started, and why, a line each. The start is then not complete: what was remembered of
    an earlier one stays."""


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
    details: RawObject | None = None
    """Kept with the result in the session, never sent to the model. At most `ExtensionLimits.details_bytes`."""
    structured_content: RawObject | None = None
    """The result for programs; without `content` the model reads it too."""
    terminate: bool = False
    """The model need not answer, if all results of its batch say so."""
    activate_tools: tuple[str, ...] = ()
    """Deferred tools that the model gets with its next request."""


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
    messages: RawList | None = None
    """For `context`: the messages instead. One with the `id` and the content of a message in the question is that
    message."""
    payload: RawObject | None = None
    """For `before_provider_request`: the body instead."""
    terminate: bool = False
    """For `tool_call`: the model need not answer the result, if all of its batch say so. Also with `block`."""
    extra: Mapping[str, object] = NO_EXTRA
    """For events of the group `intercepts2`: the other members of the answer (`zot_ext.protocol.events.interceptable`).
    On the wire they are members of the frame like the fields above."""

    @classmethod
    def ignored(cls, values: Mapping[str, object]) -> tuple[str, ...]:
        rewriting = ("modified_args", "replace_text", "system_prompt", "messages", "payload")
        odd = () if isinstance(values.get("terminate"), bool) else ("terminate",)
        return (*rewriting, *odd) if values.get("block") is True else ()


class Notify(Frame, type="notify"):
    """Shows a note under the transcript until the next prompt."""

    level: str
    """See `LEVELS`."""
    message: str


class ClearNotes(Frame, type="clear_notes"):
    """Removes every note of this extension that is still shown."""


class OpenPanel(Frame, type="open_panel"):
    """Opens a panel outside a command."""

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
    request's time limit does not run while a dialog for it is open."""
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
    | UnregisterTool
    | Subscribe
    | RegisterFlag
    | Ready
    | CommandResponse
    | ToolResult
    | ShowProgress
    | CallTool
    | CallToolCancel
    | EventInterceptResponse
    | Notify
    | ClearNotes
    | OpenPanel
    | PanelRender
    | PanelClose
    | PanelDraw
    | PanelKeyResult
    | Submit
    | RegisterProvider
    | UnregisterProvider
    | ProviderEvent
    | ProviderStep
    | ProviderResult
    | RegisterToolOps
    | UnregisterToolOps
    | OpOutput
    | OpResponse
    | HostCall
    | CancelCall
    | ShutdownAck
)

FROM_EXTENSION: tuple[type[FromExtension], ...] = FromExtension.__args__
