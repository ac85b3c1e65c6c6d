"""The answers of commands and calls as JSON Schema: from the annotation of a handler to the definition of its class."""

import inspect
import types
import typing
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any

from zot_agent.operations import answers
from zot_agent.operations.operation import Encoded
from zot_ext.protocol import agent_answers
from zot_ext.protocol import answers as of_extensions

KNOWN = {"UsageCount": "Usage", "MessageInfo": "Message"}
"""Classes whose definition says more than their annotations do: events have them too."""
MODULES = (typing, of_extensions, agent_answers, answers)
NAMES: dict[str, Any] = {name: each for module in MODULES for name, each in vars(module).items()} | {"Encoded": Encoded}
PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def answer_class(handler: Callable[..., Any]) -> Any:
    """The typed dictionary that a handler returns, or its awaitable; None if it returns nothing."""
    hint = _returned(handler)
    found = list(dict.fromkeys(_parts(hint)))
    if len(found) > 1 or not all(map(typing.is_typeddict, found)):
        raise SystemExit(f"{handler.__module__}.{handler.__name__}: the answer must be a typed dictionary, not {hint}")
    return found[0] if found else None


def may_be_missing(handler: Callable[..., Any]) -> bool:
    """Whether an answer may have no data."""
    return type(None) in typing.get_args(_returned(handler))


def _returned(handler: Callable[..., Any]) -> Any:
    hint = handler.__annotations__["return"]
    return eval(hint, handler.__globals__, NAMES) if isinstance(hint, str) else hint


def _parts(hint: Any) -> Iterator[Any]:
    """What is in `Awaitable`, in `Coroutine`, in `Encoded`, and in a union, without None."""
    origin = typing.get_origin(hint)
    if origin in (Awaitable, Coroutine, Encoded, typing.Union, types.UnionType):
        for each in typing.get_args(hint)[-1:] if origin is Coroutine else typing.get_args(hint):
            yield from _parts(each)
    elif hint not in (None, type(None)):
        yield hint


def definition_name(cls: Any) -> str:
    """The name of a class among the definitions."""
    return KNOWN.get(cls.__name__, cls.__name__)


def hints(cls: Any) -> dict[str, Any]:
    """The annotations of a typed dictionary by field."""
    return typing.get_type_hints(cls, localns=NAMES, include_extras=True)


def add_definitions(cls: Any, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Add the definition of a typed dictionary, and of those in it, to `found`, and return a reference to it."""
    name = definition_name(cls)
    if name not in found and cls.__name__ not in KNOWN:
        found[name] = {"type": "object", "description": " ".join((inspect.getdoc(cls) or "").split())}
        fields = hints(cls)
        found[name]["properties"] = {field: _schema(hint, found) for field, hint in fields.items()}
        found[name]["required"] = [field for field in fields if field in cls.__required_keys__]
    return {"$ref": f"#/$defs/{name}"}


def _schema(hint: Any, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.NotRequired:
        return _schema(arguments[0], found)
    if origin is typing.Annotated:  # with the name of a definition
        return {"$ref": f"#/$defs/{arguments[1]}"}
    if origin is typing.Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin in (types.UnionType, typing.Union):
        schemas = [_schema(each, found) for each in arguments]
        simple = all(each.keys() == {"type"} for each in schemas)
        return {"type": [each["type"] for each in schemas]} if simple else {"oneOf": schemas}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0], found)}
    if origin is dict or hint is dict:
        return {"type": "object"}
    if typing.is_typeddict(hint):
        return add_definitions(hint, found)
    return {} if hint is Any else {"type": PLAIN[hint]}
