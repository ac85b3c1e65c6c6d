"""Deferred modules: imported at the start and hardly used. See "Start-up tricks" in `docs/architecture.md`.

`importlib.util.LazyLoader` does not help: its modules are executed by the next `import` already.
"""

import os
import sys
from importlib.machinery import PathFinder
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader

NAMES = (
    *("gettext", "inspect", "linecache", "locale", "platform", "ssl", "subprocess", "textwrap", "asyncio.sslproto"),
    "typing_extensions",
)
"""Modules that import these at the start of zot use them in functions only, beside `_CONSTANTS` and `_ANSWERS`."""

_CONSTANTS = {"subprocess": {"PIPE": -1, "STDOUT": -2, "DEVNULL": -3}}


def _subprocess() -> Any:
    return sys.modules["subprocess"]


def _unwrap(function: Any) -> Any:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


class _NoSocket:
    """The class that asyncio gets as `ssl.SSLSocket` until `ssl` is executed. It has no instances."""


_ANSWERS: dict[tuple[str, str], Any] = {
    # asyncio asks whether a socket that it connects is one of ssl's: none is before ssl is executed.
    ("asyncio.base_events", "SSLSocket"): _NoSocket,
    # The few words that argparse adds are English, as everything else that zot says.
    ("argparse", "gettext"): lambda text: text,
    ("argparse", "ngettext"): lambda one, more, count: one if count == 1 else more,
    # urwid looks for "wsl" in it. `platform.platform` starts a program, `uname -p`.
    ("urwid.display._raw_display_base", "platform"): lambda: os.uname().release,
    ("urwid.display._posix_raw_display", "Popen"): lambda *given, **named: _subprocess().Popen(*given, **named),
    ("urwid.util", "getpreferredencoding"): lambda _: "utf-8",  # the terminal sets it anyway
    ("urwid._deprecation", "deprecated"): lambda *_, **__: lambda function: function,
    # For the docstring of a class without one: as where there is no signature.
    ("dataclasses", "signature"): lambda *_, **__: "",
    # Python 3.14 asks for the methods of each class with slots; asyncio has one.
    ("dataclasses", "unwrap"): _unwrap,
    # Python 3.13 asks for those of each class with fields. A copy, as `inspect` gives.
    ("dataclasses", "get_annotations"): lambda cls: dict(vars(cls).get("__annotations__", ())),
}
"""The values that these modules get under these names without executing the module that has them."""

_locks = {name: RLock() for name in NAMES}
_waiting: "dict[str, Loader]" = {}


class _DeferredModule(ModuleType):
    """A module that is executed when one of its names is used, and is an ordinary module from then on."""

    def __getattr__(self, name: str) -> Any:
        asked = sys._getframe(1).f_globals.get("__name__", ""), name
        if asked in _ANSWERS:
            return _ANSWERS[asked]
        if name == "__path__":  # none of them is a package, as `from ... import` wants to know
            raise AttributeError(name)
        with _locks[self.__name__]:  # wait if another thread executes it
            if (loader := _waiting.pop(self.__name__, None)) is not None:
                loader.exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment]
        return ModuleType.__getattribute__(self, name)


def defer_modules() -> None:
    """Put the modules into `sys.modules`, unexecuted. A module that is loaded already stays as it is."""
    library = os.path.dirname(os.__file__)
    for name in NAMES:
        package, _, _ = name.rpartition(".")
        spec = PathFinder.find_spec(name, [os.path.join(library, package)]) or PathFinder.find_spec(name)
        if name in sys.modules or spec is None or spec.loader is None:
            continue
        module = _DeferredModule(name)
        vars(module).update(__spec__=spec, __loader__=spec.loader, __file__=spec.origin, __package__=package)
        vars(module).update(_CONSTANTS.get(name, {}))
        _waiting[name] = spec.loader
        sys.modules[name] = module
