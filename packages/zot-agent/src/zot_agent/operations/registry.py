"""The operations by name. Their modules are imported with the first call of each: `names` knows where they are."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from zot_agent import operations
from zot_agent.operations.names import MODULES
from zot_agent.operations.operation import Operation


@cache
def find(name: str) -> Operation[..., Any] | None:
    """Return an operation; None if there is none of this name."""
    module = MODULES.get(name)
    if module is None:
        return None
    return next(each for each in _defined(import_module(f"{operations.__name__}.{module}")) if each.name == name)


def all_operations() -> dict[str, Operation[..., Any]]:
    """Return all operations, by name; imports all of their modules."""
    names = [each.name for each in iter_modules(operations.__path__, f"{operations.__name__}.")]
    found = [each for name in names if name != __name__ for each in _defined(import_module(name))]
    return {each.name: each for each in sorted(found, key=lambda each: each.name)}


def _defined(module: ModuleType) -> list[Operation[..., Any]]:
    """Return the operations that a module defines, not what it imports."""
    found = [each for each in vars(module).values() if isinstance(each, Operation)]
    return [each for each in found if each.handler.__module__ == module.__name__]
