from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zot_provider.errors import ProtocolError
from zot_provider.transport.sse import SseSplitter


def reference(stream: bytes) -> list[bytes]:
    """The standard's own words, character by character, on the whole stream."""
    stream = stream.removeprefix(b"\xef\xbb\xbf")
    lines, line, position = [], b"", 0
    while position < len(stream):
        char = stream[position : position + 1]
        position += 1
        if char in (b"\r", b"\n"):
            if char == b"\r" and stream[position : position + 1] == b"\n":
                position += 1
            lines.append(line)
            line = b""
        else:
            line += char
    events, data = [], b""
    for line in lines:
        if not line:
            if data:
                events.append(data[:-1])
            data = b""
        elif not line.startswith(b":"):
            name, _, value = line.partition(b":")
            if name == b"data":
                data += value.removeprefix(b" ") + b"\n"
    return events


def split(*chunks: bytes) -> list[bytes]:
    splitter = SseSplitter()
    return [data for chunk in chunks for data in splitter.feed(chunk)]


PIECES = [
    b"data",
    b": ",
    b":",
    b" ",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"event: x\n",
    b"data: {}",
    b"\xef\xbb\xbf",
    b"id: 1",
    b"x",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.lists(st.integers(0, 200), max_size=10))
@example([b"data: a\n", b"\r\n"], [8])
@example([b"\n", b"\n", b"\n", b"data: a", b"\n\n"], [1, 2, 3])
def test_any_stream_at_any_cuts_gives_what_the_standard_says(pieces: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(pieces)
    places = [0, *sorted(cut for cut in cuts if cut <= len(stream)), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(places)]
    assert split(*chunks) == reference(stream)


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_a_stream_byte_by_byte_gives_what_the_standard_says(pieces: list[bytes]) -> None:
    stream = b"".join(pieces)
    assert split(*(stream[index : index + 1] for index in range(len(stream)))) == reference(stream)


@given(st.binary(max_size=200), st.integers(0, 200))
def test_any_bytes_give_what_the_standard_says(stream: bytes, cut: int) -> None:
    assert split(stream[:cut], stream[cut:]) == reference(stream)


def test_the_usual_shapes() -> None:
    assert split(b'data: {"a":1}\n\nevent: x\ndata: {"b":2}\n\ndata: [DO', b"NE]\n\n") == [
        b'{"a":1}',
        b'{"b":2}',
        b"[DONE]",
    ]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\r\n\r\n", [b"a"]),
        (b"data: a\r\r", [b"a"]),
        (b"data: a\n\r\n", [b"a"]),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b"\n\xef\xbb\xbfdata: a\n\n", []),
        (b": keep-alive\n\ndata: a\n: in between\ndata: b\n\n", [b"a\nb"]),
        (b"data:a\n\ndata:  b\n\n", [b"a", b" b"]),
        (b"data\ndata:\n\n", [b"\n"]),
        (b"data\n\n", [b""]),
        (b"event: x\n\nid: 1\nretry: 2\n\n", []),
        (b"datum: a\nDATA: b\n data: c\n\n", []),
        (b"data: the last event has no end\n", []),
        (b"", []),
    ],
)
def test_the_odd_shapes(stream: bytes, events: list[bytes]) -> None:
    assert split(stream) == events
    assert split(*(stream[index : index + 1] for index in range(len(stream)))) == events


def test_an_event_ends_with_the_cr_that_ends_it() -> None:
    splitter = SseSplitter()
    assert splitter.feed(b"data: a\r\r") == [b"a"]
    assert splitter.feed(b"\ndata: b\r\n\r") == [b"b"]


@pytest.mark.parametrize("cut", range(1, 30))
def test_an_event_above_the_limit_is_refused_however_it_comes(cut: int) -> None:
    stream = b"data: 1\n\ndata: 34567890123\n\n"
    splitter = SseSplitter(max_event_bytes=16)
    with pytest.raises(ProtocolError, match="more than 16 bytes"):
        [splitter.feed(stream[start : start + cut]) for start in range(0, len(stream), cut)]


def test_an_event_at_the_limit_is_taken() -> None:
    assert SseSplitter(max_event_bytes=16).feed(b"data: 1234567890\n\n" * 3) == [b"1234567890"] * 3


def test_a_large_event_in_small_chunks_takes_linear_time() -> None:
    splitter = SseSplitter()
    for _ in range(40_000):
        assert splitter.feed(b"data: " + b"x" * 90 + b"\n") == []
    assert len(splitter.feed(b"\n")[0]) == 40_000 * 91 - 1
