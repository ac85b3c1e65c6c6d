"""The description of a command as data, and the validation of its fields."""

import pytest

from zot_agent.rpc import METHODS
from zot_agent.rpc.method import CommandField, InvalidCommand, Method, json_kind

METHOD = Method(
    "grow",
    lambda context, fields: None,
    "Grow.",
    (CommandField("name", "string", "The name.", required=True), CommandField("tools", "strings", "Names.")),
)


def test_every_method_is_documented() -> None:
    for method in METHODS.values():
        assert method.doc.endswith(".")
        assert all(field.doc.endswith(".") for field in method.fields)


def test_fields_that_are_null_or_unknown_are_left_out() -> None:
    assert METHOD.check({"name": "x", "tools": None, "more": 1}) == {"name": "x"}


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ({}, "name is missing: it must be a string"),
        ({"name": None}, "name is missing: it must be a string"),
        ({"name": 7}, "name must be a string, not "),
        ({"name": "x", "tools": ["a", 1]}, "tools must be an array of strings, not an array of something else"),
        ({"name": "x", "tools": "a"}, "tools must be an array of strings, not "),
    ],
)
def test_an_invalid_field_is_named(command: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidCommand, match=problem):
        METHOD.check(command)


@pytest.mark.parametrize(("line", "kind"), [(b"[1]", "an array"), (b"{}", ""), (b"nonsense", ""), (b"null", "null")])
def test_json_that_is_no_object_is_named(line: bytes, kind: str) -> None:
    assert json_kind(line) == kind
