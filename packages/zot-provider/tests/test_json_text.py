import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.json_text import describe, dump, dump_text, is_object, line_text, read_object, read_strict


@pytest.mark.parametrize("text", ["{}", ' {"a": [1, {"b": null}]} ', '{"a":\n1}', '{"a":1e999}', '{"a":"\\ud800"}'])
def test_an_object_is_one(text: str) -> None:
    assert is_object(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "[]",
        '"a"',
        "1",
        "null",
        "{",
        "{a:1}",
        '{"a":NaN}',
        '{"a":-Infinity}',
        "{} {}",
        '{"a":1,}',
        '{"a":' * 99_999,
    ],
)
def test_other_text_is_not_an_object(text: str) -> None:
    assert not is_object(text)


@pytest.mark.parametrize("text", ["NaN", '{"a":Infinity}', "[" * 99_999, "{", ""])
def test_a_text_that_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_strict(text)


@given(st.text())
def test_a_text_that_is_no_object_reads_as_an_empty_one(text: str) -> None:
    assert isinstance(read_object(text), dict)
    json.dumps(read_object(text), allow_nan=False)


def test_numbers_that_json_does_not_have_are_in_no_object() -> None:
    assert read_object('{"a": NaN}') == {}
    assert read_object('{"a": 1}') == {"a": 1}


def test_text_is_written_on_one_line_and_without_white_space() -> None:
    assert dump({"a": [1, "é\n"]}) == '{"a":[1,"é\\n"]}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump(float("nan"))


def test_line_ends_of_other_languages_become_escapes() -> None:
    value = "a\u2028b\u2029c\x85é"
    line = line_text(dump(value))
    assert line.splitlines() == [line]
    assert json.loads(line) == value


@pytest.mark.parametrize(
    ("value", "words"),
    [({}, "an object"), ([1], "a list"), (None, "null"), (True, "true"), (3.5, "3.5"), ("é", '"\\u00e9"')],
)
def test_an_error_names_a_value(value: object, words: str) -> None:
    assert describe(value) == words


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text())
def test_an_error_shows_any_value_shortly_and_printably(value: object) -> None:
    assert 0 < len(describe(value)) <= 40
    assert describe(value).isascii()
    assert describe(value).replace("\x7f", "").isprintable()


@given(st.text() | st.text(st.characters(max_codepoint=127)) | st.just('a\x7f\x00"\\\n'))
def test_a_text_is_written_as_any_other_value(text: str) -> None:
    assert dump_text(text) == dump(text)


def test_half_of_a_surrogate_pair_is_written_as_any_other_value() -> None:
    assert dump_text("\ud800") == dump("\ud800")
