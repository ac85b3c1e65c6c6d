"""`Record` and `@record`: the slotted records that every in-memory vocabulary of zot is made of.

`@dataclass` spends most of its time generating `__repr__`, `__eq__` and `__hash__` for each class. One shared
base writes the first two once, which keeps a class under 0.2 ms to define (see `make bench`, scenario startup).
Records are not hashable.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, dataclass_transform

__all__ = ["Record", "field", "record"]


R = TypeVar("R", bound="Record")


class Record:
    """Base of all records: equality and representation over the fields, in the order they are declared."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__match_args__)

    __hash__ = None  # type: ignore[assignment]  # compared by value, and values may change

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({values})"

    def replace(self: R, **changes: Any) -> R:
        """A copy with some fields changed; TypeError for an unknown field."""
        values = {name: getattr(self, name) for name in self.__match_args__}
        return type(self)(**(values | changes))


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def record(cls: type[R]) -> type[R]:
    """Make `cls` (a subclass of `Record`) a slotted dataclass that shares its `__eq__` and `__repr__`."""
    return dataclass(slots=True, eq=False, repr=False)(cls)
