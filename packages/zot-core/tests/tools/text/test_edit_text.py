import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from zot_core.tools.text.diff_rows import CONTEXT_LINES
from zot_core.tools.text.edit_text import EditError, TextReplacement, edit_text


def edited(text: str, *pairs: tuple[str, str]) -> str:
    return edit_text(text, [TextReplacement(*pair) for pair in pairs]).text


def diff(text: str, *pairs: tuple[str, str]) -> list[str]:
    return edit_text(text, [TextReplacement(*pair) for pair in pairs]).diff.split("\n")


def refusal(text: str, *pairs: tuple[str, str]) -> str:
    with pytest.raises(EditError) as caught:
        edited(text, *pairs)
    return str(caught.value)


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, count + 1))


def test_all_edits_are_found_in_the_original() -> None:
    assert edited("one two three", ("one", "two"), ("two", "one")) == "two one three"


def test_text_can_be_removed_and_added_at_both_ends() -> None:
    assert edited("a\nb\n", ("a\n", "")) == "b\n"
    assert edited("a\nb\n", ("b\n", "b\nc\n")) == "a\nb\nc\n"
    assert edited("a", ("a", "a\n")) == "a\n"


def test_touching_edits_do_not_overlap() -> None:
    assert edited("abcd", ("cd", "2"), ("ab", "1")) == "12"


def test_refusals_say_what_to_change() -> None:
    assert refusal("x") == "there are no edits; give at least one"
    assert refusal("x", ("", "y")) == "oldText is empty; give the text to replace"
    assert refusal("x", ("x", "x")) == "oldText and newText are identical; there is nothing to change"
    assert refusal("x\r\n", ("x\n", "x\r\n")) == "oldText and newText are identical; there is nothing to change"
    assert refusal("a\nb\na\n", ("b", "c"), ("a", "c")) == (
        "edit 2 of 2: oldText matches 2 times (line 1; line 3 after `b`); it must match once: add lines around it"
    )
    assert refusal("abcd", ("bc", "x"), ("ab", "y")) == "edits 1 and 2 overlap; merge them into one"
    assert refusal("abcd", ("bc", "x"), ("bc", "y")) == "edits 1 and 2 overlap; merge them into one"
    both = refusal("abcd", ("bc", "x"), ("d", "d"), ("ab", "y")).split("\n")
    assert [each.partition(";")[0] for each in both] == [
        "edit 2 of 3: oldText and newText are identical",
        "edits 1 and 3 overlap",
    ]


def test_many_matches_name_the_first_lines() -> None:
    assert "matches 9 times (lines 1, 2, 3, 4, 5, ...)" in refusal("x\n" * 9, ("x", "y"))


def test_matches_are_counted_without_overlap() -> None:
    assert edited("aaa", ("aa", "b")) == "ba"
    assert "matches 2 times" in refusal("aaaa", ("aa", "b"))


def test_a_text_that_is_not_there_gets_a_hint_when_only_white_space_differs() -> None:
    assert refusal("if x:\n\treturn  1\n", ("if x:\n    return 1\n", "pass")) == (
        "oldText not found; line 1 has the same words with other white space: "
        'line 2 is "\\treturn  1", oldText has "    return 1". Copy the text exactly as it is in the file'
    )
    assert "read the file again" in refusal("abc", ("abd", "x"))
    assert "read the file again" in refusal("abc", ("\n \n", "x"))


def test_every_line_keeps_its_own_ending() -> None:
    assert edited("a\r\nb\nc\r\n", ("b", "B")) == "a\r\nB\nc\r\n"
    assert edited("a\r\nb\nc\r\n", ("a\nb\nc\n", "a\nB\nc\n")) == "a\r\nB\nc\r\n"


def test_new_lines_end_like_the_line_they_come_to() -> None:
    assert edited("a\r\nb\r\n", ("b", "b\nc")) == "a\r\nb\r\nc\r\n"
    assert edited("a\r\nb\n", ("a", "x\ny")) == "x\r\ny\r\nb\n"
    assert edited("a\r\nb\n", ("b", "x\r\ny")) == "a\r\nx\ny\n"
    assert edited("a\r\nb", ("b", "b\nc")) == "a\r\nb\r\nc"
    assert edited("b", ("b", "b\nc")) == "b\nc"


def test_lone_carriage_returns_are_text() -> None:
    assert edited("a\rb\r\r\nc\r\n", ("b", "B")) == "a\rB\r\r\nc\r\n"


def test_a_byte_order_mark_stays() -> None:
    assert edited("\ufeffa\n", ("a", "b")) == "\ufeffb\n"
    assert edited("\ufeffa\n", ("\ufeffa", "\ufeffb")) == "\ufeffb\n"


def test_the_diff_has_three_lines_around_a_change() -> None:
    assert diff(numbered(9), ("line 5", "line five")) == [
        " line 2",
        " line 3",
        " line 4",
        "-line 5",
        "+line five",
        " line 6",
        " line 7",
        " line 8",
    ]


def test_distant_changes_are_parted_by_dots_and_near_ones_are_not() -> None:
    rows = diff(numbered(30), ("line 2\n", ""), ("line 20\n", "line 20\nnew\n"))
    assert rows == [
        *(" line 1", "-line 2", " line 3", " line 4", " line 5", "..."),
        *(" line 18", " line 19", " line 20", "+new", " line 21", " line 22", " line 23"),
    ]
    assert diff(numbered(9), ("line 1\n", ""), ("line 8\n", "")) == [
        "-line 1",
        *(f" line {number}" for number in range(2, 8)),
        "-line 8",
        " line 9",
    ]


def test_two_changes_of_one_line_are_one() -> None:
    assert diff("a b\nc\n", ("a", "A"), ("b", "B")) == ["-a b", "+A B", " c"]


def test_unchanged_lines_inside_a_replacement_are_kept_rows() -> None:
    assert diff("a\nb\nc\n", ("a\nb\nc\n", "A\nb\nC\n")) == ["-a", "+A", " b", "-c", "+C"]


def test_what_comes_after_a_last_line_without_break_is_part_of_it() -> None:
    assert diff("a\nb", ("b", "bc")) == [" a", "-b", "+bc"]
    assert diff("a\nb\n", ("b\n", "b\nc\n")) == [" a", " b", "+c"]


LINES = st.lists(st.sampled_from(["", "a", "b", "ab", " a", "é😀"]), max_size=12)
FILES = st.builds(
    lambda lines, ends, mark, tail: mark + "".join(a + b for a, b in zip(lines, ends, strict=False)) + tail,
    LINES,
    st.lists(st.sampled_from(["\n", "\r\n"]), min_size=12, max_size=12),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["", "end"]),
)
NEW = st.text(alphabet="ab \né", max_size=12)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, list[TextReplacement], list[tuple[int, int]]]:
    """A file, unique pieces of its plain text with what replaces them, and where they stand."""
    text = draw(FILES)
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    assume(plain)
    points = sorted(draw(st.lists(st.integers(0, len(plain)), min_size=2, max_size=6, unique=True)))
    places = [place for place in zip(points[::2], points[1::2], strict=False)]
    replacements = []
    for start, end in places:
        old, new = plain[start:end], draw(NEW)
        assume(plain.count(old) == 1 and plain.index(old) == start and old != new)
        replacements.append(TextReplacement(old, new))
    return text, replacements, places


@given(edits())
def test_edits_are_splices_of_the_plain_text(case: tuple[str, list[TextReplacement], list[tuple[int, int]]]) -> None:
    text, replacements, places = case
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    for (start, end), replacement in reversed(list(zip(places, replacements, strict=True))):
        plain = plain[:start] + replacement.new + plain[end:]
    result = edit_text(text, list(reversed(replacements)))
    assert result.text.removeprefix("\ufeff").replace("\r\n", "\n") == plain
    assert result.text.startswith("\ufeff") == text.startswith("\ufeff")


@given(edits())
def test_bytes_before_and_after_the_edits_are_not_touched(
    case: tuple[str, list[TextReplacement], list[tuple[int, int]]],
) -> None:
    text, replacements, places = case
    result = edit_text(text, replacements)
    body = text.removeprefix("\ufeff")
    offsets = [match.start() for match in re.finditer(r"\r\n|.", body, re.DOTALL)] + [len(body)]
    mark = len(text) - len(body)
    assert result.text.startswith(text[: mark + offsets[places[0][0]]])
    assert result.text.endswith(body[offsets[places[-1][1]] :])


@given(edits())
def test_the_rows_say_what_was_removed_and_added(
    case: tuple[str, list[TextReplacement], list[tuple[int, int]]],
) -> None:
    text, replacements, _ = case
    result = edit_text(text, replacements)
    assume(result.text != text)
    rows = result.diff.split("\n")
    assert all(row == "..." or row[0] in " -+" for row in rows)
    before = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    after = result.text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    for hunk in result.diff.split("\n...\n"):
        hunk_rows = hunk.split("\n")
        assert contains(before, [row[1:] for row in hunk_rows if row[0] in " -"])
        assert contains(after, [row[1:] for row in hunk_rows if row[0] in " +"])
        kept = [row for row in hunk_rows if row[0] == " "]
        assert len(kept) <= (len(hunk_rows) - len(kept) + 1) * 2 * CONTEXT_LINES


def contains(lines: list[str], part: list[str]) -> bool:
    return any(lines[at : at + len(part)] == part for at in range(len(lines) - len(part) + 1))


def test_each_place_of_a_diff_tells_where_it_begins_before_and_after() -> None:
    changed = edit_text(numbered(40), [TextReplacement("line 5\n", "5\n5b\n"), TextReplacement("line 30\n", "")])

    assert changed.diff.split("\n").count("...") == 1
    assert changed.starts == [(2, 2), (27, 28)]


@given(edits())
def test_the_rows_of_each_place_stand_where_it_says(
    case: tuple[str, list[TextReplacement], list[tuple[int, int]]],
) -> None:
    text, replacements, _ = case
    changed = edit_text(text, replacements)
    before, after = (body.removeprefix("\ufeff").replace("\r\n", "\n").split("\n") for body in (text, changed.text))
    places = iter(changed.starts)
    old = new = 0
    for number, row in enumerate(changed.diff.split("\n") if changed.diff else []):
        if number == 0 or row == "...":
            old, new = next(places)
        if row == "...":
            continue
        if row[0] != "+":
            assert before[old - 1] == row[1:]
            old += 1
        if row[0] != "-":
            assert after[new - 1] == row[1:]
            new += 1
    assert next(places, None) is None
