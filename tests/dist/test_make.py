"""What the Makefile does around uv, which a program that records its calls stands in for."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
CHECKS = (
    "ruff format --check",
    "ruff check",
    "mypy",
    "lint-imports",
    "generate_stubs.py --check",
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
