import json
from contextlib import suppress
from itertools import pairwise
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.errors import ProtocolError
from zot_provider.testing.render_bedrock import event_message
from zot_provider.wire.bedrock.event_stream import EventStreamSplitter

PAYLOADS = st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3)
KINDS = st.sampled_from(["messageStart", "contentBlockDelta", "", 'a"b', "é"])


def split(body: bytes, cuts: list[int] | None = None) -> list[bytes]:
    splitter = EventStreamSplitter(1 << 16)
    places = sorted({0, len(body), *(cut for cut in cuts or [] if cut < len(body))})
    return [data for start, end in pairwise(places) for data in splitter.feed(body[start:end])]


def message(headers: bytes, payload: bytes = b"{}") -> bytes:
    """A message with these bytes as its headers."""
    prelude = (len(headers) + len(payload) + 16).to_bytes(4, "big") + len(headers).to_bytes(4, "big")
    whole = prelude + crc32(prelude).to_bytes(4, "big") + headers + payload
    return whole + crc32(whole).to_bytes(4, "big")


def with_lengths(whole: int, headers: int) -> bytes:
    """The beginning of a message that says that it has these lengths."""
    prelude = whole.to_bytes(4, "big") + headers.to_bytes(4, "big")
    return prelude + crc32(prelude).to_bytes(4, "big")


@given(st.lists(st.tuples(KINDS, PAYLOADS), max_size=4), st.lists(st.integers(0, 500), max_size=6))
def test_messages_are_the_same_however_they_are_cut(events: list[tuple[str, dict[str, str]]], cuts: list[int]) -> None:
    body = b"".join(event_message(kind, json.dumps(payload).encode()) for kind, payload in events)
    assert [json.loads(data) for data in split(body, cuts)] == [{kind: payload} for kind, payload in events]


@given(KINDS, PAYLOADS, st.data())
def test_no_changed_byte_is_taken(kind: str, payload: dict[str, str], data: st.DataObject) -> None:
    body = bytearray(event_message(kind, json.dumps(payload).encode()))
    place = data.draw(st.integers(0, len(body) - 1))
    body[place] ^= data.draw(st.integers(1, 255))
    with suppress(ProtocolError):
        assert split(bytes(body)) == []


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=4))
def test_any_bytes_are_messages_or_an_error(body: bytes, cuts: list[int]) -> None:
    with suppress(ProtocolError):
        assert split(body, cuts) == []


@given(st.binary(max_size=60))
def test_any_headers_are_a_message_or_an_error(headers: bytes) -> None:
    try:
        (data,) = split(message(headers))
    except ProtocolError:
        return
    assert isinstance(json.loads(data), dict)


def test_headers_of_all_types_are_passed_over() -> None:
    values = [b"", b"", b"1", b"12", b"1234", b"12345678", b"\0\2ab", b"\0\2cd", b"12345678", b"x" * 16]
    headers = b"".join(b"\1a" + bytes([kind]) + value for kind, value in enumerate(values))
    headers += b"\x0d:message-type\x07\0\5event" + b"\x0b:event-type\x07\0\4news"
    assert split(message(headers)) == [b'{"news":{}}']


@pytest.mark.parametrize(
    ("whole", "headers", "words"),
    [
        (0xFFFFFFFF, 0, "more than 65536 bytes"),
        (1 << 17, 10, "more than 65536 bytes"),
        (15, 0, "impossible lengths"),
        (0, 0, "impossible lengths"),
        (100, 90, "impossible lengths"),
    ],
)
def test_an_impossible_length_is_an_error_at_once(whole: int, headers: int, words: str) -> None:
    with pytest.raises(ProtocolError, match=words):
        split(with_lengths(whole, headers))


def test_a_web_page_has_no_messages() -> None:
    assert split(b"<html><body>welcome</body></html>" + event_message("a", b"{}"), [20]) == []


def test_a_message_with_a_damaged_beginning_is_an_error_after_another_one() -> None:
    splitter = EventStreamSplitter()
    assert splitter.feed(event_message("a", b"{}")) == [b'{"a":{}}']
    with pytest.raises(ProtocolError, match="damaged on its way"):
        splitter.feed(b"\0" + event_message("a", b"{}"))


def test_a_failure_becomes_a_message_of_its_own() -> None:
    exception = event_message("throttlingException", b'{"message":"slow down"}', "exception")
    assert json.loads(split(exception)[0]) == {
        "failure": {"code": "throttlingException", "body": {"message": "slow down"}}
    }
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + len(text).to_bytes(2, "big") + text.encode()
        for name, text in {":message-type": "error", ":error-code": "InternalError", ":error-message": "boom"}.items()
    )
    assert json.loads(split(message(headers, b""))[0]) == {"failure": {"code": "InternalError", "message": "boom"}}
