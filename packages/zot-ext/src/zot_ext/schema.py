"""The JSON Schema of a tool, made from a function, and the check of arguments against it.

Known annotations: `str`, `int`, `float`, `bool`, `list`, `dict`, `list[X]`, `dict[str, X]`, `Literal`, unions,
`Any`, `Annotated[X, "description"]` and `TypedDict` classes. Nothing here imports `typing` or `inspect`: an extension
that uses `Literal` has imported it already, and others should not wait for it.
"""

from __future__ import annotations

import sys

from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_NAMES: dict[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
    type(None): "null",
    None: "null",
}
_UNION = type(int | None)
_VAR_POSITIONAL, _VAR_KEYWORD = 0x04, 0x08  # bits of `co_flags`
_SECTIONS = ("args:", "arguments:", "parameters:")
_OTHER_SECTIONS = ("returns:", "return:", "yields:", "raises:", "example:", "examples:", "note:", "notes:")


class BadArguments(ValueError):
    """Arguments do not match the schema. The message is one line for the model and names the argument."""


class Signature(Record):
    """A function described as a tool."""

    name: str
    description: str
    schema: Mapping[str, Any]
    """JSON Schema of an object with one property per parameter."""
    optional: tuple[str, ...]
    """Parameters that may be `None` and have no default: absent and `null` become `None`."""


def read_signature(handler: Callable[..., object]) -> Signature:
    """Describe a function as a tool: the schema comes from annotations, the descriptions from the docstring.

    A parameter without a default is required unless its annotation allows `None`. Raises `TypeError` for
    positional-only and variadic parameters and for annotations without a schema, naming the parameter.
    """
    function: Any = handler
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        raise TypeError(f"{handler!r} is not a function; use tool(name=..., description=..., schema=...)")
    if code.co_posonlyargcount or code.co_flags & (_VAR_POSITIONAL | _VAR_KEYWORD):
        raise TypeError(f"{function.__name__}: a tool needs named parameters; give a schema for anything else")
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    defaults = function.__defaults__ or ()
    given = dict(zip(names[code.co_argcount - len(defaults) : code.co_argcount], defaults, strict=True))
    given |= function.__kwdefaults__ or {}
    if hasattr(handler, "__self__"):
        names = names[1:]
    description, descriptions = read_docstring(function.__doc__)
    properties: dict[str, dict[str, object]] = {}
    required: list[str] = []
    optional: list[str] = []
    for name in names:
        try:
            found, nullable = _field(function.__annotations__.get(name), function.__globals__)
        except (TypeError, NameError) as error:
            raise TypeError(f"{function.__name__}: parameter {name!r}: {error}") from None
        if descriptions.get(name):
            found["description"] = descriptions[name]
        if name not in given:
            (optional if nullable else required).append(name)
        elif given[name] is not None and isinstance(given[name], (str, int, float, bool)):
            found["default"] = given[name]
        properties[name] = found
    schema: dict[str, object] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return Signature(function.__name__, description, schema, tuple(optional))


def bind(signature: Signature, args: Mapping[str, object]) -> dict[str, Any]:
    """Convert the arguments of a call into keyword arguments. Raises `BadArguments`.

    `null` for a parameter that is not required counts as absent; a whole number written as `3.0` becomes 3.
    """
    properties = signature.schema["properties"]
    required = signature.schema.get("required", ())
    for name in args:
        if name not in properties:
            raise BadArguments(f"there is no argument {name!r}; there are: {', '.join(properties) or 'none'}")
    bound: dict[str, Any] = dict.fromkeys(signature.optional)
    for name, schema in properties.items():
        value = args.get(name)
        if value is not None or (name in args and (name in required or not schema.keys() - {"description"})):
            bound[name] = check(schema, value, name)
        elif name in required:
            raise BadArguments(f"argument {name!r} is missing")
    return bound


def check(schema: Mapping[str, Any], value: object, path: str) -> object:
    """Check a parsed JSON value against a schema made by this module; return it, with whole numbers as `int`.

    Raises `BadArguments`, with `path` as the name of the value.
    """
    if "anyOf" in schema:
        reasons = []
        for choice in schema["anyOf"]:
            try:
                return check(choice, value, path)
            except BadArguments as error:
                reasons.append(str(error))
        raise BadArguments("; or ".join(reasons))
    if "enum" in schema and not any(value == one and type(value) is type(one) for one in schema["enum"]):
        raise BadArguments(f"argument {path!r} must be one of {', '.join(map(repr, schema['enum']))}, not {value!r}")
    expected = schema.get("type")
    if expected == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if expected and not _is(expected, value):
        raise BadArguments(f"argument {path!r} must be of type {expected}, not {_NAMES.get(type(value), 'unknown')}")
    if isinstance(value, list) and "items" in schema:
        return [check(schema["items"], item, f"{path}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, dict):
        return _check_members(schema, value, path)
    return value


def _check_members(schema: Mapping[str, Any], value: dict[str, object], path: str) -> dict[str, object]:
    for name in schema.get("required", ()):
        if name not in value:
            raise BadArguments(f"argument {path!r} needs {name!r}")
    known, other = schema.get("properties", {}), schema.get("additionalProperties", {})
    return {name: check(known.get(name, other), member, f"{path}.{name}") for name, member in value.items()}


def _is(expected: str, value: object) -> bool:
    if expected == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return _NAMES.get(type(value)) == expected


def _field(hint: object, scope: dict[str, Any]) -> tuple[dict[str, object], bool]:
    """Return the schema of a parameter or member without `None`, and whether `None` was among its types."""
    hint = _resolve(hint, scope) if hint is not None else object
    if hasattr(hint, "__metadata__"):
        found, nullable = _field(hint.__origin__, scope)  # type: ignore[attr-defined]
        return _described(found, hint.__metadata__), nullable
    members = _members(hint)
    if type(None) not in members:
        return _schema(hint, scope), False
    rest = [_schema(member, scope) for member in members if member is not type(None)]
    return (rest[0] if len(rest) == 1 else {"anyOf": rest}), True


def _resolve(hint: object, scope: dict[str, Any]) -> object:
    # Annotations are strings under `from __future__ import annotations` and inside quotes; in a TypedDict they
    # are wrapped in a ForwardRef. The string is the author's own code.
    text = hint if isinstance(hint, str) else getattr(hint, "__forward_arg__", None)
    return eval(text, scope) if isinstance(text, str) else hint


def _typing(name: str) -> object:
    return getattr(sys.modules.get("typing"), name, _typing)  # this function as a default: no annotation equals it


def _members(hint: object) -> tuple[object, ...]:
    if isinstance(hint, _UNION) or getattr(hint, "__origin__", None) is _typing("Union"):
        members: tuple[object, ...] = getattr(hint, "__args__", ())
        return members
    return ()


def _described(schema: dict[str, object], metadata: tuple[object, ...]) -> dict[str, object]:
    texts = [text for text in metadata if isinstance(text, str)]
    return schema | {"description": texts[0]} if texts else schema


def _schema(hint: object, scope: dict[str, Any]) -> dict[str, object]:
    hint = _resolve(hint, scope)
    if hint is object or hint is _typing("Any"):
        return {}
    origin, args = getattr(hint, "__origin__", None), getattr(hint, "__args__", ())
    if hasattr(hint, "__metadata__"):
        return _described(_schema(origin, scope), hint.__metadata__)
    if members := _members(hint):
        return {"anyOf": [_schema(member, scope) for member in members]}
    if origin is _typing("Literal"):
        kinds = {_NAMES.get(type(value)) for value in args}
        return ({"type": kinds.pop()} if len(kinds) == 1 else {}) | {"enum": list(args)}
    if hasattr(hint, "__total__") and hasattr(hint, "__required_keys__"):
        return _typed_dict(hint)
    if origin is list:
        return {"type": "array", "items": _schema(args[0], scope)} if args else {"type": "array"}
    if origin is dict and args and args[0] is str:
        return {"type": "object", "additionalProperties": _schema(args[1], scope)}
    if origin is None and (hint is None or isinstance(hint, type)) and hint in _NAMES:
        return {"type": _NAMES[hint]}
    raise TypeError(f"there is no JSON Schema for {hint!r}; use tool(name=..., description=..., schema=...)")


def _typed_dict(cls: Any) -> dict[str, object]:
    scope = vars(sys.modules[cls.__module__])
    properties: dict[str, object] = {}
    required: list[str] = []
    for name, hint in cls.__annotations__.items():
        resolved = _resolve(hint, scope)
        needed = name in cls.__required_keys__
        # `__required_keys__` cannot know these while the annotations are strings.
        if getattr(resolved, "__origin__", None) in (_typing("NotRequired"), _typing("Required")):
            needed = resolved.__origin__ is _typing("Required")  # type: ignore[attr-defined]
            resolved = resolved.__args__[0]  # type: ignore[attr-defined]
        properties[name] = _schema(resolved, scope)
        if needed:
            required.append(name)
    _, descriptions = read_docstring(cls.__doc__)
    for name, text in descriptions.items():
        if name in properties:
            properties[name] = {**properties[name], "description": text}  # type: ignore[dict-item]
    schema: dict[str, object] = {"type": "object", "properties": properties}
    return schema | {"required": required} if required else schema


def read_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """Split a docstring into its description and its parameters.

    The description is everything before the first section. Parameters are read from an `Args:` section
    (`name: text` or `name (type): text`, further lines indented deeper) and from `:param name: text`.
    """
    description: list[str] = []
    parameters: dict[str, str] = {}
    section, name, depth = "", "", 0
    for line in _dedent(text or ""):
        stripped = line.strip()
        indent = len(line) - len(line.lstrip())
        lower = stripped.lower()
        if stripped.startswith(":param "):
            section = "fields"
            name, _, words = stripped.removeprefix(":param ").partition(":")
            name = name.split()[-1] if name.split() else ""
            parameters[name] = words.strip()
        elif indent == 0 and lower in _SECTIONS:
            section, name, depth = "args", "", 0
        elif (indent == 0 and lower in _OTHER_SECTIONS) or stripped.startswith((":return", ":rais", ":rtype")):
            section = "other"
        elif not section:
            description.append(line)
        elif section == "args" and stripped:
            depth = depth or indent
            first, colon, words = stripped.partition(":")
            if indent <= depth and colon:
                name = first.split("(")[0].strip()
                parameters[name] = words.strip()
            elif name in parameters:
                parameters[name] = f"{parameters[name]} {stripped}".strip()
        elif section == "fields" and stripped and name in parameters:
            parameters[name] = f"{parameters[name]} {stripped}".strip()
    return "\n".join(description).strip(), parameters


def _dedent(text: str) -> list[str]:
    # `inspect.cleandoc` does the same, and importing `inspect` takes longer than all else here together.
    first, *rest = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return [first.strip(), *(line[margin:].rstrip() for line in rest)]
