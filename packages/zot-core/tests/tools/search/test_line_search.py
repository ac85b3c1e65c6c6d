import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_core.tools.search import line_search
from zot_core.tools.search.line_search import CLASSES, LINE_BYTES, compiled, is_binary, rows


def found(pattern: str, text: bytes, context: int = 0, length: int = 1000, **options: bool) -> list[bytes]:
    return [
        row.removesuffix(b"\n") for row in rows(io.BytesIO(text), compiled(pattern, **options).search, context, length)
    ]


def test_matching_lines_have_their_number() -> None:
    assert found("b+", b"a\nabb\nb") == [b"2:abb", b"3:b\r"]
    assert found("b", b"") == []


def test_a_lone_carriage_return_ends_a_line_for_the_pattern_only() -> None:
    assert found("b$", b"ab\r\nb\rc\nb\r") == [b"1:ab\r", b"2:b\rc", b"3:b\r\r"]
    assert found("b.c", b"b\rc\n") == []
    assert found("x", "a\u2028x\x0cx\x85x\n".encode()) == ["1:a\u2028x\x0cx\x85x".encode()]


def test_a_byte_order_mark_and_bytes_that_are_not_utf8_do_not_prevent_a_match() -> None:
    assert found("^caf.$", b"\xef\xbb\xbfcaf\xe9\n") == [b"1:caf\xe9"]


def test_case_and_plain_text_are_options() -> None:
    assert found("É", "é\n".encode(), ignore_case=True) == ["1:é".encode()]
    assert found("a.b(", b"a.b(\naxb(\n", literal=True) == [b"1:a.b("]


def test_context_is_printed_once_and_only_around_a_match() -> None:
    text = b"".join(b"%d%s\n" % (number, b"x" if number in (3, 5, 9) else b"") for number in range(1, 12))
    assert b" ".join(found("x", text, 1)) == b"2-2 3:3x 4-4 5:5x 6-6 8-8 9:9x 10-10"


def test_a_nul_byte_near_the_start_makes_a_text_binary(tmp_path: Path) -> None:
    assert found("x", b"x\n" * 2000 + b"\0") == []
    assert len(found("x", b"x\n" * 5000 + b"\0")) == 5000
    (tmp_path / "binary").write_bytes(b"\0")
    (tmp_path / "text").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    assert [is_binary(str(tmp_path / name)) for name in ("binary", "text", "pipe", "gone")] == [True, False, True, True]


def test_the_start_of_a_long_line_is_searched_and_printed() -> None:
    assert found("a", b"aaaa\n", length=3) == [b"1:aaa"]
    assert found("b$", b"a" * LINE_BYTES * 3 + b"b\nb\n") == [b"2:b"]


MEMBERS = {"digit": "7", "punct": "]_", "space": " \t", "xdigit": "fF0", "blank": " ", "cntrl": "\x01", "lower": "a"}


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_named_classes_are_those_of_grep(name: str) -> None:
    search = compiled(f"^[[:{name}:]]+$").search
    assert search(MEMBERS.get(name, "Z"))
    assert not search("\x80")


@pytest.mark.parametrize("pattern", ["(", "*a", "[z-a]", "(?P<a", "a{2}{3}", "a" * 10 + "{99999999999}", "(" * 5000])
def test_an_invalid_pattern_is_a_value_error(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        compiled(pattern)


def test_only_inside_a_set_is_a_named_class_one() -> None:
    assert compiled("[:alpha:]").fullmatch("h")
    assert compiled(r"\[[[:digit:]]").fullmatch("[7")
    assert compiled("[^[:digit:]x]").fullmatch("y")
    assert not compiled("[^[:digit:]x]").fullmatch("7")


def test_patterns_a_later_python_reads_otherwise_cause_no_warning() -> None:
    assert compiled("[[a]||b]")


def run(*arguments: str, **options: object) -> "subprocess.CompletedProcess[bytes]":
    text = json.dumps({"pattern": "o", "literal": False, "ignore_case": False, "context": 0, "length": 9} | options)
    command = [sys.executable, "-I", "-S", line_search.__file__, text, *arguments]
    return subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)


def test_the_script_prints_path_number_and_line_of_regular_files(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one\ntwo\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "terminal").symlink_to("/dev/ptmx")
    names = [str(tmp_path / name) for name in ("pipe", "terminal", "gone", "file")]
    done = run(*names)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.split(b"\n") == [f"{names[3]}\0{row}".encode() for row in ("1:one", "2:two")] + [b""]


def test_the_script_prints_why_a_pattern_is_invalid() -> None:
    done = run(pattern="(")
    assert (done.returncode, done.stdout) == (2, b"missing ), unterminated subpattern at position 0")
