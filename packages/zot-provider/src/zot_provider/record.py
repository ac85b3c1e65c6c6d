"""`Record` and `@record`: slotted records that are cheap to define.

They are dataclasses to type checkers, to `dataclasses` and to pydantic. But `@dataclass` compiles the code of a class
when the class is defined, which takes some 0.2 ms. A process defines a hundred records at start-up and uses few. Here a
class gets its slots at once and the other attributes when its first record is made. `__repr__` and `__eq__` are shared.
Records are not hashable.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_origin

__all__ = ["Record", "field", "record"]


R = TypeVar("R", bound="Record")


class _LazyAttribute:
    """An attribute that `dataclass` adds to a class, generated on first access."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, cls: "type[Record]") -> Any:
        # `inspect` of Python 3.13 passes the class as an instance of `type`.
        owner: type[Record] = instance if isinstance(instance, type) else cls
        if owner is Record:
            raise AttributeError(self._name)  # the base itself has no fields
        _finish_class(owner)
        found = vars(owner)[self._name]
        return found.__get__(instance, cls) if hasattr(found, "__get__") else found


class Record:
    """Base of all records, with equality and representation by fields, in the order of their declaration."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    __init__: ClassVar[Any] = _LazyAttribute("__init__")
    __dataclass_fields__: ClassVar[Any] = _LazyAttribute("__dataclass_fields__")
    __dataclass_params__: ClassVar[Any] = _LazyAttribute("__dataclass_params__")
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
    return kind is ClassVar or get_origin(kind) is ClassVar


def _finish_class(cls: type[Record]) -> None:
    """Copy to the class the attributes that `dataclass` generates for the same fields."""
    annotations = {name: cls.__annotations__[name] for name in cls.__match_args__}
    # Without a docstring, `dataclass` would write one from the signature, which takes as long as all the rest.
    namespace = {"__annotations__": annotations, "__module__": cls.__module__, "__doc__": "-", **cls._declared}
    shape: type = dataclass(eq=False, repr=False)(type(cls.__name__, (), namespace))
    for name in ("__init__", "__dataclass_fields__", "__dataclass_params__"):
        setattr(cls, name, vars(shape)[name])
