"""The operations by name. Their modules are imported with the first call of each: `names` knows where they are."""

from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.names import ALIASES, MODULES
from zot_agent.operations.operation import AnyOperation, Operation


@cache
def find(name: str) -> AnyOperation | None:
    """Return an operation, by its name or its alias; None if there is none of this name."""
    name = ALIASES.get(name, name)
    module = MODULES.get(name)
    if module is None:
        return None
    return next(each for each in _defined(import_module(f"zot_agent.{module}")) if each.name == name)


def find_for_client(name: str) -> AnyOperation:
    """Return the operation that a client names. Raises `OperationFailed`, with the name that it has now if it had
    another one before the first release."""
    if (found := find(name)) is not None:
        return found
    from zot_ext.protocol.calls import unknown_operation  # noqa: PLC0415  loads the calls of extensions

    raise OperationFailed("unsupported", unknown_operation(name))


def all_operations() -> dict[str, AnyOperation]:
    """Return all operations, by name; imports the modules that can define some."""
    roots = [import_module(f"zot_agent.{name}") for name in ("rpc", "verbs")]
    modules = [each.name for root in roots for each in walk_packages(root.__path__, f"{root.__name__}.")]
    found = [each for name in modules for each in _defined(import_module(name))]
    return {each.name: each for each in sorted(found, key=lambda each: each.name)}


def _defined(module: ModuleType) -> list[AnyOperation]:
    """Return the operations that a module defines, not what it imports."""
    found = [each for each in vars(module).values() if isinstance(each, Operation)]
    return [each for each in found if each.handler.__module__ == module.__name__]
