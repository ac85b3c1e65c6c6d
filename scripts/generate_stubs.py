"""Write the `__init__.pyi` of packages with lazy public names, for type checkers and editors; `--check` compares.

The names are in `__init__.py`. Run `make generate` after changing them.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import zot_core
import zot_ext
import zot_provider
import zot_tui

PACKAGES = (zot_provider, zot_core, zot_tui, zot_ext)


def stub(package: ModuleType) -> tuple[Path, str]:
    """Return the path and the text of the stub of `package`."""
    lines = [f'"""Public names of {package.__name__}, generated from `__init__.py`."""', ""]
    for module, names in package.MODULES.items():
        for name in names.split():
            if not hasattr(import_module(module), name):
                raise SystemExit(f"{package.__name__}: {module} has no {name}")
            lines.append(f"from {module} import {name} as {name}")
    return Path(str(package.__file__)).with_suffix(".pyi"), "\n".join(lines) + "\n"


def main() -> int:
    """Write the stubs, or with `--check` say which are not current; return the exit code."""
    stale = {}
    for path, text in map(stub, PACKAGES):
        if not path.exists() or path.read_text("utf-8") != text:
            stale[path] = text
    if "--check" in sys.argv and stale:
        print(f"not current: {', '.join(map(str, stale))}; run make generate", file=sys.stderr)
        return 1
    for path, text in stale.items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
