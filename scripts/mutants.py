"""Change one line at a time of what confines, and see whether a test notices: `make mutants P=permissions`.

    uv run scripts/mutants.py [--minutes 60] [--seed 0] [--first 0] [--most N] [--seconds 30] [--workers 2]
        [--reached FILE] [--only PART[:FIRST[-LAST]] ...] [AREA ...]

The tests of the areas (without a name: of all) run once, to learn which of them reach which line. Then lines are
changed, one at a time in an order that the seed gives, and the tests that reach it run until one of them fails. When
the time is over, what was tried is a sample; another seed begins with other lines. What no test notices is printed; the
exit code is then 1. Each worker has a copy of the packages and an environment of its own, so nothing here
is written, and runs the tests in forks of processes that have loaded them (`warm_tests.py`).
"""

import argparse
import ast
import bisect
import itertools
import json
import math
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
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from warm_tests import CANNOT, Answer, Reached, Request

ROOT = Path(__file__).parents[1]
START_SECONDS = 600
SECONDS, FACTOR = 5, 5
"""A run that takes so many seconds of the processor more than so many times what its tests took has failed: loops can
become endless."""


class Area(NamedTuple):
    """Files, relative to `packages`, and the tests that are about them."""

    files: tuple[str, ...]
    tests: tuple[str, ...]


_CORE, _AGENT = "zot-core/src/zot_core", "zot-agent/src/zot_agent"
AREAS = {
    "permissions": Area(
        (f"{_CORE}/permissions/*.py",),
        (
            *(
                "zot-core/tests/permissions",
                "zot-core/tests/test_confirm.py",
                "zot-core/tests/agent/test_other_machine.py",
            ),
            *(f"zot-core/tests/runtime/subagents/test_{each}.py" for each in ("permissions", "worktrees")),
            "zot-agent/tests/extensions/calls/test_call_permissions.py",
        ),
    ),
    "commands": Area(
        (f"{_CORE}/permissions/commands/*.py",),
        ("zot-core/tests/permissions", "zot-core/tests/agent/test_other_machine.py"),
    ),
    "sandbox": Area(
        (f"{_CORE}/sandbox/*.py",),
        (
            *("zot-core/tests/sandbox", "zot-core/tests/permissions/test_terms.py"),
            "zot-core/tests/checkpoints/test_walls_of_undo.py",
            *("zot-agent/tests/host/test_sandbox.py", "zot-agent/tests/extensions/test_confinement.py"),
        ),
    ),
    "folder_trust": Area(
        (f"{_AGENT}/config/folder_trust.py",),
        tuple(
            f"zot-agent/tests/{each}.py"
            for each in ("config/test_folder_trust", "cli/test_trust", "host/test_extension_grants")
        ),
    ),
    "remembering": Area(
        tuple(f"{_AGENT}/extensions/declared/{each}.py" for each in ("memory", "registration_record")),
        ("zot-agent/tests/extensions/declared",),
    ),
}


class Mutant(NamedTuple):
    """A file with one line changed: its path relative to `packages`, the line, what it was and what it is."""

    file: str
    line: int
    function: str
    """The outermost function around the line, as `Class.method`; empty for what runs when the module is loaded, also
    because that calls it."""
    before: str
    after: str
    text: str


_OPPOSITE: dict[type, type] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip


_LIMITS = 10
"""Numbers from here on are mostly limits: whether one holds can be noticed, and not whether it is one more."""


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
            return ast.Constant(value + 1 if value < _LIMITS else value * 1000)
        case ast.Constant(value=str(value)) if value:
            return ast.Constant(value + "x")
        case ast.Return(value=ast.Constant(value="")):
            return ast.Return(ast.Constant("x"))
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant) or value.value is not None:
            return ast.Return(ast.Constant(None))
    return None


def mutants(path: Path, root: Path, only: Sequence[range] = (range(sys.maxsize),)) -> Iterator[Mutant]:
    """Yield a mutant for each line of a file below `root` that can be changed, of the lines `only`, without docstrings
    and annotations: the first thing on it that can be is changed."""
    text = path.read_text("utf-8")
    whole = ast.parse(text)
    loading = _called(whole)
    functions = {line: name for line, name in _functions(whole) if name not in loading}
    tree, seen = _without_words(ast.parse(text)), set[int]()
    for place, key, node in _places(tree):
        if node.lineno in seen or not any(node.lineno in lines for lines in only):
            continue
        changed = _changed(node)
        if changed is not None:
            seen.add(node.lineno)
            place[key] = ast.fix_missing_locations(ast.copy_location(changed, node))
            before, after = (ast.unparse(each).split("\n")[0] for each in (node, changed))
            name = functions.get(node.lineno, "")
            yield Mutant(str(path.relative_to(root)), node.lineno, name, before, after, ast.unparse(tree))
            place[key] = node


def _places(node: ast.AST) -> Iterator[tuple[Any, Any, ast.stmt | ast.expr]]:
    """Yield the statements and expressions below a node in their order, each with where it is and its key there."""
    for name, value in ast.iter_fields(node):
        places: list[tuple[Any, Any]] = [(vars(node), name)] if isinstance(value, ast.AST) else []
        places += [(value, at) for at in range(len(value))] if isinstance(value, list) else []
        for place, key in places:
            inner = place[key]
            if isinstance(inner, ast.stmt | ast.expr):
                yield place, key, inner
            if isinstance(inner, ast.AST):
                yield from _places(inner)


def _functions(tree: ast.Module | ast.ClassDef, around: str = "") -> Iterator[tuple[int, str]]:
    """Yield the lines of all bodies of functions, each with the name of the outermost one."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{around}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from ((line, around + node.name) for line in range(node.body[0].lineno, (node.end_lineno or 0) + 1))


def _called(tree: ast.Module) -> set[str]:
    """Return the names that are called when a module is loaded, also by its functions that are."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    waiting: list[ast.AST] = [node for node in tree.body if not isinstance(node, kinds)]
    found: set[str] = set()
    while waiting:
        calls = {ast.unparse(each.func) for each in ast.walk(waiting.pop()) if isinstance(each, ast.Call)}
        waiting += [functions[name] for name in calls - found if name in functions]
        found |= calls
    return found


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

    def __init__(self, folder: Path, tests: list[str]) -> None:
        self.folder = folder
        for name in ("packages", "tests/support", "conftest.py", "pyproject.toml"):
            source, target = ROOT / name, folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            ignored = shutil.ignore_patterns("node_modules")
            shutil.copytree(source, target, ignore=ignored) if source.is_dir() else shutil.copy2(source, target)
        venv.create(folder / ".venv", symlinks=True)
        self._python = folder / ".venv" / "bin" / "python"
        # The packages come first; the rest is what is installed here, whose own list of packages is not read.
        places = [*sorted((folder / "packages").glob("*/src")), sysconfig.get_path("purelib")]
        (site,) = (folder / ".venv" / "lib").glob("python*/site-packages")
        (site / "copy.pth").write_text("".join(f"{each}\n" for each in places), "utf-8")
        self._processes: list[subprocess.Popen[bytes]] = []
        self._loaded = self._start("loaded", tests)
        self._bare = self._start("bare", [])
        self.run([""], START_SECONDS)  # all is loaded before a file changes

    def _start(self, kind: str, tests: list[str]) -> tuple[IO[bytes], IO[bytes]]:
        """Start a process that runs tests; return where its requests go, and where its answers come from."""
        (requests, ask), (answers, answer) = os.pipe(), os.pipe()
        words = [str(self._python), str(ROOT / "scripts" / "warm_tests.py"), str(requests), str(answer), kind]
        environment = {**os.environ, "PATH": f"{self._python.parent}{os.pathsep}{os.environ['PATH']}"}
        process = subprocess.Popen(
            [*words, *(f"packages/{each}" for each in tests)], cwd=self.folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(requests, answer),
        )  # fmt: skip
        os.close(requests)
        os.close(answer)
        self._processes.append(process)
        return os.fdopen(ask, "wb"), os.fdopen(answers, "rb")

    def close(self) -> None:
        """End the processes: there are no more requests."""
        for requests, _ in (self._loaded, self._bare):
            requests.close()
        for process in self._processes:
            process.wait()

    def run(self, tests: list[str], seconds: int, mutant: Mutant | None = None, record: str = "") -> Answer:
        """Run tests in a process that has loaded them or, for a mutant outside of functions, in the bare process."""
        exchanged = mutant.function if mutant is not None else ""
        requests, answers = self._bare if mutant is not None and not exchanged else self._loaded
        request = Request(
            tests=tests, function=exchanged, record=record, seconds=seconds,
            path=str(self.folder / "packages" / mutant.file) if mutant is not None else "",
            sources=[str(self.folder / "packages" / each / "src") for each in ("zot-core", "zot-agent")],
        )  # fmt: skip
        requests.write(json.dumps(request).encode() + b"\n")
        requests.flush()
        line = answers.readline()
        if not line:
            sys.exit("pytest does not start: run the tests of the areas alone first")
        answer: Answer = json.loads(line)
        if answer["code"] == CANNOT and mutant is not None:
            return self.run(tests, seconds, mutant._replace(function=""))
        return answer

    def judge(self, mutant: Mutant, tests: list[str], seconds: int) -> Answer:
        """How the tests end with a mutant."""
        path = self.folder / "packages" / mutant.file
        original, stat = path.read_bytes(), path.stat()
        path.write_text(mutant.text, "utf-8")
        try:
            return self.run(tests, seconds, mutant)
        finally:
            path.write_bytes(original)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # what was compiled counts again


def _reached(copy: Copy, seconds: int) -> Reached:
    """Run all tests to learn what they reach, with paths relative to `packages`. What fails counts as skipped."""
    record = copy.folder / "reached.json"
    failed = copy.run([], seconds, record=str(record))["failed"]
    if not record.exists():
        sys.exit("the tests of the areas take too long")
    for name in failed:
        print(f"left out, since it fails as it is: {name}", flush=True)
    found: Reached = json.loads(record.read_text("utf-8"))
    lines = {str(Path(file).relative_to(copy.folder / "packages")): each for file, each in found["lines"].items()}
    return Reached(lines=lines, seconds=found["seconds"], skipped=[*found["skipped"], *failed])


class Reach:
    """Which tests reach which line, and how long each takes."""

    def __init__(self, reached: Reached, most: float) -> None:
        self._most = most
        left = set(reached["skipped"])
        self._seconds = {name: took for name, took in reached["seconds"].items() if name not in left}
        self._lines = {
            (file, int(line)): [each for each in tests if each in self._seconds]
            for file, lines in reached["lines"].items()
            for line, tests in lines.items()
        }
        self._noticed: Counter[str] = Counter()

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests for a mutant: tests that have noticed others, then tests about its module, then fast ones.

        What runs when a module is loaded may concern all tests of its area, and so may a line that no test reaches: it
        may run in processes that tests start.
        """
        found = set(self._lines.get((mutant.file, mutant.line), ()) if mutant.function else ())
        if not found:
            area = next(area for area in AREAS.values() if any(Path(mutant.file).match(each) for each in area.files))
            places = tuple(f"packages/{each}" for each in area.tests)
            found = {name for name in self._seconds if name.startswith(places)}
        own = f"test_{Path(mutant.file).stem}.py"
        return sorted(found, key=lambda name: (-self._noticed[name], own not in name, self._seconds[name]))

    def most(self, tests: list[str]) -> list[str]:
        """As many of these tests as a mutant gets."""
        total = list(itertools.accumulate(self._seconds[each] for each in tests))
        return tests[: max(1, bisect.bisect(total, self._most))]

    def seconds(self, tests: list[str]) -> int:
        """Of the processor, that these tests may take."""
        return SECONDS + math.ceil(FACTOR * sum(self._seconds[each] for each in tests))

    def note(self, answer: Answer) -> None:
        """Note which test noticed a mutant."""
        self._noticed.update(each for each in answer["failed"] if each in self._seconds)


def _part(text: str) -> tuple[str, range]:
    """Return a part of the path of files, and the lines of them that are meant."""
    path, _, lines = text.partition(":")
    first, _, last = lines.partition("-")
    return path, range(int(first), int(last or first) + 1) if first else range(sys.maxsize)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"{', '.join(AREAS)}; without one, all")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after so long; what was not tried is said")
    parser.add_argument("--first", type=int, default=0, help="leave out so many, which an earlier run has tried")
    parser.add_argument("--most", type=int, default=sys.maxsize, help="try so many mutants")
    parser.add_argument(
        "--seconds", type=float, default=30.0,
        help="of the processor, for the tests of one mutant; what survives some of the tests that reach it is said",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time; tests of a sandbox mostly wait")
    parser.add_argument(
        "--reached", type=Path, help="a file for what the tests reach; if it is there, an earlier run has learnt that"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the order in which they are tried")
    parser.add_argument(
        "--only", action="append", type=_part, default=[], help="a part of a path: lines, as a.py:10-40"
    )
    given = parser.parse_args()
    if wrong := set(given.areas) - set(AREAS):
        parser.error(f"no such area: {', '.join(sorted(wrong))}")
    return given


def main() -> int:
    """Try the mutants of the areas; return the exit code."""
    given = _arguments()
    areas = [AREAS[name] for name in given.areas or AREAS]
    end = time.monotonic() + given.minutes * 60
    files = [each for area in areas for each in area.files]
    paths = sorted({path for each in files for path in (ROOT / "packages").glob(each)})
    only: list[tuple[str, range]] = given.only or [_part("")]
    survived: list[Mutant] = []
    with tempfile.TemporaryDirectory(prefix="zot-mutants-") as folder:
        tests = list(dict.fromkeys(each for area in areas for each in area.tests))
        copies = [Copy(Path(folder) / str(number), tests) for number in range(given.workers)]
        kept = given.reached or Path(folder) / "reached.json"
        if not kept.exists():
            kept.write_text(json.dumps(_reached(copies[0], round(given.minutes * 60))), "utf-8")
        reach = Reach(json.loads(kept.read_text("utf-8")), given.seconds)
        found = [
            mutant
            for path in paths
            if (lines := [each for part, each in only if part in str(path)])
            for mutant in mutants(path, ROOT / "packages", lines)
        ]
        random.Random(given.seed).shuffle(found)
        waiting: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
        for mutant in found[given.first :][: given.most]:
            waiting.put(mutant)
        count = waiting.qsize()

        def work(copy: Copy) -> None:
            while time.monotonic() < end:
                try:
                    mutant = waiting.get_nowait()
                except queue.Empty:
                    return
                tests = reach.tests(mutant)
                some = reach.most(tests)
                answer = copy.judge(mutant, some, reach.seconds(some))
                reach.note(answer)
                if answer["code"] == 0:
                    survived.append(mutant)
                    part = "" if len(some) == len(tests) else f"  (after {len(some)} of {len(tests)} tests)"
                    print(f"{mutant.file}:{mutant.line}: {mutant.before}  ->  {mutant.after}{part}", flush=True)

        workers = [threading.Thread(target=work, args=(copy,)) for copy in copies]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for copy in copies:
            copy.close()
    tried = count - waiting.qsize()
    print(f"{tried} of {len(found)} mutants tried (seed {given.seed}), {len(survived)} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
