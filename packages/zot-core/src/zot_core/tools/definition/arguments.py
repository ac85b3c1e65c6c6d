"""`Arguments`: a function's parameters as a JSON Schema, and the validation of the arguments that a model passes.

The only module of the tools that uses pydantic, which takes long to import: this module is imported when a schema or a
call first needs it.
"""

import inspect
import json
from collections.abc import Callable
from typing import Annotated, Any, NotRequired, Required, get_args, get_origin, get_type_hints

from annotated_types import Ge
from pydantic import ConfigDict, Field, TypeAdapter
from pydantic_core import PydanticSerializationError, to_json
from typing_extensions import TypedDict

from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.check import ArgumentCheck
from zot_core.tools.definition.context import ToolContext

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_VALUE_KEYWORDS = ("default", "const", "enum", "examples")  # keywords of a schema that hold values, not schemas


class Arguments(ArgumentCheck):
    """The parameters of `function`, which is called by keyword; `name` is the tool's name, for messages."""

    def __init__(self, function: Callable[..., object], name: str) -> None:
        self._name = name
        self._defaults: dict[str, object] = {}
        self._context: str | None = None
        self._fields: dict[str, Any] = {}
        hints = get_type_hints(function, include_extras=True)
        for parameter in inspect.signature(function).parameters.values():
            self._add(parameter, hints.get(parameter.name, Any))
        self._adapter = _adapter(self._fields)
        super().__init__(name, self._fields, self._adapter.validate_python, self._context)

    def _add(self, parameter: inspect.Parameter, hint: Any) -> None:
        if parameter.kind not in _NAMED:
            raise TypeError(f"tool {self._name!r}: a model cannot pass {str(parameter)!r}; use named parameters")
        if hint is ToolContext:
            self._context = parameter.name
            return
        annotation = _pydantic_hint(hint)
        if parameter.default is inspect.Parameter.empty:
            self._fields[parameter.name] = Required[annotation]
        else:
            self._fields[parameter.name] = NotRequired[annotation]
            self._defaults[parameter.name] = parameter.default

    def schema(self) -> dict[str, Any]:
        """Return a JSON Schema of type "object", without titles, and without references except for recursive types."""
        schema: dict[str, Any] = self._adapter.json_schema()
        definitions = schema.pop("$defs", {})
        recursive = {name for name, body in definitions.items() if _mentions(body, name, definitions, set())}
        schema = _plain(schema, definitions, recursive)
        kept = {name: _plain(definitions[name], definitions, recursive) for name in sorted(recursive)}
        for name, default in self._defaults.items():
            schema["properties"][name] = _optional(schema["properties"][name], default)
        return {"type": "object", **schema, **({"$defs": kept} if kept else {})}


def json_text(value: object, name: str) -> str:
    """Return the value that the tool `name` returned as JSON; TypeError if it has no JSON form."""
    try:
        return to_json(value, inf_nan_mode="null").decode()
    except PydanticSerializationError as error:
        raise TypeError(f"tool {name!r} returned a {type(value).__name__}, which has no JSON form: {error}") from error


def _adapter(fields: dict[str, Any]) -> TypeAdapter[Any]:
    # A typed dict allows names that a model class reserves, such as `schema` or `copy`.
    make: Any = TypedDict
    shape = make("Arguments", fields)
    # Models pass 8080 for a string.
    shape.__pydantic_config__ = ConfigDict(coerce_numbers_to_str=True)
    return TypeAdapter(shape)


def _pydantic_hint(hint: Any) -> Any:
    """Return the annotation with our descriptions and bounds in pydantic's form."""
    if get_origin(hint) is not Annotated:
        return hint
    inner, *notes = get_args(hint)
    for note in notes:
        if isinstance(note, str):
            inner = Annotated[inner, Field(description=note)]
        else:
            inner = Annotated[inner, Ge(note.minimum) if isinstance(note, AtLeast) else note]
    return inner


def _mentions(body: object, name: str, definitions: dict[str, Any], seen: set[str]) -> bool:
    if isinstance(body, list):
        return any(_mentions(item, name, definitions, seen) for item in body)
    if not isinstance(body, dict):
        return False
    reference = body.get("$ref")
    if isinstance(reference, str):
        target = reference.removeprefix("#/$defs/")
        if target == name:
            return True
        if target in definitions and target not in seen:
            seen.add(target)
            return _mentions(definitions[target], name, definitions, seen)
    return any(_mentions(item, name, definitions, seen) for item in body.values())


def _plain(body: Any, definitions: dict[str, Any], recursive: set[str]) -> Any:
    """Return the schema without titles, which repeat the names, and with references replaced by their targets."""
    if isinstance(body, list):
        return [_plain(item, definitions, recursive) for item in body]
    if not isinstance(body, dict):
        return body
    target = str(body.get("$ref", "")).removeprefix("#/$defs/")
    if target in definitions and target not in recursive:
        # A description beside the reference wins over the description of the type.
        return _plain(definitions[target] | {k: v for k, v in body.items() if k != "$ref"}, definitions, recursive)
    plain: dict[str, Any] = {}
    for key, value in body.items():
        if key == "properties":  # its keys are parameter names, never keywords
            plain[key] = {name: _plain(property, definitions, recursive) for name, property in value.items()}
        elif key != "title":
            plain[key] = value if key in _VALUE_KEYWORDS else _plain(value, definitions, recursive)
    return plain


def _optional(schema: dict[str, Any], default: object) -> dict[str, Any]:
    """Return the schema of an optional parameter: with its default, or without null if the default is None."""
    choices = schema.get("anyOf", [])
    if default is None:
        rest = [choice for choice in choices if choice != {"type": "null"}]
        if len(rest) == 1:
            return {**rest[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
        return schema
    try:
        return schema | {"default": json.loads(to_json(default))}
    except PydanticSerializationError:
        return schema
