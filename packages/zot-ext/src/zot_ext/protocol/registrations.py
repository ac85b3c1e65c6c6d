"""The frames with which an extension says what it is and what it registers. `from_extension` has all others.

They are by themselves because the host keeps them from run to run, and needs no others before the first request.
"""

from __future__ import annotations

from zot_ext.protocol.frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_ext.protocol.raw import RawObject

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
    """What the model may write as arguments, where a provider can hold it to that. `{"type": "json_schema"}`: what fits
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


Registration = Hello | RegisterCommand | RegisterTool | Subscribe

REGISTRATIONS: tuple[type[Registration], ...] = Registration.__args__
