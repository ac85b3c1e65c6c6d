"""The results of `host_call` as typed dictionaries; many are also answers of `zot rpc`. Those about the
agent are in `agent_answers`.

Later versions of zot may add fields. Documentation is made from these classes. Nothing imports them while an extension
runs: only type checkers do.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

EntryKind: TypeAlias = Literal["user", "assistant", "tool", "compaction", "branch_summary", "custom"]


class UsageCount(TypedDict):
    """Tokens of a model call or of a session, and their price in US dollars, null if it is unknown. `reasoning` is a
    part of the output, null where nobody says."""

    input: int
    output: int
    cache_read: int
    cache_write: int
    cost_usd: float | None
    reasoning: int | None


class ModelInfo(TypedDict):
    """An available model. Sizes are in tokens, 0 if unknown. `reasoning_levels` are the levels that differ for it.
    Prices are US dollars per million tokens of each kind, null if unknown."""

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


class ModelList(TypedDict):
    """Models that can be chosen."""

    models: list[ModelInfo]


class ModelState(TypedDict):
    """The model in use. `reasoning_used` is the nearest level to `reasoning` that it has."""

    provider: str
    model: str
    reasoning: str
    reasoning_used: str
    context_window: int


class ModelAnswer(TypedDict):
    """The answer of a model, its name, and why it stopped. `content` are its blocks: text, thinking, calls."""

    text: str
    content: list[dict[str, Any]]
    stop: str
    provider: str
    model: str
    usage: UsageCount


class StoredSessionInfo(TypedDict):
    """A stored session. `title` is made from the first prompt unless it is `titled`; `messages` is null for a large
    file. A search adds `excerpt`, the text around the first match, and the `role` that said it, empty for a match in
    the title; `session.show` adds the other fields, with a price of null if it is unknown."""

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


class SessionPage(TypedDict):
    """Stored sessions, last used first. `next` is the `after` of the next page, empty at the end."""

    sessions: list[StoredSessionInfo]
    next: str


class EntryInfo(TypedDict):
    """An entry of a session. `parent` is the id of the entry before it, empty for the first. `text` is its first
    line."""

    id: str
    parent: str
    kind: EntryKind
    text: str
    label: str


class TreeInfo(TypedDict):
    """The entries of a session, of all its branches; `current` is the id of the last one of the conversation."""

    entries: list[EntryInfo]
    current: str


class FileDiffInfo(TypedDict):
    """A file that the session changed. Each line of `diff` begins with a space, `-` or `+`, or is `...`; `starts` has
    the first line numbers of each part, old and new. Without lines `note` says why."""

    path: str
    status: Literal["created", "deleted", "changed"]
    added: int
    removed: int
    diff: str
    starts: list[list[int]]
    note: str


class DiffInfo(TypedDict):
    """The files that differ from what they were before the session."""

    files: list[FileDiffInfo]


class FoundPlace(TypedDict):
    """A part of a message that has a text: the id of the entry, the kind of the part, the id of its call, empty without
    one, how often it has the text, and a line around the first place."""

    entry: str
    kind: Literal["prompt", "answer", "thought", "call", "result", "summary"]
    call: str
    count: int
    excerpt: str


class FoundText(TypedDict):
    """Where the conversation has a text, the newest place first. `total` counts all of them, also those for which there
    is no room (`more`)."""

    places: list[FoundPlace]
    total: int
    more: bool


class RunTotalsInfo(TypedDict):
    """The totals of a run: how many messages of the conversation there are to its end, the id of the last of
    them, its seconds, its tokens and price with sub-agents, and the files and lines that its calls have changed, as far
    as the calls say so."""

    at: int
    after: str
    seconds: float
    usage: UsageCount
    files: int
    added: int
    removed: int


class RunTotalsList(TypedDict):
    """The last runs of a conversation, the oldest first."""

    runs: list[RunTotalsInfo]


class SessionHits(TypedDict):
    """The stored sessions that have all words."""

    sessions: list[StoredSessionInfo]


class SessionTitle(TypedDict):
    """The title, empty without one."""

    title: str


class SessionInfo(TypedDict):
    """The session of the conversation: its `file` and its current `entry`, null without one, and the number of its
    messages. `branch` is that of git in its folder, which may be empty."""

    id: str
    file: str | None
    title: str
    cwd: str
    branch: str
    entry: str | None
    messages: int


class SessionItem(TypedDict):
    """An entry of a session. In a page it has its first line as `text`; whole, a message has its blocks as `content`,
    its `time` (UTC), `hidden`, and the `custom_type` and `details` that it was sent with. The block of a tool result
    has the `details` that the tool has kept. Data of an extension has `custom_type` and `data`. The content of a
    message that is `too_large` is left out."""

    id: str
    parent: str | None
    kind: EntryKind
    label: NotRequired[str]
    text: NotRequired[str]
    content: NotRequired[list[dict[str, Any]]]
    too_large: NotRequired[bool]
    time: NotRequired[str]
    hidden: NotRequired[bool]
    custom_type: NotRequired[str]
    details: NotRequired[Any]
    data: NotRequired[Any]


class ItemPage(TypedDict):
    """Entries, from the first on. `current` is the id of the current one, null without one; `more`: others follow."""

    entries: list[SessionItem]
    current: str | None
    more: bool


class NewItem(TypedDict):
    """The entry that was stored."""

    id: str


class SessionPlace(TypedDict):
    """Where the conversation continues: the session, the current entry, null without one, and the number of
    messages."""

    session_id: str
    entry: str | None
    messages: int


class OpenedPlace(SessionPlace):
    """Where the conversation continues, in which folder and with which model; `notes` are lines for the person."""

    cwd: str
    model: str
    notes: list[str]


class MovedPlace(SessionPlace):
    """Where the conversation continues: the text of the entry, the paths of the files that were restored, and a line
    for each file that could not be. If files have changed since, their paths are in `edited`, and nothing was done."""

    text: str
    restored: list[str]
    problems: list[str]
    edited: list[str]


class Delivered(TypedDict):
    """The fate of a message: `kept` is for the next prompt, `read` comes with `wait`."""

    delivered: Literal["started", "queued", "kept", "read"]


class KeptValue(TypedDict):
    """A value that an extension keeps, null without one."""

    value: Any


class KeyNames(TypedDict):
    """The keys of a scope."""

    keys: list[str]


class AccessToken(TypedDict):
    """An access token. `expires` is in seconds since 1970, null if it is unknown."""

    value: str
    expires: float | None
    scope: str


class ProgramEnd(TypedDict):
    """The output of a program, of both streams, `truncated` if it was longer than the limit. `code` is null at the time
    limit."""

    output: str
    code: int | None
    timed_out: bool
    truncated: bool


class NameList(TypedDict):
    """Names of tools that the model may call, or of themes."""

    names: list[str]


class Receivers(TypedDict):
    """To how many extensions a message was sent."""

    receivers: int


class PersonAnswer(TypedDict):
    """The answer of the person; or why the dialog has none: it was closed by the `user`, or at the `timeout`. `index`
    is the place of the option, for `ui.select`."""

    value: NotRequired[Any]
    index: NotRequired[int]
    closed: NotRequired[Literal["user", "timeout"]]


class ThemeInfo(TypedDict):
    """The theme in use, and its colours by token. A colour is `#rrggbb`, a number below 256, or `default`. Tokens of
    backgrounds end in `.background`."""

    name: str
    colors: dict[str, str]


class InputText(TypedDict):
    """The text in the editor; `cursor` is a place in it, counted from 0."""

    text: str
    cursor: int


class ModeName(TypedDict):
    """The mode of the editor that is in force; empty if it belongs to zot or to another extension."""

    name: str


class Expansion(TypedDict):
    """Whether everything is expanded."""

    expanded: bool


class PanelRoom(TypedDict):
    """The cells of a line and the most lines of a panel, and whether it is visible."""

    width: int
    height: int
    visible: bool
