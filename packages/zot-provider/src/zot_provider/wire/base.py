"""`Wire`: one way of talking HTTP to a model, and `Decoder`, which turns its stream into events.

A wire is code and knows no provider; what differs between providers of one wire are fields of `Quirks`, which stand in
the provider's record. Encoding is a pure function; decoding is fed the data of server-sent events and does no I/O.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from zot_provider.events import StreamEvent
from zot_provider.messages import Message
from zot_provider.model import Model
from zot_provider.record import Record, record
from zot_provider.request import Request


@record
class Quirks(Record):
    """Where providers of one wire differ.

    `max_tokens_field`: the body's name for the answer's limit. `usage_chunk`: whether to ask for a last chunk
    with the usage. `system_role`: the role of the system prompt. `reasoning_effort`: whether the body may hold one.
    `reasoning_field`: the field of an assistant message in which Chat Completions takes earlier thinking back, empty
    if it must not be sent. `prompt_cache_key`: whether the body may hold the conversation's cache key.
    `headers`: sent with every request.
    """

    max_tokens_field: str = "max_tokens"
    usage_chunk: bool = True
    system_role: str = "system"
    reasoning_effort: bool = True
    reasoning_field: str = "reasoning_content"
    prompt_cache_key: bool = False
    headers: tuple[tuple[str, str], ...] = ()


class Decoder(Protocol):
    """Turns one answer into events. One instance for each answer.

    `ended` is true once nothing more can come, be it after `StreamEnd` or after a failure: stop reading and call
    `finish`.
    """

    ended: bool

    def feed(self, data: Iterable[bytes]) -> list[StreamEvent]:
        """Events for the data fields of some server-sent events, in order; may be empty.

        Raises `ModelError` for a failure the provider reports, `ProtocolError` for data that is no JSON object. If
        events came before it in the same call, they are returned, and the failure is raised by the next call.
        """
        ...

    def finish(self) -> list[StreamEvent]:
        """What remains once the body has ended: `StreamEnd`, unless `feed` gave it.

        Raises a failure that `feed` still owes, and `StreamCut` if the answer had not come to its end.
        """
        ...


class Encode(Protocol):
    """Makes the JSON body of a request; `items` stand in place of the encoded conversation."""

    def __call__(
        self, request: Request, quirks: Quirks, items: list[dict[str, Any]] | None = None
    ) -> dict[str, Any]: ...


@record
class Wire(Record):
    """A wire: where its endpoint lies below the base URL, how to sign, encode and decode.

    `history` turns messages (a whole conversation, or a later part of one, with the call ids of what comes before) into
    items of the body; `history_field` is where `encode` puts them. `encode` makes the body for a request; it may be
    handed the items of the last part of the conversation, which must reach back to the model's last answer.

    `path` begins with a slash. `version_in_base` says whether the base URL holds the version (OpenAI: ".../v1") or
    the path does (Anthropic). `auth` maps a key to headers; with an empty key it gives those that every request needs.
    `encode` makes the body, a JSON object, of any history: it normalizes a copy first.
    """

    name: str
    path: str
    version_in_base: bool
    auth: Callable[[str], dict[str, str]]
    history: Callable[[Sequence[Message], Model, Quirks, set[str]], list[dict[str, Any]]]
    history_field: str
    encode: Encode
    decoder: Callable[[], Decoder]
