"""Write what packages have in common that may not import each other, from where it is written by hand.

The import contracts in `pyproject.toml` say who may import whom. `--check` says which copies are not current. Run
`make generate` after changing what is copied.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGES = Path(__file__).parents[1] / "packages"
PUBLIC_NAMES = "\n_HOMES = "
"""What begins the part of an `__init__.py` that loads public names when they are used."""


def folder(package: str) -> Path:
    """Where the modules of a package are."""
    return PACKAGES / package.replace("_", "-") / "src" / package


def only(text: str, *names: str) -> str:
    """A module without its functions but those with these names."""
    lines = text.splitlines(keepends=True)
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef) and node.name not in names:
            del lines[node.lineno - 1 : (node.end_lineno or 0) + 2]
    return "".join(lines).rstrip() + "\n"


def copies() -> Iterator[tuple[Path, str]]:
    """The files that have a copy, each with its text."""
    home = folder("zot_provider")
    head = "# Copied from `zot_provider/near_names.py` by `scripts/generate_copies.py`.\n"
    yield folder("zot_ext") / "near_names.py", head + (home / "near_names.py").read_text("utf-8")
    text = (home / "files" / "regular_file.py").read_text("utf-8")
    head = "# Copied from `zot_provider/files/regular_file.py` by `scripts/generate_copies.py`.\n"
    yield folder("zot_ext") / "regular_file.py", head + text
    yield folder("zot_tui") / "regular_file.py", head + only(text, "open_regular", "check_regular")
    _, mark, loading = (home / "__init__.py").read_text("utf-8").partition(PUBLIC_NAMES)
    for package in ("zot_core", "zot_ext", "zot_tui"):
        path = folder(package) / "__init__.py"
        yield path, path.read_text("utf-8").partition(PUBLIC_NAMES)[0] + mark + loading


def main() -> int:
    """Write the copies, or with `--check` say which are not current; return the exit code."""
    stale = {path: text for path, text in copies() if path.read_text("utf-8") != text}
    if "--check" in sys.argv and stale:
        print(f"not current: {', '.join(map(str, stale))}; run make generate", file=sys.stderr)
        return 1
    for path, text in stale.items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
