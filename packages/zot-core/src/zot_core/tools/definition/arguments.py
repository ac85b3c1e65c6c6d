"""`Arguments`: a function's parameters as a JSON Schema, and the validation of the arguments that a model passes.

The only module of the tools that uses pydantic, which takes long to import: this module is imported when a schema or a
call first needs it.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NotRequired, Required, get_args, get_origin, get_type_hints

from annotated_types import Ge
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, PydanticSerializationError, to_json
from typing_extensions import TypedDict

from zot_core.errors import ToolError
from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.context import ToolContext

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_GOT_LENGTH = 60
_VALUE_KEYWORDS = ("default", "const", "enum", "examples")  # keywords of a schema that hold values, not schemas
_NOT_AN_OBJECT = ("dataclass_type", "dict_type", "model_type", "model_attributes_type")


class Arguments:
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

    def values(self, arguments: Mapping[str, object], context: ToolContext) -> dict[str, Any]:
        """Return keyword arguments of the annotated types; ToolError says what the model must change."""
        try:
            values = self._validate(dict(arguments))
        except ValidationError as error:
            raise ToolError(self._error_text(error, arguments)) from error
        return values if self._context is None else values | {self._context: context}

    def _validate(self, arguments: dict[str, object]) -> dict[str, Any]:
        try:
            return dict(self._adapter.validate_python(arguments))
        except ValidationError as error:
            # Models sometimes pass a list or an object as a string that contains its JSON.
            parsed = {name: _parse_string(arguments[name]) for name in _top_level(error) if name in arguments}
            if not any(isinstance(value, list | dict) for value in parsed.values()):
                raise
            return dict(self._adapter.validate_python(arguments | parsed))

    def _error_text(self, error: ValidationError, arguments: Mapping[str, object]) -> str:
        problems = [_problem_text(detail) for detail in error.errors(include_url=False, include_context=False)]
        unknown = [name for name in arguments if name not in self._fields]
        if unknown:
            problems.append(f"unknown: {', '.join(unknown)} (known: {', '.join(self._fields)})")
        return f"invalid arguments for {self._name}: {'; '.join(problems)}"


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


def _top_level(error: ValidationError) -> set[str]:
    return {str(detail["loc"][0]) for detail in error.errors(include_url=False) if detail["loc"]}


def _parse_string(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


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
