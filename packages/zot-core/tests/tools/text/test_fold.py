from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.tools.text.ends import Ends
from zot_core.tools.text.fold import FEWEST, LINE_BYTES, Fold, folded, like_lines_folded
from zot_core.tools.text.truncate import TextLimits

PIECES = st.lists(
    st.sampled_from(
        [
            b"a\n",
            b"b",
            b"\n",
            b"\r",
            b"\x1b",
            b"[31m",
            b"\x1b[0m",
            b"\x1b]0;t\x07",
            b"\0",
            b"\x08",
            "é".encode(),
            b"a\n" * 9,
        ]
    ),
    max_size=30,
)


@given(PIECES)
def test_how_output_is_cut_into_pieces_does_not_matter(pieces: list[bytes]) -> None:
    fold = Fold()
    assert b"".join(map(fold.feed, pieces)) + fold.end() == folded(b"".join(pieces))


@given(PIECES)
def test_what_is_folded_has_no_control_characters_and_no_long_runs(pieces: list[bytes]) -> None:
    made = folded(b"".join(pieces))
    assert not set(made) & ({*range(32), 127} - {*b"\t\n"})
    runs = [sum(1 for _ in equal) for line, equal in groupby(made.split(b"\n")[:-1])]
    assert max(runs, default=0) <= FEWEST


@given(st.lists(st.sampled_from([b"", b"a", b"b", b"two words"]), max_size=20))
def test_plain_lines_without_repetition_stay_as_they_are(lines: list[bytes]) -> None:
    text = b"".join(line + b"\n" for line, _ in groupby(lines))
    assert folded(text) == text


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (b"\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x07", b"red link"),
        (b"10%\r20%\r100%\ndone\r\n", b"100%\ndone\n"),
        (b"\x1b[2K\r 5/10\x1b[2K\r10/10", b"10/10"),
        (b"old\rnew\r", b"new"),
        (b"N\bNA\bA", b"NA"),
        (b"a\0b\x07", b"a\xe2\x90\x80b"),
        (b"w\n" * 3, b"w\nw\nw\n"),
        (b"w\n" * 4, b"w\nw\nw\nw\n"),
        (b"w\n" * 500 + b"x\n" + b"w\n", b"w\nw\nw\n... [the line above 497 more times]\nx\nw\n"),
        (b"", b""),
    ],
)
def test_output_is_folded_to_what_it_says(output: bytes, expected: bytes) -> None:
    assert folded(output) == expected


def test_a_line_that_never_ends_is_passed_on_in_parts() -> None:
    fold = Fold()
    made = b"".join(fold.feed(b"x" * 1000) for _ in range(1000))
    assert len(made) > 1_000_000 - LINE_BYTES - 1000
    assert len(fold._open) <= LINE_BYTES
    assert made + fold.feed(b"\ny\n") + fold.end() == b"x" * 1_000_000 + b"\ny\n"


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        (b"50%\r" * 20_000, b"50%"),
        (b"\r" * 60_000, b""),
        (b"y\n" * 30_000, b"y\ny\ny\n... [the line above 29999997 more times]\n"),
    ],
)
def test_output_that_says_nothing_new_stays_small_however_long_it_is(piece: bytes, expected: bytes) -> None:
    ends = Ends(TextLimits(), lambda: True)
    for _ in range(1000):
        ends.feed(piece)
    assert ends.shown().data == expected


def test_the_ends_of_a_hundred_megabytes_are_kept_in_little_memory() -> None:
    ends = Ends(TextLimits(), lambda: True)
    ends.feed(b"first\n")
    piece = b"".join(b"line %d\n" % number for number in range(6000))
    for _ in range(100_000_000 // len(piece)):
        ends.feed(piece)
        assert ends._recent is None or len(ends._recent) < 300_000
    ends.feed(b"the reason\n")
    shown = ends.shown()
    assert shown.data.startswith(b"first\nline 0\n")
    assert shown.data.endswith(b"line 5999\nthe reason\n")
    assert len(shown.data) < 51_200 + 100
    assert shown.lines_truncated or shown.bytes_truncated


@given(st.lists(st.sampled_from([b"one\n", b"two", b"\n", b"a long line of words\n"]), max_size=40), st.integers(1, 6))
def test_ends_are_within_the_limits_or_whole(pieces: list[bytes], lines: int) -> None:
    ends = Ends(TextLimits(lines=lines, bytes=40), lambda: True)
    for piece in pieces:
        ends.feed(piece)
    shown = ends.shown()
    whole = like_lines_folded(folded(b"".join(pieces)))
    if not (shown.lines_truncated or shown.bytes_truncated):
        assert shown.data == whole
        return
    start, _, rest = shown.data.partition(b"... [")
    end = rest.partition(b" left out here]\n")[2]
    assert whole.startswith(start.removesuffix(b"\n"))
    assert whole.endswith(end) or b"... [the line" in whole
    assert len(start) + len(end) <= 42


def test_lines_that_differ_only_in_numbers_become_a_few_and_a_count() -> None:
    cases = b"".join(b"ok %3d - took %d.%d s\n" % (number, number % 7, number) for number in range(1, 21))
    assert like_lines_folded(b"begin\n" + cases + b"end\n") == (
        b"begin\nok   1 - took 1.1 s\nok   2 - took 2.2 s\nok   3 - took 3.3 s\n"
        b"... [16 lines like these, with other numbers]\nok  20 - took 6.20 s\nend\n"
    )


@pytest.mark.parametrize(
    "line", [b"%d,%d\n", b"%d  0x%d\n", b"[%d/%d]\n"], ids=["numbers", "a word of two letters", "no word"]
)
def test_lines_of_numbers_alone_are_data_and_stay(line: bytes) -> None:
    data = b"".join(line % (number, number * number) for number in range(100))
    assert like_lines_folded(data) == data


@given(st.lists(st.sampled_from([b"step 1", b"step 22", b"step", b"1.5", b""]), max_size=60))
def test_folding_like_lines_counts_every_line_and_keeps_both_ends(lines: list[bytes]) -> None:
    made = like_lines_folded(b"\n".join(lines)).split(b"\n")
    held = [int(line.split()[1].strip(b"[")) for line in made if line.startswith(b"... [")]
    assert len(made) - len(held) + sum(held) == max(len(lines), 1)
    assert lines[:1] in ([], made[:1])
    assert lines[-1:] in ([], made[-1:])
    assert len(b"\n".join(made)) <= len(b"\n".join(lines))


@pytest.mark.parametrize(
    "line",
    [
        "a.c:%d:5: error: 'x' undeclared",
        "%d:  foo(bar);",
        "src/a.ts(%d,5): error TS2304: no name",
        "FAILED tests/test_a.py::test_case[%d] - assert 0",
        "--- FAIL: TestCase/%d (0.00s)",
        "not ok %d - a case of the parser",
        "  ✗ case %d of the parser",
        "    a_test.go:%d: got nothing, want a name",
    ],
)
def test_lines_whose_numbers_say_where_or_what_failed_all_stay(line: str) -> None:
    data = "".join(f"{line % number}\n" for number in range(3, 90, 7)).encode()
    assert like_lines_folded(data) == data


def test_tests_that_pass_are_like_lines() -> None:
    lines = [f"  \u2713 case {number} of the parser\n" for number in range(3, 90, 7)]
    assert len(like_lines_folded("".join(lines).encode()).splitlines()) < len(lines)
