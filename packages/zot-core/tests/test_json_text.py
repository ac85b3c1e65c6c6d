import pytest

from zot_core.json_text import is_object


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
def test_anything_else_is_none(text: str) -> None:
    assert not is_object(text)
