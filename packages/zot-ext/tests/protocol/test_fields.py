from contextlib import suppress

import pytest

from zot_ext.protocol.fields import TEXT, FieldFault, FieldKind

SCHEMAS = (
    TEXT,
    {"type": ["string", "null"], "minLength": 1, "maxLength": 3},
    {"type": "string", "pattern": "one line", "maxLength": 3},
    {"enum": ["ab", "c"]},
    {"type": "integer"},
    {"type": "integer", "minimum": 1, "maximum": 3},
    {"type": "boolean"},
    {"not": {"type": "null"}},
    {"type": "object"},
    {"type": "array", "maxItems": 2},
    {"type": "array", "items": {"enum": ["ab", "c"]}, "minItems": 1, "maxItems": 2},
    {"type": "array", "items": {"type": "integer"}},
    {"type": "object", "properties": {"a": {"type": "integer"}, "b": TEXT}, "required": ["a"]},
)
VALUES: tuple[object, ...] = (
    *("", "ab", "c", "abcd", "a\nb", 0, 1, 1.0, 3, 4, 2.5, True, False, [], ["ab"], ["ab", "c"], ["ab", 7], [1, 1.0]),
    *([None], [True], ["ab", "c", "ab"], {}, {"a": 1}, {"a": 1.0}, {"a": None}, {"b": "x"}, {"a": 1, "b": 7, "c": 7}),
)


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_what_is_taken_at_once_is_what_reading_leaves_as_it_is(schema: dict[str, object]) -> None:
    kind, same = FieldKind(schema), list[object]()
    for value in VALUES:
        with suppress(FieldFault):
            same += [value] if repr(kind.read("x", value)) == repr(value) else []
    assert [repr(value) for value in VALUES if kind.takes(value)] == [repr(value) for value in same]
