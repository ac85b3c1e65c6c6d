from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from zot_tui.diff import LINES, SIDES, DiffLine, diff_parts, diff_rows, parse_diff
from zot_tui.text.runs import Over, plain, runs_width

DIFF = " a\n-b\n+B\n+C\n d\n...\n  ...\n-z"


def shown(diff: str, width: int = 40, starts: Sequence[tuple[int, int]] = ()) -> list[str]:
    return [plain(row) for row in diff_rows(diff, width, starts)]


def test_each_place_is_numbered_from_its_own_start() -> None:
    assert shown(DIFF, starts=[(9, 9), (120, 121)]) == [
        "   9   a",
        "  10 - b",
        "  10 + B",
        "  11 + C",
        "  12   d",
        "     ⋯",
        " 121    ...",
        " 121 - z",
    ]


def test_lines_have_both_numbers() -> None:
    numbers = [(line.sign, line.old, line.new) for line in parse_diff(DIFF, [(9, 9)])]
    assert numbers[:5] == [(" ", 9, 9), ("-", 10, None), ("+", None, 10), ("+", None, 11), (" ", 11, 12)]
    assert numbers[5:] == [("...", None, None), (" ", None, None), ("-", None, None)]


def test_without_starts_there_is_no_column_of_numbers() -> None:
    assert shown(DIFF)[:3] == ["  a", "- b", "+ B"]


def test_signs_have_colours() -> None:
    rows = diff_rows(" a\n-b\n+c\n...", 40, [(1, 1)])
    assert [row[-1][0] for row in rows] == ["diff.context", "diff.removed_line", "diff.added_line", "dim"]
    assert rows[1] == [("dim", "   2 "), ("diff.removed_line", "- b"), ("diff.removed_line", "")]


def marked(diff: str, style: str) -> list[str]:
    return [text for row in diff_rows(diff, 60) for kind, text in row if kind == style]


def test_what_is_changed_within_a_line_is_marked_in_both() -> None:
    diff = "-    if amount > LIMIT:\n+    if amount >= LIMIT:\n+    pass"
    assert marked(diff, "diff.removed_word") == []
    assert marked(diff, "diff.added_word") == ["="]
    assert marked("-a = total(one)\n+a = total(two)", "diff.removed_word") == ["one"]
    assert marked("-a = total(one)\n+a = total(two)", "diff.added_word") == ["two"]


def test_lines_with_little_in_common_and_long_ones_have_no_marks() -> None:
    assert marked("-one two three\n+x = 1", "diff.added_word") == []
    assert marked(f"-{'a ' * 300}b\n+{'a ' * 300}c", "diff.added_word") == []


def test_code_has_the_colours_of_its_language_on_the_band_of_its_line() -> None:
    rows = diff_rows("-x = None\n+def f(): pass\n y = 1", 40, (), "app.py")
    assert rows[0][0] == ("diff.removed_line", "- ")
    assert (Over("syntax.keyword", "diff.added_line"), "def") in rows[1]
    assert rows[1][-1] == ("diff.added_line", "")
    assert ("syntax.literal_number", "1") in rows[2]


def test_each_row_of_a_wrapped_line_is_a_band_under_its_text() -> None:
    rows = diff_rows("+one two three", 15, [(1, 1)])
    assert [row[-1] for row in rows] == [("diff.added_line", "")] * 2


def test_a_long_line_wraps_behind_its_sign() -> None:
    assert shown("+one two three", 15, [(1, 1)]) == ["   1 + one two", "       three"]


def test_an_empty_diff_has_no_rows() -> None:
    assert diff_rows("", 10) == []


def test_hostile_lines_are_drawn_as_text() -> None:
    assert shown("+\x1b[2Ja\u202eb\tc\r") == ["+ a�b c"]


@given(
    st.lists(
        st.sampled_from(["-", "+", " ", "..."]).flatmap(lambda sign: st.text(max_size=30).map(lambda text: sign + text))
    ),
    st.integers(1, 50) | st.integers(SIDES, SIDES + 9),
    st.booleans(),
)
def test_rows_fit_and_every_line_has_its_place(lines: list[str], width: int, sides: bool) -> None:
    diff = "\n".join(lines)
    rows = diff_rows(diff, width, [(1, 1)] * 5, sides=sides)
    assert all(runs_width(row) <= width for row in rows)
    if width < SIDES or not sides:
        assert len(rows) >= len(parse_diff(diff))
    numbers = [each for row in rows for style, each in row if style == "dim" and each.strip().isdigit()]
    wanted = [each for line in parse_diff(diff, [(1, 1)] * 5) for each in _numbers(line, both=sides and width >= SIDES)]
    assert width < 20 or Counter(map(int, numbers)) == Counter(wanted)


def _numbers(line: DiffLine, *, both: bool) -> list[int]:
    shown = (line.old, line.new) if both else (line.number,)
    return [number for number in shown if number is not None]


def test_a_line_is_beside_the_one_in_its_place() -> None:
    rows = [plain(row).rstrip() for row in diff_rows("\n".join(SIDED), 100, [(9, 9)], sides=True)]
    assert rows == [
        "   9   a                                         │    9   a",
        "  10 - one                                       │   10 + ONE",
        "  11 - two                                       │",
        "  12   b                                         │   11   b",
        "                                                 │   12 + new",
        "     ⋯                                           │      ⋯",
    ]


SIDED = (" a", "-one", "-two", "+ONE", " b", "+new", "...")


def test_sides_are_wrapped_each_under_its_text_and_their_bands_end_in_the_middle() -> None:
    rows = diff_rows(f"-short\n+{'word ' * 20}", 100, [(1, 1)], sides=True)
    right = [plain(row).partition("│")[2].split() for row in rows]
    assert right == [["1", "+", *["word"] * 8], ["word"] * 8, ["word"] * 4]
    assert rows[0][-5] == ("diff.removed_line", " " * (49 - 7 - len("short")))


def test_a_screen_too_narrow_for_sides_shows_them_below_each_other() -> None:
    diff = "\n".join(SIDED)
    assert diff_rows(diff, SIDES - 1, [(9, 9)], sides=True) == diff_rows(diff, SIDES - 1, [(9, 9)])
    assert diff_rows(diff, SIDES, [(9, 9)], sides=True) != diff_rows(diff, SIDES, [(9, 9)])


@given(st.integers(0, 99), st.integers(0, 99), st.booleans())
def test_a_large_change_is_drawn_in_parts_in_which_every_line_finds_the_one_in_its_place(
    gone: int, come: int, sides: bool
) -> None:
    lines = parse_diff("\n".join([f"-was {n} here" for n in range(gone)] + [f"+is {n} here" for n in range(come)]))
    parts = diff_parts(lines, sides=sides)
    assert all(len(part.pairs) <= 2 * LINES and part.lines <= LINES for part in parts)
    assert sum(len(part.pairs) for part in parts) == gone + come
    found = {line.text: other.text for part in parts for line, other in part.pairs if other is not None}
    assert found == {
        text: other
        for n in range(min(gone, come))
        for text, other in ((f"was {n} here", f"is {n} here"), (f"is {n} here", f"was {n} here"))
    }


def test_long_lines_make_smaller_parts() -> None:
    lines = parse_diff("\n".join([f"+{'x' * 2000}"] * 20))
    assert [len(part.pairs) for part in diff_parts(lines)] == [4] * 5
