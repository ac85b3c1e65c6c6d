"""`ArgumentCheck`: checks the arguments that a model passes, and words their faults for the model.

It uses pydantic's compiled core alone, whose import takes a third of the time of pydantic's. For the built-in
tools `schema_check` suffices: it checks their arguments against the JSON Schema that the model sees.
"""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from pydantic_core import ErrorDetails, SchemaValidator, ValidationError, core_schema

from zot_core.errors import ToolError
from zot_core.tools.definition.context import ToolContext

_GOT_LENGTH = 60
_NOT_AN_OBJECT = ("dataclass_type", "dict_type", "model_type", "model_attributes_type")


class ArgumentCheck:
    def __init__(
        self, name: str, known: Collection[str], validate: Callable[[Any], Any], context: str | None = None
    ) -> None:
        """`name` is the tool's name, for messages, and `known` the names of its parameters. `validate` returns the
        values of all parameters, or raises `ValidationError`. `context` is the parameter for the `ToolContext`."""
        self._name = name
        self._known = known
        self._run = validate
        self._context = context

    def values(self, arguments: Mapping[str, object], context: ToolContext) -> dict[str, Any]:
        """Return keyword arguments of the annotated types; ToolError says what the model must change."""
        try:
            values = dict(self._run(dict(arguments)))
        except ValidationError as error:
            raise ToolError(self._error_text(error, arguments)) from error
        return values if self._context is None else values | {self._context: context}

    def _error_text(self, error: ValidationError, arguments: Mapping[str, object]) -> str:
        problems = [_problem_text(detail) for detail in error.errors(include_url=False, include_context=False)]
        unknown = [name for name in arguments if name not in self._known]
        if unknown:
            problems.append(f"unknown: {', '.join(unknown)} (known: {', '.join(self._known)})")
        return f"invalid arguments for {self._name}: {'; '.join(problems)}"


def schema_check(name: str, schema: Mapping[str, Any], context: str | None) -> ArgumentCheck:
    """Return the check against `schema`, which is the result of `Arguments.schema`; the rest is as in `ArgumentCheck`.

    Only text, numbers, truth values, lists and objects are supported. Raises `KeyError` for any other schema.
    """
    return ArgumentCheck(name, list(schema["properties"]), SchemaValidator(_object(schema)).validate_python, context)


def _object(schema: Mapping[str, Any]) -> core_schema.CoreSchema:
    required = schema.get("required", ())
    return core_schema.typed_dict_schema(
        {
            name: core_schema.typed_dict_field(_field(body, name in required), required=name in required)
            for name, body in schema["properties"].items()
        }
    )


def _field(schema: Mapping[str, Any], required: bool) -> core_schema.CoreSchema:  # noqa: FBT001  private
    """Return the check of a parameter. It may be null if it is optional and its schema has no default."""
    value = _value(schema)
    return value if required or "default" in schema else core_schema.nullable_schema(value)


def _value(schema: Mapping[str, Any]) -> core_schema.CoreSchema:
    return _VALUES[schema["type"]](schema)


def _text(choices: list[Any] | None) -> core_schema.CoreSchema:
    if choices:
        return core_schema.literal_schema(choices)
    return core_schema.str_schema(coerce_numbers_to_str=True)  # models pass 8080 for a string


_VALUES: dict[str, Callable[[Mapping[str, Any]], core_schema.CoreSchema]] = {
    "string": lambda schema: _text(schema.get("enum")),
    "boolean": lambda _: core_schema.bool_schema(),
    "integer": lambda schema: core_schema.int_schema(ge=schema.get("minimum")),
    "number": lambda schema: core_schema.float_schema(ge=schema.get("minimum")),
    "array": lambda schema: core_schema.list_schema(_value(schema["items"])),
    "object": _object,
}


def _problem_text(detail: ErrorDetails) -> str:
    where = ""
    for step in detail["loc"]:
        where += f"[{step}]" if isinstance(step, int) else f".{step}" if where else step
    words = "input should be an object" if detail["type"] in _NOT_AN_OBJECT else detail["msg"]
    words = words[:1].lower() + words[1:]
    if detail["type"] == "missing":
        return f"{where}: {words}"
    got = json.dumps(detail["input"], ensure_ascii=False, default=repr)
    got = got if len(got) <= _GOT_LENGTH else f"{got[:_GOT_LENGTH]}..."
    return f"{where}: {words}, got {got}"
