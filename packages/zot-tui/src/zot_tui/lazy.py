"""Public names of a package that are imported when they are first used.

`zot_provider`, `zot_tui` and `zot_ext` depend on nothing they could share, so each has this file; a test compares them.
Lazy imports of the language (PEP 810) will replace it.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def lazy_names(
    package: str, modules: dict[str, str]
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of `package`.

    `modules` maps each module to its public names, separated by spaces. `scripts/generate_stubs.py` writes the same
    names for type checkers, to `__init__.pyi`.
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}
    namespace = vars(sys.modules[package])

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = namespace[name] = getattr(__import__(homes[name], fromlist=[name]), name)
        return value

    return sorted(homes), load, lambda: sorted({*namespace, *homes})
