"""Deferred packages: in `sys.modules`, but not executed until an unexpected name is used.

`import urwid` loads all of its widgets, its event loops and a terminal emulator; `import wcwidth` loads tables and
parsers that its C extension does not need. All of that would delay the first screen. A known name of a deferred package
is loaded from the submodule that defines it; any other name executes the package. The modules, and so the classes, are
the same objects as after an ordinary import.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from operator import attrgetter
from types import ModuleType
from typing import Any

_HOMES: dict[str, Mapping[str, str]] = {}


class _DeferredPackage(ModuleType):
    """A package that has not been executed. Its submodules can be imported as usual."""

    def __getattr__(self, name: str) -> Any:
        home = _HOMES[self.__name__].get(name)
        if home is not None:
            module, _, path = home.partition(":")
            try:
                value = attrgetter(path or name)(import_module(module))
            except (ImportError, AttributeError):  # another version defines it elsewhere
                self._run()
                return getattr(self, name)
            setattr(self, name, value)
            return value
        if find_spec(f"{self.__name__}.{name}") is not None:
            return import_module(f"{self.__name__}.{name}")
        self._run()
        return getattr(self, name)

    def _run(self) -> None:
        spec = self.__spec__
        self.__class__ = ModuleType  # type: ignore[assignment]  # from now on an ordinary package
        for name in _HOMES[self.__name__].keys() & vars(self).keys():
            delattr(self, name)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module(self)


def defer(package: str, homes: Mapping[str, str]) -> None:
    """Put a package into `sys.modules` without executing it, unless it is loaded already.

    `homes` maps names to the modules that define them, with the name there after a colon if it differs. A package that
    is not installed is left to the import that follows.
    """
    if package in sys.modules:
        return
    spec = find_spec(package)
    if spec is None:
        return
    _HOMES[package] = homes
    module = module_from_spec(spec)
    module.__class__ = _DeferredPackage
    sys.modules[package] = module
    parent, _, name = package.rpartition(".")
    if parent:
        vars(sys.modules[parent])[name] = module
