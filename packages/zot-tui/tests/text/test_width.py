from typing import Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from zot_tui.text.width import clip, expand_tabs, grapheme_width, graphemes, is_narrow, pad, split_at, width

texts = st.text() | st.text(alphabet="aé e\u0301漢字🇩🇪👩\u200d👧❤\ufe0f한\t\r\nक्षि\u200b")
cells = st.integers(-2, 20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("abc", 3),
        ("漢字", 4),
        ("e\u0301", 1),
        ("👨\u200d👩\u200d👧", 2),
        ("🇩🇪", 2),
        ("🇩🇪🇫🇷", 4),
        ("❤", 1),
        ("❤\ufe0f", 2),
        ("한", 2),
        ("\x1b\x07\n\t", 0),
    ],
)
def test_a_text_takes_the_cells_of_its_graphemes(text: str, expected: int) -> None:
    assert width(text) == expected


def test_characters_that_are_known_as_narrow_take_one_cell_beside_each_other() -> None:
    narrow = [char for char in map(chr, range(0x20, 0x10000)) if is_narrow(char)]
    assert {grapheme_width(char) for char in narrow} == {1}
    assert [*graphemes("".join(narrow))] == narrow
    assert {"é", "—", "…", "│", "⠧"}.issubset(narrow)


def test_a_flag_is_never_cut_into_its_letters() -> None:
    assert list(graphemes("🇩🇪🇫🇷🇺🇦")) == ["🇩🇪", "🇫🇷", "🇺🇦"]
    assert split_at("🇩🇪🇫🇷", 3) == ("🇩🇪", "🇫🇷")


def test_a_combining_mark_goes_with_its_letter() -> None:
    assert split_at("e\u0301a", 1) == ("e\u0301", "a")
    assert split_at("ae\u0301", 1) == ("a", "e\u0301")


@given(texts)
def test_graphemes_joined_are_the_text(text: str) -> None:
    assert "".join(graphemes(text)) == text


@given(texts)
def test_no_width_is_negative_and_graphemes_add_up(text: str) -> None:
    assert width(text) == sum(grapheme_width(each) for each in graphemes(text)) >= 0


@given(texts, cells)
def test_a_split_loses_nothing_and_its_head_fits(text: str, limit: int) -> None:
    head, rest = split_at(text, limit)
    assert head + rest == text
    assert width(head) <= max(limit, 0)
    assert width(head) + width(rest) == width(text)


@given(texts, cells)
def test_a_head_is_as_long_as_it_may_be(text: str, limit: int) -> None:
    head, rest = split_at(text, limit)
    if rest:
        assert width(head) + grapheme_width(next(graphemes(rest))) > limit


@given(texts, cells)
def test_a_clipped_text_fits_and_one_that_fits_is_unchanged(text: str, limit: int) -> None:
    shown = clip(text, limit)
    assert width(shown) <= max(limit, 0)
    if width(text) <= limit:
        assert shown == text


@given(texts, cells, st.sampled_from(["left", "right", "center"]))
def test_a_padded_text_takes_exactly_its_cells(
    text: str, limit: int, align: Literal["left", "right", "center"]
) -> None:
    assume(width(f" {text} ") == width(text) + 2)  # a mark without a letter would take the space for one
    assert width(pad(text, limit, align)) == max(limit, 0)


def test_clipping_shows_that_something_is_missing() -> None:
    assert clip("hello world", 6) == "hello…"
    assert clip("漢字漢字", 4) == "漢…"
    assert clip("hello", 3, "...") == "..."
    assert clip("hello", 2, "...") == ".."
    assert clip("hello", 0) == ""


def test_padding_aligns() -> None:
    assert pad("ab", 5) == "ab   "
    assert pad("ab", 5, "right") == "   ab"
    assert pad("ab", 5, "center") == " ab  "
    assert pad("漢字", 3) == "漢…"


def test_tabs_reach_to_the_next_stop_of_their_row() -> None:
    assert expand_tabs("a\tb") == "a       b"
    assert expand_tabs("a\tb\n\tc", size=4) == "a   b\n    c"
    assert expand_tabs("\tx", column=6) == "  x"
    assert expand_tabs("漢\tx", size=4) == "漢  x"


@given(st.text(alphabet="ab\t\n"), st.integers(1, 9))
def test_expanding_is_what_str_does_with_letters(text: str, size: int) -> None:
    assert expand_tabs(text, size=size) == text.expandtabs(size)
