"""The answers of `zot rpc` as typed dictionaries. Later versions of zot may add fields."""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

Event: TypeAlias = dict[str, Any]
"""An event: `type`, and the fields of that type. Clients ignore unknown types and fields."""


class ServerInfo(TypedDict):
    """The server. `protocol_version` is the major version of the schema, 1."""

    protocol_version: int
    version: str
    provider: str
    model: str


class UsageCount(TypedDict):
    """Tokens of a model call or of a session, and their price in US dollars, None if it is unknown."""

    input: int
    output: int
    cache_read: int
    cache_write: int
    cost_usd: float | None
    reasoning: NotRequired[int | None]


class TodoInfo(TypedDict):
    """Something that is to be done. `status` is pending, in_progress or completed."""

    content: str
    status: str


class PermissionRequestInfo(TypedDict):
    """A tool call that waits for an answer. `rules` are what the answer "always" adds."""

    request: str
    tool_call: str
    name: str
    args: dict[str, Any]
    reason: str
    rules: list[str]
    agent_id: NotRequired[str]


class StateInfo(TypedDict):
    """The state of the agent. `busy` is true until the last `done`; `queued` counts waiting prompts. `session_id` is
    empty without a session file."""

    provider: str
    model: str
    cwd: str
    message_count: int
    busy: bool
    usage: UsageCount
    reasoning: str
    reasoning_used: NotRequired[str]
    session_id: str
    queued: int
    tools: list[str]
    permission_mode: NotRequired[str]
    permission_requests: NotRequired[list[PermissionRequestInfo]]
    ui_requests: NotRequired[list[dict[str, Any]]]
    todos: NotRequired[list[TodoInfo]]


class MessageInfo(TypedDict):
    """A message of the conversation, in the model's own words. Images have their size in place of their data.

    `display_text` is what the user sees in place of the text, `hidden` the reason why the user sees no text.
    """

    role: str
    content: list[dict[str, Any]]
    time: str
    display_text: NotRequired[str]
    hidden: NotRequired[str]


class EntryInfo(TypedDict):
    """An entry of a session. `parent` is the id of the entry before it, empty for the first. `kind` is user, assistant,
    tool, compaction, branch_summary or custom, `text` the first line."""

    id: str
    parent: str
    kind: str
    text: str
    label: str


class TreeInfo(TypedDict):
    """The entries of a session, of all its branches; `current` is the id of the last one of the conversation."""

    entries: list[EntryInfo]
    current: str


class MoveInfo(TypedDict):
    """A move to another entry: its text, the paths of the files that were restored, and a line for each file that could
    not be. If files have changed since, their paths are in `edited`, and nothing was done."""

    text: str
    message_count: int
    restored: list[str]
    problems: list[str]
    edited: list[str]


class FileDiffInfo(TypedDict):
    """A file that the session changed; `status` is created, deleted or changed. Each line of `diff` begins with a
    space, `-` or `+`, or is `...`; `starts` has the first line numbers of each part, old and new. Without lines `note`
    says why."""

    path: str
    status: str
    added: int
    removed: int
    diff: str
    starts: list[list[int]]
    note: str


class StoredSessionInfo(TypedDict):
    """A stored session. `title` is made from the first prompt unless it is `titled`; `messages` is None for a large
    file. A search adds `excerpt` and the `role` that said it; `show_session` adds the other fields."""

    id: str
    title: str
    titled: bool
    cwd: str
    model: str
    messages: int | None
    started: str
    used: str
    size: int
    path: str
    excerpt: NotRequired[str]
    role: NotRequired[str]
    last_prompt: NotRequired[str]
    last_answer: NotRequired[str]
    tokens: NotRequired[dict[str, int]]
    cost_usd: NotRequired[float | None]


class SettingInfo(TypedDict):
    """A setting. `source` is the file or the variable that the value comes from, empty for the default; `values` says
    what it can be. `changeable`: a program may change it; `at_once`: the open conversation follows."""

    key: str
    value: Any
    default: Any
    source: str
    help: str
    values: str
    choices: list[str]
    changeable: bool
    at_once: bool


class AgentEntryInfo(TypedDict):
    """A sub-agent. `end` is empty while it works, else as the `reason` of `done`, or interrupted. `branch` and
    `worktree` are empty unless it works in a worktree."""

    id: str
    name: str
    task: str
    parent: str
    model: str
    end: str
    error: str
    line: str
    steps: int
    tokens: int
    cost_usd: float | None
    session: str
    branch: str
    worktree: str
    seconds: float


class JobInfo(TypedDict):
    """A command in the background. `state` is running, ended, stopped or failed; `exit_code` is None unless it ended by
    itself. `output` is the end of what it has printed, `output_path` a file with more of it."""

    id: str
    command: str
    state: str
    exit_code: int | None
    seconds: float
    bytes: int
    output: str
    output_path: str


class ContextPartInfo(TypedDict):
    """A part of the next request; `tokens` are an estimate. `kind` is system, skills, tools or message. A message has
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


class ModelInfo(TypedDict):
    """An available model. Sizes are in tokens, 0 if unknown. `reasoning_levels` are the levels that differ for it.
    Prices are US dollars per million tokens of each kind, None if unknown."""

    id: str
    provider: str
    name: str
    context_window: int
    max_output: int
    reasoning: bool
    reasoning_levels: list[str]
    images: bool
    price_input: float | None
    price_output: float | None
    price_cache_read: float | None
    price_cache_write: float | None


class RunQuestionInfo(TypedDict):
    """What a run asks a person: the call, why it needs an answer, and the rules that the answer "always" adds."""

    call: str
    reason: str
    always: list[str]


class RunInfo(TypedDict):
    """A durable run. `pid` is None while no process has it; `question` is None unless it waits for an answer."""

    id: str
    state: str
    task: str
    steps: int
    tries: int
    end: str
    reason: str
    started: str
    changed: str
    cwd: str
    pid: int | None
    parked: bool
    question: RunQuestionInfo | None
    session: str


class CommandInfo(TypedDict):
    """A slash command. `extension` is "prompts" for a template and "skills" for a skill; `arguments` is a hint."""

    name: str
    description: str
    extension: str
    kind: Literal["extension", "skill", "template"]
    arguments: str


class Image(TypedDict):
    """An image beside the text of a prompt; `data` is base64."""

    mime_type: str
    data: str
