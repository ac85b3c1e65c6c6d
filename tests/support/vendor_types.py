"""`Checker`: compares JSON with a type of a vendor's SDK, more strictly than the SDK does."""

import json
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import SchemaValidator


class Checker:
    """Compares JSON with a type: unknown keys are errors at every level, nothing is converted, all items are read.

    `sent`: the type is of what a program sends. In its place, SDKs also take the models of what they received, which
    have other fields; these are left out.
    """

    def __init__(self, kind: Any, *, sent: bool = False) -> None:
        # As the item of a list, a model is part of the schema even if its SDK defers it.
        self._validator = SchemaValidator(_strict(TypeAdapter(list[kind]).core_schema, sent))

    def check(self, value: Any) -> None:
        """Raises ValueError that says what is wrong and where."""
        self._validator.validate_json(json.dumps([value]), strict=True)


def _strict(schema: Any, sent: bool) -> Any:
    """Return a copy of a core schema of pydantic that allows only known keys."""
    if isinstance(schema, list | tuple):
        return type(schema)(_strict(each, sent) for each in schema)
    if not isinstance(schema, dict):
        return schema
    copy = {key: _strict(each, sent) for key, each in schema.items()}
    kind = schema.get("type")
    if kind in ("typed-dict", "model-fields"):
        copy["extra_behavior"] = "forbid"
    elif kind == "generator":  # of an Iterable, whose items pydantic reads later, or never
        copy["type"] = "list"
    elif kind == "model" and sent:
        copy = {"type": "is-instance", "cls": schema["cls"]} | ({"ref": schema["ref"]} if "ref" in schema else {})
    return copy
