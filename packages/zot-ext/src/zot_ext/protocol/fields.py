"""`CallField`: a field of a command, a call or an answer as data, and `FieldReader`, which reads the fields of one.

The one table of checks and error words for `zot rpc`, `zot serve`, ACP and extensions. What a field can be is a JSON
Schema of one of these forms: a string, a whole number, true or false, an array, an object, some texts, all but null.
"""

from __future__ import annotations

import json

from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal, TypeAlias

    FaultCode: TypeAlias = Literal["invalid", "too_large"]

LARGEST, LONGEST = 1 << 20, 16 << 20
"""The most characters of a text, and members of a list; the most characters of a message: what the longest line of
`zot rpc` holds."""

LATEST = (1 << 31) - 1
"""The longest time in milliseconds, as timers of JavaScript have it."""

TEXT, OBJECT = {"type": "string", "maxLength": LARGEST}, {"type": "object"}
_FORMS: dict[str, dict[str, Any]] = {
    "text": TEXT,
    "message": {"type": "string", "maxLength": LONGEST},
    "whole": {"type": "integer"},
    "flag": {"type": "boolean"},
    "list": {"type": "array", "maxItems": LARGEST},
    "texts": {"type": "array", "items": TEXT, "maxItems": LARGEST},
    "objects": {"type": "array", "items": OBJECT, "maxItems": LARGEST},
    "object": OBJECT,
    "any": {"not": {"type": "null"}},
}
_TYPES: dict[str, tuple[Any, str, str]] = {
    "string": (str, "a string", " of strings"),
    "integer": (int, "a whole number", " of whole numbers"),
    "boolean": (bool, "true or false", ""),
    "array": (list, "an array", ""),
    "object": (dict, "an object", " of objects"),
    "": (object, "any JSON value", ""),
}
"""The class of the values of each type; what they are, in errors, and what an array of them has."""


class FieldFault(ValueError):
    """A field cannot have this value. The text names the field."""

    def __init__(self, code: FaultCode, text: str) -> None:
        super().__init__(text)
        self.code: FaultCode = code


class FieldKind:
    """A kind of values, by its JSON Schema; with null, the same. `most` are the characters or members that a value can
    have, 0 where it has none. `each` is the kind of the members of an array, `parts` are the kinds of the fields of an
    object, and some are `needed`. What `takes` says yes to needs no `read`, which would return it as it is."""

    def __init__(self, schema: dict[str, Any]) -> None:
        named = schema.get("type", "string" if "enum" in schema else "")
        self.schema, self.type = schema, str(named[0] if isinstance(named, list) else named)
        self.choices = [each for each in schema.get("enum", ()) if each is not None]
        self.needed = schema.get("required", ())
        self.parts = {name: FieldKind(each) for name, each in schema.get("properties", {}).items()}
        self.each = FieldKind(schema["items"]) if "items" in schema else None
        size = "Items" if self.type == "array" else "Length"
        self.least, self.most = schema.get(f"min{size}", 0), schema.get(f"max{size}", 0)
        self._class: Any
        self._class, words, self._many = _TYPES[self.type]
        bounds = f" from {schema['minimum']} to {schema['maximum']}" if "maximum" in schema else ""
        if self.choices:
            words = f"one of {', '.join(self.choices)}"
        elif self.each is not None:
            words += f" of {', '.join(self.each.choices)}" if self.each.choices else self.each._many
        self.words = "one line of text" if "pattern" in schema else words + bounds
        self.takes = self._quick_check()

    def _quick_check(self) -> Callable[[Any], bool]:
        of, least, most = self._class, self.least, self.most or LONGEST
        if self.choices:
            return tuple(self.choices).__contains__
        if of is object:
            return lambda value: value is not None
        if "pattern" in self.schema:
            return lambda value: type(value) is str and len(value) <= most and value.isprintable()
        if "maximum" in self.schema:
            low, high = self.schema["minimum"], self.schema["maximum"]
            return lambda value: type(value) is int and low <= value <= high
        if self.each is not None:
            member = self.each.takes
            return lambda value: type(value) is list and least <= len(value) <= most and all(map(member, value))
        if self.parts:
            return self._has_parts
        if of is str or of is list:
            return lambda value: type(value) is of and least <= len(value) <= most
        return lambda value: type(value) is of

    def _has_parts(self, value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name, kind in self.parts.items():
            if (part := value.get(name)) is None:
                if name in self.needed:
                    return False
            elif not kind.takes(part):
                return False
        return True

    def read(self, name: str, value: Any) -> Any:
        """Return a value as zot has it: 1 for 1.0, as JSON Schema does. Raises `FieldFault`, which calls it `name`."""
        if self._class is int and type(value) is float and value.is_integer():
            value = int(value)
        if not self._fits(value):
            raise FieldFault("invalid", f"{name} must be {self.words}, not {_described(value)}")
        if 0 < self.most < len(value):
            what = "characters" if isinstance(value, str) else "members"
            raise FieldFault("too_large", f"{name} has {len(value)} {what}; at most {self.most}")
        if self.least and len(value) < self.least:
            raise FieldFault("invalid", f"{name} is empty")
        if (each := self.each) is not None:
            return [
                member if each.takes(member) else each.read(f"{name}[{at}]", member) for at, member in enumerate(value)
            ]
        return self._with_parts(name, value) if self.parts else value

    def _fits(self, value: Any) -> bool:
        if self.choices:
            return value in self.choices
        if value is None or not isinstance(value, self._class) or (self._class is int and isinstance(value, bool)):
            return False
        if "pattern" in self.schema:
            return bool(value.isprintable() or value.splitlines() == [value])
        return "maximum" not in self.schema or bool(self.schema["minimum"] <= value <= self.schema["maximum"])

    def _with_parts(self, name: str, value: dict[str, Any]) -> dict[str, Any]:
        found = dict(value)
        for part, kind in self.parts.items():
            if (given := value.get(part)) is not None:
                found[part] = kind.read(f"{name}.{part}", given)
            elif part in self.needed:
                raise kind.missing(f"{name}.{part}")
        return found

    def missing(self, name: str) -> FieldFault:
        """Return what says that there is no value of this name."""
        words = self.words if self.type else f"{self.words} but null"
        return FieldFault("invalid", f"{name} is missing: it must be {words}")


def _described(value: object) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    return json.dumps(value)[:40]


class OnlyIf(Record):
    """Where a field means something: where the field `other` has one of `values`."""

    other: str
    values: tuple[str | bool, ...]

    def words(self, quote: str = "") -> str:
        """The values, in words."""
        shown = ["true" if each is True else "false" if each is False else each for each in self.values]
        return " or ".join(f"{quote}{each}{quote}" for each in shown)


class CallField(Record):
    """A field: its JSON Schema, and what it means, `only` where another field allows that. Null counts as missing, and
    then it has its `default`."""

    name: str
    schema: dict[str, Any]
    doc: str
    required: bool = False
    default: object = None
    only: OnlyIf | None = None

    @property
    def kind(self) -> FieldKind:
        return FieldKind(self.schema)


def param(
    name: str,
    form: str,
    doc: str,
    *,
    required: bool = False,
    least: int = 0,
    most: int = 0,
    choices: tuple[str, ...] = (),
) -> CallField:
    """Return a field. `form` is a key of the table above. A number is from `least` to `most`. A text or an array has at
    least `least` and at most `most` characters or members; 0 is the usual limit. `choices` are the only texts."""
    schema = dict(_FORMS[form])
    type = schema.get("type")
    size = "Items" if type == "array" else "Length"
    limits = ("minimum", "maximum") if type == "integer" else (f"min{size}", f"max{size}")
    if most:
        schema[limits[1]] = most
    if least or (most and type == "integer"):
        schema[limits[0]] = least
    if choices:
        schema = {**schema, "items": {"enum": [*choices]}} if type == "array" else {"enum": [*choices]}
    return CallField(name, schema, doc, required)


class FieldReader:
    """Reads the fields of one verb; without its name, the members of an answer."""

    def __init__(self, verb: str, fields: Iterable[CallField]) -> None:
        fields = tuple(fields)
        self._verb = verb
        self._kinds = {each.name: each.kind for each in fields}
        self._takes = {name: kind.takes for name, kind in self._kinds.items()}
        self._required = [each.name for each in fields if each.required]
        defaults = {each.name: each.default for each in fields}
        self._conditions = [
            (each.name, each.default, each.only.other, defaults[each.only.other], each.only)
            for each in fields
            if each.only
        ]

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that are set, as zot has them. Others are ignored, unless they ask that less may run.
        Raises `FieldFault`, which names the field."""
        fields: dict[str, Any] = {}
        known = self._takes
        for name, value in given.items():
            if value is None:
                continue
            if (takes := known.get(name)) is not None:
                fields[name] = value if takes(value) else self._kinds[name].read(name, value)
            elif value is not False and self._verb:
                self._check_unknown(name)
        for name in self._required:
            if name not in fields:
                raise self._kinds[name].missing(name)
        for name, default, other, usual, only in self._conditions:
            if fields.get(name, default) != default and fields.get(other, usual) not in only.values:
                raise FieldFault("invalid", f"{name} needs {only.other} to be {only.words()}")
        return fields

    def problem(self, given: Mapping[str, Any]) -> str:
        """Return what is wrong with fields, one line; empty if nothing is."""
        try:
            self.read(given)
        except FieldFault as fault:
            return str(fault)
        return ""

    def _check_unknown(self, name: str) -> None:
        from zot_ext.near_names import holds_back  # noqa: PLC0415 - most callers name fields that exist

        if holds_back(name, misspelt=False):
            raise FieldFault("invalid", f"{self._verb} has no field {name!r:.60}; it would hold nothing back")
