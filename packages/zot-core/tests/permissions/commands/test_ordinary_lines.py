"""Lines of every day, under the rules that many people have: a guard that asks about them is switched off."""

from pathlib import Path

import pytest

from zot_core.permissions.judge import Judge
from zot_core.permissions.rule import parse_rule

RULES = [
    parse_rule("deny", "bash(rm -rf *)"), parse_rule("deny", "read(.env)"), parse_rule("ask", "bash(git push *)"),
]  # fmt: skip


def judge(command: str, cwd: Path) -> str:
    (cwd / ".env").touch()
    return Judge(RULES, "yolo").judge_command(command, str(cwd)).action


ORDINARY = [
    "curl -X POST -H 'Content-Type: application/json' -d '{\"a\": 1}' http://localhost/x", "grep -x foo a.txt",
    "pytest -x tests/a.py", "uv run pytest -x tests", "git cherry-pick -n a1", "curl -x http://p:1 http://y",
    "rm -f *.o", "rm src/*.o build/*.log", "command -v node", "if ! command -v jq >/dev/null; then echo no; fi",
    "kill $!", "npm start & wait $!", "make; exit $x", "seq $n", "shopt -s nullglob; cat *", "basename $PWD",
]  # fmt: skip


@pytest.mark.parametrize("line", ORDINARY)
def test_an_ordinary_line_is_not_asked_about(line: str, tmp_path: Path) -> None:
    assert judge(line, tmp_path) == "allow"


def test_a_path_that_find_gives_is_no_option(tmp_path: Path) -> None:
    rules = [parse_rule("deny", "bash(rm -rf *)")]
    for command in ("find . -name '*.o' -exec rm {} \\;", "find a b -type d -exec rm -r {} +"):
        assert Judge(rules, "yolo").judge_command(command, str(tmp_path)).action == "allow", command


SIMILAR = [
    "rm *", "rm -?f x", "rm -* x", "rm [-]rf x", "rm ?rf x", "rm -r$f x", "rm $f", "find . -exec {} -rf x \\;",
    "find -files0-from l -exec rm {} \\;", "find $x -exec rm {} \\;", "fd -x rm -rf", "fdfind . -X rm -rf",
    "git rebase -x 'rm -rf x'", "uv run fd -x rm -rf", "mytool -x rm -rf x", "command -p rm -rf x",
    "shopt -s dotglob; cat *", "shopt -s $x; cat *", "bash -O dotglob -c 'cat *'", "GLOBIGNORE=x; cat *",
    "BASHOPTS=dotglob bash -c 'cat *'", "command -v x; rm -rf x", "kill -l < .env", "echo $(cat .env)",
]  # fmt: skip


@pytest.mark.parametrize("line", SIMILAR)
def test_a_line_that_only_looks_like_one_is(line: str, tmp_path: Path) -> None:
    assert judge(line, tmp_path) in ("ask", "deny")
