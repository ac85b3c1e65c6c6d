"""Checks that JSON is what a vendor's SDK describes, more strictly than the SDK does: unknown keys are errors."""

import json
from typing import Any, Protocol

from botocore.model import Shape
from botocore.validate import ParamValidator
from pydantic import TypeAdapter
from pydantic_core import SchemaValidator


class Check(Protocol):
    """Raises ValueError that says what is wrong and where."""

    def __call__(self, value: Any) -> None: ...


def typed(kind: Any, *, sent: bool = False) -> Check:
    """Return the check for a type. Nothing is converted, and all items are read.

    `sent`: the type is of what a program sends. In its place, some SDKs also take the models of what they received,
    which have other fields; these are left out.
    """
    # As the item of a list, a model is part of the schema even if its SDK defers it.
    validator = SchemaValidator(_strict(TypeAdapter(list[kind]).core_schema, sent))
    return lambda value: validator.validate_json(json.dumps([value]), strict=True) and None


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


def shaped(shape: Shape, **elsewhere: str) -> Check:
    """Return the check for a shape of AWS; `elsewhere` are its members that are not in the body."""

    def check(value: Any) -> None:
        report = ParamValidator().validate(value | elsewhere, shape)
        if report.has_errors():
            raise ValueError(report.generate_report())

    return check
