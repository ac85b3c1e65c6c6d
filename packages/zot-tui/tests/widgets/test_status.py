from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.runs import plain, runs_width
from zot_tui.widgets.status import Segment, Status, StatusLine, row

LINE = StatusLine(
    left=[Segment("build", "accent", 3), Segment("~/projects/zot", priority=1)],
    right=[Segment("12k/200k", priority=2), Segment("$0.42", priority=1)],
)


def shown(line: StatusLine, columns: int) -> str:
    return plain(row(line, columns))


def test_groups_stand_at_the_two_ends() -> None:
    assert shown(LINE, 50) == "  build · ~/projects/zot        12k/200k · $0.42  "


def test_the_least_important_goes_first_and_the_last_of_the_row_among_equals() -> None:
    assert shown(LINE, 40) == "  build · ~/projects/zot      12k/200k  "
    assert shown(LINE, 30) == "  build             12k/200k  "
    assert shown(LINE, 18) == "  build           "


def test_what_is_left_alone_is_clipped() -> None:
    assert shown(LINE, 8) == "  bui…  "
    assert shown(LINE, 1) == "…"


def test_styles_go_with_their_segments_and_the_rest_is_the_band() -> None:
    assert row(StatusLine([Segment("a", "error")], [Segment("b")]), 12) == [
        ("status", "  "),
        ("error", "a"),
        ("status", "      "),
        ("status", "b"),
        ("status", "  "),
    ]


def test_segments_of_wide_letters_are_measured_in_cells() -> None:
    assert shown(StatusLine([Segment("日本"), Segment("x")], [Segment("e\u0301")]), 20) == "  日本 · x       e\u0301  "


def test_hostile_text_stays_on_its_row() -> None:
    assert shown(StatusLine([Segment("a\x1b]0;t\x07b\nc\td")]), 20) == "  ab c d            "


SEGMENTS = st.lists(
    st.builds(Segment, st.text(max_size=12), st.just("status"), st.integers(0, 3)),
    max_size=4,
)


@given(SEGMENTS, SEGMENTS, st.integers(1, 100))
def test_a_row_is_as_wide_as_it_was_asked_to_be(left: list[Segment], right: list[Segment], columns: int) -> None:
    assert runs_width(row(StatusLine(left, right), columns)) == columns


def test_two_lines_take_two_rows_and_new_ones_are_drawn() -> None:
    status = Status(StatusLine([Segment("one")]), StatusLine([Segment("two")]))
    assert [text.decode() for text in status.render((10,)).text] == ["  one     ", "  two     "]

    status.lines = [StatusLine([Segment("three")])]
    assert [text.decode() for text in status.render((10,)).text] == ["  three   "]
    assert status.rows((10,)) == 1
