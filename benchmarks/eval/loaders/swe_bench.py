"""Tasks from a file of JSON lines in the form of SWE-bench.

A line has `instance_id`, `repo` (owner/name, or a path or an address of a git repository), `base_commit`,
`problem_statement`, `test_patch`, `patch` (the known solution, which may be left out), and the tests `FAIL_TO_PASS` and
`PASS_TO_PASS`: lists, or texts with JSON lists.
"""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tasks import Edit, Task

_PATCH = ".known.patch"
TEST_COMMAND = "{python} -m pytest -q -x {tests}"
"""What is run in the repository with the tests patched in; it fails if one of them does."""
SECONDS = 1800.0


def load(path: Path, test_command: str = TEST_COMMAND) -> list[Task]:
    """The tasks of a file. Raises ValueError that names the line of a mistake."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(_task(json.loads(line), test_command))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}, line {number}: {type(error).__name__}: {error}") from error
    return found


def _task(entry: dict[str, str | list[str]], test_command: str) -> Task:
    repository, commit, patch = str(entry["repo"]), str(entry["base_commit"]), str(entry["test_patch"])
    tests = [*_names(entry["FAIL_TO_PASS"]), *_names(entry.get("PASS_TO_PASS", []))]

    def prepare(folder: Path) -> None:
        there = os.path.exists(repository) or "://" in repository
        _git(folder, "clone", "--quiet", repository if there else f"https://github.com/{repository}", ".")
        _git(folder, "checkout", "--quiet", commit)

    def check(folder: Path) -> list[str]:
        changed = [line[6:] for line in patch.splitlines() if line.startswith("+++ b/")]
        for name in changed:  # the agent may have changed the tests that the patch brings
            if subprocess.run(
                ["git", "checkout", "--quiet", commit, "--", name], cwd=folder, capture_output=True
            ).returncode:
                (folder / name).unlink(missing_ok=True)
        _git(folder, "apply", "-", text=patch)
        command = test_command.format(python=shlex.quote(sys.executable), tests=shlex.join(tests))
        done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, timeout=SECONDS)
        return [] if not done.returncode else [done.stdout.decode("utf-8", "replace")[-300:]]

    id, prompt = str(entry["instance_id"]), str(entry["problem_statement"])
    known = str(entry.get("patch", ""))
    solution = [Edit(_PATCH, "", known)] if known else []
    command = f"git apply {_PATCH} && rm {_PATCH}" if known else ""
    return Task(id, prompt, {}, check, solution, command, needs=("git",), prepare=prepare)


def _names(value: str | list[str]) -> Sequence[str]:
    names = json.loads(value) if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise ValueError("tests are a list of names")
    return names


def _git(folder: Path, *arguments: str, text: str = "") -> None:
    done = subprocess.run(["git", *arguments], cwd=folder, input=text.encode(), capture_output=True, timeout=SECONDS)
    if done.returncode:
        raise RuntimeError(f"git {arguments[0]}: {done.stderr.decode('utf-8', 'replace').strip()[-300:]}")
