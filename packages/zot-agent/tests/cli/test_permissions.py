import json
from pathlib import Path

import pytest

from zot_agent.cli.permissions import run


@pytest.fixture(autouse=True)
def home(alone: Path, tmp_path: Path) -> Path:
    """The home folder of zot; the working directory is another one."""
    (tmp_path / "zot-home").mkdir(exist_ok=True)
    return tmp_path / "zot-home"


def configure(home: Path, **permissions: object) -> None:
    (home / "config.json").write_text(json.dumps({"permissions": permissions}))


def test_the_rules_are_listed_with_their_files(home: Path, alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(home, allow=["bash(git status*)"], deny=["bash(git push*)"], mode="ask")
    kept = {"folders": {str(alone.resolve()): {"allow": ["bash(ls)"]}, "/elsewhere": {"allow": ["bash(no)"]}}}
    (home / "permissions.json").write_text(json.dumps(kept))
    assert run(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    built_in = [line for line in lines if line.endswith("  (built in: it only reads)")]
    assert [line for line in built_in if line.startswith("allow whoami")] == ["allow whoami  (built in: it only reads)"]
    assert [line for line in lines if line not in built_in] == [
        "mode ask",
        f"deny bash(git push*)  ({home}/config.json: permissions.deny)",
        f"allow bash(git status*)  ({home}/config.json: permissions.allow)",
        f"allow bash(ls)  ({home}/permissions.json: {alone.resolve()}: permissions.allow)",
    ]


def test_what_only_reads_is_listed_where_it_needs_no_question_and_tested(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(home, mode="yolo")
    assert run(["list"]) == 0
    assert capsys.readouterr().out == "mode yolo\n"
    assert run(["test", "--permission-mode", "plan", "ls -la | head -3"]) == 0
    assert run(["test", "--permission-mode", "plan", "sort -o a b"]) == 5
    assert capsys.readouterr().out.splitlines()[0] == "allow: it only reads"


def test_a_command_is_tested_against_the_rules(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(home, allow=["bash(git status*)"], deny=["bash(git push*)"], mode="ask")
    assert run(["test", "git status"]) == 0
    assert run(["test", "git status && git status -s"]) == 0
    assert run(["test", "true && git push --force"]) == 5
    assert run(["test", "git fetch"]) == 5
    assert run(["test", "--permission-mode", "yolo", "git fetch"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"allow: the rule bash(git status*) allows this call ({home}/config.json: permissions.allow)",
        f"allow: the rule bash(git status*) allows this call ({home}/config.json: permissions.allow)",
        f"deny: the rule bash(git push*) denies this call ({home}/config.json: permissions.deny)",
        "ask: no rule allows 'git fetch'",
        "allow",
    ]


@pytest.mark.parametrize(
    ("permissions", "line"),
    [
        ({"deny": ["bash("]}, "permissions.deny: 'bash(': expected TOOL or TOOL(PATTERN), such as bash(git status*)"),
        ({"mode": "fast"}, "permissions.mode: expected one of ask, accept-edits, plan, yolo, got 'fast'"),
    ],
)
def test_a_wrong_rule_is_one_line_and_nothing_runs_without_it(
    home: Path, permissions: dict[str, object], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(home, **permissions)
    assert run(["list"]) == 2
    assert capsys.readouterr().err == f"zot: {home}/config.json: {line}\n"


def test_what_is_no_object_is_an_error_too(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "config.json").write_text('{"permissions": ["bash"]}')
    assert run(["list"]) == 2
    assert capsys.readouterr().err == f"zot: {home}/config.json: permissions: expected an object, got a list\n"


def test_a_project_sets_only_a_more_careful_mode_and_its_rules_need_trust(
    home: Path, alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (alone / ".zot").mkdir()
    project = alone / ".zot" / "config.json"
    project.write_text('{"permissions": {"allow": ["bash(make)"]}}')
    assert run(["test", "--permission-mode", "ask", "make"]) == 5
    (home / "config.json").write_text('{"project_trust": "on"}')
    assert run(["test", "--permission-mode", "ask", "make"]) == 0
    project.write_text('{"permissions": {"mode": "yolo"}}')
    assert run(["list"]) == 2
    assert "permissions.mode: a project cannot set yolo, only a mode that is more" in capsys.readouterr().err
    project.write_text('{"permissions": {"mode": "plan"}}')
    assert run(["list"]) == 0
    assert capsys.readouterr().out.startswith("mode plan\n")


def test_a_wrong_rule_of_a_project_that_is_not_allowed_keeps_nobody_from_starting(home: Path, alone: Path) -> None:
    (alone / ".zot").mkdir()
    (alone / ".zot" / "config.json").write_text('{"permissions": [], "theme": "loud"}')
    assert run(["list"]) == 0
    (home / "config.json").write_text('{"project_trust": "on"}')
    assert run(["list"]) == 2


@pytest.mark.parametrize("text", ['{"permissions": {"deny": [', '{"theme": '])
def test_a_file_that_nobody_can_read_is_an_error_whatever_it_seems_to_have(home: Path, text: str) -> None:
    (home / "config.json").write_text(text)
    assert run(["list"]) == 2
