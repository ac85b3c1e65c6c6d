"""`StreamCase`: a stream as a server may send it, and what a decoder must make of it."""

import json
from typing import Any

from zot_provider.errors import ProviderError
from zot_provider.events import StreamEvent
from zot_provider.record import Record, field
from zot_provider.testing.render_bedrock import event_message


class StreamCase(Record):
    """`data` are the server-sent events, objects or raw bytes. After `events` comes `error`, if there is one."""

    id: str
    wire: str
    data: list[dict[str, Any] | bytes]
    events: list[StreamEvent] = field(default_factory=list)
    error: type[ProviderError] | None = None

    @property
    def items(self) -> list[bytes]:
        """The data of each event."""
        return [item if isinstance(item, bytes) else json.dumps(item).encode() for item in self.data]

    @property
    def body(self) -> bytes:
        """The whole stream as a server sends it."""
        if self.wire == "bedrock-converse":
            return b"".join(map(_message, self.items))
        return b"".join(b"data: " + item + b"\n\n" for item in self.items)


def _message(item: bytes) -> bytes:
    """A message of an event stream of AWS, for an object with one field or for raw bytes."""
    try:
        ((kind, value),) = json.loads(item).items()
    except (ValueError, AttributeError, RecursionError):
        return event_message("event", item)
    if kind == "failure":
        return event_message(value["code"], json.dumps(value["body"]).encode(), "exception")
    return event_message(kind, json.dumps(value).encode())
