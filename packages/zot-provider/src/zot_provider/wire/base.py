"""`Wire`: an HTTP dialect of model APIs, and `Decoder`, which turns its stream into events.

A wire is code and knows no provider. The differences between providers of one wire are fields of `Quirks`, in the
provider's record. Encoding is a pure function. Decoding consumes the data of server-sent events and does no I/O.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, Protocol, TypeAlias

from zot_provider.events import Stop, StreamEvent
from zot_provider.messages import Block, ImageBlock, Message, ToolResultBlock
from zot_provider.model import Model
from zot_provider.record import Record
from zot_provider.request import Request

SCHEMES: Mapping[str, tuple[str, str]] = {
    "bearer": ("authorization", "Bearer "),
    "x-api-key": ("x-api-key", ""),
    "x-goog-api-key": ("x-goog-api-key", ""),
    "api-key": ("api-key", ""),
    "cf-aig": ("cf-aig-authorization", "Bearer "),
}
"""The ways to send a key: the name of a header, and what precedes the key in its value."""

ThinkingShape: TypeAlias = Literal[
    "effort", "reasoning", "reasoning-enabled", "thinking", "thinking-kept", "enable_thinking"
]
"""How Chat Completions is asked to think. "effort": `reasoning_effort`, as OpenAI. "reasoning": `reasoning.effort`.
"reasoning-enabled": `reasoning.enabled`. "thinking": `thinking.type`, and an effort. "thinking-kept": the same, and the
server keeps earlier thinking. "enable_thinking": this field, and an effort."""


class Quirks(Record):
    """The differences between providers of one wire. All fields may be empty; the defaults suit most providers.

    Fields of the body. `max_tokens_field`: its name for the limit of the answer. `usage_chunk`: whether to request a
    last chunk with the usage. `system_role`: the role of the system prompt. `prompt_cache_key`: whether the body may
    hold the conversation's cache key. `cache_control`: whether Chat Completions takes the cache breakpoints of
    Messages; `tool_breakpoint`: whether a tool may have one. `body`: further fields of each body. `refused`: fields
    that no body may have.

    Thinking. `reasoning_effort`: whether the body may ask for it, and `thinking`: the shape in which Chat Completions
    does. `reasoning_field`: the field of an assistant message in which Chat Completions accepts earlier thinking, empty
    if it must not be sent; `reasoning_always`: whether each assistant message needs it, if the model can think.
    `thinking_parts`: whether thinking is a part of the content instead. `empty_signatures`: whether Messages accepts
    thinking with an empty signature.

    Tools. `call_id_length`: the ids of calls have exactly as many letters and digits, 0 for the rule of the wire.
    `call_id_extra`: characters that they may have besides the characters of the wire. `result_names`: whether a tool
    message has the name of its tool. `grammar_models`: beginnings of the ids of models that write text of a grammar for
    a tool.

    Headers. `headers`: sent with every request. `session_header`: its name for the id of the conversation.
    `initiator_header`: its name for who begins a model call, "user" or "agent". `images_header`: "true" if the
    conversation has images. Failures. `bodyless_overflow`: status 400 or 413 without a body means that the conversation
    is too long.
    """

    max_tokens_field: str = "max_tokens"
    usage_chunk: bool = True
    system_role: str = "system"
    prompt_cache_key: bool = False
    cache_control: bool = False
    tool_breakpoint: bool = True
    body: tuple[tuple[str, Any], ...] = ()
    refused: tuple[str, ...] = ()
    reasoning_effort: bool = True
    thinking: ThinkingShape = "effort"
    reasoning_field: str = "reasoning_content"
    reasoning_always: bool = False
    thinking_parts: bool = False
    empty_signatures: bool = False
    call_id_length: int = 0
    call_id_extra: str = ""
    result_names: bool = False
    grammar_models: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    session_header: str = ""
    initiator_header: str = ""
    images_header: str = ""
    bodyless_overflow: bool = False

    def finish(self, body: dict[str, Any]) -> dict[str, Any]:
        """Add the further fields to a body, and remove the refused fields. Returns the body."""
        body |= self.body
        for name in self.refused:
            body.pop(name, None)
        return body

    def request_headers(self, request: Request, session: str) -> dict[str, str]:
        """Return the headers of a request. `session` is the id of a conversation that has none."""
        headers = dict(self.headers)
        if self.session_header:
            headers[self.session_header] = request.cache_key or session
        if self.initiator_header:
            by_user = bool(request.messages) and request.messages[-1].role == "user"
            headers[self.initiator_header] = "user" if by_user else "agent"
        if self.images_header and any(_has_image(message.content) for message in request.messages):
            headers[self.images_header] = "true"
        return headers


def _has_image(blocks: Sequence[Block]) -> bool:
    return any(
        isinstance(block, ImageBlock) or (isinstance(block, ToolResultBlock) and _has_image(block.content))
        for block in blocks
    )


class Splitter(Protocol):
    """Divides the body of one answer into messages. Each answer needs a new instance."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of each message that `chunk` completes. Raises `ProtocolError`."""


class Decoder(Protocol):
    """Turns the messages of one answer into events. Each answer needs a new instance.

    `ended` becomes true after `StreamEnd` and after a failure, when no more events can come: stop reading and call
    `finish`. `size` grows with every piece of content.
    """

    ended: bool
    size: int

    def feed(self, data: Iterable[bytes]) -> list[StreamEvent]:
        """Return the events for some messages, such as the data fields of server-sent events, in order; may be empty.

        Raises `ModelError` for a failure that the provider reports, `ProtocolError` for data that is not a JSON
        object. If events precede the failure in the same call, they are returned and the next call raises it.
        """

    def last_stop(self) -> Stop | None:
        """Why the model stopped, once it has said so; None before, and on a wire where that is the final event."""

    def finish(self) -> list[StreamEvent]:
        """Return the remaining events after the body has ended: `StreamEnd`, unless `feed` returned it.

        Raises a failure that `feed` has not raised yet, and `StreamCut` if the answer is incomplete.
        """


class Encode(Protocol):
    """Makes the JSON body of a request; `items` replace the encoded conversation."""

    def __call__(
        self, request: Request, quirks: Quirks, items: list[dict[str, Any]] | None = None
    ) -> dict[str, Any]: ...


class Wire(Record):
    """A wire: the path of its endpoint below the base URL, and functions to encode and decode.

    `path` begins with a slash; `{model}` in it is the quoted id of the model. `version` is the end of a base URL that
    holds the version (OpenAI: "/v1"), empty if the path holds it (Anthropic). `scheme` is the usual way to send a key,
    one of `SCHEMES`. `headers` are sent with every request.

    `history` turns messages (a whole conversation, or a later part of one with the call ids of the earlier part) into
    items of the body; `history_field` is the field in which `encode` puts them. `encode` makes the body, a JSON object,
    of a request with any history: it normalizes a copy first. It may be passed the items of the last part of the
    conversation, which must include the last two turns of the user's side.

    `decoder` is the class of decoders, MODULE:NAME, which is imported when an answer comes. `splitter` makes the
    splitter of an answer's body; None for server-sent events. `list_path` is the path of the list of models, with what
    asks for all of them at once.
    """

    name: str
    path: str
    version: str
    scheme: str
    history: Callable[[Sequence[Message], Model, Quirks, set[str]], list[dict[str, Any]]]
    history_field: str
    encode: Encode
    decoder: str
    headers: tuple[tuple[str, str], ...] = ()
    splitter: Callable[[], Splitter] | None = None
    list_path: str = "/models"

    def open_decoder(self) -> Decoder:
        module, _, name = self.decoder.partition(":")
        decoder: Decoder = getattr(import_module(module), name)()
        return decoder

    def auth(self, key: str, scheme: str = "") -> dict[str, str]:
        """Return the headers of every request and, for a key that is not empty, the header with the key, sent in this
        way instead of the usual one."""
        name, prefix = SCHEMES[scheme or self.scheme]
        return dict(self.headers) | ({name: prefix + key} if key else {})
