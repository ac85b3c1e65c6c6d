"""What the Makefile does around uv, which a program that records its calls stands in for."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
CHECKS = (
    "ruff format --check",
    "ruff check",
    "mypy",
    "lint-imports",
    "generate_stubs.py --check",
    "generate_copies.py --check",
    "generate_docs.py --check",
)
RECORDS = """#!/bin/sh
echo "$@" >>calls
echo "$UV_SYSTEM_CERTS $UV_NATIVE_TLS" >>certificates
case "$*" in
  *mypy*) echo a type is wrong; exit 1 ;;
  *"ruff check"*) echo a line is too long; exit 1 ;;
esac
"""


class Made:
    """A run of make in `folder`: exit code and output, what uv was called with, and the variables it saw."""

    def __init__(self, folder: Path, *words: str, **variables: str) -> None:
        programs = folder / "bin"
        programs.mkdir()
        for name in ("make", "sh", "uname"):
            (programs / name).symlink_to(os.path.realpath(str(shutil.which(name))))
        (programs / "uv").write_text(RECORDS)
        (programs / "uv").chmod(0o755)
        shutil.copy(ROOT / "Makefile", folder)
        command = [str(programs / "make"), f"UV={programs / 'uv'}", *words]
        environment = {"PATH": str(programs), "HOME": str(folder), **variables}
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        self.code, self.output = done.returncode, done.stdout + done.stderr
        self.calls = (folder / "calls").read_text().splitlines()
        self.certificates = set((folder / "certificates").read_text().splitlines())


def test_quick_runs_every_check_and_shows_each_failure(tmp_path: Path) -> None:
    made = Made(tmp_path, "quick")
    assert [check for check in CHECKS if sum(check in call for call in made.calls) != 1] == []
    assert made.code == 2
    for text in ("a type is wrong", "a line is too long", "quick-types] Error 1", "quick-lint] Error 1"):
        assert text in made.output
    assert made.output.count("] Error 1") == 2


def test_make_ends_where_one_check_of_quick_failed(tmp_path: Path) -> None:
    made = Made(tmp_path, "quick", "build")
    assert made.code == 2
    assert not [call for call in made.calls if call.startswith("build")]


@pytest.mark.parametrize(("variables", "seen"), [({}, "1 1"), ({"UV_SYSTEM_CERTS": "false"}, "false 1")])
def test_uv_trusts_what_the_system_trusts_unless_a_variable_says_otherwise(
    tmp_path: Path, variables: dict[str, str], seen: str
) -> None:
    made = Made(tmp_path, "setup", **variables)
    assert (made.code, made.certificates) == (0, {seen})


SAID = re.compile(r"(?:`|^ *|: )(?:make|\.ci/run)((?: [a-z]+(?:-[a-z]+)*\b(?!=))+)", re.MULTILINE)
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "AGENTS.md",
    ".pre-commit-config.yaml",
    ".ci/run",
    *sorted(Path(ROOT, "docs").glob("*.md")),
]


def test_every_verb_that_a_page_or_the_ci_names_is_one_of_the_makefile() -> None:
    verbs = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    workflow = "".join(path.read_text("utf-8") for path in (ROOT / ".github/workflows").iterdir())
    said = [each for page in PAGES for each in SAID.findall((ROOT / page).read_text("utf-8"))] + SAID.findall(workflow)
    assert len(said) > 40
    assert {verb for each in said for verb in each.split()} - verbs == set()


def test_the_ci_runs_on_a_bare_machine_what_readme_promises() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    promised = re.findall(r"^make .*", readme[readme.index("```sh") : readme.index("```\n\n`make run`")], re.MULTILINE)
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]
    steps = [step["run"] for step in jobs["bare"]["steps"] if "run" in step]
    assert (promised, steps[1:]) == (["make run", "make test"], promised)
