from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.runs import plain, runs_width
from zot_tui.widgets.dialogs.entry import ListEntry, entry_row, entry_rows, heading_row, window


def test_a_row_has_cursor_mark_label_description_and_detail() -> None:
    entry = ListEntry("sonnet", "quick", "200k", "● ")

    assert plain(entry_row(entry, 40, 8, chosen=True)) == "› ● sonnet    quick               200k"
    assert plain(entry_row(entry, 22, 8, chosen=False)) == "  ● sonnet        200k"
    assert plain(entry_row(entry, 10, 8, chosen=False)) == "  ● sonnet"


def test_a_long_label_is_cut_where_its_detail_stands() -> None:
    row = plain(entry_row(ListEntry("a name that is longer than its row", detail="5 min"), 38, 20, chosen=False))
    assert row == "  a name that is longer than i…  5 min"
    narrow = plain(entry_row(ListEntry("a name that is longer than its row", detail="5 min"), 30, 20, chosen=False))
    assert narrow == "  a name that is longer than …"


def test_a_description_is_below_its_label_rather_than_in_a_narrow_column() -> None:
    entry = ListEntry("/compact", "replace the conversation with a summary")
    assert [plain(row) for row in entry_rows(entry, 38, 16, chosen=False)] == [
        "  /compact          replace the",
        "                    conversation with",
        "                    a summary",
    ]
    assert [plain(row) for row in entry_rows(entry, 38, 20, chosen=False)] == [
        "  /compact",
        "  replace the conversation with a",
        "  summary",
    ]
    short = ListEntry("/compact", "with a summary")
    assert plain(entry_rows(short, 38, 20, chosen=False)[0]) == "  /compact              with a summary"


def test_letters_that_were_found_are_marked() -> None:
    row = entry_row(ListEntry("model", positions=[0, 2]), 20, 5, chosen=False)

    assert row[1:] == [("match", "m"), ("text", "o"), ("match", "d"), ("text", "el")]


def test_hostile_labels_are_harmless() -> None:
    row = entry_row(ListEntry("\u0301a\x1b[2J\nb", "\x1b]0;x\x07d", "\u202e", positions=[0]), 60, 5, chosen=False)

    assert plain(row).split() == ["◌\u0301a", "b", "d", "�"]


def test_a_heading_stands_in_the_margin() -> None:
    assert heading_row("Anthropic", 8) == [("muted", "  Anthr…")]


@given(st.integers(0, 30), st.integers(-1, 29), st.integers(-5, 40), st.integers(1, 10))
def test_the_chosen_row_is_in_the_window(count: int, chosen: int, top: int, rows: int) -> None:
    chosen = min(chosen, count - 1)
    first = window(count, chosen, top, rows)

    assert 0 <= first <= max(count - rows, 0)
    assert chosen < 0 or first <= chosen < first + rows


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=12), st.integers(1, 80), st.booleans())
def test_no_row_is_wider_than_it_may_be(label: str, description: str, detail: str, columns: int, chosen: bool) -> None:
    row = entry_row(ListEntry(label, description, detail, "● "), columns, 10, chosen=chosen)

    assert runs_width(row) <= columns
