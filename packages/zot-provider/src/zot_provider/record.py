"""`Record` and `@record`: slotted records that are cheap to define.

They are dataclasses to type checkers, to `dataclasses` and to pydantic. But `@dataclass` takes some 0.2 ms for a class,
and a process defines a hundred at start-up, uses fifty, and makes more than a few records of five. Here a class gets
its slots at once, a compiled `__init__` after its first records, and what `dataclasses` knows of it when that is asked.
`__repr__` and `__eq__` are shared. Records are not hashable.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field
from types import MethodType
from typing import Any, ClassVar, TypeVar, dataclass_transform

__all__ = ["Record", "field", "record"]


R = TypeVar("R", bound="Record")

_FEW = 15
"""Records that are made without a compiled `__init__`, which takes as long to compile as they take longer."""


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
        if type(value) is Field:
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
        if isinstance(default, Field):
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
    namespace = {"__annotations__": _annotations(cls), "__module__": cls.__module__, "__doc__": "", **cls._declared}
    return dataclass(init=False, eq=False, repr=False)(type(cls.__name__, (), namespace))


def _annotations(cls: "type[Record]") -> dict[str, Any]:
    return {name: cls.__annotations__[name] for name in cls.__match_args__}


class Record:
    """Base of all records, with equality and representation by fields, in the order of their declaration."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    __init__: ClassVar[Any] = _LazyInit()
    __dataclass_fields__: ClassVar[Any] = _LazyAttribute(
        "__dataclass_fields__", lambda cls: _make_shape(cls).__dataclass_fields__
    )
    __dataclass_params__: ClassVar[Any] = _LazyAttribute(
        "__dataclass_params__", lambda cls: _make_shape(cls).__dataclass_params__
    )
    _declared: ClassVar[dict[str, Any]] = {}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__match_args__)

    __hash__ = None  # type: ignore[assignment]  # compared by value, and values may change

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({values})"

    def replace(self: R, **changes: Any) -> R:
        """Return a copy with some fields changed. Raises TypeError for an unknown field."""
        values = {name: getattr(self, name) for name in self.__match_args__}
        made: R = type(self)(**(values | changes))
        return made


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def record(cls: type[R]) -> type[R]:
    """Make `cls` (a subclass of `Record`) a slotted dataclass that shares its `__eq__` and `__repr__`.

    A record inherits no fields: a subclass of a record raises TypeError.
    """
    if cls.__bases__ != (Record,):
        raise TypeError(f"{cls.__name__} must be a subclass of Record alone")
    namespace = dict(vars(cls))
    # Read from the class: in its namespace, Python 3.14 has a function instead (PEP 649).
    names = tuple(name for name, kind in cls.__annotations__.items() if not _is_class_variable(kind))
    declared = {name: namespace.pop(name) for name in names if name in namespace}
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace |= {"__slots__": names, "__match_args__": names, "_declared": declared, "__qualname__": cls.__qualname__}
    made: type[R] = type(cls.__name__, cls.__bases__, namespace)
    return made


def _is_class_variable(kind: object) -> bool:
    return kind is ClassVar or getattr(kind, "__origin__", None) is ClassVar
