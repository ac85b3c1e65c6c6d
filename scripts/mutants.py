"""Change one line at a time of what confines, and see whether a test notices: `make mutants P=permissions`.

    uv run scripts/mutants.py [--minutes 60] [--most N] [--seed 0] [--file PART] [--lines FIRST-LAST] AREA

The tests of an area run once, to learn which of them reach which line. Then lines are changed, one at a time in an
order that the seed gives, and the tests that reach it run until one of them fails. When the time is over, what was
tried is a sample; another seed begins with other lines. What no test notices is printed; the exit code is then 1. Each
of the two workers has a copy of the packages and an environment of its own, so nothing here is written.
"""

import argparse
import ast
import os
import queue
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from coverage import CoverageData

ROOT = Path(__file__).parents[1]
WORKERS = 2
MOST_TESTS = 60
"""Most tests that run for a line; if more reach it, those of the area that are first in their files."""
SECONDS = 120.0
"""After which a run counts as failed: a change can make a loop endless."""


class Area(NamedTuple):
    """Files, relative to `packages`, and the tests that are about them."""

    files: tuple[str, ...]
    tests: tuple[str, ...]


_CORE, _AGENT = "zot-core/src/zot_core", "zot-agent/src/zot_agent"
AREAS = {
    "permissions": Area(
        (f"{_CORE}/permissions/*.py",), ("zot-core/tests/permissions", "zot-core/tests/test_confirm.py")
    ),
    "commands": Area((f"{_CORE}/permissions/commands/*.py",), ("zot-core/tests/permissions",)),
    "sandbox": Area((f"{_CORE}/sandbox/*.py",), ("zot-core/tests/sandbox", "zot-agent/tests/host/test_sandbox.py")),
    "folder_trust": Area(
        (f"{_AGENT}/config/folder_trust.py",),
        tuple(
            f"zot-agent/tests/{each}.py"
            for each in ("config/test_folder_trust", "cli/test_trust", "host/test_extension_grants")
        ),
    ),
    "remembering": Area(
        (f"{_AGENT}/extensions/declared/memory.py",), ("zot-agent/tests/extensions/declared/test_memory.py",)
    ),
}


class Mutant(NamedTuple):
    """A file with one line changed: its path relative to `packages`, the line, what it was and what it is."""

    file: str
    line: int
    before: str
    after: str
    text: str


class _Change(ast.NodeTransformer):
    """Changes the first thing on a line that can be changed."""

    def __init__(self, line: int) -> None:
        self._line = line
        self.was: ast.AST | None = None
        self.now: ast.AST | None = None

    def visit(self, node: ast.AST) -> ast.AST:
        """See `ast.NodeTransformer`."""
        if self.was is None and isinstance(node, ast.stmt | ast.expr) and node.lineno == self._line:
            changed = _changed(node)
            if changed is not None:
                self.was, self.now = node, ast.copy_location(changed, node)
                return self.now
        visited: ast.AST = self.generic_visit(node)
        return visited


_OPPOSITE: dict[type, type] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip


def _changed(node: ast.AST) -> ast.AST | None:
    """Return something else in place of a statement or an expression; None if there is nothing to change."""
    match node:
        case ast.If(test=test) | ast.While(test=test) if not isinstance(test, ast.Name) or test.id != "TYPE_CHECKING":
            return type(node)(ast.UnaryOp(ast.Not(), test), node.body, node.orelse)
        case ast.Return(value=ast.Constant(value=bool(value))):
            return ast.Return(ast.Constant(not value))
        case ast.Raise() | ast.Expr(value=ast.Call() | ast.Await()):
            return ast.Pass()
        case ast.Compare(ops=[operator, *rest]) if type(operator) in _OPPOSITE:
            return ast.Compare(node.left, [_OPPOSITE[type(operator)](), *rest], node.comparators)
        case ast.BoolOp(op=operator):
            return ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.IfExp():
            return ast.IfExp(node.test, node.orelse, node.body)
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
        case ast.Constant(value=int(value)):
            return ast.Constant(value + 1)
        case ast.Constant(value=str(value)) if value:
            return ast.Constant(value + "x")
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant) or value.value is not None:
            return ast.Return(ast.Constant(None))
    return None


def mutants(path: Path, root: Path, lines: range | None = None) -> Iterator[Mutant]:
    """Yield a mutant for each line of a file below `root` that can be changed, without docstrings and annotations."""
    text = path.read_text("utf-8")
    for line in range(1, text.count("\n") + 2) if lines is None else lines:
        tree = _without_words(ast.parse(text))
        change = _Change(line)
        tree = ast.fix_missing_locations(change.visit(tree))
        if change.was is not None and change.now is not None:
            before, after = (ast.unparse(each).split("\n")[0] for each in (change.was, change.now))
            yield Mutant(str(path.relative_to(root)), line, before, after, ast.unparse(tree))


def _without_words(tree: ast.Module) -> ast.Module:
    """Return a program without what no test can notice: texts that are only read, and annotations."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            texts = [each for each in node.body if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)]
            node.body = [each for each in node.body if each not in texts] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.fix_missing_locations(tree)


class Copy:
    """A copy of what the tests need, with an environment in which the packages are those of the copy."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("packages", "tests/support", "conftest.py", "pyproject.toml"):
            source, target = ROOT / name, folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            ignored = shutil.ignore_patterns("__pycache__", "node_modules")
            shutil.copytree(source, target, ignore=ignored) if source.is_dir() else shutil.copy(source, target)
        venv.create(folder / ".venv", symlinks=True)
        self._python = folder / ".venv" / "bin" / "python"
        # The packages come first; the rest is what is installed here, whose own list of packages is not read.
        places = [*sorted((folder / "packages").glob("*/src")), sysconfig.get_path("purelib")]
        (site,) = (folder / ".venv" / "lib").glob("python*/site-packages")
        (site / "copy.pth").write_text("".join(f"{each}\n" for each in places), "utf-8")

    def passes(self, tests: list[str], *options: str, seconds: float = SECONDS) -> bool:
        """Whether these tests pass, in time."""
        command = [self._python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *options, *tests]
        environment = {**os.environ, "PATH": f"{self._python.parent}{os.pathsep}{os.environ['PATH']}"}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1"}
        quiet = subprocess.DEVNULL
        with subprocess.Popen(
            command, cwd=self.folder, env=environment, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        ) as process:
            try:
                return process.wait(seconds) == 0
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                return False

    def survives(self, mutant: Mutant, tests: list[str]) -> bool:
        """Whether no test notices a mutant."""
        path = self.folder / "packages" / mutant.file
        original = path.read_text("utf-8")
        path.write_text(mutant.text, "utf-8")
        try:
            return self.passes(tests)
        finally:
            path.write_text(original, "utf-8")


def reach(copy: Copy, area: Area, seconds: float) -> dict[str, dict[int, list[str]]]:
    """Run all tests of an area; return which of them reach which line, by file. Exits if one fails."""
    data = copy.folder / ".coverage"
    sources = [f"--cov={copy.folder / 'packages' / part}" for part in ("zot-core/src", "zot-agent/src")]
    options = [*sources, "--cov-context=test", "--cov-report=", "--cov-fail-under=0"]
    if not copy.passes([f"packages/{each}" for each in area.tests], *options, seconds=seconds):
        sys.exit("the tests of the area fail as they are, or take too long; run them alone first")
    read = CoverageData(str(data))
    read.read()
    found: dict[str, dict[int, list[str]]] = {}
    for file in read.measured_files():
        by_line = read.contexts_by_lineno(file)
        name = str(Path(file).relative_to(copy.folder / "packages"))
        found[name] = {
            line: list(dict.fromkeys(each.partition("|")[0] for each in contexts if each))
            for line, contexts in by_line.items()
        }
    return found


def main() -> int:
    """Try the mutants of an area; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("area", choices=sorted(AREAS))
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after so long; what was not tried is said")
    parser.add_argument("--most", type=int, default=sys.maxsize, help="try so many mutants")
    parser.add_argument("--seed", type=int, default=0, help="of the order in which they are tried")
    parser.add_argument("--file", default="", help="only files whose path contains this")
    parser.add_argument("--lines", default="", help="only these lines, as 10-40")
    given = parser.parse_args()
    area, end = AREAS[given.area], time.monotonic() + given.minutes * 60
    first, _, last = given.lines.partition("-")
    lines = range(int(first), int(last or first) + 1) if first else None
    paths = sorted({path for each in area.files for path in (ROOT / "packages").glob(each) if given.file in str(path)})
    with tempfile.TemporaryDirectory(prefix="zot-mutants-") as folder:
        copies = [Copy(Path(folder) / str(number)) for number in range(WORKERS)]
        reached = reach(copies[0], area, given.minutes * 60)
        found = [mutant for path in paths for mutant in mutants(path, ROOT / "packages", lines)]
        random.Random(given.seed).shuffle(found)
        waiting: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
        for mutant in found[: given.most]:
            waiting.put(mutant)
        count = waiting.qsize()
        survived: list[Mutant] = []

        def work(copy: Copy) -> None:
            while time.monotonic() < end:
                try:
                    mutant = waiting.get_nowait()
                except queue.Empty:
                    return
                # What runs at the import of a module is reached by all tests, and by none of them alone.
                tests = reached.get(mutant.file, {}).get(mutant.line) or [f"packages/{each}" for each in area.tests]
                if copy.survives(mutant, tests[:MOST_TESTS]):
                    survived.append(mutant)
                    print(f"{mutant.file}:{mutant.line}: {mutant.before}  ->  {mutant.after}", flush=True)

        workers = [threading.Thread(target=work, args=(copy,)) for copy in copies]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    tried = count - waiting.qsize()
    print(f"{tried} of {len(found)} mutants tried (seed {given.seed}), {len(survived)} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
