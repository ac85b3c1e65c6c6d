from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.ansi import Sgr
from zot_tui.text.find import RowPattern, mark_hits
from zot_tui.text.runs import Mark, Over, Row, plain, runs_width
from zot_tui.text.wrap import wrap


def row(text: str) -> Row[Any]:
    return [("text", text)]


def hits(rows: list[Row[Any]], *words: str, width: int = 40, exact: bool = False) -> list[str]:
    found = RowPattern(words, exact=exact).hits(rows, width)
    return ["|".join(plain(rows[span.row])[span.start : span.end] for span in hit) for hit in found]


def test_every_place_is_found_whatever_its_case() -> None:
    assert hits([row("a needle, a Needle"), row("NEEDLE")], "needle") == ["needle", "Needle", "NEEDLE"]


def test_the_case_counts_where_it_must() -> None:
    assert hits([row("needle Needle")], "Needle", exact=True) == ["Needle"]


def test_nothing_is_found_without_words() -> None:
    assert hits([row("a")]) == []


def test_a_phrase_is_found_over_the_end_of_a_row_and_its_margin() -> None:
    rows: list[Row[Any]] = [[("user", "▌"), ("user_bubble", " the total")], [("user", "▌"), ("user_bubble", " of it")]]
    assert hits(rows, "total", "of") == ["total|of"]


def test_a_word_that_fills_its_row_goes_on_in_the_next() -> None:
    rows = wrap(row("x" * 15 + "needle" + "y" * 5), 20, first=[(None, "  ")], rest=[(None, "  ")])
    assert hits(rows, "needle", width=20) == ["nee|dle"]


def test_words_of_two_lines_are_not_one_word() -> None:
    assert hits([row("nee"), row("dle")], "needle") == []


def test_a_hit_is_marked_on_the_background_that_is_there() -> None:
    rows: list[Row[Any]] = [
        [("user_bubble", "a bc"), (Over("x", "diff.added_line"), "c d"), (Sgr(), "b"), ("user_bubble", "")]
    ]
    found = RowPattern(["bcc"], exact=False).hits(rows, 40)
    assert mark_hits(rows, found, "match") == [
        [
            ("user_bubble", "a "),
            (Mark("match", "user_bubble"), "bc"),
            (Mark("match", "diff.added_line"), "c"),
            (Over("x", "diff.added_line"), " d"),
            (Sgr(), "b"),
            ("user_bubble", ""),
        ]
    ]


def test_the_hit_that_is_looked_at_has_a_style_of_its_own() -> None:
    found = RowPattern(["b"], exact=False).hits([row("b b")], 40)
    assert mark_hits([row("b b")], found, "match", 1, "selection") == [
        [(Mark("match", "text"), "b"), ("text", " "), ("selection", "b")]
    ]


def test_a_mark_over_a_letter_stays_with_it() -> None:
    assert hits([row("ne\u0301 e")], "ne") == ["ne\u0301"]


TEXTS = st.text(st.sampled_from("ab e\u0301漢🙂"), max_size=60)


@given(TEXTS, st.integers(4, 20), st.sampled_from(["a", "ab", "b漢", "🙂"]))
def test_marks_change_no_text_and_words_are_found_at_every_width(text: str, width: int, word: str) -> None:
    rows = wrap(row(text), width, first=[(None, "  ")], rest=[(None, "  ")])
    found = RowPattern([word], exact=False).hits(rows, width)
    marked = mark_hits(rows, found, "match", 0, "selection")
    assert [*map(plain, marked)] == [*map(plain, rows)]
    assert [*map(runs_width, marked)] == [*map(runs_width, rows)]
