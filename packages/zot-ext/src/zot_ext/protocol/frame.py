"""`Frame`, the base class of all frames, and `Unknown` for frames of unknown types."""

from __future__ import annotations

from types import MappingProxyType

from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar


# Read-only, because every frame without extra fields shares it.
NO_EXTRA: Mapping[str, object] = MappingProxyType({})


class Frame(Record):
    """One line of the protocol. A subclass names its `type` in the class statement.

    A field without a default is always written; a field with a default is left out while it has that
    default. When a frame is read, a missing or `null` field takes its default, or the zero value of its
    type (`""`, `0`, `False`, `()`, `{}`).
    """

    type: ClassVar[str] = ""
    """The value of `type` on the wire."""

    def __init_subclass__(cls, *, type: str) -> None:
        cls.type = type

    @classmethod
    def fields_of(cls, members: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a frame with these members; those without a field are `extra`."""
        if members.keys() <= cls.__fields__.keys():
            return dict(members)
        own = {name: value for name, value in members.items() if name in cls.__fields__}
        extra = {name: value for name, value in members.items() if name not in own}
        return {**own, "extra": {**own.get("extra", {}), **extra}} if extra else own

    @classmethod
    def ignored(cls, values: Mapping[str, object]) -> tuple[str, ...]:
        """Return the names of fields to treat as absent, given the parsed `values` of the whole frame."""
        return ()


class Unknown(Record):
    """A well-formed frame of a type that this version does not know. Additions to the protocol are tolerated."""

    type: str
    """The value of `type` on the wire."""
    raw: Mapping[str, object]
    """The whole parsed object, `type` included."""
