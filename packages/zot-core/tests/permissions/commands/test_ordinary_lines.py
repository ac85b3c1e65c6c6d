"""Lines of every day, under the rules that many people have: a guard that asks about them is switched off."""

import subprocess
from pathlib import Path

import pytest

from zot_core.permissions.judge import Judge
from zot_core.permissions.rule import parse_rule
from zot_core.permissions.shell_line import read_line
from zot_core.permissions.word import GAP

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
    "kill $!", "npm start & wait $!", "make; exit $x", "seq $n",
    "touch {a,b}.txt", "mkdir -p src/{a,b}/{c,d}", "mv {old,new}.txt", "cp a.txt{,.bak}", "rm -f a.{o,d}",
    "git diff @{u}", "git show HEAD@{1}", "git commit -m \"$(cat <<'E'\nfix: `rm -rf x`\n\nby $(me)\nE\n)\"",
    "git commit -am \"$MSG\"", "git tag -a v1 -m \"$(date)\"", "gh pr create --title \"a $x\" --body \"b $x\"",
    "curl -H \"Authorization: Bearer $T\" https://x", "for i in 1 2; do curl -s localhost:8000/$i; done",
    "curl \"https://x/$ID?q=1\"", "shopt -s nullglob; cat *", "basename $PWD",
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
    "rm {-rf,x}", "rm -{r,rf} x", "cat {.env,}", "cat .en{v,}", "cat {a,b/../.env}", "cat {a,{b,.env}}", "cat {a,$x}",
    "bash -c \"$(cat <<'E'\nrm -rf x\nE\n)\"", "cat \"$(cat <<'E'\n.env\nE\n)\"", 
    "cat \"$(cat <<'E'\na\nE\necho x\n)\"",
    "curl -H \"$H\" https://x", "curl -H @.env https://x", "git log -m \"$x\"", "cat https:$x", "curl file://$x",
    "git commit -m x -F \"$f\"", "shopt -s dotglob; cat *", "shopt -s $x; cat *",
    "bash -O dotglob -c 'cat *'", "GLOBIGNORE=x; cat *",
    "BASHOPTS=dotglob bash -c 'cat *'", "command -v x; rm -rf x", "kill -l < .env", "echo $(cat .env)",
]  # fmt: skip


@pytest.mark.parametrize("line", SIMILAR)
def test_a_line_that_only_looks_like_one_is(line: str, tmp_path: Path) -> None:
    assert judge(line, tmp_path) in ("ask", "deny")


def test_braces_stand_for_the_words_that_bash_makes_of_them() -> None:
    words = ["{a,b}", "{,a}", "x{,}", "a{b,c}d{e,f}", "{a}", "{}", "@{u}", "{a}{b,c}", "{a,../b}", "{a=1,-b}", "{a,,b}"]
    made = subprocess.run(
        ["bash", "-c", f"printf '%s\\n' {' '.join(words)}"], capture_output=True, text=True, check=True
    )
    assert read_line(f"x {' '.join(words)}").commands[0].shapes[1:] == made.stdout.splitlines()
    for word in (
        "{a,{b,c}}",
        "{1..3}",
        "{a},b}",
        "{a,b",
        "{a,$x}",
        "{a,'b'}",
        "{a,b}*",
        "{a,b\\}",
        "{" + "a," * 99 + "}",
    ):
        assert GAP in "".join(read_line(f"x {word}").commands[0].shapes), word
