from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.ansi import PLAIN, Sgr, apply_sgr, parse_ansi, strip_ansi

pieces = st.sampled_from(
    [
        "\x1b[31m",
        "\x1b[1;4m",
        "\x1b[0m",
        "\x1b[38;2;1;2;3m",
        "\x1b]0;title\x07",
        "\x1b[2J",
        "a",
        "b\n",
        "\x1b",
        "[",
        "\t",
    ]
)
texts = st.text() | st.lists(pieces | st.text(max_size=3)).map("".join)


def runs(text: str) -> list[tuple[Sgr, str]]:
    return parse_ansi(text)[0]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("31", Sgr("1")),
        ("97;44", Sgr("15", "4")),
        ("38;5;208", Sgr("208")),
        ("48;5;16", Sgr(background="16")),
        ("38;2;255;136;0", Sgr("#ff8800")),
        ("38:2::255:136:0", Sgr("#ff8800")),
        ("38:2:255:136:0", Sgr("#ff8800")),
        ("38:5:208;1", Sgr("208", attributes=("bold",))),
        ("4;1", Sgr(attributes=("bold", "underline"))),
        ("4:3", Sgr(attributes=("underline",))),
        ("1;22;3", Sgr(attributes=("italic",))),
        ("4;4:0", PLAIN),
        ("31;39;49", PLAIN),
        ("31;", PLAIN),
        ("", PLAIN),
        ("8;5", PLAIN),
        ("38;5;999", PLAIN),
        ("38;2;300;0;0", PLAIN),
        ("38", PLAIN),
        ("38;2;1", PLAIN),
        ("38:5", PLAIN),
        ("9" * 5000, PLAIN),
    ],
)
def test_sgr_is_read(parameters: str, expected: Sgr) -> None:
    assert apply_sgr(PLAIN, parameters) == expected


def test_colours_become_styles_and_the_last_one_is_handed_on() -> None:
    styled, style = parse_ansi("a\x1b[31mb\x1b[1mc\n")
    assert styled == [(PLAIN, "a"), (Sgr("1"), "b"), (Sgr("1", attributes=("bold",)), "c\n")]
    assert parse_ansi("d", style)[0] == [(style, "d")]


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[2J",
        "\x1b[1;1H",
        "\x1b[?25l",
        "\x1b[>4;1m",
        "\x9b2J",
        "\x1b]0;title\x07",
        "\x1b]8;;http://x\x1b\\",
        "\x1bP1$r\x1b\\",
        "\x1b_Gf=100;AAAA\x1b\\",
        "\x1b(B",
        "\x1b=",
        "\x07",
        "\x08",
        "\r",
        "\x00",
        "\x7f",
    ],
)
def test_any_other_sequence_leaves_nothing(sequence: str) -> None:
    assert runs(f"a{sequence}b") == [(PLAIN, "ab")]
    assert strip_ansi(f"a{sequence}b") == "ab"


def test_a_torn_title_does_not_hide_the_next_line() -> None:
    assert strip_ansi("\x1b]0;rm -rf\nnext") == "\nnext"


def test_a_reset_without_text_between_joins_what_is_alike() -> None:
    assert runs("a\x1b[31m\x1b[0mb") == [(PLAIN, "ab")]


@given(texts)
def test_no_control_character_comes_through(text: str) -> None:
    styled, _ = parse_ansi(text)
    shown = "".join(part for _, part in styled)
    assert not [char for char in shown if char not in "\t\n" and (ord(char) < 32 or 127 <= ord(char) < 160)]
    assert shown == strip_ansi(text)


@given(texts)
def test_runs_are_as_few_as_can_be(text: str) -> None:
    styled, _ = parse_ansi(text)
    assert all(part for _, part in styled)
    assert all(one[0] != other[0] for one, other in pairwise(styled))


@given(st.text(alphabet=st.characters(min_codepoint=32, exclude_categories=["Cc", "Cs"])))
def test_plain_text_is_one_run_of_itself(text: str) -> None:
    assert runs(text) == ([(PLAIN, text)] if text else [])
