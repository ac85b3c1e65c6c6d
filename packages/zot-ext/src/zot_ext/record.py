"""`Record`: the base class of all frames, values and manifests, designed to cost almost nothing to define.

A process that runs one small extension defines some thirty records before it can answer, so the time to
*define* a record matters more than the time to build an instance. `dataclasses` alone costs an import of
`inspect`; `typing.NamedTuple` costs `typing`, and makes two empty frames equal and false. A record costs little
more than a hand-written class. Type checkers see a frozen dataclass.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers know this name; `typing` itself is not imported
if TYPE_CHECKING:
    from typing import Any, ClassVar, dataclass_transform
else:

    def dataclass_transform(**_options):
        return lambda target: target


@dataclass_transform(frozen_default=True)
class RecordMeta(type):
    """Turns the annotations of a class body into slots, an order of fields and a table of defaults.

    Annotations must be strings (`from __future__ import annotations`): the codec chooses how to read and
    write a field by that string. `ClassVar` annotations are not fields.
    """

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **keywords: object) -> RecordMeta:
        own = {
            field: annotation
            for field, annotation in namespace.get("__annotations__", {}).items()
            if not annotation.startswith("ClassVar")
        }
        fields: dict[str, str] = {}
        defaults: dict[str, object] = {}
        for base in bases:
            fields |= getattr(base, "__fields__", {})
            defaults |= getattr(base, "__defaults__", {})
        # A class attribute and a slot cannot have the same name, so defaults move to a table.
        defaults |= {field: namespace.pop(field) for field in own if field in namespace}
        namespace["__slots__"] = tuple(own)
        namespace["__fields__"] = fields | own
        namespace["__defaults__"] = defaults
        namespace["__match_args__"] = tuple(fields | own)
        return super().__new__(mcs, name, bases, namespace, **keywords)


class Record(metaclass=RecordMeta):
    """A slotted value with named fields: built by position or name, compared and hashed by content.

    Two records are equal when they have the same class and equal fields. Assigning to a field is an
    error for type checkers but not refused at run time. Raises `TypeError` for a missing, unknown or
    repeated argument.
    """

    __fields__: ClassVar[dict[str, str]]
    """Field name to the text of its annotation, in order of definition."""
    __defaults__: ClassVar[dict[str, object]]
    """Field name to its default, for fields with a default."""

    def __init__(self, *values: object, **named: object) -> None:
        cls = type(self)
        fields = cls.__fields__
        given = {**dict(zip(fields, values, strict=False)), **named}
        whole = given if len(given) == len(fields) else {**cls.__defaults__, **given}
        if len(given) != len(values) + len(named) or len(whole) != len(fields):
            raise _wrong_arguments(cls, values, named)
        try:
            for field, value in whole.items():
                setattr(self, field, value)
        except AttributeError:
            raise _wrong_arguments(cls, values, named) from None

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in self.__fields__)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, field) for field in self.__fields__)))

    def __repr__(self) -> str:
        inside = ", ".join(f"{field}={getattr(self, field)!r}" for field in self.__fields__)
        return f"{type(self).__name__}({inside})"


def _wrong_arguments(cls: type[Record], values: tuple[object, ...], named: dict[str, object]) -> TypeError:
    if len(values) > len(cls.__fields__):
        return TypeError(f"{cls.__name__} takes {len(cls.__fields__)} values, not {len(values)}")
    given = dict(zip(cls.__fields__, values, strict=False))
    for field in named:
        if field not in cls.__fields__:
            return TypeError(f"{cls.__name__} has no field {field!r}")
        if field in given:
            return TypeError(f"{cls.__name__} was given {field!r} twice")
    missing = next(field for field in cls.__fields__ if field not in {**cls.__defaults__, **given, **named})
    return TypeError(f"{cls.__name__} needs {missing!r}")
