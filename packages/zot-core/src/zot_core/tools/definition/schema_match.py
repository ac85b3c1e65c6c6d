"""`fits`: whether a value needs no conversion to match a JSON Schema; pure.

Nearly all calls of a model fit, and for those pydantic's core is not loaded.
"""

from collections.abc import Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (float, int),
    "array": (list,),
    "object": (dict,),
}
_EXACT = 2**53
"""Integers up to here are exact as floats."""


def fits(value: object, schema: Mapping[str, Any]) -> bool:
    """Return True if a value needs no conversion, and False if it needs one, is refused, or cannot be judged here.

    Supports the schemas that `schema_check` does.
    """
    if type(value) not in _TYPES.get(schema.get("type", ""), ()):
        return False
    if isinstance(value, dict):
        properties = schema["properties"]
        return value.keys() >= set(schema.get("required", ())) and all(
            name in properties and fits(each, properties[name]) for name, each in value.items()
        )
    if isinstance(value, list):
        return all(fits(each, schema["items"]) for each in value)
    if isinstance(value, str) and not _is_unicode(value):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, int) and schema["type"] == "number" and abs(value) > _EXACT:
        return False
    return "minimum" not in schema or bool(value >= schema["minimum"])


def _is_unicode(text: str) -> bool:
    """Return False for a text with half of a surrogate pair, which no file can hold."""
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        return False
    return True
