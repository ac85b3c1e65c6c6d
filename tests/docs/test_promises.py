"""The promises of SECURITY.md and of docs/safety.md: each names the test that keeps it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from zot_agent.config.settings import Settings
from zot_agent.host.options import HostOptions
from zot_agent.host.permissions import PermissionFiles

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
_NAMED = re.compile(r"`([\w./-]+\.py)::(\w+)`")


@cache
def functions_of(path: Path) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The tests of a file, which are its functions."""
    tree = ast.parse(path.read_text("utf-8"))
    return {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}


def named(text: str) -> list[tuple[str, str]]:
    """The files and names of tests in a text."""
    return _NAMED.findall(text)


def promises(page: str, heading: str) -> list[str]:
    """The entries of the list below a line of a page."""
    below = (ROOT / page).read_text("utf-8").partition(heading)[2]
    assert below, heading
    entries = re.split(r"^- ", below.partition("\n#")[0], flags=re.M)
    return [each.split("\n\n")[0] for each in entries[1:]]


@pytest.mark.parametrize("page", [each for each in PAGES if named(each.read_text("utf-8"))], ids=lambda page: page.name)
def test_every_test_that_a_page_names_is_there_and_is_run(page: Path) -> None:
    tests = named(page.read_text("utf-8"))
    assert tests
    for path, name in tests:
        found = functions_of(ROOT / path).get(name)
        assert found is not None, f"{path}::{name}"
        assert "skip(" not in "".join(map(ast.unparse, found.decorator_list)), name
        assert any(isinstance(each, ast.Assert | ast.With | ast.AsyncWith) for each in ast.walk(found)), name


PROMISES = [
    *promises("SECURITY.md", "These are vulnerabilities:"),
    *promises("docs/safety.md", "## What the wall holds"),
]


@pytest.mark.parametrize("promise", PROMISES, ids=[each.split("\n")[0][:50] for each in PROMISES])
def test_every_promise_names_a_test_that_keeps_it(promise: str) -> None:
    assert named(promise), promise


def test_what_zot_does_without_a_setting_is_what_the_page_says(tmp_path: Path) -> None:
    page = " ".join((ROOT / "SECURITY.md").read_text("utf-8").split())
    permissions = PermissionFiles(str(tmp_path), str(tmp_path)).open(HostOptions(), Settings())
    assert f"`{permissions.mode}` is the mode without a setting" in page
    assert f"The sandbox is `{Settings().sandbox}` without a setting" in page
