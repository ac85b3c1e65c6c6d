"""`Record`: the base class of slotted records that are cheap to define.

They are dataclasses to type checkers, to `dataclasses` and to pydantic. But `@dataclass` takes some 0.2 ms for a class,
and a process defines a hundred at start-up, uses fifty, and makes more than a few records of five. Here a class gets
its slots at once, a compiled `__init__` after its first records, and what `dataclasses` knows of it when that is asked.
`__repr__` and `__eq__` are shared. Records are not hashable.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any, ClassVar, TypeVar, dataclass_transform

__all__ = ["Record", "field"]


R = TypeVar("R", bound="Record")

_FEW = 15
"""Records that are made without a compiled `__init__`, which takes as long to compile as they take longer."""

_SPECIAL = frozenset({type(ClassVar), type(ClassVar[int])})
"""Types of the annotations that may say that something is no field; nearly all others are not looked at again."""

MISSING: Any = object()
"""The default of a field without one."""


class _Field:
    """The description of a field in a class body, beside its type."""

    __slots__ = ("default", "default_factory", "metadata")

    def __init__(self, default: Any, default_factory: Any, metadata: Mapping[str, Any] | None) -> None:
        self.default, self.default_factory, self.metadata = default, default_factory, metadata


def field(*, default: Any = MISSING, default_factory: Any = MISSING, metadata: Mapping[str, Any] | None = None) -> Any:
    """Describe a field of a record, as `dataclasses.field` does."""
    return _Field(default, default_factory, metadata)


class _LazyAttribute:
    """An attribute of a record class that is made on first access, by `make`."""

    def __init__(self, name: str, make: "Callable[[type[Record]], Any]") -> None:
        self._name, self._make = name, make

    def __get__(self, instance: object, cls: "type[Record]") -> Any:
        # `inspect` of Python 3.13 passes the class as an instance of `type`.
        owner: type[Record] = instance if isinstance(instance, type) else cls
        if owner is Record:
            raise AttributeError(self._name)  # the base itself has no fields
        made = self._make(owner)
        setattr(owner, self._name, made)
        return made.__get__(instance, cls) if hasattr(made, "__get__") else made


class _LazyInit(_LazyAttribute):
    """`__init__`: the first records of a class are filled field by field, the others by a function made for them."""

    def __init__(self) -> None:
        super().__init__("__init__", _make_init)
        self._records: Counter[type[Record]] = Counter()

    def __get__(self, instance: object, cls: "type[Record]") -> Any:
        if not isinstance(instance, Record) or self._records[cls] >= _FEW:
            return super().__get__(instance, cls)
        self._records[cls] += 1
        return MethodType(_fill, instance)


def _fill(self: "Record", *values: object, **named: object) -> None:
    """Set the fields of a new record one by one."""
    cls = type(self)
    names, given = cls.__match_args__, dict(zip(cls.__match_args__, values, strict=False)) | named
    known = cls._declared | given
    fits = len(known) == len(names) and len(given) == len(values) + len(named)
    for name in names:
        value = known.get(name, MISSING)
        if type(value) is _Field:
            value = value.default if value.default_factory is MISSING else value.default_factory()
        if value is MISSING:
            fits = False
        setattr(self, name, value)
    if not fits:
        cls.__init__(self, *values, **named)  # raises the `TypeError` of a function


def _make_init(cls: "type[Record]") -> Any:
    """Compile the `__init__` that `@dataclass` would, in a quarter of its time: that is spent on the texts of types and
    defaults, and on a docstring. Raises `TypeError` if a field without a default follows one with a default."""
    scope: dict[str, Any] = {"MISSING": MISSING}
    lines, defaults = ["pass"], []
    for name in cls.__match_args__:
        default: Any = cls._declared.get(name, MISSING)
        factory: Any = MISSING
        if isinstance(default, _Field):
            default, factory = default.default, default.default_factory
        if factory is MISSING:
            lines.append(f"self.{name} = {name}")
        else:
            scope[f"make_{name}"] = factory
            lines.append(f"self.{name} = make_{name}() if {name} is MISSING else {name}")
        if default is not MISSING or factory is not MISSING:
            defaults.append(default)
        elif defaults:
            raise TypeError(f"{cls.__name__}.{name} has no default, but a field before it has one")
    exec(f"def __init__({', '.join(['self', *cls.__match_args__])}):\n " + "\n ".join(lines), scope)
    made = scope["__init__"]
    made.__defaults__ = tuple(defaults)
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = _annotations(cls) | {"return": None}
    return made


def _make_shape(cls: "type[Record]") -> Any:
    """Make a dataclass with the same fields."""
    import dataclasses  # noqa: PLC0415  few processes ask

    namespace = {"__annotations__": _annotations(cls), "__module__": cls.__module__, "__doc__": "", **cls._declared}
    for name, value in cls._declared.items():
        if isinstance(value, _Field):
            given = {"default": value.default, "default_factory": value.default_factory, "metadata": value.metadata}
            namespace[name] = dataclasses.field(**{key: each for key, each in given.items() if each is not MISSING})
    return dataclasses.dataclass(init=False, eq=False, repr=False)(type(cls.__name__, (), namespace))


def _annotations(cls: "type[Record]") -> dict[str, Any]:
    return {name: cls.__annotations__[name] for name in cls.__match_args__}


@dataclass_transform(eq_default=False, field_specifiers=(field,))
class _RecordType(type):
    """Makes the fields in the body of a record class its slots."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> "_RecordType":
        kinds = _kinds(namespace) if bases else {}
        fields = [each for each in kinds if type(kinds[each]) not in _SPECIAL or not _is_class_variable(kinds[each])]
        names = tuple(fields)
        if not bases or bases == (Record,):
            namespace["_declared"] = {each: namespace.pop(each) for each in names if each in namespace}
            namespace["__slots__"] = namespace["__match_args__"] = names
        elif names:
            raise TypeError(f"{name} has fields, so it must be a subclass of Record alone")
        return super().__new__(cls, name, bases, namespace)


def _kinds(namespace: dict[str, Any]) -> Mapping[str, Any]:
    """Return the annotations in the body of a class, by name."""
    if sys.version_info >= (3, 14) and "__annotations__" not in namespace:
        # A body has a function instead (PEP 649), but not where annotations are text (`from __future__`).
        import annotationlib  # noqa: PLC0415  new in Python 3.14

        annotate = annotationlib.get_annotate_from_class_namespace(namespace)
        return annotationlib.call_annotate_function(annotate, annotationlib.Format.FORWARDREF) if annotate else {}
    kinds: Mapping[str, Any] = namespace.get("__annotations__", {})
    return kinds


class Record(metaclass=_RecordType):
    """Base of all records, with equality and representation by fields, in the order of their declaration.

    A record inherits no fields: a subclass of a record that has some raises TypeError.
    """

    __match_args__: ClassVar[tuple[str, ...]]
    __init__: ClassVar[Any] = _LazyInit()
    __dataclass_fields__: ClassVar[Any] = _LazyAttribute(
        "__dataclass_fields__", lambda cls: _make_shape(cls).__dataclass_fields__
    )
    __dataclass_params__: ClassVar[Any] = _LazyAttribute(
        "__dataclass_params__", lambda cls: _make_shape(cls).__dataclass_params__
    )
    _declared: ClassVar[dict[str, Any]]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        for name in self.__match_args__:
            own, others = getattr(self, name), getattr(other, name)
            if own is not others and own != others:
                return False
        return True

    __hash__ = None  # type: ignore[assignment]  # compared by value, and values may change

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({values})"

    def replace(self: R, **changes: Any) -> R:
        """Return a copy with some fields changed. Raises TypeError for an unknown field."""
        values = {name: getattr(self, name) for name in self.__match_args__}
        made: R = type(self)(**(values | changes))
        return made


def _is_class_variable(kind: object) -> bool:
    return kind is ClassVar or getattr(kind, "__origin__", None) is ClassVar
