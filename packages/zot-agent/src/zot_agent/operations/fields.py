"""`schema_of`: the JSON Schema of a field of an operation, by its annotation; and `OperationFailed`.

`zot_ext.protocol.fields` has the one table of checks and error words.
"""

import types
from collections.abc import Callable
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from zot_core.printable import NAME_LENGTH
from zot_ext.protocol.fields import LARGEST, FieldFault, OnlyIf
from zot_provider.errors import ZotError

T = TypeVar("T")

FailureCode: TypeAlias = Literal[
    "unsupported", "unavailable", "busy", "cancelled", "timeout", "invalid", "denied", "not_found", "stale_session",
    "too_large", "session_locked", "jobs_running", "failed",
]  # fmt: skip
"""The codes of `zot_ext.protocol.from_host.CODES`."""

Line: TypeAlias = Annotated[str, NAME_LENGTH, "line"]
"""A text of one line, such as a title or a label."""


class OperationFailed(ZotError):
    """An operation cannot be carried out. `code` says why; the text names the field, if one is at fault."""

    def __init__(self, code: FailureCode, text: str) -> None:
        super().__init__(text)
        self.code = code


_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string", "maxLength": LARGEST},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    Any: {"not": {"type": "null"}},
    dict: {"type": "object"},
}
_LINE = {"type": "string", "pattern": r"^[^\n\v\f\r\x1c-\x1e\x85\u2028\u2029]*$", "maxLength": NAME_LENGTH}


def condition_of(annotation: Any) -> tuple[Any, OnlyIf | None]:
    """Return an annotation without its `OnlyIf`, and that."""
    found = get_args(annotation) if get_origin(annotation) is Annotated else ()
    if not found or not isinstance(found[-1], OnlyIf):
        return annotation, None
    return (Annotated[found[:-1]] if found[2:] else found[0]), found[-1]


def schema_of(annotation: Any) -> dict[str, Any]:
    """Return the JSON Schema of `str bool int Any dict[str, Any] list[...]`, of a `Literal` of texts, of an
    `Annotated[int, least, most]`, of an `Annotated` text or list with the most that it has, of `Line`, or of a
    `TypedDict`. Raises TypeError for another annotation."""
    if is_typeddict(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        plain = {name: get_args(hint)[0] if get_origin(hint) is NotRequired else hint for name, hint in hints.items()}
        needed = annotation.__required_keys__
        parts = {name: schema_of(hint) if name in needed else or_null(schema_of(hint)) for name, hint in plain.items()}
        return {"type": "object", "properties": parts, "required": sorted(needed)}
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation == Line:
        return _LINE
    if origin is Literal:
        return {"enum": [*arguments]}
    if origin is Annotated and arguments[0] is int:
        return {"type": "integer", "minimum": arguments[1], "maximum": arguments[2]}
    if origin is Annotated:
        schema = schema_of(arguments[0])
        return schema | {"maxItems" if schema["type"] == "array" else "maxLength": arguments[1]}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0]), "maxItems": LARGEST}
    found = _PLAIN.get(origin or annotation)
    if found is None or isinstance(annotation, types.UnionType):
        raise TypeError(f"a field cannot be {annotation}")
    return found


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a field that may be left out: null says the same."""
    return {
        key: [*value, None] if key == "enum" else [value, "null"] if key == "type" else value
        for key, value in schema.items()
        if key != "not"
    }


def checked(read: Callable[..., T], *given: object) -> T:
    """Return what a method `read` of the table of fields returns. Raises `OperationFailed`, which names the field."""
    try:
        return read(*given)
    except FieldFault as fault:
        raise OperationFailed(fault.code, str(fault)) from None
