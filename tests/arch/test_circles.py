"""No circle of imports between files, not even a circle that only annotations or imports in functions close."""

import ast
from pathlib import Path

from zot_core.tools import BUILTIN_TOOLS
from zot_provider.wire import WIRES

ROOT = Path(__file__).parents[2]


def module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    parts = parts[parts.index("src") + 1 :]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted((ROOT / "packages").glob("*/src/**/*.py"))}


def imports(name: str) -> set[str]:
    """The modules of our packages that `name` imports anywhere in its file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {each if each in MODULES else node.module for each in whole}
    return (found & MODULES.keys()) - {name}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that reach each other (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = []
            while not group or group[-1] != name:
                group.append(stack.pop())
            if len(group) > 1:
                groups.append(sorted(group))

    for name in graph:
        if name not in index:
            visit(name)
    return groups


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [["a", "b", "c"]]


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circles({name: imports(name) for name in MODULES}) == []


def test_neither_wires_nor_tools_import_each_other() -> None:
    for siblings in (set(WIRES.values()), {f"zot_core.tools.{tool.name}" for tool in BUILTIN_TOOLS}):
        assert len(siblings) > 1
        for name in siblings:
            files = {each for each in MODULES if each == name or each.startswith(f"{name}.")}
            others = tuple(siblings - {name})
            assert [each for file in files for each in imports(file) if each.startswith(others)] == []
