"""Arguments made from a schema: they fit it, and are always the same."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_ext.schema import check
from zot_ext.testing.conformance.sample import sample

NUMBERS = st.tuples(st.integers(-50, 50), st.integers(0, 50)).map(
    lambda pair: {"type": "integer", "minimum": pair[0], "maximum": pair[0] + pair[1]}
)
TEXTS = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(
    lambda pair: {"type": "string", "minLength": pair[0], "maxLength": pair[0] + pair[1]}
)
LEAVES = st.one_of(
    NUMBERS,
    TEXTS,
    st.sampled_from(
        [{"type": "boolean"}, {"type": "null"}, {"type": "number"}, {"type": "string", "enum": ["b", "a"]}]
    ),
)


def objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    properties = st.dictionaries(st.text(max_size=4), inner, max_size=3)
    return properties.flatmap(
        lambda found: st.sets(st.sampled_from(["", *found])).map(
            lambda needed: {"type": "object", "properties": found, "required": sorted(needed & found.keys())}
        )
    )


SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        objects(inner),
        inner.map(lambda items: {"type": "array", "items": items}),
        st.lists(inner, min_size=1, max_size=3).map(lambda choices: {"anyOf": choices}),
    ),
    max_leaves=8,
)


@given(SCHEMAS)
def test_a_sample_fits_its_schema(schema: dict[str, Any]) -> None:
    value = sample(schema)
    json.dumps(value, allow_nan=False)
    check(schema, value, "value")


@given(st.tuples(st.integers(-50, 50), st.integers(1, 9), st.booleans()))
def test_bounds_of_numbers_are_kept(numbers: tuple[int, int, bool]) -> None:
    low, step, exclusive = numbers
    high = low + 3 * step
    names = ("exclusiveMinimum", "exclusiveMaximum") if exclusive else ("minimum", "maximum")
    whole = sample({"type": "integer", "multipleOf": step, names[0]: low, names[1]: high})
    assert isinstance(whole, int)
    assert whole % step == 0
    assert low < whole < high if exclusive else low <= whole <= high
    broken = sample({"type": "number", names[0]: low, names[1]: low + 0.5})
    assert low < broken < low + 0.5


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}, {"city": "text"}),
        ({"type": "object", "required": ["undescribed"]}, {"undescribed": "text"}),
        ({"type": ["null", "integer"]}, 1),
        ({"const": {"a": 1}}, {"a": 1}),
        ({"type": "string", "default": "here"}, "here"),
        ({"type": "string", "examples": ["Berlin"]}, "Berlin"),
        ({"type": "string", "format": "date"}, "2026-01-31"),
        ({"oneOf": [{"type": "null"}, {"type": "boolean"}]}, False),
        ({"allOf": [{"properties": {"a": {"type": "integer"}}}, {"required": ["b"]}]}, {"a": 1, "b": "text"}),
        ({"$defs": {"n": {"type": "integer", "minimum": 7}}, "$ref": "#/$defs/n"}, 7),
        ({"type": "array", "items": {"type": "string"}, "minItems": 2}, ["text", "text"]),
        ({"type": "array", "maxItems": 0}, []),
        ({}, "text"),
        (True, "text"),
        ([], {}),
    ],
)
def test_samples(schema: object, value: object) -> None:
    assert sample(schema) == value


def test_a_schema_that_refers_to_itself_ends() -> None:
    tree = {"type": "object", "properties": {"child": {"$ref": "#"}}, "required": ["child"]}
    assert len(json.dumps(sample(tree))) < 1000
    assert sample({"$ref": "#"}) == {}
    assert sample({"$ref": "#/missing"}) == "text"
