from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_ext import DEFAULT_LIMITS
from zot_ext.protocol.splitter import FrameSplitter, Oversized


def split(chunks: list[bytes], limit: int = 64) -> list[bytes | Oversized]:
    splitter = FrameSplitter(limit)
    found = [line for chunk in chunks for line in splitter.feed(chunk)]
    return found + splitter.finish()


def test_lines_come_as_soon_as_they_are_complete() -> None:
    splitter = FrameSplitter()

    assert splitter.feed(b'{"a"') == []
    assert splitter.feed(b':1}\n{"b":2}\n{"c"') == [b'{"a":1}', b'{"b":2}']
    assert splitter.feed(b":3}") == []
    assert splitter.finish() == [b'{"c":3}']
    assert splitter.finish() == []


def test_only_a_newline_ends_a_line() -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\rg\x1ch".encode()

    assert split([text + b"\n"]) == [text]


def test_carriage_returns_blank_lines_and_a_byte_order_mark_are_dropped() -> None:
    assert split([b"\xef\xbb\xbf{}\r\n\r\n \t\n\n[]\r\n"]) == [b"{}", b"[]"]
    assert split([b"\xef\xbb\xbf\r\n{}\n"]) == [b"{}"]


def test_a_byte_order_mark_later_on_is_left_alone() -> None:
    assert split([b"{}\n\xef\xbb\xbf{}\n"]) == [b"{}", b"\xef\xbb\xbf{}"]


def test_a_line_of_exactly_the_limit_passes() -> None:
    assert split([b"x" * 8 + b"\n" + b"y" * 8], limit=8) == [b"x" * 8, b"y" * 8]


def test_a_longer_line_is_reported_in_its_place_and_the_next_one_is_read() -> None:
    assert split([b"a\n" + b"x" * 9 + b"\nb\n"], limit=8) == [b"a", Oversized(8, b"x" * 8), b"b"]


def test_a_line_without_end_is_reported_once_and_at_once_and_not_held() -> None:
    splitter = FrameSplitter(limit=1000)
    found = [item for _ in range(50) for item in splitter.feed(b"x" * 400)]

    assert found == [Oversized(1000, b"x" * 200)]
    assert splitter._size == 0
    assert splitter.feed(b"\nok\n") == [b"ok"]


def test_the_limit_is_4_mib() -> None:
    longest = b"x" * DEFAULT_LIMITS.frame_bytes
    splitter = FrameSplitter()

    assert splitter.feed(longest + b"\n") == [longest]
    assert splitter.feed(longest + b"x\n") == [Oversized(4_194_304, b"x" * 200)]


STREAM = (
    b'\xef\xbb\xbf{"type":"hello","name":"x"}\r\n\r\n'
    + b"z" * 100
    + '\n{"text":"a\u2028b\x85ü"}\n\n'.encode()
    + b'{"type":"ready"}'
)


@pytest.mark.parametrize("at", range(len(STREAM) + 1))
def test_one_cut_anywhere_changes_nothing(at: int) -> None:
    assert split([STREAM[:at], STREAM[at:]]) == split([STREAM])


def test_single_bytes_change_nothing() -> None:
    assert split([bytes([byte]) for byte in STREAM]) == [
        b'{"type":"hello","name":"x"}',
        Oversized(64, b"z" * 64),
        '{"text":"a\u2028b\x85ü"}'.encode(),
        b'{"type":"ready"}',
    ]


@given(
    st.lists(st.binary(max_size=24).map(lambda line: line + b"\n") | st.sampled_from([b"\r\n", b"\xef\xbb\xbf"])),
    st.lists(st.integers(0, 200)),
    st.integers(1, 20),
)
def test_the_lines_do_not_depend_on_the_cuts(lines: list[bytes], cuts: list[int], limit: int) -> None:
    stream = b"".join(lines)
    edges = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    chunks = [stream[start:end] for start, end in pairwise(edges)]

    found = split(chunks, limit)

    assert found == split([stream], limit)
    assert all(isinstance(line, Oversized) or 0 < len(line) <= limit for line in found)


@given(st.lists(st.binary(max_size=40)), st.integers(1, 20))
def test_never_more_than_the_limit_is_held(chunks: list[bytes], limit: int) -> None:
    splitter = FrameSplitter(limit)
    for chunk in chunks:
        splitter.feed(chunk)
        assert splitter._size <= limit
