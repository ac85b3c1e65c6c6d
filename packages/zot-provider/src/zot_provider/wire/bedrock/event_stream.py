"""`EventStreamSplitter`: an incremental parser of the binary event streams of AWS, without I/O.

Source: Amazon Transcribe Developer Guide, "Event stream encoding"
(https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html). A message is its length and that of its headers
(four bytes each), a checksum of both (CRC-32), the headers, the payload, and a checksum of all before. A header is its
name after a byte with its length, a byte with its type, and its value.
"""

import json
from zlib import crc32

from zot_provider.errors import ProtocolError

MAX_MESSAGE_BYTES = 24 << 20
"""Size of a message above which a stream is refused; AWS allows a payload of 16 MiB."""

_PRELUDE = 12
_FRAME = 16
"""Bytes of a message without headers and payload."""

_STRING = 7
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Bytes of the value of a header by its type; the values of 6 and 7 begin with two bytes for their length."""


class EventStreamSplitter:
    """Splits a stream into messages, however the network divided it into chunks. A body that does not begin with a
    message, such as a web page, has none.

    A message becomes a JSON object with one field, whose name is the kind of the event and whose value is the payload;
    a failure becomes `{"failure": {"code": ..., "message": ...}}` or has the payload as its `body`.
    """

    def __init__(self, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._max_message_bytes = max_message_bytes
        self._buffer = bytearray()
        self._begun = False
        self._foreign = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the JSON text of each message that `chunk` completes.

        Raises `ProtocolError` for a wrong checksum, for a length that is impossible, and for a message of more than
        `max_message_bytes` bytes.
        """
        buffer, found, start = self._buffer, [], 0
        if self._foreign:
            return []
        buffer += chunk
        while len(buffer) - start >= _PRELUDE:
            if crc32(buffer[start : start + 8]) != _number(buffer, start + 8):
                if self._begun:
                    raise ProtocolError("the server sent a message that was damaged on its way; try again", again=True)
                self._foreign = True
                return []
            self._begun = True
            length = self._length(buffer, start)
            if len(buffer) - start < length:
                break
            found.append(_data(bytes(buffer[start : start + length])))
            start += length
        del buffer[:start]
        return found

    def _length(self, buffer: bytearray, start: int) -> int:
        """Return the length of the message at `start`, of which the prelude is complete."""
        length = _number(buffer, start)
        if length > self._max_message_bytes:
            raise ProtocolError(f"the server sent a message of more than {self._max_message_bytes} bytes")
        if _number(buffer, start + 4) > length - _FRAME:
            raise ProtocolError("the server sent a message with impossible lengths")
        return length


def _data(message: bytes) -> bytes:
    """Return the JSON text of a whole message."""
    if crc32(message[:-4]) != _number(message, len(message) - 4):
        raise ProtocolError("the server sent a message that was damaged on its way; try again", again=True)
    end = _PRELUDE + _number(message, 4)
    headers, payload = _headers(message[_PRELUDE:end]), message[end:-4] or b"{}"
    kind = headers.get(":message-type")
    if kind == "event":
        return b"{" + _json(headers.get(":event-type")) + b":" + payload + b"}"
    if kind == "exception":
        return b'{"failure":{"code":' + _json(headers.get(":exception-type")) + b',"body":' + payload + b"}}"
    code, text = _json(headers.get(":error-code")), _json(headers.get(":error-message"))
    return b'{"failure":{"code":' + code + b',"message":' + text + b"}}"


def _headers(data: bytes) -> dict[str, str]:
    """Return the headers that are texts."""
    headers: dict[str, str] = {}
    try:
        position = 0
        while position < len(data):
            name = data[position + 1 : position + 1 + data[position]]
            position += 1 + data[position]
            kind = data[position]
            size, position = _SIZES.get(kind), position + 1
            if size is None:
                if kind not in (6, _STRING):
                    raise ProtocolError("the server sent a message with a header of an unknown type")
                size, position = int.from_bytes(data[position : position + 2], "big"), position + 2
            if kind == _STRING:
                headers[name.decode("utf-8", "replace")] = data[position : position + size].decode("utf-8", "replace")
            position += size
    except IndexError:
        raise ProtocolError("the server sent a message with headers that are cut off") from None
    return headers


def _number(data: bytes | bytearray, start: int) -> int:
    return int.from_bytes(data[start : start + 4], "big")


def _json(text: str | None) -> bytes:
    return json.dumps(text or "").encode()
