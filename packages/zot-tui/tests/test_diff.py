from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from zot_tui.diff import diff_rows, parse_diff
from zot_tui.text.runs import plain, runs_width

DIFF = " a\n-b\n+B\n+C\n d\n...\n  ...\n-z"


def shown(diff: str, width: int = 40, starts: Sequence[tuple[int, int]] = ()) -> list[str]:
    return [plain(row) for row in diff_rows(diff, width, starts)]


def test_each_place_is_numbered_from_its_own_start() -> None:
    assert shown(DIFF, starts=[(9, 9), (120, 121)]) == [
        "  9   a",
        " 10 - b",
        " 10 + B",
        " 11 + C",
        " 12   d",
        "    ⋯",
        "121    ...",
        "121 - z",
    ]


def test_lines_have_both_numbers() -> None:
    numbers = [(line.sign, line.old, line.new) for line in parse_diff(DIFF, [(9, 9)])]
    assert numbers[:5] == [(" ", 9, 9), ("-", 10, None), ("+", None, 10), ("+", None, 11), (" ", 11, 12)]
    assert numbers[5:] == [("...", None, None), (" ", None, None), ("-", None, None)]


def test_without_starts_there_is_no_column_of_numbers() -> None:
    assert shown(DIFF)[:3] == ["  a", "- b", "+ B"]


def test_signs_have_colours() -> None:
    rows = diff_rows(" a\n-b\n+c\n...", 40, [(1, 1)])
    assert [row[-1][0] for row in rows] == ["diff.context", "diff.removed", "diff.added", "dim"]
    assert rows[1] == [("dim", "2 "), ("diff.removed", "- b")]


def test_a_long_line_wraps_behind_its_sign() -> None:
    assert shown("+one two three", 12, [(1, 1)]) == ["1 + one two", "    three"]


def test_an_empty_diff_has_no_rows() -> None:
    assert diff_rows("", 10) == []


def test_hostile_lines_are_drawn_as_text() -> None:
    assert shown("+\x1b[2Ja\u202eb\tc\r") == ["+ a�b c"]


@given(
    st.lists(
        st.sampled_from(["-", "+", " ", "..."]).flatmap(lambda sign: st.text(max_size=30).map(lambda text: sign + text))
    ),
    st.integers(1, 50),
)
def test_rows_fit_and_every_line_has_one(lines: list[str], width: int) -> None:
    diff = "\n".join(lines)
    rows = diff_rows(diff, width, [(1, 1)] * 5)
    assert all(runs_width(row) <= width for row in rows)
    assert len(rows) >= len(parse_diff(diff))
