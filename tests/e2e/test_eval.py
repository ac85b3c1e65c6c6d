"""The tasks of `make eval` are checked rightly: a scripted model solves, half solves, and cheats."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command import Zot
from waiting import PATIENCE

from zot_provider.testing import Call, ScriptedServer, Turn

EVAL = Path(__file__).parents[2] / "benchmarks" / "eval"
CALCULATOR = "def double(x):\n    return x + 1\n"
TESTS = """import unittest
from calculator import double


class Tests(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(4), 8)
"""


def evaluate(folder: Path, *options: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(EVAL), *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    return done.returncode, done.stdout.decode()


def states(path: Path) -> dict[str, str]:
    return {each["task"]: each["state"] for each in map(json.loads, path.read_text().splitlines())}


@pytest.mark.parametrize(
    ("language", "model", "passed"),
    [
        ("shell", "solve", 10),
        ("shell", "half", 0),
        ("shell", "cheat", 0),
        ("python", "solve", 10),
        pytest.param("javascript", "solve", 10, marks=pytest.mark.needs("node")),
        pytest.param("c", "solve", 10, marks=pytest.mark.needs("gcc", "as", "ld")),
    ],
)
def test_a_task_is_passed_by_its_solution_alone(tmp_path: Path, language: str, model: str, passed: int) -> None:
    options = ["--only", f"{language}-", "--out", "o.jsonl"]
    code, printed = evaluate(tmp_path, "--agent", "scripted", "--model", model, *options)
    assert code == 0, printed
    assert f"passed        {passed} of 10 (" in printed, printed
    tokens = re.search(r"^tokens +([\d,]+) a try$", printed, re.M)
    assert tokens is not None
    assert int(tokens[1].replace(",", "")) > 1000
    assert list(states(tmp_path / "o.jsonl").values()).count("passed") == passed


def test_there_are_fifty_tasks_and_two_runs_are_compared_task_by_task(tmp_path: Path) -> None:
    assert len(evaluate(tmp_path, "--list")[1].splitlines()) == 50
    for name, model in (("a", "none"), ("b", "wrong")):
        evaluate(tmp_path, "--agent", "scripted", "--model", model, "--only", "shell-question", "--out", name)
    _, printed = evaluate(tmp_path, "--compare", "a", "b")
    assert "difference    +100.0% passed" in printed
    assert "better        1 shell-question" in printed
    assert "failed_edits  0.0 -> 1.0" in printed


@pytest.mark.needs("bwrap")
def test_zot_works_on_a_task_in_its_sandbox(
    zot: Zot, tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    answer = Call("bash", {"command": f"touch {outside}; printf '64\\n65\\n' > answer.txt"})
    server.add(Turn(calls=[answer]), "Done.")
    for name, value in {**zot.env, "ZOT_EVAL_FLAGS": shlex.join(zot.at(server))}.items():
        monkeypatch.setenv(name, value)
    _, printed = evaluate(tmp_path, "--agent", "zot", "--only", "shell-question", "--out", "o")
    assert states(tmp_path / "o") == {"shell-question": "passed"}, printed
    assert not outside.exists()


@pytest.mark.needs("bwrap")
def test_what_zot_has_not_by_itself_can_be_tried(
    zot: Zot, tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    part, folder = Call("read", {"path": "README.md", "offset": 2, "limit": 1}), Call("read", {"path": "."})
    server.add(Turn(calls=[part, folder]), "Done.")
    for name, value in {**zot.env, "ZOT_EVAL_FLAGS": shlex.join(zot.at(server))}.items():
        monkeypatch.setenv(name, value)
    options = ["--only", "shell-question", "--out", "o", "--with", "line-numbers", "--with", "apply-patch"]
    code, printed = evaluate(tmp_path, *options)
    assert code == 0, printed
    system, *messages = server.requests[-1].body["messages"]
    first, second = (each["content"] for each in messages if each["role"] == "tool")
    assert first.startswith("     2\t")
    assert first.splitlines()[-1].startswith("[line 2 of ")
    assert "\t" not in second
    assert "puts a number and a tab before each line" in system["content"]
    assert "There is no `apply_patch`" in system["content"]
    assert evaluate(tmp_path, *options, "--agent", "pi") == (2, "pi has no variants\n")


def test_a_run_stops_at_its_budget_and_is_continued(tmp_path: Path) -> None:
    options = ["--agent", "scripted", "--model", "none", "--only", "shell-d", "--parallel", "1", "--out", "o"]
    code, printed = evaluate(tmp_path, *options, "--budget", "0.001")
    assert (code, printed.splitlines()[-1]) == (1, "the budget of $0.001 is spent; a higher one continues")
    first = (tmp_path / "o").read_text()
    assert len(states(tmp_path / "o")) == 1
    with (tmp_path / "o").open("a") as file:
        file.write('{"task": "shell-docs", "re\n')  # the process was killed while it wrote
    assert evaluate(tmp_path, *options, "-n", "2", "--budget", "1")[0] == 0
    text = (tmp_path / "o").read_text()
    assert text.startswith(first)
    assert len(text.splitlines()) == 5


def test_what_was_no_try_is_tried_again(tmp_path: Path) -> None:
    options = ["--only", "shell-docs", "--out", "o"]
    _, printed = evaluate(tmp_path, "--agent", "codex", *options)
    assert "shell-docs: codex is not installed" in printed
    assert states(tmp_path / "o") == {"shell-docs": "error"}
    _, printed = evaluate(tmp_path, "--agent", "scripted", "--model", "solve", *options)
    assert "passed        1 of 1" in printed
    assert "error" not in printed


def test_what_pi_has_used_is_read_from_its_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = {"input": 10, "output": 5, "cacheRead": 7, "cacheWrite": 0, "cost": {"total": 0.25}}
    events = [
        {"type": "tool_execution_end", "toolName": "edit", "isError": True},
        *({"type": "turn_end", "message": {"usage": usage}} for _ in range(2)),
    ]
    (tmp_path / "events").write_text("".join(json.dumps(event) + "\n" for event in events))
    program = tmp_path / "pi"
    program.write_text(f"#!/bin/sh\nprintf '64\\n65\\n' > answer.txt\ncat {tmp_path}/events\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    _, printed = evaluate(tmp_path, "--agent", "pi", "--only", "shell-question", "--out", "o")
    assert states(tmp_path / "o") == {"shell-question": "passed"}, printed
    assert "steps         2.0 a try" in printed
    assert "tokens        44 a try" in printed
    assert "cost          $0.5000" in printed
    assert "failed edits  1" in printed


def test_entries_of_public_sets_are_tasks_and_a_set_up_that_fails_is_no_try(tmp_path: Path) -> None:
    """Two entries in the form of SWE-bench, one of a repository that is not there, and one of Exercism's."""
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "calculator.py").write_text(CALCULATOR)
    identity = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=repository, check=True, env=os.environ | identity)
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repository, capture_output=True, check=True
    ).stdout.decode()
    added = "".join(f"+{line}\n" for line in TESTS.splitlines())
    test_patch = f"--- /dev/null\n+++ b/test_calculator.py\n@@ -0,0 +1,{len(TESTS.splitlines())} @@\n{added}"
    patch = "--- a/calculator.py\n+++ b/calculator.py\n@@ -1,2 +1,2 @@\n"
    patch += " def double(x):\n-    return x + 1\n+    return x * 2\n"
    entry = {
        "instance_id": "calculator-1", "repo": str(repository), "base_commit": commit.strip(), "patch": patch,
        "problem_statement": "double(4) is 5", "test_patch": test_patch,
        "FAIL_TO_PASS": '["test_calculator.Tests.test_double"]', "PASS_TO_PASS": [],
    }  # fmt: skip
    gone = entry | {"instance_id": "gone-1", "repo": str(tmp_path / "gone") + "://"}
    (tmp_path / "set.jsonl").write_text(json.dumps(entry) + "\n\n" + json.dumps(gone) + "\n")

    exercise = tmp_path / "sets/python/exercises/practice/double"
    for name, text in {
        ".docs/instructions.md": "Double a number.", "calculator.py": "pass\n", "calculator_test.py": TESTS,
        ".meta/example.py": CALCULATOR.replace("+ 1", "* 2"),
        ".meta/config.json": json.dumps(
            {"files": {"solution": ["calculator.py"], "test": ["calculator_test.py"], "example": [".meta/example.py"]}}
        ),
    }.items():  # fmt: skip
        (exercise / name).parent.mkdir(parents=True, exist_ok=True)
        (exercise / name).write_text(text)

    command = "{python} -m unittest {tests}"
    for model, state in (("solve", "passed"), ("none", "failed")):
        scripted = ["--agent", "scripted", "--model", model, "--out", model]
        _, printed = evaluate(tmp_path, *scripted, "--swe-bench", "set.jsonl", "--test-command", command)
        assert "set-up        1, not counted as tries" in printed
        evaluate(tmp_path, *scripted, "--polyglot", "sets")
        assert states(tmp_path / model) == {"calculator-1": state, "gone-1": "set-up", "python-double": state}

    (tmp_path / "bad.jsonl").write_text('{"instance_id": "x"}\n')
    assert evaluate(tmp_path, "--swe-bench", "bad.jsonl") == (2, "bad.jsonl, line 1: KeyError: 'repo'\n")
