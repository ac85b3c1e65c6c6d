"""`Schema`: what it accepts and refuses."""

import json
from pathlib import Path

import pytest

from zot_core.testing.schema import Schema

SCHEMA = {
    "$defs": {
        "name": {"type": "string"},
        "part": {
            "type": "object",
            "properties": {
                "name": {"$ref": "#/$defs/name"},
                "kind": {"enum": ["a", "b"]},
                "version": {"const": 1},
                "count": {"type": "integer", "minimum": 0},
                "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}},
                "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "one": {"oneOf": [{"type": "integer"}, {"type": "number"}]},
            },
            "required": ["name"],
        },
        "later": {"pattern": "x"},
    },
    "$ref": "#/$defs/part",
}


@pytest.fixture
def schema(tmp_path: Path) -> Schema:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(SCHEMA))
    return Schema(path)


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ({"name": "x", "kind": "a", "version": 1, "count": 0, "parts": [{"name": "y"}], "either": None}, []),
        ({}, ["$.name: missing"]),
        ([], ["$: no ['object']"]),
        ({"name": 3}, ["$.name: no ['string']"]),
        ({"name": "x", "kind": "c"}, ["$.kind: none of ['a', 'b']"]),
        ({"name": "x", "version": 2}, ["$.version: not 1"]),
        ({"name": "x", "count": -1}, ["$.count: too small"]),
        ({"name": "x", "count": True}, ["$.count: no ['integer']"]),
        ({"name": "x", "parts": [{}, {"name": "y"}]}, ["$.parts[].name: missing"]),
        ({"name": "x", "either": 3}, ["$.either: 0 alternatives fit"]),
        ({"name": "x", "one": 3}, ["$.one: 2 alternatives fit"]),
        ({"name": "x", "one": 3.5}, []),
    ],
)
def test_each_violation_is_named_with_its_place(schema: Schema, value: object, faults: list[str]) -> None:
    assert schema.faults(value) == faults


def test_a_definition_can_be_checked_alone_and_an_unknown_keyword_is_an_error(schema: Schema) -> None:
    assert schema.faults("x", "name") == []
    assert schema.faults(3, "name") == ["$: no ['string']"]
    with pytest.raises(ValueError, match=r"keywords \['pattern'\] are not known"):
        schema.faults("x", "later")
