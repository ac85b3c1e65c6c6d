from hypothesis import given
from hypothesis import strategies as st

from zot_tui.color import indexed
from zot_tui.text.ansi import Sgr
from zot_tui.text.runs import Row, plain, runs_width
from zot_tui.widgets.transcript.blocks import RenderedBlock
from zot_tui.widgets.transcript.chunks import (
    ROWS,
    SIZE,
    Chunk,
    ansi_lines,
    beside,
    folded,
    indented,
    line_groups,
    preview,
    text_lines,
    wrapped,
)


def shown(chunk: Chunk, width: int) -> list[str]:
    return [plain(row) for row in chunk.rows(width)]


def numbered(*heights: int) -> list[Chunk]:
    rows = iter(range(sum(heights)))
    return [wrapped([[("text", str(next(rows)))] for _ in range(height)]) for height in heights]


def test_a_part_asks_its_source_once_a_width() -> None:
    asked: list[int] = []

    def source(width: int) -> list[Row[str]]:
        asked.append(width)
        return [[("text", "x")]]

    chunk = Chunk(source)
    for width in (10, 10, 20, 20, 10):
        chunk.rows(width)

    assert asked == [10, 20, 10]


def test_rows_that_were_forgotten_are_asked_for_again() -> None:
    asked: list[int] = []

    def source(width: int) -> list[Row[str]]:
        asked.append(width)
        return [[("text", "x")]]

    chunk = indented(Chunk(source))
    chunk.rows(10)
    chunk.forget()
    chunk.rows(10)

    assert asked == [8, 8]


def test_a_part_without_rows_is_an_empty_row() -> None:
    assert Chunk(lambda width: []).rows(9) == [[]]


def test_lines_are_wrapped_behind_what_stands_left_of_them() -> None:
    chunk = wrapped([[("text", "one two three")], [("text", "four")]], [("dim", "$ ")], [("dim", "  ")])

    assert shown(chunk, 9) == ["$ one two", "  three", "$ four"]
    assert chunk.lines == 2


def test_a_part_is_moved_to_the_right_unless_it_would_have_no_cell_left() -> None:
    chunk = wrapped([[("text", "ab")]])

    assert shown(indented(chunk), 4) == ["  ab"]
    assert shown(indented(chunk), 3) == ["  a", "  b"]
    assert shown(indented(chunk), 2) == ["ab"]
    assert shown(beside(chunk, [("error", "✗ ")]), 3) == ["✗ a", "  b"]


def test_text_is_made_harmless_and_keeps_its_empty_lines_but_the_last() -> None:
    assert text_lines("a\x1b[31mb\r\n\n\u0301c\n\n", "info") == [[("info", "ab")], [], [("info", "◌\u0301c")]]


def test_colours_of_programs_are_kept_and_other_text_has_the_style() -> None:
    red = Sgr(indexed(1))

    assert ansi_lines("a \x1b[31mred\nstill\x1b[0m b\x1b]0;title\x07\n\n", "tool_out") == [
        [("tool_out", "a "), (red, "red")],
        [(red, "still"), ("tool_out", " b")],
    ]


def test_a_line_that_was_written_over_is_what_was_written_last() -> None:
    assert ansi_lines("10%\r50%\r100%\r\ndone\r\n", "t") == [[("t", "100%")], [("t", "done")]]


@given(st.lists(st.integers(0, 3 * SIZE), max_size=60))
def test_chunks_hold_all_text_and_none_too_much_of_it(lengths: list[int]) -> None:
    groups = list(
        line_groups([[("a", "x" * (length // 2)), ("b", "y" * (length - length // 2))] for length in lengths])
    )

    assert all(len(group) <= ROWS and sum(len(plain(line)) for line in group) <= SIZE for group in groups)
    assert "".join(plain(line) for group in groups for line in group) == "".join(
        "x" * (length // 2) + "y" * (length - length // 2) for length in lengths
    )
    assert sum(map(len, groups)) >= len(lengths)


def test_a_preview_is_the_beginning_or_the_end_and_counts_the_rest() -> None:
    chunks = numbered(3, 3, 40)

    head, hidden = preview(chunks, 9, 4)
    assert ([plain(row) for row in head], hidden) == (["0", "1", "2", "3"], 42)
    tail, hidden = preview(chunks, 9, 4, tail=True)
    assert ([plain(row) for row in tail], hidden) == (["42", "43", "44", "45"], 42)


def test_a_preview_spares_no_single_row() -> None:
    assert preview(numbered(3, 2), 9, 4)[1] == 0
    assert len(preview(numbered(3, 2), 9, 4)[0]) == 5
    assert preview(numbered(3, 3), 9, 4)[1] == 2


def test_a_preview_draws_no_part_that_it_does_not_show() -> None:
    def never(width: int) -> list[Row[str]]:
        raise AssertionError(f"drawn in {width} cells")

    assert preview([*numbered(5), Chunk(never, 100)], 9, 2)[1] == 103
    assert preview([Chunk(never, 100), *numbered(5)], 9, 2, tail=True)[1] == 103


def test_what_is_hidden_is_counted_in_lines_and_not_in_rows() -> None:
    lines: list[Row[str]] = [[("a", f"{number} " + "word " * 9)] for number in range(30)]
    chunks = [wrapped(group) for group in line_groups(lines)]
    for width in (10, 20, 80):
        tail, hidden = preview(chunks, width, 7, tail=True)
        whole = [row for row in tail if plain(row)[0].isdigit()]
        assert hidden == 30 - len(whole)
    one = [wrapped(group) for group in line_groups([[("a", "x" * 9 * SIZE)]])]
    assert len(one) == 9
    assert preview(one, 80, 7, tail=True)[1] == preview(one, 80, 7)[1] == 1
    assert shown(folded(one, 1, ""), 40)[1] == "… 1 more line"


def test_what_is_folded_says_how_much_and_which_key_shows_it() -> None:
    assert shown(folded(numbered(9), 2, "ctrl+o"), 40) == ["0", "1", "… 7 more lines (ctrl+o)"]
    assert shown(folded(numbered(9), 2, "ctrl+o", RenderedBlock(tail=True, left_out=30)), 40) == [
        "… 37 earlier lines (ctrl+o)",
        "7",
        "8",
    ]
    assert shown(folded(numbered(9), 2, ""), 9) == ["0", "1", "… 7 more…"]
    assert shown(folded(numbered(2), 2, "ctrl+o"), 40) == ["0", "1"]


HOSTILE = st.text(st.sampled_from("ab \t\n\r\x1b[31m;]0\x07日é\u0301\u200d👩‍💻\u202e\U0001f1e9"), max_size=200)


@given(HOSTILE, st.integers(1, 30))
def test_no_row_is_wider_than_it_may_be_whatever_the_text_is(text: str, width: int) -> None:
    for lines in (text_lines(text, "text"), ansi_lines(text, "text")):
        for group in line_groups(lines):
            rows = indented(wrapped(group)).rows(width)
            assert all(runs_width(row) <= width for row in rows)
            assert not any(ord(sign) < 32 for row in rows for sign in plain(row))
