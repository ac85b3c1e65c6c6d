import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.markdown import Document
from zot_tui.markdown.parse import Cut, parse
from zot_tui.markdown.table import GAP, columns
from zot_tui.text.runs import plain


def screen(text: str, width: int) -> list[str]:
    return [plain(row) for block in Document(text).blocks for row in block.rows(width)]


@given(st.lists(st.integers(1, 80), min_size=1, max_size=12), st.integers(1, 120))
def test_columns_fit_and_take_no_more_than_they_wish_for(wishes: list[int], width: int) -> None:
    given_cells = columns(wishes, width)
    if given_cells is not None:
        assert sum(given_cells) + len(GAP) * (len(wishes) - 1) <= width
        assert all(1 <= cells <= wish for cells, wish in zip(given_cells, wishes, strict=True))


def test_a_column_that_needs_little_leaves_its_share_to_the_others() -> None:
    assert columns([2, 40, 40], 46) == [2, 19, 19]


def test_cells_wrap_in_their_columns() -> None:
    assert screen("|what|why|\n|-|-:|\n|one two three|yes|", 16) == [
        "what       │ why",
        "───────────┼────",
        "one two    │ yes",
        "three      │",
    ]


def test_a_screen_too_narrow_for_columns_gets_a_row_for_each_cell() -> None:
    text = "|name|what it is|size|\n|-|-|-|\n|app.py|the application|12|\n|main.py|the entry|7|"
    assert screen(text, 14) == [
        "name: app.py",
        "what it is:",
        "  the",
        "  application",
        "size: 12",
        "──────────────",
        "name: main.py",
        "what it is:",
        "  the entry",
        "size: 7",
    ]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| a | b |", ["a", "b", ""]),
        ("a|b", ["a", "b", ""]),
        ("|a||b|", ["a", "", "b"]),
        ("a\\|b|`c\\|d`", ["a|b", "`c|d`", ""]),
        ("a|b|c|d", ["a", "b", "c"]),
        ("|", ["", "", ""]),
    ],
)
def test_rows_are_split_at_pipes(row: str, expected: list[str]) -> None:
    ((table,), _) = parse(["|a|b|c|", "|-|-|-|", row], Cut(), 0)
    assert table.rows == [expected]
