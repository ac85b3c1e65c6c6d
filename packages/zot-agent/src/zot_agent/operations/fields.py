"""`FieldKind`: what a field of a command or a call can be, by its annotation; and `OperationFailed`.

The one table of error words, checks and JSON Schemas for `zot rpc`, `zot serve`, ACP and extensions.
`zot_ext.protocol.calls.method` has the kinds of calls that are no operations, with the same words.
"""

import types
from collections.abc import Callable, Mapping, Set
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from zot_core.printable import NAME_LENGTH
from zot_provider.errors import ZotError
from zot_provider.json_text import describe
from zot_provider.record import Record

FailureCode: TypeAlias = Literal[
    "unsupported", "unavailable", "busy", "cancelled", "timeout", "invalid", "denied", "not_found", "stale_session",
    "too_large", "session_locked", "jobs_running", "failed",
]  # fmt: skip
"""The codes of `zot_ext.protocol.from_host.CODES`."""

LARGEST = 1 << 20
"""The most characters of a text, and the most members of a list, unless its annotation says another number."""

LONGEST = 16 << 20
"""The most characters of a message: what the longest line of `zot rpc` holds."""

Line: TypeAlias = Annotated[str, NAME_LENGTH, "line"]
"""A text of one line, such as a title or a label."""


class OperationFailed(ZotError):
    """An operation cannot be carried out. `code` says why; the text names the field, if one is at fault."""

    def __init__(self, code: FailureCode, text: str) -> None:
        super().__init__(text)
        self.code = code


class OnlyIf(NamedTuple):
    """Where a field means something: in an `Annotated`, where the field `other` has one of `values`."""

    other: str
    values: tuple[str | bool, ...]

    def words(self, quote: str = "") -> str:
        """The values, in words."""
        shown = ["true" if each is True else "false" if each is False else each for each in self.values]
        return " or ".join(f"{quote}{each}{quote}" for each in shown)


class FieldKind(Record):
    """The forms of a value: in words, as a check, as JSON Schema without its limit, and as a key of
    `zot_ext.protocol.calls.method.KINDS`. `most` are the characters or members that it can have, 0 where it has none.
    `each` is the kind of the members of a list, `parts` are the kinds of the fields of an object, and some are
    `needed`. Values of the type `exact` fit, unless they are too large."""

    words: str
    fits: Callable[[Any], bool]
    form: dict[str, Any]
    call_kind: str
    most: int = 0
    each: "FieldKind | None" = None
    parts: Mapping[str, "FieldKind"] = {}
    needed: Set[str] = frozenset()
    exact: Any = None

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema, with the limit."""
        return self.form | (
            {"maxItems" if self.form.get("type") == "array" else "maxLength": self.most} if self.most else {}
        )

    @property
    def or_null(self) -> dict[str, Any]:
        """The JSON Schema of a field that may be left out: null says the same."""
        return {
            key: [*value, None] if key == "enum" else [value, "null"] if key == "type" else value
            for key, value in self.schema.items()
            if key != "not"
        }

    def check(self, name: str, value: Any) -> None:
        """Raise `OperationFailed`, which names the field, unless a value has this kind and is not too large."""
        if not self.fits(value):
            found = "an array" if isinstance(value, list) else describe(value)
            raise OperationFailed("invalid", f"{name} must be {self.words}, not {found}")
        if 0 < self.most < len(value):
            what = "characters" if isinstance(value, str) else "members"
            raise OperationFailed("too_large", f"{name} has {len(value)} {what}; at most {self.most}")
        if (each := self.each) is not None:
            for at, member in enumerate(value):
                if type(member) is not each.exact or 0 < each.most < len(member):  # the name costs more than this
                    each.check(f"{name}[{at}]", member)
        for part, kind in self.parts.items():
            if (given := value.get(part)) is not None:
                kind.check(f"{name}.{part}", given)
            elif part in self.needed:
                raise kind.missing(f"{name}.{part}")

    def missing(self, name: str) -> OperationFailed:
        """Return what says that there is no value of this name."""
        return OperationFailed("invalid", f"{name} is missing: it must be {self.words}")


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_whole(value: object) -> bool:
    """Whether it is a whole number, as JSON Schema has it: also 1.0."""
    return type(value) is int or (type(value) is float and value.is_integer())


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_line(value: object) -> bool:
    return type(value) is str and (value.isprintable() or value.splitlines() == [value])


_PLAIN: dict[Any, FieldKind] = {
    str: FieldKind("a string", _is_text, {"type": "string"}, "text", LARGEST, exact=str),
    bool: FieldKind("true or false", lambda value: type(value) is bool, {"type": "boolean"}, "flag", exact=bool),
    int: FieldKind("a whole number", _is_whole, {"type": "integer"}, "whole", exact=int),
    Any: FieldKind("any JSON value but null", lambda value: value is not None, {"not": {"type": "null"}}, "any"),
    dict: FieldKind("an object", lambda value: isinstance(value, dict), {"type": "object"}, "object", exact=dict),
}
_LINE = {"type": "string", "pattern": r"^[^\n\v\f\r\x1c-\x1e\x85\u2028\u2029]*$"}
_MANY = {"a string": "strings", "a whole number": "whole numbers", "an object": "objects"}


def condition_of(annotation: Any) -> tuple[Any, OnlyIf | None]:
    """Return an annotation without its `OnlyIf`, and that."""
    found = get_args(annotation) if get_origin(annotation) is Annotated else ()
    if not found or not isinstance(found[-1], OnlyIf):
        return annotation, None
    return (Annotated[found[:-1]] if found[2:] else found[0]), found[-1]


def kind_of(annotation: Any) -> FieldKind:
    """Return the kind of `str bool int Any dict[str, Any] list[...]`, of a `Literal` of texts, of an `Annotated[int,
    least, most]`, of an `Annotated` text or list with the most that it has, of `Line`, or of a `TypedDict`. Raises
    TypeError for another annotation."""
    if is_typeddict(annotation):
        return _object(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        words, known = "one of " + ", ".join(arguments), frozenset(arguments)
        return FieldKind(words, lambda value: type(value) is str and value in known, {"enum": [*arguments]}, "text")
    if annotation == Line:
        return _PLAIN[str].replace(
            words="one line of text", fits=_is_line, form=_LINE, call_kind="line", most=NAME_LENGTH, exact=None
        )
    if origin is Annotated and arguments[0] is not int:
        kind = kind_of(arguments[0])
        return kind.replace(most=arguments[1], call_kind="message" if arguments[1] == LONGEST else kind.call_kind)
    if origin is Annotated:
        _, least, most = arguments
        schema = {"type": "integer", "minimum": least, "maximum": most}
        words = f"a whole number from {least} to {most}"
        return FieldKind(words, lambda value: _is_whole(value) and least <= value <= most, schema, "whole")
    if origin is list:
        inner = kind_of(arguments[0])
        many = _MANY.get(inner.words) or inner.words.removeprefix("one of ")
        return FieldKind(
            f"an array of {many}",
            _is_list,
            {"type": "array", "items": inner.schema},
            "objects" if inner.call_kind == "object" else "texts",
            LARGEST,
            inner,
        )
    found = _PLAIN.get(origin or annotation)
    if found is None or isinstance(annotation, types.UnionType):
        raise TypeError(f"a field cannot be {annotation}")
    return found


def _object(cls: Any) -> FieldKind:
    hints = get_type_hints(cls, include_extras=True)
    parts = {
        name: kind_of(get_args(hint)[0] if get_origin(hint) is NotRequired else hint) for name, hint in hints.items()
    }
    needed = cls.__required_keys__
    form = {
        "properties": {name: kind.schema if name in needed else kind.or_null for name, kind in parts.items()},
        "required": sorted(needed),
    }
    return _PLAIN[dict].replace(form=_PLAIN[dict].form | form, parts=parts, needed=needed, exact=None)
