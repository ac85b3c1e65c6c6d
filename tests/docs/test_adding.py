"""The page on adding things: each change on it is applied to a copy of the project, counted, and works."""

import os
import re
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adding.md"
WANTED = {"A provider": 4, "A tool": 5, "A slash command with a key": 4, "An extension frame": 6, "An operation": 4}
"""The most files that a person writes or edits for each thing."""
COPIED = (
    *("packages", "docs", "scripts", "tests", "examples", "benchmarks"),
    *(path.name for path in ROOT.iterdir() if path.is_file() and not path.name.startswith(".")),
)
GENERATORS = ("operations", "stubs", "tool_specs", "frames", "rpc_schema", "docs")  # as `make generate`
REGISTRIES = (
    *("packages/zot-provider/tests/providers", "packages/zot-provider/tests/test_selection.py"),
    *("packages/zot-core/tests/tools/definition", "packages/zot-ext/tests/protocol"),
    *("packages/zot-agent/tests/rpc/test_schema.py", "packages/zot-agent/tests/client"),
    *("packages/zot-agent/tests/operations", "packages/zot-agent/tests/rpc/test_operations.py"),
    *("packages/zot-agent/tests/ui/test_commands.py", "packages/zot-agent/tests/ui/test_screen.py"),
    *("packages/zot-agent/tests/extensions/test_managed.py", "packages/zot-agent/tests/extensions/test_registry.py"),
    *("packages/zot-agent/tests/extensions/test_trace.py", "tests/arch/test_circles.py"),
    *("tests/arch/test_house_rules.py", "tests/docs/test_pages.py"),
)
"""Tests that know the registries: an addition must not break one of them."""


def changes() -> dict[str, str]:
    """The patch of each section of the page."""
    sections = re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.M | re.S)
    return {title: "".join(re.findall(r"```diff\n(.*?)```", body, re.S)) for title, body in sections}


def run(folder: Path, *command: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        command, cwd=folder, env=environment, input=stdin, capture_output=True, text=True, timeout=5 * PATIENCE
    )


def make_environment(folder: Path) -> Path:
    """A Python that imports the packages of the copy, also in child processes, and everything else from here."""
    venv.create(folder / ".venv", symlinks=True)
    (site,) = (folder / ".venv").glob("lib/python*/site-packages")
    sources = sorted((folder / "packages").glob("*/src"))
    (site / "copy.pth").write_text("".join(f"{path}\n" for path in (*sources, sysconfig.get_path("purelib"))))
    return folder / ".venv" / "bin" / "python"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adding") / "zot"
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            # Byte code is copied too, and is valid: the copy of a source is as old as the source.
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("node_modules"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.mark.parametrize("thing", WANTED)
def test_a_thing_is_added_with_few_files(thing: str) -> None:
    files = re.findall(r"^\+\+\+ b/(\S+)$", changes()[thing], re.M)
    assert 0 < len(files) <= WANTED[thing], files
    assert [name for name in files if "generated" in name or name.endswith(".json")] == []


def test_the_changes_of_the_page_work_together(copy: Path) -> None:
    python = str(make_environment(copy))
    written: list[str] = []
    for thing, patch in changes().items():
        if thing in WANTED:
            applied = run(copy, "git", "apply", "-", stdin=patch)
            assert applied.returncode == 0, f"{thing}: {applied.stderr}"
            written += re.findall(r"^\+\+\+ b/(\S+)$", patch, re.M)
    for name in GENERATORS:
        generated = run(copy, python, f"scripts/generate_{name}.py")
        assert generated.returncode == 0, generated.stderr
    tests = [name for name in written if "/tests/" in name]
    chosen = ("-m", "not hypothesis", *dict.fromkeys([*tests, *REGISTRIES]))
    tested = run(copy, python, "-m", "pytest", "-q", "-x", "-n", "2", *chosen)
    assert tested.returncode == 0, tested.stdout[-4000:]
