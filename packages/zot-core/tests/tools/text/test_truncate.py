from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from zot_core.tools.text.truncate import (
    Head,
    LineWindow,
    TextLimits,
    count_lines,
    exceeds,
    head,
    head_lines,
    truncation_note,
)

TEXTS = st.text(alphabet="aé€😀\n\r", max_size=80).map(str.encode)
LIMITS = st.builds(TextLimits, lines=st.integers(1, 8), bytes=st.integers(1, 40))


def test_the_defaults_are_2000_lines_and_50_kib() -> None:
    assert TextLimits() == TextLimits(lines=2000, bytes=51200)


def test_a_text_within_the_limits_is_kept_whole() -> None:
    text = b"line\n" * 2000
    assert head(text, TextLimits()) == Head(text)
    assert head_lines(text, TextLimits()) == Head(text)
    assert not exceeds(text, 2000, TextLimits())


def test_one_line_more_is_cut_at_the_line_limit() -> None:
    text = b"line\n" * 2000 + b"x"
    assert head(text, TextLimits()) == Head(b"line\n" * 2000, lines_truncated=True)
    assert exceeds(text, 2000, TextLimits())


def test_the_byte_limit_cuts_inside_a_line_or_before_it() -> None:
    assert head(b"abc\ndef\n", TextLimits(bytes=6)) == Head(b"abc\nde", bytes_truncated=True)
    assert head_lines(b"abc\ndef\n", TextLimits(bytes=6)) == Head(b"abc\n", bytes_truncated=True)
    assert head_lines(b"abc\ndef\n", TextLimits(bytes=7)) == Head(b"abc\ndef\n")
    assert head_lines(b"abcdefgh\n", TextLimits(bytes=6)) == Head(b"abcdef", bytes_truncated=True)


def test_the_notes_name_the_limit_that_was_reached() -> None:
    assert truncation_note(Head(b""), TextLimits()) == ""
    assert truncation_note(Head(b"", lines_truncated=True), TextLimits()) == "... [truncated at 2000 lines]\n"
    assert truncation_note(Head(b"", bytes_truncated=True), TextLimits()) == "... [truncated at 51200 bytes]\n"


def test_lines_end_at_line_feeds_alone() -> None:
    assert [count_lines(text) for text in (b"", b"a", b"a\n", b"a\nb", b"\n\n")] == [0, 1, 1, 2, 2]
    assert count_lines("a\u2028b\x0bc\x0cd\x85".encode()) == 1


@given(TEXTS, LIMITS)
def test_a_head_is_a_start_of_the_text_within_the_limits_and_whole_characters(text: bytes, limits: TextLimits) -> None:
    for kept in (head(text, limits), head_lines(text, limits)):
        assert text.startswith(kept.data)
        kept.data.decode()
        assert count_lines(kept.data) <= limits.lines
        assert len(kept.data.removesuffix(b"\n")) <= limits.bytes
        assert (kept.lines_truncated or kept.bytes_truncated) == (kept.data != text)
        assert not (kept.lines_truncated and kept.bytes_truncated)
    assert len(head(text, limits).data) <= limits.bytes
    assert exceeds(text, text.count(b"\n"), limits) == (head(text, limits).data != text)


@given(st.binary(max_size=40), LIMITS)
def test_bytes_that_are_no_text_are_cut_too(data: bytes, limits: TextLimits) -> None:
    kept = head(data, limits)
    assert data.startswith(kept.data)
    assert len(kept.data) <= limits.bytes


def windowed(text: bytes, cuts: list[int], first: int, count: int | None, limits: TextLimits) -> LineWindow:
    window = LineWindow(first, count, limits)
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    for start, end in pairwise(edges):
        window.feed(text[start:end])
    return window


@given(TEXTS, st.lists(st.integers(0, 80)), st.integers(1, 10), st.none() | st.integers(1, 10), LIMITS)
def test_a_window_is_the_head_of_the_lines_asked_for_however_the_text_comes(
    text: bytes, cuts: list[int], first: int, count: int | None, limits: TextLimits
) -> None:
    window = windowed(text, cuts, first, count, limits)
    lines = text.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    asked = lines[first - 1 :] if count is None else lines[first - 1 : first - 1 + count]
    expected = head_lines(b"".join(asked), limits)
    if expected.data and not expected.data.endswith(b"\n"):
        expected.data += b"\n"
    assert window.total == len(lines)
    assert window.head() == expected


def test_a_window_far_into_a_text_keeps_little() -> None:
    window = LineWindow(90_000, 2, TextLimits())
    for start in range(0, 100_000, 100):
        window.feed(b"".join(b"%d\n" % number for number in range(start + 1, start + 101)))
    assert window.head() == Head(b"90000\n90001\n")
    assert window.total == 100_000
