import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.terminal import strip_controls

SGR = re.compile(r"\x1b\[[0-9;:]*m")
PIECES = st.sampled_from(
    [
        "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x9b", "\x9d", "\x90", "\x9c", "\x07", "\x1b\\", "0", "31", ";", ":", "m",
        "H", "?2004h", "52;c;", "a", "é", "\n", "\t", "\r", " ", "/", "\x00", "\x7f", "[", "]", "\\", "\x1b[1m",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=40))


@given(TEXTS)
def test_nothing_but_colours_tabs_and_line_breaks_controls_the_terminal(text: str) -> None:
    rest = SGR.sub("", strip_controls(text))
    assert [each for each in rest if each not in "\t\n" and (each < " " or "\x7f" <= each <= "\x9f")] == []


@given(TEXTS)
def test_a_second_time_changes_nothing(text: str) -> None:
    once = strip_controls(text)
    assert strip_controls(once) == once


@given(st.text(st.characters(blacklist_categories=["Cc", "Cs"]) | st.sampled_from("\t\n")))
def test_text_stays_as_it_is(text: str) -> None:
    assert strip_controls(text) == text


@given(st.lists(st.sampled_from(["\x1b[31m", "\x1b[0m", "\x1b[m", "\x1b[38;5;1m", "\x1b[4:3m", "text", "\n"])))
def test_colours_stay(pieces: list[str]) -> None:
    assert strip_controls("".join(pieces)) == "".join(pieces)


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b]52;c;cm0gLXJm\x07",
        "\x1b]52;c;cm0gLXJm\x1b\\",
        "\x1b]0;title\x07",
        "\x9d0;title\x9c",
        "\x1b]8;;http://example.com\x1b\\",
        "\x1b[2J\x1b[H",
        "\x1b[1;2H",
        "\x9b1A",
        "\x9b31m",
        "\x1b[?2004h",
        "\x1b[200~",
        "\x1b[?1049h",
        "\x1b[>c",
        "\x1b[6n",
        "\x1b[5 q",
        "\x1bP$q\nm\x1b\\",
        "\x90q\x9c",
        "\x1b_apc\x1b\\",
        "\x1b^pm\x1b\\",
        "\x1bXsos\x1b\\",
        "\x1bc",
        "\x1b(0",
        "\x1b7",
        "\r",
        "\b",
        "\a",
        "\x7f",
        "\x85",
        "\x1b",
        "\x1b\x1b",
    ],
)
def test_a_sequence_vanishes_with_everything_that_belongs_to_it(sequence: str) -> None:
    assert strip_controls(f"a{sequence}\nb") == "a\nb"


def test_a_sequence_without_an_end_takes_no_more_than_its_line() -> None:
    assert strip_controls("a\x1b]0;title\nb\x1b]52;c\nc") == "a\nb\nc"


@pytest.mark.parametrize("piece", ["\x1b]", "\x9d\n", "\x1b[", "\x1b[1;", "\x1bP\n", "\x1b ", "\x9b0"])
def test_hostile_text_takes_no_longer_than_any_other(piece: str) -> None:
    began = time.process_time()
    strip_controls(piece * 100_000)
    assert time.process_time() - began < 2
