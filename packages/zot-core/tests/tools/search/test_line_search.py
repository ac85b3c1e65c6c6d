import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.tools.search import line_search
from zot_core.tools.search.line_search import LINE_BYTES, FoundLine, LineSearch, compiled, respond


def found(pattern: str, *texts: bytes, **options: Any) -> list[tuple[int, int, bool, str]]:
    search = LineSearch(pattern, **options)
    for text in texts:
        search.feed(text)
        search.close()
    return [tuple(row) for row in search.found]


def numbers(rows: list[tuple[int, int, bool, str]]) -> list[tuple[int, int]]:
    return [(text, number) for text, number, _, _ in rows]


def test_matching_lines_have_their_text_and_number() -> None:
    assert found("b+", b"a\nabb\n", b"", b"b") == [(0, 2, True, "abb"), (2, 1, True, "b")]


def test_lines_end_at_line_feeds_and_a_carriage_return_before_one_is_part_of_the_break() -> None:
    assert found("b$", b"ab\r\nb\rc\nb\r") == [(0, 1, True, "ab"), (0, 3, True, "b")]
    assert numbers(found("x", "a\u2028x\x0cx\x85x\n".encode())) == [(0, 1)]


def test_a_mark_at_the_start_and_bytes_that_are_no_utf8_are_no_hindrance() -> None:
    assert found("^caf.$", b"\xef\xbb\xbfcaf\xe9\n") == [(0, 1, True, "caf\ufffd")]


def test_case_and_plain_text_are_asked_for() -> None:
    assert numbers(found("É", "é\n".encode(), ignore_case=True)) == [(0, 1)]
    assert numbers(found("a.b(", b"a.b(\naxb(\n", literal=True)) == [(0, 1)]


def test_context_comes_once_and_only_what_belongs_to_a_match() -> None:
    text = b"".join(b"%d%s\n" % (number, b"x" if number in (3, 5, 9) else b"") for number in range(1, 12))
    rows = found("x", text, text, context=1)
    assert [(number, matches) for text, number, matches, _ in rows if text == 0] == [
        *((2, False), (3, True), (4, False), (5, True), (6, False), (8, False), (9, True), (10, False))
    ]
    assert rows[8:] == [(1, *row[1:]) for row in rows[:8]]


def test_it_stops_at_the_match_that_is_too_many_and_says_so() -> None:
    search = LineSearch("x", limit=2, context=1)
    search.feed(b"x\na\nx\nb\nc\nx\nd\n")
    search.close()
    assert (search.more, [row.number for row in search.found]) == (True, [1, 2, 3, 4])
    exact = LineSearch("x", limit=2)
    exact.feed(b"x\nx\n")
    exact.close()
    assert not exact.more


def test_binary_texts_have_no_rows_and_are_not_read_on() -> None:
    search = LineSearch("x")
    search.feed(b"x\n" * 2000)
    search.feed(b"\0" + b"x\n" * 3000)
    assert not search.wants_more
    search.close()
    assert search.found == []
    assert search.wants_more
    assert len(found("x", b"x\n" * 5000 + b"\0")) == 100


def test_long_rows_are_cut_and_of_endless_lines_the_start_is_searched() -> None:
    search = LineSearch("a", width=3)
    search.feed(b"aaaa\n")
    search.close()
    assert (search.found, search.cut) == ([FoundLine(0, 1, True, "aaa... [truncated]")], True)
    endless = LineSearch("b$")
    for _ in range(3):
        endless.feed(b"a" * LINE_BYTES)
    endless.feed(b"b\nb\n")
    endless.close()
    assert [row.number for row in endless.found] == [2]


@given(st.binary(max_size=60).map(lambda data: data.replace(b"\0", b"\n")), st.lists(st.integers(0, 60), max_size=4))
def test_rows_are_the_same_however_a_text_comes(text: bytes, cuts: list[int]) -> None:
    whole = found("[a-m]", b"\n" * 9000 + text, context=1)
    search = LineSearch("[a-m]", context=1)
    edges = [0, *sorted(9000 + cut for cut in cuts), 9060 + len(text)]
    for start, end in pairwise(edges):
        search.feed((b"\n" * 9000 + text)[start:end])
    search.close()
    assert [tuple(row) for row in search.found] == whole


@pytest.mark.parametrize("name", sorted(line_search._CLASSES))
def test_named_classes_are_those_of_grep(name: str) -> None:
    members = {"alpha": "aZ", "digit": "7", "punct": "]_", "space": " \t", "xdigit": "fF0", "blank": " "}.get(name, "")
    search = compiled(f"^[[:{name}:]]+$").search
    assert all(search(member) for member in members)
    assert not search("\x01")


@pytest.mark.parametrize("pattern", ["(", "*a", "[z-a]", "(?P<a", "a{2}{3}", "a" * 10 + "{99999999999}", "(" * 5000])
def test_what_is_no_pattern_is_a_value_error(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        compiled(pattern)


def test_only_inside_a_set_is_a_named_class_one() -> None:
    assert compiled("[:alpha:]").fullmatch("h")
    assert compiled(r"\[[[:digit:]]").fullmatch("[7")
    assert compiled("[^[:digit:]x]").fullmatch("y")
    assert not compiled("[^[:digit:]x]").fullmatch("7")


def test_patterns_a_later_python_reads_otherwise_cause_no_warning() -> None:
    assert compiled("[[a]||b]")


def test_questions_are_steps_and_answers_are_rows_since_the_last_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one\ntwo\n")
    search = LineSearch("o")
    steps = [["path", str(tmp_path / "file")], ["path", str(tmp_path / "gone")], ["piece", "\xe9o"], ["close", ""]]
    answer = json.loads(respond(search, json.dumps(steps).encode()))
    assert answer == {
        "found": [[0, 1, True, "one"], [0, 2, True, "two"], [2, 1, True, "\ufffdo"]],
        "more": False,
        "cut": False,
    }
    assert json.loads(respond(search, b"[]"))["found"] == []


def test_as_a_script_it_answers_line_by_line() -> None:
    lines = [{"pattern": "x", "limit": 1}, [["piece", "x\nx\n"], ["close", ""]], [["piece", "x"]]]
    done = subprocess.run(
        [sys.executable, "-I", "-S", line_search.__file__],
        input=b"".join(json.dumps(line).encode() + b"\n" for line in lines),
        capture_output=True,
        check=True,
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"found": [[0, 1, True, "x"]], "more": True, "cut": False},
        {"found": [], "more": True, "cut": False},
    ]
