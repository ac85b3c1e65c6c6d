"""The mutants of `make mutants`: each is a program that differs from the original in one place."""

import ast
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "mutants.py"))
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
