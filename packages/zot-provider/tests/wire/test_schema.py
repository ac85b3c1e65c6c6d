"""Schemas of tools, in a form that all providers take."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from zot_provider.wire.schema import DEPTH, NODES, fitted

TEXT = {"type": "string"}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing to do": (
        {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
        {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
    ),
    "no properties": ({"type": "object"}, {"type": "object", "properties": {}}),
    "one of two arguments": (
        {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {
            "type": "object",
            "properties": {"a": TEXT, "b": TEXT},
            "description": "Needs one of these sets of arguments: a; b.",
        },
    ),
    "parts at the top": (
        {
            "description": "Find.",
            "allOf": [{"properties": {"a": TEXT}, "required": ["a"]}, {"$ref": "#/$defs/b"}],
            "$defs": {"b": {"properties": {"b": TEXT}}},
        },
        {
            "type": "object",
            "description": "Find.",
            "properties": {"a": TEXT, "b": TEXT},
            "required": ["a"],
            "$defs": {"b": {"properties": {"b": TEXT}}},
        },
    ),
    "odd values": (
        {
            "type": "object",
            "properties": {
                "e": {"type": "string", "enum": []},
                "t": {"type": "any", "default": "any"},
                "n": {"type": "number", "minimum": 1, "exclusiveMinimum": True},
                "l": {"type": "array"},
                "x": True,
                "type": {"type": "string", "title": 5},
                "o": {"type": "object", "properties": {}, "required": ["gone"]},
            },
            "required": ["e", "gone"],
        },
        {
            "type": "object",
            "properties": {
                "e": {"type": "string"},
                "t": {"default": "any"},
                "n": {"type": "number", "minimum": 1},
                "l": {"type": "array", "items": {}},
                "x": {},
                "type": {"type": "string"},
                "o": {"type": "object", "properties": {}, "required": []},
            },
            "required": ["e"],
        },
    ),
    "a name that is not taken": (
        {"type": "object", "properties": {"$filter": TEXT, "a": TEXT}, "required": ["$filter"]},
        {"type": "object", "properties": {"a": TEXT}, "required": [], "description": 'Also takes "$filter".'},
    ),
    "a definition that refers to itself": (
        {
            "type": "object",
            "properties": {"n": {"$ref": "#/$defs/node"}},
            "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "v": TEXT}}},
        },
        {
            "type": "object",
            "properties": {"n": {"type": "object", "properties": {"next": {}, "v": TEXT}}},
        },
    ),
    "a reference to elsewhere": (
        {"type": "object", "properties": {"a": {"$ref": "https://h/s.json", "description": "d"}}},
        {"type": "object", "properties": {"a": {"description": "d"}}},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_schema_is_loosened_to_what_providers_take(case: str) -> None:
    schema, expected = CASES[case]
    before = json.dumps(schema)
    assert fitted(schema) == expected
    assert fitted(expected) is expected
    assert json.dumps(schema) == before


def test_a_schema_that_is_too_deep_or_too_large_ends_somewhere() -> None:
    deep: dict[str, Any] = TEXT
    for _ in range(500):
        deep = {"type": "object", "properties": {"a": deep}}
    assert json.dumps(fitted(deep)).count("properties") <= DEPTH + 2
    many = {f"d{n}": {"properties": {each: {"$ref": f"#/$defs/d{n + 1}"} for each in "abcd"}} for n in range(10)}
    loop = {"$defs": many | {"d10": {"$ref": "#/$defs/d0"}}, "properties": {"x": {"$ref": "#/$defs/d0"}}}
    assert json.dumps(fitted(loop)).count("{") <= 4 * NODES


keys = some.sampled_from(
    [
        "type",
        "properties",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "enum",
        "required",
        "$ref",
        "$defs",
        "not",
        "a",
        "minimum",
    ]
)
words = some.sampled_from(["object", "array", "any", "#/$defs/a", "a", ""])
schemas = some.recursive(
    some.none() | some.booleans() | some.integers() | words,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(some.dictionaries(keys, schemas))
def test_whatever_a_schema_has_the_top_is_an_object_and_nothing_is_refused(schema: dict[str, Any]) -> None:
    found = fitted(schema)
    assert found["type"] == "object"
    assert isinstance(found["properties"], dict)
    assert not {"anyOf", "oneOf", "allOf", "enum", "not"} & found.keys()
    assert '"enum": []' not in json.dumps(found["properties"])
    assert fitted(found) == found
