"""`Request`: a model call, independent of providers."""

from typing import Any, Literal, TypeAlias

from zot_provider.messages import Message
from zot_provider.model import Model
from zot_provider.record import Record, field

Reasoning: TypeAlias = Literal["off", "minimum", "low", "medium", "high", "xhigh", "max"]


class ToolSpec(Record):
    """A tool as a model sees it. `schema` is a JSON Schema of type "object"."""

    name: str
    description: str
    schema: dict[str, Any]


class Request(Record):
    """One model call.

    `max_tokens` limits the answer (None: the model's own limit). `reasoning` is the effort, translated to the
    parameters of each wire. `response_schema` restricts the answer to JSON that fits it, if the wire supports this.
    `cache_key` is stable for one conversation and lets a provider route requests to a warm cache.
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
