"""Loops whose variable has only values that the line lists: what each of these does is judged, and no other line."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_core.machine.programs import find_program
from zot_core.permissions.judge import Judge
from zot_core.permissions.rule import parse_rule

RULES = [
    parse_rule("deny", text)
    for text in ("bash(ls mark)", "bash(rm -rf *)", "read(.env)", "read(sub/x)", "read(~/.key)")
]


def judge(line: str, folder: Path) -> str:
    return Judge(RULES, "yolo").judge_command(line, os.path.realpath(folder)).action


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for name in (".env", "a.py", "sub/x"):
        (tmp_path / name).touch()
    return tmp_path


ORDINARY = [
    'for f in *.py; do wc -l "$f"; done', 'for f in src/*.js a.py; do node --check "${f}" || echo bad $f; done',
    "for i in 1 2 3; do curl -s localhost:80/$i > out$i.json; done", 'for f in a b; do mv "$f" "$f.bak"; done',
    'for f in a.txt b.txt; do if [ -f "$f" ]; then cat $f; fi; done', 'for f in a b; do cat "$f"; done; ls; cat a',
    'for d in a b; do for f in x y; do cat "$d/$f"; done; done',
    "for f in a; do cat $f; done; for f in b; do cat $f; done",
    'for f in *.py; do printf "%s\\n" "$f"; done', 'for f in a{1,2}; do tee "$f" < a.py; done',
    'for f in *.py; do rm "$f"; done',
]  # fmt: skip
HOSTILE = [
    'for f in .e*; do cat "$f"; done', 'for f in .env; do cat $f; done', 'for f in a .env; do cat "${f}"; done',
    'for f in env; do cat ".$f"; done', 'for f in e; do cat .$f"nv"; done', "for f in env; do cat < .$f; done",
    'for f in a; do f=.env; cat "$f"; done', 'for f in a; do read f <b; cat "$f"; done',
    'for f in a; do cat "$f"; done; cat "$f"',
    'for f in a; do printf -vf .env; cat "$f"; done', 'for f in a; do time printf -vf .env; cat "$f"; done',
    'for f in a; do >x 2>y printf -vf .env; cat "$f"; done', 'for f in a; do $p -vf .env; cat "$f"; done',
    'for f in a; do printf "$p" 12 f; cat "$f"; done', 'for f in a; do eval "$x"; cat "$f"; done',
    'for f in a; do : $((g)); cat "$f"; done', 'for f in a; do for f in .env; do :; done; cat "$f"; done',
    'g() { eval "$1"; }; for f in a; do g "$x"; cat "$f"; done', 'for f in a; do : "${f:=x}"; cat "$f"; done',
    'for PWD in a; do cd sub; cat "$PWD"; done', 'for f in "$x"; do cat "$f"; done', 'for f; do cat "$f"; done',
    "for f in *; do cat $f; done", 'for f in "a .env"; do cat $f; done', "for f in '.e*'; do cat $f; done",
    'for f in *; do bash -c "cat $f"; done', 'for f in *; do bash -c "$f"; done',
    'for f in "rm -rf x"; do bash -c "$f"; done',
    "for f in -rf; do rm $f x; done", 'for f in a -rf; do rm "$f" x; done', 'for f in -r*; do rm "$f" x; done',
    "for f in rm; do $f -rf x; done", 'for d in */; do (cd "$d" && cat x); done',
    'for d in s*; do cd "$d"; cat x; done',
    "cd s*; cat x", 'for d in sub; do cat "$d/x"; done',
    'for d in s b; do for e in ub a; do cat "$d$e/x"; done; done',
    'IFS=a; for f in .envab; do cat $f; done',
    'for f in a; do for f in $x; do :; done; cat "$f"; done',
    "for f in ''; do g=$(echo xf | cut -c2); : \"${!g:=mark}\"; ls \"$f\"; done",
    'for f in a; do compgen -Vf -W mark; ls "$f"; done', 'for d in ~; do cat "/.$d/.key"; done',
    'for d in ~; do cat /."$d"/.key; done',
    "x=.env; bash <<E\nfor x in a; do cat $x; done\nE", "bash <<E\nfor f in .env; do cat \\$f; done\nE",
    'for f in a; do cat "$f" > .env; done; for f in .env; do tee "$f" < a; done',
]  # fmt: skip


@pytest.mark.parametrize("line", ORDINARY)
def test_a_loop_that_lists_harmless_values_is_not_asked_about(line: str, project: Path) -> None:
    assert judge(line, project) == "allow"


@pytest.mark.parametrize("line", HOSTILE)
def test_a_loop_with_one_value_that_a_rule_is_about_or_that_is_not_known_is(line: str, project: Path) -> None:
    assert judge(line, project) in ("ask", "deny")


RUN_LINES = """
ls() { [ "$#" = 1 ] && [ "$1" = mark ] && echo "$number" >>"$RAN"; }
number=0
for line in "$@"; do
    number=$((number + 1))
    (eval "$line") </dev/null >/dev/null 2>&1
done
exit 0
"""
"""A program that runs each line and notes the number of those that call `ls mark`."""

_STARTS = ["for f in a mark; do", "for f in mark; do", "for g in f mark; do", "for f in m 'a b'; do", "for f in $g; do"]
_WORDS = ["ls", "ls $f", 'ls "$f"', 'ls "${f}ark"', "ls $g", "ls 'mark'", 'ls "$g$f"', "a", "ls ${f%x}"]
_SETS = [
    "f=mark",
    "g=mark",
    "printf -vf mark",
    "read f <<<mark",
    "IFS=m",
    "eval f=mark",
    "for f in mark; do :; done",
    "g=f",
]
_PARTS = [
    *_STARTS,
    *[f"{each};" for each in _WORDS for _ in range(2)],
    *[f"{each};" for each in _SETS],
    "done;",
    "done;",
    "(",
    ")",
]
_LOOPS = st.builds(
    lambda start, inside, end: " ".join([start, *inside, "done", *end]),
    st.sampled_from(_STARTS),
    st.lists(st.sampled_from(_PARTS), min_size=1, max_size=5),
    st.lists(st.sampled_from([f"; {each}" for each in (*_WORDS, *_SETS)]), max_size=2),
)


@given(st.lists(_LOOPS, min_size=30, max_size=30))
def test_no_loop_runs_a_denied_command_unasked(lines: list[str]) -> None:
    bash = find_program("bash")
    assert bash is not None
    with tempfile.TemporaryDirectory() as folder:
        ran = Path(folder, "ran")
        ran.touch()
        subprocess.run(
            [bash, "--noprofile", "--norc", "-c", RUN_LINES, "bash", *lines],
            cwd=folder, env={"PATH": os.devnull, "RAN": str(ran)}, timeout=PATIENCE, check=True,
        )  # fmt: skip
        for number in {int(each) for each in ran.read_text().split()}:
            assert judge(lines[number - 1], Path(folder)) in ("ask", "deny"), lines[number - 1]
