"""Tests wait as long as `tests/support/waiting.py` says, and no test has a deadline of its own."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
TESTS = [
    path
    for folder in (*ROOT.glob("packages/*/tests"), ROOT / "tests")
    for path in folder.rglob("*.py")
    if "node_modules" not in path.parts
]
WAITS = {"asyncio.timeout": 0, "asyncio.wait_for": 1, "select.select": 3}
"""Calls, and which argument of each is seconds."""
METHODS = {"wait", "join", "result", "communicate", "settimeout", "acquire", "wait_idle"}
"""Methods of processes, threads, events, sockets and our fakes that take seconds."""
RUN = {"subprocess.run", "pexpect.spawn", "zot.ask", "zot.run"}
"""What runs a program to its end, `timeout` at most."""
SECONDS = {"timeout", "seconds", "limit", "patience"}
"""How parameters are called that are seconds, if they are of the type `float`."""
SHORT = 2.0
"""Seconds: what is no longer is meant to pass."""


def _seconds(call: ast.Call) -> ast.expr | None:
    """What a call gives as the longest time to wait."""
    for keyword in call.keywords:
        if keyword.arg == "timeout":
            return keyword.value if ast.unparse(call.func) in RUN else None
    name = ast.unparse(call.func)
    place = WAITS.get(name, 0 if name.rpartition(".")[2] in METHODS and len(call.args) == 1 else None)
    return call.args[place] if place is not None and len(call.args) > place else None


def _defaults(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr | None]:
    """The defaults of parameters that are seconds."""
    given = function.args
    usual = zip(reversed([*given.posonlyargs, *given.args]), reversed(given.defaults), strict=False)
    for each, default in (*usual, *zip(given.kwonlyargs, given.kw_defaults, strict=True)):
        if each.arg in SECONDS and each.annotation is not None and "float" in ast.unparse(each.annotation):
            yield default


def _is_long(seconds: ast.expr | None) -> bool:
    return isinstance(seconds, ast.Constant) and isinstance(seconds.value, int | float) and seconds.value > SHORT


def _is_deadline(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return any(map(_is_long, _defaults(node)))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and ast.unparse(node.left) == "time.monotonic()":
        return _is_long(node.right)
    return isinstance(node, ast.Call) and _is_long(_seconds(node))


def _deadlines(source: str) -> list[int]:
    """The lines with a deadline that is a number."""
    return [node.lineno for node in ast.walk(ast.parse(source)) if _is_deadline(node)]  # type: ignore[attr-defined]


def test_no_test_has_a_deadline_of_its_own() -> None:
    found = [f"{path.relative_to(ROOT)}:{line}" for path in TESTS for line in _deadlines(path.read_text())]
    assert found == [], "use PATIENCE of tests/support/waiting.py"


def test_a_deadline_is_found_however_it_is_written() -> None:
    written = (
        "asyncio.timeout(5)", "asyncio.wait_for(x, 5)", "process.wait(5)", "thread.join(9.5)", "time.monotonic() + 10",
        "subprocess.run(x, timeout=60)", "select.select([x], [], [], 30)", "zot.ask(x, timeout=60)",
        "server.wait_idle(30)", "def f(x, limit: float = 30): ...",
        "async def f(*, timeout: float | None = 9.0): ...",
    )  # fmt: skip
    assert [len(_deadlines(line)) for line in written] == [1] * len(written)
    meant = (
        "asyncio.timeout(0.01)",
        "asyncio.timeout(PATIENCE)",
        "process.wait()",
        "policy.wait(error, 4)",
        "run(timeout=2)",
        "def f(limit: int = 64, seconds: float = PATIENCE): ...",
    )
    assert [len(_deadlines(line)) for line in meant] == [0] * len(meant)
