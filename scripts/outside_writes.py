"""A plugin of mypy: objects are born with what they call.

A function that an object calls is given to its constructor, or added to one of its events, and so is an object that may
be None. If it is assigned to an attribute from outside, it is missing until then, and the constructor does not say so.
A property with a setter is an interface, and a class with an underscore is a part of its module. Records are values.
"""

from collections.abc import Callable

from mypy.nodes import Decorator, MemberExpr, OverloadedFuncDef, TypeInfo
from mypy.plugin import AttributeContext, Plugin
from mypy.types import CallableType, Instance, NoneType, Overloaded, Type, UnionType, get_proper_type

PREFIX = "zot_"
"""How the names of the checked modules begin."""


class OutsideWrites(Plugin):
    """Reports each assignment of a function, or of an object in place of None, outside the class of the attribute."""

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        return _check if fullname.startswith(PREFIX) else None


def _check(given: AttributeContext) -> Type:
    kind, owner = given.default_attr_type, given.type
    if given.is_lvalue and isinstance(owner, Instance) and _is_called(kind, owner.type) and not _inside(given, owner):
        given.api.fail(
            "What the object calls is assigned to an attribute outside its class: give it to the constructor",
            given.context,
        )
    return kind


def _is_called(kind: Type, owner: TypeInfo) -> bool:
    proper = get_proper_type(kind)
    parts = list(map(get_proper_type, proper.items if isinstance(proper, UnionType) else [proper]))
    if any(isinstance(part, CallableType | Overloaded) for part in parts):
        return True
    if _is_value(owner) or not any(isinstance(part, NoneType) for part in parts):
        return False
    return any(isinstance(part, Instance) and not _is_value(part.type) for part in parts)


def _is_value(kind: TypeInfo) -> bool:
    """Whether objects of a class are only data: those of the library are, and records."""
    if not kind.fullname.startswith(PREFIX) or kind.is_named_tuple or kind.is_enum or "dataclass" in kind.metadata:
        return True
    return any(base.name in ("Record", "BaseException") for base in kind.mro)


def _inside(given: AttributeContext, owner: Instance) -> bool:
    written, around = owner.type, given.api.scope.stack  # type: ignore[attr-defined]  # of its only implementation
    if any(isinstance(each, TypeInfo) and written in each.mro for each in around):
        return True
    if written.name.startswith("_") and written.module_name == around[0].fullname:
        return True
    found = written.get(given.context.name) if isinstance(given.context, MemberExpr) else None
    return found is None or isinstance(found.node, OverloadedFuncDef | Decorator)


def plugin(version: str) -> type[Plugin]:
    """The entry point that mypy asks for."""
    return OutsideWrites
