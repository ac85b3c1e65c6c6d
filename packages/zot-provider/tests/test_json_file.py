from pathlib import Path

import pytest

from zot_provider.errors import ConfigError
from zot_provider.json_file import MOST_BYTES, read_json_object


def test_an_object_is_read_and_a_missing_file_is_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    assert read_json_object(str(path)) == read_json_object(str(path / "below")) == {}
    path.write_bytes(b'\xef\xbb\xbf{"a": [1, {"b": null}]}')
    assert read_json_object(str(path)) == {"a": [1, {"b": None}]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"a": \xff}', "is not UTF-8 text (byte 6)"),
        (b'{"a": 1,\n "b"}', "line 2, column 5: Expecting ':' delimiter"),
        (b'{"a": {"b": 1, "b": 1}}', "the key 'b' is there twice"),
        (b'{"a": ' + b"9" * 5000 + b"}", "contains a number that is too long, or is nested too deeply"),
        (b"[" * 100_000, "contains a number that is too long, or is nested too deeply"),
        (b"[1]", "expected an object, got a list"),
        (b"{}" + b" " * MOST_BYTES, "is larger than the limit of 1 MiB"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_place_of_the_fault(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as error:
        read_json_object(str(path))
    assert str(error.value).startswith(str(path))
    assert words in str(error.value)


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"cannot read {tmp_path}: Is a directory"):
        read_json_object(str(tmp_path))
