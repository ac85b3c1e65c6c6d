"""Packages that are put in place without being run, until somebody asks for more than zot needs of them.

`import urwid` loads all of its widgets, its event loops and a terminal emulator, `import wcwidth` tables and parsers
that its C extension does without: what a person would wait for before the first screen. A name of a deferred package is
taken from its own module when it is used; any other name runs the package, and everything is as if it had been imported
whole: the modules, and so the classes, are the same ones.
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
    """A package that has not been run. Submodules can be imported from it as from any other."""

    def __getattr__(self, name: str) -> Any:
        home = _HOMES[self.__name__].get(name)
        if home is not None:
            module, _, path = home.partition(":")
            try:
                value = attrgetter(path or name)(import_module(module))
            except (ImportError, AttributeError):  # another version has it elsewhere
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
        self.__class__ = ModuleType  # type: ignore[assignment]  # from here on a package like any other
        for name in _HOMES[self.__name__].keys() & vars(self).keys():
            delattr(self, name)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module(self)


def defer(package: str, homes: Mapping[str, str]) -> None:
    """Put a package in place, unless it is loaded already. `homes` says where names that are used are defined; behind a
    colon what they are called there. One that is not installed is left to the import that follows."""
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
