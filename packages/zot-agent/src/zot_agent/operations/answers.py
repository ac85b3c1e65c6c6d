"""The answers of `zot rpc` as typed dictionaries: the agent, its models, tools and screens.

Later versions of zot may add fields. The JSON Schema and the documentation are made from these classes.
"""

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from zot_core.display import TodoStatus
from zot_core.permission_mode import PermissionMode, SandboxState
from zot_ext.protocol.answers import UsageCount

Event: TypeAlias = dict[str, Any]
"""An event: `type`, and the fields of that type. Clients ignore unknown types and fields."""
ShownEvent: TypeAlias = Annotated[Event, "ExtensionEvent"]
DrawnLine: TypeAlias = Annotated[str | list[dict[str, Any]], "WidgetLine"]
"""As in an event `ext_widget`. The second part of the annotation is the name of a definition in the JSON Schema."""


class ServerInfo(TypedDict):
    """The server and its model. `protocol_version` is the major version of the schema, 1."""

    protocol_version: int
    version: str
    provider: str
    model: str


class Pong(TypedDict):
    """The process answers."""

    pong: Literal[True]


class Started(TypedDict):
    """The events of the prompt or the compaction follow. It is `queued` while another one runs."""

    started: Literal[True]
    queued: NotRequired[Literal[True]]


class TodoInfo(TypedDict):
    """Something that is to be done."""

    content: str
    status: TodoStatus


class PermissionRequestInfo(TypedDict):
    """A tool call that waits for an answer. `rules` are what the answer "always" adds. `agent_id` is the sub-agent that
    calls, empty for the agent itself."""

    request: str
    tool_call: str
    name: str
    args: dict[str, Any]
    reason: str
    rules: list[str]
    agent_id: str


class StateInfo(TypedDict):
    """The state of the agent. `busy` is true until the last `done`; `queued` counts waiting prompts. `reasoning_used`
    is the nearest level to `reasoning` that the model has, one of `reasoning_levels`. `session_id` is empty without a
    session file. `permission_requests` are the events `permission_request` that wait for an answer, `ui_requests` the
    events `ext_ui_request`. `sandbox` says how commands are confined: `off`, `on`, `strict`, or `lesser` where the
    system can do little. `todos` is the list that the model keeps with the tool `todo`."""

    provider: str
    model: str
    cwd: str
    message_count: int
    busy: bool
    usage: UsageCount
    reasoning: str
    reasoning_used: str
    reasoning_levels: list[str]
    session_id: str
    queued: int
    tools: list[str]
    permission_mode: PermissionMode
    permission_requests: list[PermissionRequestInfo]
    ui_requests: list[dict[str, Any]]
    sandbox: SandboxState
    todos: list[TodoInfo]


class ModeInfo(TypedDict):
    """What becomes of tool calls that no rule names."""

    mode: PermissionMode


class MessageInfo(TypedDict):
    """A message of the conversation, in the model's own words. Images have their size in place of their data.

    `display_text` is what the user sees in place of the text, `hidden` the reason why the user sees no text. A message
    that an extension may draw has an `id` and a `custom_type`."""

    role: str
    content: list[dict[str, Any]]
    time: str
    display_text: NotRequired[str]
    hidden: NotRequired[str]
    id: NotRequired[str]
    custom_type: NotRequired[str]


class PlacedEntryInfo(TypedDict):
    """Something that an extension has stored in the conversation, which it may draw. `at` is the number of messages
    before it."""

    at: int
    id: str
    extension: str
    custom_type: str


class MessagesInfo(TypedDict):
    """The conversation. `entries` are what extensions have stored in it, if they have."""

    messages: list[MessageInfo]
    entries: NotRequired[list[PlacedEntryInfo]]


class ContextPartInfo(TypedDict):
    """A part of the next request; `tokens` are an estimate, `kind` is system, skills, tools or message. A message has
    an `id`, its `role`, its first line as `text`, and `shortened` if something in it is left out."""

    kind: str
    tokens: int
    id: NotRequired[str]
    role: NotRequired[str]
    text: NotRequired[str]
    shortened: NotRequired[bool]


class ContextInfo(TypedDict):
    """What fills the context window, whose size is `window`, 0 if unknown, and a guess if `window_guessed`. `usage` is
    that of the session."""

    parts: list[ContextPartInfo]
    tokens: int
    window: int
    window_guessed: bool
    usage: UsageCount


class ChosenModel(TypedDict):
    """The model in use: its full id, and its provider."""

    model: str
    provider: str


class ChosenLevel(TypedDict):
    """How much the model thinks."""

    reasoning: str


class ToolNames(TypedDict):
    """All tools that the model has."""

    tools: list[str]


class Image(TypedDict):
    """An image beside the text of a prompt; `data` is base64."""

    mime_type: str
    data: str


class DisplayInfo(TypedDict):
    """What a person sees of tool calls: a list of blocks for each call, by its id. The `kind` of a block is text,
    markdown, code (of the file `path`, from `start_line`), diff (lines that begin with a space, `-` or `+`, or are
    `...`), files, terminal, image or todo."""

    displays: dict[str, list[dict[str, Any]]]


class ShownEvents(TypedDict):
    """The events that lead to what extensions show now."""

    events: list[ShownEvent]


class CommandInfo(TypedDict):
    """A slash command. `extension` is "prompts" for a template and "skills" for a skill; `arguments` is a hint."""

    name: str
    description: str
    extension: str
    kind: Literal["extension", "skill", "template"]
    arguments: str


class CommandList(TypedDict):
    """The slash commands."""

    commands: list[CommandInfo]


class CommandAction(TypedDict):
    """What a slash command has done."""

    action: str


class CompletionItem(TypedDict):
    """Words to insert, and what is shown of them."""

    text: str
    label: NotRequired[str]
    description: NotRequired[str]
    extension: str


class CompletionsInfo(TypedDict):
    """Words in place of the text from `start` to `end`, counted in characters from 0."""

    start: int
    end: int
    items: list[CompletionItem]


class ReloadInfo(TypedDict):
    """How many extensions were stopped, loaded and are ready; `errors` are lines for the user."""

    stopped: int
    loaded: int
    ready: int
    errors: list[str]


class RenderingInfo(TypedDict):
    """Lines that an extension draws: null if the client is to draw itself, empty if nothing is to be shown."""

    lines: list[DrawnLine] | None
