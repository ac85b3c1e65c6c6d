from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.runs import join, plain, runs_width
from zot_tui.text.width import graphemes, is_narrow, width
from zot_tui.text.wrap import SPACES, TOO_WIDE, wrap

alphabet = "ab -.、（漢字🇩🇪e\u0301👩\u200d👧\u00a0\u3000\t\n"
runs = st.lists(st.tuples(st.sampled_from(["x", "y"]), st.text(alphabet=alphabet, max_size=20)), max_size=5)


def rows(text: str, cells: int, **options: list[tuple[str, str]]) -> list[str]:
    return [plain(row) for row in wrap([("", text)], cells, **options)]


@pytest.mark.parametrize(
    ("text", "cells", "expected"),
    [
        ("", 5, [""]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 8, ["one two", "three"]),
        ("one\n\ntwo", 8, ["one", "", "two"]),
        ("one\r\ntwo", 8, ["one", "two"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a abcdefgh b", 3, ["a", "abc", "def", "gh", "b"]),
        ("a   b", 2, ["a", "b"]),
        ("  if x:", 20, ["  if x:"]),
        ("one   ", 4, ["one "]),
        ("   ", 2, ["  "]),
        ("--long-flag x", 6, ["--long", "-flag", "x"]),
        ("a\tb", 20, ["a       b"]),
        ("10\u00a0km far", 6, ["10\u00a0km", "far"]),
    ],
)
def test_rows_break_at_line_breaks_and_spaces(text: str, cells: int, expected: list[str]) -> None:
    assert rows(text, cells) == expected


def test_wide_characters_break_anywhere_between_them() -> None:
    assert rows("漢字漢字", 5) == ["漢字", "漢字"]
    assert rows("abc漢字", 5) == ["abc漢", "字"]


def test_closing_punctuation_begins_no_row_and_an_opening_bracket_ends_none() -> None:
    assert rows("漢字、漢", 4) == ["漢", "字、", "漢"]
    assert rows("漢（漢）", 4) == ["漢", "（漢", "）"]  # too long for a row, so it is broken after all


def test_a_grapheme_that_no_row_can_hold_is_replaced() -> None:
    assert rows("a漢b", 1) == ["a", TOO_WIDE, "b"]


def test_a_word_that_changes_its_style_stays_whole() -> None:
    wrapped = wrap([("a", "one tw"), ("b", "o"), ("a", " three")], 5)
    assert wrapped == [[("a", "one")], [("a", "tw"), ("b", "o")], [("a", "three")]]


def test_a_hanging_indent_stands_before_all_rows_but_the_first() -> None:
    wrapped = wrap([("t", "one two three\nfour")], 9, first=[("b", "• ")], rest=[("b", "  ")])
    assert wrapped == [
        [("b", "• "), ("t", "one two")],
        [("b", "  "), ("t", "three")],
        [("b", "  "), ("t", "four")],
    ]


def test_an_indent_takes_half_of_a_row_at_most() -> None:
    assert rows("abcd", 4, first=[("", "       ")], rest=[("", "      ")]) == ["  ab", "  cd"]


def test_an_indentation_that_leaves_no_room_is_shortened() -> None:
    assert rows("        abcd", 8) == ["    abcd"]
    assert rows("          abcdef", 8) == ["    abcd", "ef"]


def test_a_row_without_a_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="not 0"):
        wrap([("", "x")], 0)


@given(runs, st.integers(1, 24), st.integers(0, 9), st.integers(0, 9))
def test_no_row_is_wider_than_asked(styled: list[tuple[str, str]], cells: int, first: int, rest: int) -> None:
    for row in wrap(styled, cells, first=[("i", " " * first)], rest=[("i", " " * rest)]):
        assert runs_width(row) <= cells
        assert row == join(row)


@given(runs, st.integers(2, 24))
def test_nothing_but_spaces_is_lost_and_styles_stay(styled: list[tuple[str, str]], cells: int) -> None:
    def letters(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return [(style, char) for style, text in parts for char in text if char not in SPACES and char not in "\t\n"]

    wrapped = wrap(styled, cells)
    assert letters([run for row in wrapped for run in row]) == letters(styled)


@given(st.text(alphabet="ab \n", max_size=60), st.integers(1, 12))
def test_a_text_that_fits_is_not_touched(text: str, cells: int) -> None:
    for line in text.split("\n"):
        if width(line) <= cells:
            assert rows(line, cells) == [line]


@given(st.text(alphabet="ab ", max_size=60), st.integers(1, 12))
def test_a_row_ends_only_where_the_next_word_would_not_fit(text: str, cells: int) -> None:
    wrapped = rows(" ".join(text.split()), cells)
    for row, following in pairwise(wrapped):
        word = following.split(" ")[0]
        assert len(row) + 1 + len(word) > cells or len(row) == cells


@given(
    st.lists(st.tuples(st.sampled_from(["x", "y"]), st.text(alphabet="aab  \n", max_size=20)), max_size=5),
    st.integers(1, 12),
    st.integers(0, 4),
)
def test_plain_text_breaks_where_text_in_any_letters_does(runs: list[tuple[str, str]], cells: int, indent: int) -> None:
    georgian = [(style, text.replace("a", "ა")) for style, text in runs]
    options = {"first": [("", "- "[:indent])], "rest": [("", " " * indent)]}

    found = wrap(georgian, cells, **options)

    assert [[(style, text.replace("ა", "a")) for style, text in row] for row in found] == wrap(runs, cells, **options)


def test_no_narrow_character_separates_words_but_a_space() -> None:
    assert [each for each in sorted(SPACES) if is_narrow(each)] == [" "]


mixed = st.lists(st.sampled_from("a b—é’中、（👩\u200d👧\ufe0f\u0301\u0600ก้\u3000"), max_size=30).map("".join)


@given(mixed, st.integers(1, 12))
def test_text_in_many_scripts_is_broken_between_graphemes_only(text: str, cells: int) -> None:
    spaces = SPACES | {TOO_WIDE}
    shown = [each for row in rows(text, cells) for each in graphemes(row) if each not in spaces]
    assert shown == [each for each in graphemes(text) if each not in spaces and width(each) <= cells]
