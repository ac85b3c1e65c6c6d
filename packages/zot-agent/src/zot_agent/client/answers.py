"""The shapes of what `zot rpc` answers, as typed dictionaries: fields that a later zot adds are simply there."""

from typing import Any, NotRequired, TypeAlias, TypedDict

Event: TypeAlias = dict[str, Any]
"""An event: `type`, and the fields of that type. Clients pass over types and fields that they do not know."""


class ServerInfo(TypedDict):
    """Who answers. `protocol_version` is the major version of the schema, 1."""

    protocol_version: int
    version: str
    provider: str
    model: str


class UsageCount(TypedDict):
    """Tokens, and their price in US dollars, of a model call or of a session."""

    input: int
    output: int
    cache_read: int
    cache_write: int
    cost_usd: float
    reasoning: NotRequired[int | None]


class StateInfo(TypedDict):
    """What the agent is doing. `busy` lasts until the last `done`; `queued` prompts wait. Without a session file
    `session_id` is empty."""

    provider: str
    model: str
    cwd: str
    message_count: int
    busy: bool
    usage: UsageCount
    reasoning: str
    session_id: str
    queued: int
    tools: list[str]


class MessageInfo(TypedDict):
    """A message of the conversation. Images are reported by their size."""

    role: str
    content: list[dict[str, Any]]
    time: str


class ModelInfo(TypedDict):
    """A model that can be asked for. Sizes are tokens, 0 where they are not known."""

    id: str
    provider: str
    name: str
    context_window: int
    max_output: int
    reasoning: bool
    images: bool


class CommandInfo(TypedDict):
    """A slash command of an extension."""

    name: str
    description: str
    extension: str


class Image(TypedDict):
    """An image beside the text of a prompt; `data` is base64."""

    mime_type: str
    data: str
