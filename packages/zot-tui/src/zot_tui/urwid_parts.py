"""urwid without the parts that nothing here draws with, until somebody asks for them.

`import urwid` loads all of its widgets, its event loops and a terminal emulator: a third of the time from the start of
a program to its first screen. The packages `urwid` and `urwid.widget` are put in place here without running them. A
name in `HOMES` is taken from its own module when it is used; any other name runs the package, and everything is as if
it had been imported whole: the modules, and so the classes, are the same ones. Modules here import `urwid` from
here.
"""

import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from operator import attrgetter
from types import ModuleType
from typing import Any

HOMES = {
    "AttrSpec": "urwid.display.common",
    "BOX": "urwid.widget.constants:Sizing.BOX",
    "Canvas": "urwid.canvas",
    "CanvasCombine": "urwid.canvas",
    "CanvasJoin": "urwid.canvas",
    "CanvasOverlay": "urwid.canvas",
    "CompositeCanvas": "urwid.canvas",
    "FLOW": "urwid.widget.constants:Sizing.FLOW",
    "LayeredAttr": "urwid.util",
    "SolidCanvas": "urwid.canvas",
    "TextCanvas": "urwid.canvas",
    "Widget": "urwid.widget.widget",
    "set_encoding": "urwid.util",
}
"""Where the names that zot's widgets use are defined; behind a colon what they are called there."""


class _Waiting(ModuleType):
    """A package that has not been run. Submodules can be imported from it as from any other."""

    def __getattr__(self, name: str) -> Any:
        home = HOMES.get(name) if self.__name__ == "urwid" else None
        if home is not None:
            module, _, path = home.partition(":")
            with suppress(ImportError, AttributeError):  # another version has it elsewhere
                value = attrgetter(path or name)(import_module(module))
                setattr(self, name, value)
                return value
        if find_spec(f"{self.__name__}.{name}") is not None:
            return import_module(f"{self.__name__}.{name}")
        self._run()
        return getattr(self, name)

    def _run(self) -> None:
        spec = self.__spec__
        self.__class__ = ModuleType  # type: ignore[assignment]  # from here on a package like any other
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module(self)


def _install() -> None:
    """Put the packages in place, unless urwid is loaded already."""
    if "urwid" in sys.modules:
        return
    for name in ("urwid", "urwid.widget"):
        spec = find_spec(name)
        if spec is None:
            return
        package = module_from_spec(spec)
        package.__class__ = _Waiting
        sys.modules[name] = package
    vars(sys.modules["urwid"])["widget"] = sys.modules["urwid.widget"]


_install()

import urwid as urwid  # noqa: E402  what was put in place
from urwid.display import escape as escape  # noqa: E402
from urwid.display.raw import Screen as Screen  # noqa: E402
