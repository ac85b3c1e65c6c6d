from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.runs import plain, runs_width
from zot_tui.widgets.input.layout import EditorLine, Span

LETTERS = st.text(st.sampled_from("ab  日本、（é\u0301👩\u200d👧\t\x1b\u202e"), max_size=40)


def shown(line: EditorLine) -> list[str]:
    return [plain(line.runs(row, "editor")) for row in range(len(line.rows))]


def test_rows_break_at_spaces_and_a_space_hangs_over_the_edge() -> None:
    assert shown(EditorLine("hello brave world", 11)) == ["hello brave ", "world"]
    assert shown(EditorLine("hello brave   world", 11)) == ["hello brave ", "  world"]


def test_a_word_longer_than_a_row_is_broken() -> None:
    assert shown(EditorLine("a 12345678901", 5)) == ["a ", "12345", "67890", "1"]


def test_a_chip_is_broken_only_if_it_must_be() -> None:
    chip = "[pasted 12 lines #1]"
    line = EditorLine(f"see {chip}", 20, [Span(4, 24, "accent")])

    assert shown(line) == ["see ", chip]
    assert line.runs(1, "editor") == [("accent", chip)]
    assert shown(EditorLine(chip, 10, [Span(0, 20, "accent")])) == ["[pasted 12", " lines #1]"]


def test_masked_text_is_dots_of_one_cell() -> None:
    line = EditorLine("a日 b", 2, masked=True)

    assert shown(line) == ["••", "••"]
    assert line.column(1, 3) == 1


def test_what_does_not_print_is_drawn_as_a_mark() -> None:
    assert shown(EditorLine("a\x1b[2Jb\u202ec\td", 20)) == ["a�[2Jb�c    d"]


def test_tabs_go_to_the_next_stop_of_the_row() -> None:
    line = EditorLine("\tab\tc\t日\td", 20)

    assert shown(line) == ["    ab  c   日  d"]
    assert [line.column(0, offset) for offset in range(len(line.text) + 1)] == [0, 4, 5, 6, 8, 9, 12, 14, 16, 17]
    assert [line.offset(0, column) for column in (0, 3, 4, 6, 7, 8, 11, 12)] == [0, 0, 1, 3, 3, 4, 5, 6]
    assert line.runs(0, "editor", Span(3, 5, "chosen")) == [
        ("editor", "    ab"),
        ("chosen", "  c"),
        ("editor", "   日  d"),
    ]
    marks = ["", "", "keyword", "keyword", *[""] * 5]
    assert line.runs(0, "editor", marks=marks) == [("editor", "    a"), ("keyword", "b  "), ("editor", "c   日  d")]


def test_a_tab_takes_its_cells_from_the_row_that_it_is_on() -> None:
    assert shown(EditorLine("abcde\tx\ty", 6)) == ["abcde", "    x", "    y"]
    assert shown(EditorLine("abcd\txy", 7)) == ["abcd    ", "xy"]
    assert shown(EditorLine("\t\t\tx", 6)) == ["    ", "    ", "    x"]
    assert shown(EditorLine("a\tb", 2)) == ["a  ", "b"]


def test_the_cursor_stands_on_the_lower_row_where_a_row_breaks() -> None:
    line = EditorLine("1234567", 3)

    assert [line.row_of(offset) for offset in range(8)] == [0, 0, 0, 1, 1, 1, 2, 2]
    assert [line.offset(0, column) for column in range(4)] == [0, 1, 2, 2]
    assert line.offset(2, 9) == 7


@given(LETTERS, st.integers(2, 12), st.booleans())
def test_rows_hold_every_character_once_and_fit(text: str, cells: int, masked: bool) -> None:
    line = EditorLine(text, cells, masked=masked)

    assert [row.start for row in line.rows] == [0, *(row.end for row in line.rows[:-1])]
    assert line.rows[-1].end == len(text)
    assert all(runs_width(line.runs(row, "editor")) <= cells + 1 for row in range(len(line.rows)))


@given(LETTERS, st.integers(4, 12))
def test_a_place_on_the_screen_and_an_offset_name_each_other(text: str, cells: int) -> None:
    line = EditorLine(text, cells)

    for row in range(len(line.rows)):
        for column in range(cells):
            offset = line.offset(row, column)
            assert line.row_of(offset) == row
            assert line.column(row, offset) <= column


@given(LETTERS, st.integers(4, 12))
def test_the_column_of_an_offset_is_the_width_of_what_is_drawn_before_it(text: str, cells: int) -> None:
    line = EditorLine(text, cells)

    for number, row in enumerate(line.rows):
        for offset in range(row.start, row.end + 1):
            before = line.runs(number, "editor", Span(row.start, offset, "before"))
            drawn = sum(runs_width([run]) for run in before if run[0] == "before")
            if text[offset - 1 : offset + 1].isascii():  # between two graphemes
                assert line.column(number, offset) == min(drawn, cells)


@given(LETTERS, st.integers(4, 12))
def test_what_is_drawn_between_tabs_begins_at_a_stop(text: str, cells: int) -> None:
    line = EditorLine(text, cells)

    for number, row in enumerate(line.rows):
        for offset in range(row.start, row.end):
            if text[offset] == "\t" and line.column(number, offset + 1) < cells:
                assert line.column(number, offset + 1) % 4 == 0


@given(LETTERS, LETTERS, LETTERS, LETTERS, st.integers(2, 12))
def test_a_changed_line_is_laid_out_as_if_it_had_never_been_another(
    head: str, gone: str, new: str, tail: str, cells: int
) -> None:
    before = EditorLine(head + gone + tail, cells)

    assert EditorLine(head + new + tail, cells, before=before).rows == EditorLine(head + new + tail, cells).rows
