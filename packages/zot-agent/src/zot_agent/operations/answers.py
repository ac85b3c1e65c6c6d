"""Parts of the answers of operations that extensions do not get, as typed dictionaries.

Later versions of zot may add fields. The JSON Schema and the documentation are made from these classes, and from those
beside the operations.
"""

from typing import Any, TypeAlias, TypedDict

Event: TypeAlias = dict[str, Any]
"""An event: `type`, and the fields of that type. Clients ignore unknown types and fields."""


class ServerInfo(TypedDict):
    """The server and its model. `protocol_version` is the major version of the schema, 1."""

    protocol_version: int
    version: str
    provider: str
    model: str


class Image(TypedDict):
    """An image beside the text of a prompt; `data` is base64."""

    mime_type: str
    data: str


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
