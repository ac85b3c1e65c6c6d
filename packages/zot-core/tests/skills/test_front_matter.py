import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zot_core.skills.front_matter import (
    FrontMatterError,
    Parts,
    line_of,
    plain_fields,
    read_fields,
    split,
    yaml_fields,
)

WORDS = st.text(st.sampled_from("ab1é:-#'\"|>[]{},&*!%@`\\~?=. \t\u00a0\u2028"), max_size=12)
VALUES = st.one_of(
    WORDS,
    WORDS.map(lambda text: f'"{text}"'),
    WORDS.map(lambda text: f"'{text}'"),
    st.sampled_from(["", ">", ">-", "|", "|-", "|+", ">2", "true", "null", "1.0", "2024-01-01", "[a, b]", "<<", "- x"]),
)
KEYS = st.sampled_from(["name", "description", "allowed-tools", "x_1", "on", "1a", "é", "<<"])
FIELDS = st.builds("{}:{}{}".format, KEYS, st.sampled_from(["", " ", "  "]), VALUES)
INDENTS = st.sampled_from(["", " ", "  ", "    "])
BELOW = st.builds("{}{}{}".format, INDENTS, st.sampled_from(["", "- ", "-  "]), st.one_of(VALUES, FIELDS))
# Of the plain forms, or a character away from them.
SCALARS = st.builds(
    "{}{}".format,
    st.sampled_from(["a", "b c", "é", "'a: b'", '"a # b"', "1.0", "yes"]),
    st.sampled_from(["", "", "", "", " b", " b:c", "#d", " ", ": c", " # d", ":", "'"]),
)
BLOCKS = st.sampled_from(
    [
        "\n  - one\n  - 'b: c'",
        "\n- a\n- b c",
        "\n  y: z\n  x: 'b: c'",
        "\n  y: z\n   x: b",
        "\n  - one\n  y: z",
        "\n  one",
        "[a, b-c d,e]",
        "[a b",
        "[a - b]",
    ]
)
WRAPPED = st.builds(
    "{}\n  {}\n{}{}".format,
    st.sampled_from([">", ">-", "|", "|-", "a", "'a"]),
    SCALARS,
    st.sampled_from(["  ", "  ", "  ", "   ", " ", "", "  # ", "  - "]),
    SCALARS,
)
NEAT = st.builds("{}: {}".format, st.sampled_from(["name", "x-1", "on"]), st.one_of(SCALARS, SCALARS, BLOCKS, WRAPPED))
FRONTS = st.lists(st.one_of(NEAT, NEAT, NEAT, NEAT, NEAT, FIELDS, BELOW), min_size=1, max_size=3).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(FRONTS)
@example("a: >\n  x \n  y\n")
@example("a: |\n  # x\n  - y\nb: c\n")
@example("a:\n- x\n- 'y z'\nb:\n  c: d\n  e: \"f\"\n")
@example("a: x\n  y\n   z\n")
@example("a: x\na: y\n")
@example("a: :\n")
@example("a: x:\n  y\n")
@example("a: b\r\n")
@example("a: [b]\n")
@example("a: [b, c d]  \n")
@example("a: [b,]\n")
@example("a: [b] c\n")
@example("a: [b]\n  c\n")
def test_the_plain_forms_are_read_as_yaml_reads_them(front: str) -> None:
    fields = plain_fields(front)
    if fields is not None:
        assert fields == yaml_fields(front)


@given(st.text(max_size=40))
def test_any_front_matter_is_parsed_or_refused_with_a_line_number(front: str) -> None:
    fields: dict[str, object] = {}
    line = 2
    try:
        fields = read_fields(front + "\n")
    except FrontMatterError as error:
        line = error.line
    assert 2 <= line <= 3 + len(front)
    assert all(isinstance(name, str) for name in fields)


PLAIN = """\
name: pdf-files
description: Fill in forms, e.g. W-9: page 2; "quoted" words too
license: 'MIT'
compatibility: "needs: poppler # and python"
version: 1.0.0
metadata:
  author: example
  version: "1.0"
allowed-tools:
  - Bash(git:*)
  - Read
empty:
when: >-
  The first line,
  the second.
notes: |
  - one
  - two
long: begins here
  and ends here
"""

READ = {
    "name": "pdf-files",
    "license": "MIT",
    "compatibility": "needs: poppler # and python",
    "version": "1.0.0",
    "metadata": {"author": "example", "version": "1.0"},
    "allowed-tools": ["Bash(git:*)", "Read"],
    "empty": "",
    "when": "The first line, the second.",
    "notes": "- one\n- two\n",
    "long": "begins here and ends here",
}


def test_the_forms_that_skills_are_written_in_are_read() -> None:
    front = "".join(line for line in PLAIN.splitlines(keepends=True) if not line.startswith("description"))
    assert read_fields(front) == READ


@pytest.mark.parametrize(
    ("front", "value"),
    [
        ("x: >\n  one\n  two\n\n  three\n", "one two\nthree\n"),
        ("x: |+\n  one\n\n", "one\n\n"),
        ("x: [one, two]\n", ["one", "two"]),
        ('x: "tab\\there"\n', "tab\there"),
        ("# said first\nx: one # said last\n", "one"),
        ("x: 2024-01-01\n", "2024-01-01"),
        ("x: !!python/object/apply:os.system [ls]\n", ["ls"]),
    ],
)
def test_other_forms_are_read_by_yaml_as_text(front: str, value: object) -> None:
    assert plain_fields(front) in (None, {"x": value})
    assert read_fields(front) == {"x": value}


@pytest.mark.parametrize(
    "value",
    [
        "Use when: a form is to be filled in",
        "[pr-number] [priority]",
        "@file or `command`",
        "[",
        "it's one: of 'them'",
        "*.py files",
        '"one" or "two": both',
    ],
)
def test_a_line_that_is_not_yaml_is_text(value: str) -> None:
    with pytest.raises(FrontMatterError):
        yaml_fields(f"name: a\ndescription: {value}\n")
    assert read_fields(f"name: a\ndescription: {value}\n") == {"name": "a", "description": value}


@pytest.mark.parametrize(
    ("front", "line", "message"),
    [
        ("name: a\n\tb: c\n", 3, "found character '\\t' that cannot start any token"),
        ("name: a\nx:\n  [one,\n", 5, "expected the node content, but found '<stream end>'"),
        ("- one\n", 2, "the front matter has no fields"),
        ("just words\n", 2, "the front matter has no fields"),
        ("a: *b\n? [x]\n: y\n", 2, "found undefined alias 'b'"),
        ("x:\n  " + "[" * 100 + "\n", 3, "brackets are nested too deeply"),
        ("x:\n  " + "[a, {b: " * 2000 + "\n", 3, "brackets are nested too deeply"),
        ("x:\n  " + "- " * 1000 + "\n", 2, "maximum recursion depth exceeded"),
        ("x: \x07\n", 2, "special characters are not allowed"),
    ],
)
def test_an_error_has_its_line_number(front: str, line: int, message: str) -> None:
    with pytest.raises(FrontMatterError) as caught:
        read_fields(front)
    assert caught.value.line == line
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_front_matter_has_no_fields() -> None:
    assert read_fields("") == {}
    assert read_fields("# nothing\n") == {}


def test_a_file_is_split_at_its_fences() -> None:
    assert split("---\nname: a\n---\n\n# A\n---\n") == Parts("name: a\n", "\n# A\n---\n", 4)
    assert split("\ufeff--- \r\nname: a\r\n---\t\r\ntext\r\n") == Parts("name: a\n", "text\n", 4)
    assert split("---\n---") == Parts("", "", 3)


def test_a_file_without_front_matter_is_all_text() -> None:
    assert split("# A\n---\nx\n---\n") == Parts(None, "# A\n---\nx\n---\n", 1)
    assert split("") == Parts(None, "", 1)


def test_front_matter_without_an_end_is_refused() -> None:
    with pytest.raises(FrontMatterError, match="a line --- is missing"):
        split("---\nname: a\n\n# A\n")


def test_the_line_of_a_field_is_that_in_the_file() -> None:
    assert line_of("name: a\ndescription: b\n", "description") == 3
    assert line_of("name: a\n", "description") == 1


def test_front_matter_of_one_line_values_is_read_without_yaml() -> None:
    lines = [
        line for line in PLAIN.splitlines() if line.startswith(("name", "license", "compatibility", "version", "e"))
    ]
    code = f"""
import sys
from zot_core.skills.front_matter import read_fields
assert len(read_fields({"".join(f"{line}{chr(10)}" for line in lines)!r})) == 5
assert "yaml" not in sys.modules
read_fields("x: [a:b]\\n")
assert "yaml" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
