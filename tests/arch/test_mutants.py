"""The mutants of `make mutants`: each is a program that differs from the original in one place, and is tried with the
tests that reach it, in forks of a process that has loaded them."""

import ast
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "mutants.py"))
sys.path.remove(str(ROOT / "scripts"))
FILES = [ROOT / "packages/zot-core/src/zot_core/sandbox/seccomp.py", ROOT / "scripts/mutants.py"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_mutant_is_a_program_that_differs_in_one_place(path: Path) -> None:
    original = ast.unparse(SCRIPT["_without_words"](ast.parse(path.read_text("utf-8")))).split("\n")
    mutants = list(SCRIPT["mutants"](path, ROOT))
    assert mutants
    for mutant in mutants:
        compile(mutant.text, str(path), "exec")
        assert mutant.before != mutant.after
        changed = mutant.text.split("\n")
        assert sum(a != b for a, b in zip(original, changed, strict=False)) >= 1
        same = [a == b for a, b in zip(original, changed, strict=False)]
        assert all(same[: same.index(False)])


def test_every_file_and_test_of_an_area_is_there() -> None:
    areas = SCRIPT["AREAS"].values()
    assert all(any((ROOT / "packages").glob(each)) for area in areas for each in area.files)
    assert all((ROOT / "packages" / each).exists() for area in areas for each in area.tests)


def test_each_kind_of_line_has_a_mutant_and_words_have_none(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text(
        '''"""Words."""
def f(a: int, b: "int" = 0) -> bool:
    """More words."""
    if a == 1:
        raise ValueError
    g()
    x = a and b
    return True
'''
    )
    found = {each.line: (each.before, each.after) for each in SCRIPT["mutants"](path, tmp_path)}
    assert found == {
        2: ("0", "1"),
        4: ("if a == 1:", "if not a == 1:"),
        5: ("raise ValueError", "pass"),
        6: ("g()", "pass"),
        7: ("a and b", "a or b"),
        8: ("return True", "return False"),
    }
    first, last = range(2, 3), range(7, 9)
    assert {each.line for each in SCRIPT["mutants"](path, tmp_path, [first, last])} == {2, 7, 8}


def test_the_files_and_lines_that_are_meant_can_be_said() -> None:
    part = SCRIPT["_part"]
    assert (part("a.py:7"), part("a.py:10-12")) == (("a.py", range(7, 8)), ("a.py", range(10, 13)))
    assert 1_000_000 in part("sandbox/")[1]


PROGRAM = """\
import functools; LIMIT = 3

def small(number):
    return number < LIMIT

class Door:
    def opens(self, key):
        return key == "right"

    def name(self):
        return super().__class__.__name__

@functools.cache
def kept():
    return limit()

def limit():
    return LIMIT
"""
TESTS = """\
from program import Door, kept, small
import program, pytest

kept()
def test_kept(): assert kept() == 3
def test_small(): assert small(2) and not small(program.LIMIT)
def test_kept_again(): assert kept() == 3
def test_door(): assert Door().opens("right") and not Door().opens("wrong")
def test_name(): assert Door().name()
def test_limit(): assert program.LIMIT == 3
def test_part():
    if program.LIMIT > 3: pytest.skip("no such part")
"""


class Warm:
    """A process of `warm_tests.py` in a folder with a program and its tests."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder = folder
        (requests, ask), (answers, answer) = os.pipe(), os.pipe()
        words = [sys.executable, str(ROOT / "scripts/warm_tests.py"), str(requests), str(answer), kind]
        tests = ["test_program.py"] if kind == "loaded" else []
        self.process = subprocess.Popen(
            [*words, "-p", "no:hypothesispytest", *tests], cwd=folder, pass_fds=(requests, answer),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(folder)},
        )  # fmt: skip
        os.close(requests)
        os.close(answer)
        self._ask, self._answers = os.fdopen(ask, "wb"), os.fdopen(answers, "rb")

    def run(self, *tests: str, **fields: Any) -> dict[str, Any]:
        names = [f"test_program.py::test_{name}" for name in tests]
        usual = {"path": "", "function": "", "record": "", "sources": [], "seconds": round(PATIENCE)}
        self._ask.write(json.dumps({**usual, "tests": names, **fields}).encode() + b"\n")
        self._ask.flush()
        found: dict[str, Any] = json.loads(self._answers.readline())
        return found

    def change(self, before: str, after: str) -> str:
        """Write the program with something in place of something else; return its path."""
        path = self.folder / "program.py"
        path.write_text(PROGRAM.replace(before, after))
        return str(path)

    def close(self) -> None:
        self._ask.close()
        assert self.process.wait(PATIENCE) == 0
        self._answers.close()


@pytest.fixture(params=["loaded", "bare"])
def warm(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "test_program.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    found = Warm(tmp_path, request.param)
    yield found
    found.close()


@pytest.mark.parametrize("warm", ["loaded"], indirect=True)
def test_a_record_says_which_tests_reach_a_line(warm: Warm) -> None:
    record = warm.folder / "record.json"
    assert warm.run(record=str(record), sources=[str(warm.folder)]) == {"code": 0, "failed": []}
    reached = json.loads(record.read_text())
    lines = reached["lines"][str(warm.folder / "program.py")]
    assert (lines["4"], lines["8"]) == (["test_program.py::test_small"], ["test_program.py::test_door"])
    assert sorted(lines["15"]) == ["test_program.py::test_kept", "test_program.py::test_kept_again"]
    assert {*reached["seconds"]} == {
        f"test_program.py::test_{name}" for name in ("small", "door", "name", "limit", "part", "kept", "kept_again")
    }
    assert reached["skipped"] == []


def test_a_run_sees_the_program_as_it_is_on_disk_and_leaves_the_next_one_alone(warm: Warm) -> None:
    fields = {"function": "small"} if warm.process.args[4] == "loaded" else {}  # type: ignore[index]
    assert warm.run("small", "door")["code"] == 0
    path = warm.change("number <", "number >=")
    assert warm.run("door", "small", path=path, **fields) == {"code": 1, "failed": ["test_program.py::test_small"]}
    assert warm.run("door", path=path, **fields)["code"] == 0
    warm.change("return number < LIMIT", "while True: pass")
    assert warm.run("small", path=path, seconds=1, **fields)["code"] not in (0, 1)
    warm.change("", "")
    assert warm.run("small", "door", "limit")["code"] == 0


@pytest.mark.parametrize("warm", ["bare"], indirect=True)
def test_what_runs_as_a_module_is_loaded_is_seen_by_a_bare_process(warm: Warm) -> None:
    assert warm.run("limit", path=warm.change("LIMIT = 3", "LIMIT = 4"))["failed"] == ["test_program.py::test_limit"]
    assert warm.run("part", path=warm.change("LIMIT = 3", "LIMIT = 4")) == {
        "code": 1,
        "failed": ["test_program.py::test_part"],
    }
    assert warm.run("limit", path=warm.change("LIMIT = 3", "LIMIT = = 3"))["code"] not in (0, 1)


@pytest.mark.parametrize("warm", ["loaded"], indirect=True)
@pytest.mark.parametrize(("function", "before"), [("kept", "return limit()"), ("limit", "return LIMIT\n")])
def test_what_a_function_has_kept_of_earlier_calls_is_forgotten(warm: Warm, function: str, before: str) -> None:
    path = warm.change(before, "return 4\n")
    sources = [str(warm.folder)]
    assert warm.run("kept", path=path, function=function, sources=sources)["failed"] == ["test_program.py::test_kept"]


@pytest.mark.parametrize("warm", ["loaded"], indirect=True)
def test_a_function_that_cannot_be_exchanged_is_said(warm: Warm) -> None:
    assert warm.run("name")["code"] == 0
    path = warm.change("super().__class__.__name__", "'x'")
    assert warm.run("name", path=path, function="Door.name")["code"] == 99
