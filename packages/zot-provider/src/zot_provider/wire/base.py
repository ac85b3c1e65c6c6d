"""`Wire`: one way of talking HTTP to a model, and `Decoder`, which turns its stream into events.

A wire is code and knows no vendor; what differs between vendors of one wire are fields of `Quirks`, which stand in
the vendor's record. Encoding is a pure function; decoding is fed the data of server-sent events and does no I/O.
"""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from zot_provider.record import Record, record
from zot_provider.request import Request
from zot_provider.stream import StreamEvent


@record
class Quirks(Record):
    """Where vendors of one wire differ.

    `max_tokens_field`: the body's name for the answer's limit. `usage_chunk`: whether to ask for a last chunk
    with the usage. `system_role`: the role of the system prompt. `reasoning_effort`: whether the body may hold one.
    `headers`: sent with every request.
    """

    max_tokens_field: str = "max_tokens"
    usage_chunk: bool = True
    system_role: str = "system"
    reasoning_effort: bool = True
    headers: tuple[tuple[str, str], ...] = ()


class Decoder(Protocol):
    """Turns one answer into events. One instance for each answer."""

    def feed(self, data: Iterable[bytes]) -> list[StreamEvent]:
        """Events for the data fields of some server-sent events, in order; may be empty.

        Raises `ModelError` for a failure the vendor reports, `ProtocolError` for data that is no JSON object.
        """
        ...

    def finish(self) -> list[StreamEvent]:
        """What remains once the body has ended: `StreamEnd`, unless `feed` gave it.

        Raises `StreamCut` if the answer had not come to its end.
        """
        ...


@record
class Wire(Record):
    """A wire: where its endpoint lies below the base URL, how to sign, encode and decode.

    `path` begins with a slash. `version_in_base` says whether the base URL holds the version (OpenAI: ".../v1") or
    the path does (Anthropic). `auth` maps a key to headers.
    """

    name: str
    path: str
    version_in_base: bool
    auth: Callable[[str], dict[str, str]]
    encode: Callable[[Request, Quirks], dict[str, Any]]
    decoder: Callable[[], Decoder]
