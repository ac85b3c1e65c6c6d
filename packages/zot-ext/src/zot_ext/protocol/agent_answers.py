"""The answers of operations on the agent as typed dictionaries: what it does, its commands, tools, jobs and sub-agents.

See `zot_ext.protocol.answers`.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from zot_ext.protocol.answers import UsageCount

JobState: TypeAlias = Literal["running", "ended", "stopped", "failed"]


class TodoInfo(TypedDict):
    """Something that is to be done."""

    content: str
    status: Literal["pending", "in_progress", "completed"]


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
    events `ext_ui_request`; extensions get none of both. `sandbox` says how commands are confined: `off`, `on`,
    `strict`, or `lesser` where the system can do little. `todos` is the list that the model keeps with the tool `todo`,
    empty for an extension without the permission `conversation`."""

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
    permission_mode: Literal["ask", "accept-edits", "plan", "yolo"]
    permission_requests: list[PermissionRequestInfo]
    ui_requests: list[dict[str, Any]]
    sandbox: Literal["off", "on", "strict", "lesser"]
    todos: list[TodoInfo]


class ContextPartInfo(TypedDict):
    """A part of the next request; `tokens` are an estimate, `kind` is system, skills, tools or message. A message has
    an `id`, its `role`, its first line as `text`, and `shortened` if something in it is left out; the text is empty for
    an extension without the permission `conversation`."""

    kind: str
    tokens: int
    id: NotRequired[str]
    role: NotRequired[str]
    text: NotRequired[str]
    shortened: NotRequired[bool]


class ContextInfo(TypedDict):
    """The content of the context window, whose size is `window`, 0 if unknown, and a guess if `window_guessed`. `usage`
    is that of the session."""

    parts: list[ContextPartInfo]
    tokens: int
    window: int
    window_guessed: bool
    usage: UsageCount


class JobInfo(TypedDict):
    """A command in the background. `exit_code` is None unless it ended by itself. `output` is the end of what it has
    printed, `output_path` a file with more of it, empty while it is short."""

    id: str
    command: str
    state: JobState
    exit_code: int | None
    seconds: float
    bytes: int
    output: str
    output_path: str


class JobList(TypedDict):
    """The jobs that run, and the latest that have ended."""

    jobs: list[JobInfo]


class ChangedJob(TypedDict):
    """The job after the change."""

    job: JobInfo


class AgentEntryInfo(TypedDict):
    """A sub-agent. `end` is empty while it works, else as the `reason` of `done`, or interrupted if its process ended
    first; `line` is what it does, or the end of its answer; `parent` is the agent that started it, empty for the agent
    itself. `branch` and `worktree` are empty unless it works in a worktree."""

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


class AgentList(TypedDict):
    """The sub-agents of the session, oldest first."""

    agents: list[AgentEntryInfo]


class ChangedAgent(TypedDict):
    """The sub-agent after the change."""

    agent: AgentEntryInfo


class MessageInfo(TypedDict):
    """A message of the conversation, in the model's own words. Images have their size in place of their data.

    `display_text` is what the user sees in place of the text, `hidden` the reason why the user sees no text. A summary
    has `summarized_tokens`, the tokens of what it replaces (0 if unknown). A message that an extension may draw has an
    `id` and a `custom_type`."""

    role: str
    content: list[dict[str, Any]]
    time: str
    display_text: NotRequired[str]
    hidden: NotRequired[str]
    summarized_tokens: NotRequired[int]
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


class ReloadInfo(TypedDict):
    """How many extensions were stopped, loaded and are ready; `errors` are lines for the user."""

    stopped: int
    loaded: int
    ready: int
    errors: list[str]


class CompactResult(TypedDict):
    """The events of the compaction follow. It is `queued` while another one runs; `end` comes with `wait`: `completed`
    or another reason."""

    started: Literal[True]
    queued: NotRequired[Literal[True]]
    end: NotRequired[str]


class SystemText(TypedDict):
    """The system prompt as the model got it last or will get it; `base` is without what extensions have changed."""

    text: str
    base: str


class KnownCommand(TypedDict):
    """A slash command; `source` is the extension, or `prompts` or `skills`; `arguments` is a hint; `path` is the file
    of a skill or a prompt template."""

    name: str
    description: str
    kind: Literal["template", "skill", "extension"]
    source: str
    arguments: str
    path: str


class KnownCommands(TypedDict):
    """The slash commands that are known so far."""

    commands: list[KnownCommand]


class KnownSkill(TypedDict):
    """A skill: its file, and where it comes from."""

    name: str
    description: str
    path: str
    source: str


class KnownSkills(TypedDict):
    """The skills."""

    skills: list[KnownSkill]


class KnownTool(TypedDict):
    """A tool. `source` is `zot`, or the name of an extension; `active`: the model may call it; `deferred`: it must be
    found first."""

    name: str
    description: str
    schema: dict[str, Any]
    source: str
    active: bool
    deferred: bool


class KnownTools(TypedDict):
    """The tools, by name."""

    tools: list[KnownTool]
