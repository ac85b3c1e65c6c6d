"""`Request`: a model call, independent of providers."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

from zot_provider.messages import Message
from zot_provider.model import Model
from zot_provider.record import Record, field

Reasoning: TypeAlias = Literal["off", "minimum", "low", "medium", "high", "xhigh", "max"]
"""How much a model thinks before it answers. A model without that level takes the nearest that it has."""
CacheTime: TypeAlias = Literal["5m", "1h"]


class Sampling(Record):
    """The permitted arguments of a tool: only what fits its schema, or only text of a grammar, which is
    then the text `input` of the arguments, their only member. Where a model cannot be held to that, it is left out."""

    kind: Literal["json_schema", "lark", "regex"]
    grammar: str = ""


class ToolSpec(Record):
    """A tool as a model sees it. `schema` is a JSON Schema of type "object"."""

    name: str
    description: str
    schema: dict[str, Any]
    sampling: Sampling | None = None


class RequestWatcher(Protocol):
    """Sees a request as it is sent over HTTP, and may change it."""

    async def sending(self, wire: str, headers: dict[str, str], body: str) -> tuple[dict[str, str], str]:
        """Return the headers and the body to send in place of these. The headers lack those with the key, which are
        added afterwards. Called again for each repetition."""

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        """The server has begun to answer; names of headers are in lower case."""


class Request(Record):
    """One model call.

    `max_tokens` limits the answer (None: the model's own limit). `reasoning` is the effort, translated to the
    parameters of each wire. `response_schema` restricts the answer to JSON that fits it, if the wire supports this.
    `cache_key` is stable for one conversation and lets a provider route requests to a warm cache. `cache_time` is how
    long what it writes stays in a cache that asks for that: writing for an hour costs more.
    A `watcher` sees what is sent; None for nearly all requests.
    """

    model: Model
    messages: list[Message]
    system: str = ""
    tools: list[ToolSpec] = field(default_factory=list)
    reasoning: Reasoning = "off"
    max_tokens: int | None = None
    temperature: float | None = None
    response_schema: dict[str, Any] | None = None
    cache_key: str = ""
    cache_time: CacheTime = "5m"
    watcher: RequestWatcher | None = None
