"""The answers of operations that extensions do not get, as typed dictionaries.

Later versions of zot may add fields. The JSON Schema and the documentation are made from these classes.
"""

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from zot_core.permission_mode import PermissionMode
from zot_ext.protocol.answers import StoredSessionInfo

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


class ModeInfo(TypedDict):
    """The fate of tool calls that no rule names."""

    mode: PermissionMode


class Image(TypedDict):
    """An image beside the text of a prompt; `data` is base64."""

    mime_type: str
    data: str


class DisplayInfo(TypedDict):
    """The display of tool calls: a list of blocks for each call, by its id. The `kind` of a block is text,
    markdown, code (of the file `path`, from `start_line`), diff (lines that begin with a space, `-` or `+`, or are
    `...`), files, terminal, image or todo."""

    displays: dict[str, list[dict[str, Any]]]


class ShownEvents(TypedDict):
    """The events that lead to what extensions show now."""

    events: list[ShownEvent]


class CommandAction(TypedDict):
    """The result of a slash command."""

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


class RenderingInfo(TypedDict):
    """Lines that an extension draws: null if the client is to draw itself, empty if nothing is to be shown."""

    lines: list[DrawnLine] | None


class WrittenFile(TypedDict):
    """The file that was written."""

    path: str


class AddedSession(TypedDict):
    """The session that was added."""

    session: StoredSessionInfo


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


class SettingList(TypedDict):
    """All settings."""

    settings: list[SettingInfo]


class ChangedSetting(TypedDict):
    """The setting with the value in effect, which a variable or the project may decide."""

    setting: SettingInfo


class RunQuestionInfo(TypedDict):
    """The question of a run to a person: the call, why it needs an answer, and the rules that the answer "always"
    adds."""

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


class RunList(TypedDict):
    """The durable runs, last changed first."""

    runs: list[RunInfo]


class ChangedRun(TypedDict):
    """The run after the change."""

    run: RunInfo
