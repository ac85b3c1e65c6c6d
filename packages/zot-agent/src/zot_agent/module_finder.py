"""Finds and reads zot's own modules in half of the time. See "Start-up tricks" in `docs/architecture.md`.

Python looks for each module under each suffix that a module may have, and computes the path of its byte code from the
path of its source. zot's modules have one suffix, and each folder of them is listed once.
"""

import os
import sys
from collections.abc import Sequence
from importlib._bootstrap_external import (
    MAGIC_NUMBER,  # importlib.util, which has it too, takes longer than it is worth
)
from importlib.machinery import ModuleSpec, SourceFileLoader
from marshal import loads
from types import CodeType

_PACKAGES = ("zot_agent.", "zot_core.", "zot_ext.", "zot_provider.", "zot_tui.")
_TIMESTAMPED = MAGIC_NUMBER + bytes(4)
"""How byte code begins that belongs to a source of the time and the size in the next eight bytes (PEP 552)."""
_CACHED = f".{sys.implementation.cache_tag}.pyc"


class _Loader(SourceFileLoader):
    """Takes byte code that is up to date from `cached`, and leaves everything else to Python."""

    def __init__(self, name: str, source: str, cached: str) -> None:
        super().__init__(name, source)
        self._cached = cached

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            with open(self._cached, "rb", 0) as file:
                data = file.read()
            source = os.stat(self.path)
        except OSError:
            return super().get_code(fullname)
        times = ((int(source.st_mtime) & 0xFFFFFFFF) | ((source.st_size & 0xFFFFFFFF) << 32)).to_bytes(8, "little")
        if data[:16] != _TIMESTAMPED + times:
            return super().get_code(fullname)
        code: CodeType = loads(memoryview(data)[16:])
        return code


class _Finder:
    """Finds the modules in the packages of zot, by the listings of their folders; others are left to Python."""

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str]] = {}

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if not path or not name.startswith(_PACKAGES):
            return None
        folder, last = path[0], name.rpartition(".")[2]
        names = self._names.get(folder)
        if names is None:
            try:
                names = self._names[folder] = frozenset(os.listdir(folder))
            except OSError:  # a folder in an archive
                return None
        if f"{last}.py" in names:
            inside = None
        elif last in names:
            inside, folder, last = [f"{folder}/{last}"], f"{folder}/{last}", "__init__"
        else:
            return None
        source, cached = f"{folder}/{last}.py", f"{folder}/__pycache__/{last}{_CACHED}"
        spec = ModuleSpec(name, _Loader(name, source, cached), origin=source)
        spec.submodule_search_locations = inside
        spec.has_location, spec.cached = True, cached
        return spec


def find_own_modules() -> None:
    """Find zot's modules in this way from now on, if Python is to write and read byte code where it usually is."""
    if os.sep == "/" and sys.pycache_prefix is None and not sys.flags.optimize:
        sys.meta_path.insert(0, _Finder())
