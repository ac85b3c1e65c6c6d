"""No test passes without running: what it asserts is asserted whatever it meets.

Property tests are exempt: hypothesis brings the example that reaches each branch.
"""

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = (*sorted((ROOT / "packages").iterdir()), ROOT)
FILES = sorted(
    path for place in PLACES for path in (place / "tests").rglob("test_*.py") if "node_modules" not in path.parts
)
Test = ast.FunctionDef | ast.AsyncFunctionDef
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
ASSERTIONS = {"pytest.raises", "pytest.warns", "pytest.fail"}
# Functions and methods that give something for something.
AS_LONG = {"enumerate", "list", "map", "pairwise", "product", "range", "reversed", "set", "sorted", "tuple", "zip"}
METHODS_AS_LONG = {"encode", "items", "keys", "split", "splitlines", "values"}


def written_tests(tree: ast.Module) -> Iterator[Test]:
    for node in ast.walk(tree):
        named = isinstance(node, Test) and node.name.startswith("test_")
        if named and not any(ast.unparse(each).startswith("given(") for each in node.decorator_list):
            yield node


def children(node: ast.AST) -> Iterator[ast.AST]:
    return (each for each in ast.iter_child_nodes(node) if not isinstance(each, NESTED))


def everything(node: ast.AST) -> Iterator[ast.AST]:
    for each in children(node):
        yield each
        yield from everything(each)


def asserts(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and ast.unparse(node.func) in ASSERTIONS)


def holds_something(node: ast.expr, known: set[str]) -> bool:
    """Whether what an expression gives is seen to have elements: it is written out, a constant, or made of these."""
    match node:
        case ast.Tuple(elements) | ast.List(elements) | ast.Set(elements):
            return elements != []
        case ast.Dict(keys):
            return keys != []
        case ast.Constant(value):
            return bool(value)
        case ast.Name(name) | ast.Attribute(attr=name):
            return name in known or name.isupper()
        case ast.BinOp(left, _, right):
            return holds_something(left, known) or holds_something(right, known)
        case ast.Call(ast.Attribute(value, name), []) if name in METHODS_AS_LONG:
            return holds_something(value, known)
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name), arguments) if name in AS_LONG:
            return name == "range" or all(holds_something(each, known) for each in arguments[name == "map" :])
        case ast.GeneratorExp(_, loops) | ast.ListComp(_, loops):
            return all(holds_something(each.iter, known) and not each.ifs for each in loops)
    return False


def known_names(test: Test) -> set[str]:
    """The variables of a test to which something is written out."""
    known: set[str] = set()
    for node in everything(test):
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                known |= {name} if holds_something(value, known) else set()
    return known


def always_asserts(node: ast.AST, known: set[str]) -> bool:
    """Whether an assertion below `node` is reached whatever conditions hold and however much was found."""
    match node:
        case ast.If(_, body, [_, *_] as other):
            return all(any(reached(each, known) for each in branch) for branch in (body, other))
        case ast.Match(_, cases):
            whole = isinstance(cases[-1].pattern, ast.MatchAs) and cases[-1].pattern.pattern is None
            return whole and all(any(reached(each, known) for each in case.body) for case in cases)
        case ast.While():  # a loop that gives up after a time asserts that its condition comes true
            return any(map(asserts, everything(node)))
        case ast.If() | ast.ExceptHandler():
            return False
        case ast.For(iter=found) | ast.AsyncFor(iter=found) if not holds_something(found, known):
            return False
        case ast.With([ast.withitem(ast.Call(ast.Name("suppress")))]):
            return False
    return any(reached(each, known) for each in children(node))


def reached(node: ast.AST, known: set[str]) -> bool:
    return asserts(node) or always_asserts(node, known)


SOMETIMES = "asserts only where there is something to assert"


def flaw(test: Test) -> str:
    """Why a test could pass without running; empty if it could not, or if others assert for it."""
    if any(isinstance(node, ast.Return) for node in everything(test)):
        return "returns"
    if any(map(asserts, everything(test))) and not always_asserts(test, known_names(test)):
        return SOMETIMES
    return ""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("if not PROGRAM:\n    return\nassert run(PROGRAM)", "returns"),
        ("if os.geteuid():\n    assert read()", SOMETIMES),
        ("for path in folder.glob('*'):\n    assert path", SOMETIMES),
        ("found = look()\nfor each in found:\n    assert each", SOMETIMES),
        ("with suppress(OSError):\n    assert read()", SOMETIMES),
        (
            "try:\n    read()\nexcept OSError as e:\n    assert str(e)",
            SOMETIMES,
        ),
        ("if os.geteuid():\n    assert read()\nelse:\n    with pytest.raises(OSError):\n        read()", ""),
        ("found = look()\nassert found\nfor each in found:\n    assert each", ""),
        ("for each in sorted((1, 2)):\n    assert each", ""),
        ("cases = [1, 2]\nfor each in cases:\n    assert each", ""),
        ("match 1:\n    case 1:\n        assert True\n    case _:\n        pytest.fail('')", ""),
        ("def inner():\n    return 1\nassert inner()", ""),
        ("while not there():\n    assert time.monotonic() < end", ""),
        ("drive()", ""),
    ],
)
def test_what_could_pass_without_running_is_found(body: str, found: str) -> None:
    (test,) = written_tests(ast.parse("def test_it():\n" + textwrap.indent(body, "    ")))
    assert flaw(test) == found


def test_no_test_can_pass_without_running() -> None:
    flaws = [
        f"{path.relative_to(ROOT)}: {test.name} {why}"
        for path in FILES
        for test in written_tests(ast.parse(path.read_text("utf-8")))
        if (why := flaw(test))
    ]
    assert flaws == []
