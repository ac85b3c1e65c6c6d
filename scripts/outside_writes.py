"""A plugin of mypy: objects are born with what they call.

A function that an object calls is given to its constructor, or added to one of its events. If it is assigned to an
attribute from outside, it is missing until then, and the constructor does not say so. A property with a setter is an
interface, and a class with an underscore is a part of its module.
"""

from collections.abc import Callable

from mypy.nodes import Decorator, MemberExpr, OverloadedFuncDef, TypeInfo
from mypy.plugin import AttributeContext, Plugin
from mypy.types import CallableType, Instance, Overloaded, Type, UnionType, get_proper_type

PREFIX = "zot_"
"""How the names of the checked modules begin."""


class OutsideWrites(Plugin):
    """Reports each assignment of a function to an attribute outside the class of its object."""

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        return _check if fullname.startswith(PREFIX) else None


def _check(given: AttributeContext) -> Type:
    kind = given.default_attr_type
    if given.is_lvalue and _is_called(kind) and isinstance(given.type, Instance) and not _inside(given, given.type):
        given.api.fail(
            "A function is assigned to an attribute outside its class: give it to the constructor", given.context
        )
    return kind


def _is_called(kind: Type) -> bool:
    proper = get_proper_type(kind)
    parts = proper.items if isinstance(proper, UnionType) else [proper]
    return any(isinstance(get_proper_type(part), CallableType | Overloaded) for part in parts)


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
