"""`BodyWriter`: request bodies as JSON text, with the text of what does not change cached between requests.

A conversation grows at its end. The messages before the model's last answer but one are encoded to the same text every
time, so the text is kept: the cost of a step depends on its new messages, not on the length of the conversation. What
follows them has the last two turns of the user's side, in which wires put cache breakpoints. The text of the
instructions and the tools is kept, too.
"""

from collections.abc import Sequence
from operator import is_
from typing import Any

from zot_provider.json_text import dump
from zot_provider.messages import ImageBlock, Message, TextBlock
from zot_provider.model import Model
from zot_provider.request import Request
from zot_provider.wire.base import Quirks, Wire

_LONG = 500
"""Characters from which on the text of a field is kept: instructions and tools. Short options are not: `1 == True`, but
their texts differ."""


class BodyWriter:
    """Writes the bodies of one client. Correct for any requests in any order, fastest for one conversation. Messages
    and schemas of tools must not be changed in place."""

    def __init__(self, wire: Wire, quirks: Quirks) -> None:
        self._wire = wire
        self._quirks = quirks
        self._reset(None)

    def _reset(self, model: Model | None) -> None:
        self._model = model
        self._encoded: list[Message] = []  # the messages in `_text`, compared by identity
        self._ids: set[str] = set()  # call ids in those messages
        self._text = ""
        self._next: tuple[Sequence[Message], str, set[str]] = (), "", set()  # see `prepare`
        self._schemas: list[dict[str, Any]] = []  # of the tools, compared by identity
        self._fields: dict[object, tuple[Any, str]] = {}  # long values of the body, each with its text

    def write(self, request: Request) -> str:
        """Return the JSON text of the body for `request`, equal in value to that of `wire.encode`."""
        wire = self._wire
        count = self._encode_stable_part(request)
        recent = wire.history(request.messages[count:], request.model, self._quirks, set(self._ids))
        length = len(recent)
        body = wire.encode(request, self._quirks, recent)
        items = body.pop(wire.history_field)
        before = items[: len(items) - length]  # e.g. the system prompt, if it is a message
        schemas = [tool.schema for tool in request.tools]
        if len(schemas) != len(self._schemas) or not _starts_with(schemas, self._schemas):
            self._schemas, self._fields = schemas, {}
        parts = [self._field(at, item) for at, item in enumerate(before)]
        parts += [*([self._text] if self._text else []), *map(dump, recent)]
        fields = [f"{dump(name)}:{self._field(name, value)}" for name, value in body.items()]
        return f'{{{",".join([*fields, ""])}"{wire.history_field}":[{",".join(parts)}]}}'

    def prepare(self, request: Request) -> None:
        """Encode what will not change any more in the request after `request`, which has been written: the messages,
        their text and all call ids are kept for that one."""
        start, end = len(self._encoded), _boundary(request.messages, 0)
        if end > start and request.model == self._model and _starts_with(request.messages, self._encoded):
            part, ids = request.messages[start:end], set(self._ids)
            self._next = part, self._texts(part, request.model, ids), ids

    def _texts(self, messages: Sequence[Message], model: Model, ids: set[str]) -> str:
        """Return the text of messages in the body, whose call ids are added to `ids`."""
        return ",".join(map(dump, self._wire.history(messages, model, self._quirks, ids)))

    def _field(self, name: object, value: Any) -> str:
        """Return the JSON text of a field of the body, or of a message before the history."""
        kept = self._fields.get(name)
        if kept is not None and kept[0] == value:
            return kept[1]
        text = dump(value)
        if len(text) >= _LONG:
            self._fields[name] = value, text
        return text

    def _encode_stable_part(self, request: Request) -> int:
        """Encode the messages that will not change any more. Returns their number."""
        messages, encoded = request.messages, self._encoded
        end = _boundary(messages, 1)
        if (
            request.model != self._model
            or not _starts_with(messages, encoded)
            or not _is_boundary(messages, len(encoded), end)
        ):
            self._reset(request.model)
            encoded = self._encoded
        if end > len(encoded):
            part = messages[len(encoded) : end]
            known, text, ids = self._next
            if len(known) != len(part) or not _starts_with(part, known):
                ids = self._ids
                text = self._texts(part, request.model, ids)
            self._text = ",".join(filter(None, [self._text, text]))
            self._ids, self._next = ids, ((), "", set())
            encoded += part
        return len(encoded)


def _starts_with(objects: Sequence[object], first: Sequence[object]) -> bool:
    """Whether `objects` begins with the same objects as `first`; `map` compares a thousand in 40 µs."""
    return len(objects) >= len(first) and all(map(is_, first, objects))


def _is_boundary(messages: Sequence[Message], index: int, end: int) -> bool:
    """Whether the earlier boundary `index` is still valid: the conversation may have changed or be shorter."""
    if index >= end:
        return index in (0, end)
    return index == 0 or (messages[index].role == "assistant" and _has_content(messages[index]))


def _boundary(messages: Sequence[Message], later: int) -> int:
    """Return the index that divides the messages into two independently encoded parts; 0 if there is no such index.

    It is the index of the model's last answer but `later`, if the last message is from the user's side: the boundary
    lies between a turn of the user's side and a turn of the model, neither of which the encoder leaves out, and
    `later` + 1 turns of the user's side follow it.
    """
    if not messages or not _ends_user_turn(messages, len(messages) - 1):
        return 0
    for index in range(len(messages) - 2, 0, -1):
        if messages[index].role == "assistant":
            if not _has_content(messages[index]) or not _ends_user_turn(messages, index - 1):
                return 0
            if not later:
                return index
            later -= 1
    return 0


def _ends_user_turn(messages: Sequence[Message], index: int) -> bool:
    """Whether the message at `index` is from the user's side and certain to be sent."""
    message = messages[index]
    if message.role == "user":
        return _has_content(message)
    return message.role == "tool" and index > 0 and bool(messages[index - 1].tool_calls)


def _has_content(message: Message) -> bool:
    return bool(message.tool_calls) or any(
        isinstance(block, ImageBlock) or (isinstance(block, TextBlock) and bool(block.text.strip()))
        for block in message.content
    )
