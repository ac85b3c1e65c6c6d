"""The body of a request as JSON text, of which only the end is made anew with each step of a conversation.

A conversation grows at its end. What lies before the model's last answer but one will be encoded to the same text again
and again, so it is kept; a step then costs what is new in it, and not what has been said before.
"""

from collections.abc import Sequence
from operator import is_

from zot_provider.json_text import dump
from zot_provider.messages import ImageBlock, Message, TextBlock
from zot_provider.model import Model
from zot_provider.request import Request
from zot_provider.wire.base import Quirks, Wire


class BodyWriter:
    """Writes the bodies of one client. Fastest for one conversation; right for any requests in any order."""

    def __init__(self, wire: Wire, quirks: Quirks) -> None:
        self._wire = wire
        self._quirks = quirks
        self._reset(None)

    def _reset(self, model: Model | None) -> None:
        self._model = model
        self._encoded: list[Message] = []  # the messages that `_text` holds; compared by identity
        self._ids: set[str] = set()  # of the calls among them
        self._text = ""

    def write(self, request: Request) -> str:
        """The JSON text of the body for `request`, the same value that `wire.encode` gives."""
        wire = self._wire
        count = self._encode_stable_part(request)
        recent = wire.history(request.messages[count:], request.model, self._quirks, set(self._ids))
        length = len(recent)
        body = wire.encode(request, self._quirks, recent)
        items = body.pop(wire.history_field)
        before = items[: len(items) - length]  # e.g. the system prompt, where that is a message
        parts = [*map(dump, before), *([self._text] if self._text else []), *map(dump, recent)]
        return f'{dump(body)[:-1]},"{wire.history_field}":[{",".join(parts)}]}}'

    def _encode_stable_part(self, request: Request) -> int:
        """Encode what will not change any more; how many messages that are."""
        messages, encoded = request.messages, self._encoded
        end = _boundary(messages)
        if (
            request.model != self._model
            or not _starts_with(messages, encoded)
            or not _is_boundary(messages, len(encoded), end)
        ):
            self._reset(request.model)
            encoded = self._encoded
        if end > len(encoded):
            part = messages[len(encoded) : end]
            items = self._wire.history(part, request.model, self._quirks, self._ids)
            self._text = ",".join(filter(None, [self._text, *map(dump, items)]))
            encoded += part
        return len(encoded)


def _starts_with(messages: Sequence[Message], encoded: Sequence[Message]) -> bool:
    """Whether `messages` begins with these very messages; `map` compares a thousand in 40 µs."""
    return len(messages) >= len(encoded) and all(map(is_, encoded, messages))


def _is_boundary(messages: Sequence[Message], index: int, end: int) -> bool:
    """Whether a boundary that was at `index` still is one: the conversation may go on otherwise, or end earlier."""
    if index >= end:
        return index in (0, end)
    return index == 0 or (messages[index].role == "assistant" and _has_content(messages[index]))


def _boundary(messages: Sequence[Message]) -> int:
    """The place before which nothing depends on what comes after, nor the other way round; 0 if there is none.

    That is before the last answer of the model, if the user's side has the last word: between a turn of the user's side
    and one of the model's, neither of which the encoder leaves out.
    """
    if not messages or not _ends_user_turn(messages, len(messages) - 1):
        return 0
    for index in range(len(messages) - 2, 0, -1):
        if messages[index].role == "assistant":
            return index if _has_content(messages[index]) and _ends_user_turn(messages, index - 1) else 0
    return 0


def _ends_user_turn(messages: Sequence[Message], index: int) -> bool:
    """Whether the message at `index` is one of the user's side that is certain to be sent."""
    message = messages[index]
    if message.role == "user":
        return _has_content(message)
    return message.role == "tool" and index > 0 and bool(messages[index - 1].tool_calls)


def _has_content(message: Message) -> bool:
    return bool(message.tool_calls) or any(
        isinstance(block, ImageBlock) or (isinstance(block, TextBlock) and bool(block.text.strip()))
        for block in message.content
    )
