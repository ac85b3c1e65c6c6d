"""A deferred `inspect`: asyncio imports it and hardly uses it. See "Start-up tricks" in `docs/architecture.md`.

`importlib.util.LazyLoader` does not help: its modules are executed by the next `import` already.
"""

import sys
from importlib.machinery import PathFinder
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader

_EXECUTING = RLock()
_waiting: "list[Loader]" = []


class _DeferredModule(ModuleType):
    """A module that is executed when one of its names is used, and is an ordinary module from then on."""

    def __getattr__(self, name: str) -> Any:
        with _EXECUTING:  # wait if another thread does
            while _waiting:
                _waiting.pop().exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment]
        return ModuleType.__getattribute__(self, name)


def defer_inspect() -> None:
    """Put `inspect` into `sys.modules`, to be executed when it is used. Does nothing if it is loaded already."""
    spec = None if "inspect" in sys.modules else PathFinder.find_spec("inspect")
    if spec is None or spec.loader is None:
        return
    module = _DeferredModule("inspect")
    vars(module).update(__spec__=spec, __loader__=spec.loader, __file__=spec.origin, __package__="")
    _waiting.append(spec.loader)
    sys.modules["inspect"] = module
