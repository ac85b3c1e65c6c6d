"""Redirections and here-documents, which shells and the grammar see differently: what a shell runs is judged."""

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
from zot_core.permissions.rule import Action, parse_rule

RUN_LINES = """
mark() { echo "$number" >>"$RAN"; }
ls() { :; }
a() { :; }
FUNCNEST=4 number=0
for line in "$@"; do
    number=$((number + 1))
    (eval "$line"; wait) </dev/null >/dev/null 2>&1
done
"""
"""A program that runs each line with programs that do nothing. `mark` notes the number of the line."""

DENIED = [
    ">a 2>b mark x >c", ">/dev/null 2>&1 mark x </dev/null", ">a>b mark>c", "A=1 >a >b mark x >c", "2>&- mark x",
    ">&- mark", "<&- mark x >&-", "2>& - mark x", "ls | 2>&- mark x", "ls <<E 2>&-\nE\nmark x", "2>&-\nmark x",
    "{ >&- mark x; }", "if >&- mark; then ls; fi", "ls 2>&- && mark x", "ls >&-&& mark x", "ls >&-& mark x",
    "ls >&-|mark x", "ls >a a >b\nmark x;", "ls <<'E F'\nE F\nmark x", "ls <<E\nE\nmark x", "2>&- ls >&-;mark<&-",
]  # fmt: skip
DOUBTED = [
    "ls <<E;mark x\nE;mark x", "ls <<E|mark x\nE|mark", "ls <<E>a;mark\nE>a;mark", "ls <<E>&-;mark\nE>&-;mark",
    "ls >a >b\n\\mark x;", "ls >a a 2>b\n\\mark x;", "ls <<E\na \\\nE\n'\nE\nmark x\n#'",
    "ls <<E\nE '\nE\nmark x\n#'", "ls <<-E\nEx '\n\tE\nmark x\n#'", "ls <<E>&\"-\"\nx\nE\nmark x\n",
    "ls <<E\"F\"\nx\nEF\nmark x\nE\"F\"\n",
]  # fmt: skip
OF_ZSH = [">&-# mark x", ">&-#a;mark"]
OF_BASH = ["2>&-mark x", "<&-'mark' x", '2>& -"mark"', "2>& -mark x", "2>&1- mark x"]


def judge(line: str, *rules: tuple[Action, str]) -> Action:
    found = [parse_rule(*each) for each in rules or [("deny", "bash(mark *)")]]
    return Judge(found, "yolo").judge_command(line, "/nowhere").action


def marking(lines: list[str], folder: Path) -> list[str]:
    """Return which of the lines run `mark` in bash."""
    bash, ran = find_program("bash"), folder / "ran"
    assert bash is not None
    ran.write_text("")
    subprocess.run(
        [bash, "--noprofile", "--norc", "-c", RUN_LINES, "bash", *lines],
        cwd=folder, env={"PATH": os.devnull, "RAN": str(ran)}, timeout=PATIENCE, check=True,
    )  # fmt: skip
    return [lines[number - 1] for number in sorted({int(each) for each in ran.read_text().split()})]


@pytest.mark.parametrize("line", DENIED)
def test_a_denied_command_is_found_beside_redirections(line: str) -> None:
    assert judge(line) == "deny"
    assert judge(line, ("deny", "bash(other *)")) == "allow"


@pytest.mark.parametrize("line", [*DOUBTED, *OF_BASH, *OF_ZSH])
def test_where_a_shell_sees_other_words_than_the_grammar_a_deny_asks(line: str) -> None:
    assert judge(line) in ("ask", "deny")


def test_bash_runs_the_command_in_each_of_these_lines(tmp_path: Path) -> None:
    lines = [*DENIED, *DOUBTED, *OF_BASH]
    assert marking([*lines, "ls 2>&-"], tmp_path) == lines


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (">a 2>b cat x >c", "cat x"), ("a >|f -a2>&1", "a -a2"), ("a b -a2>&-", "a b -a2"),
        (">f ls -1>&2 b >|f", "ls -1 b"),
        (">a >b mark 0<&-", "mark"), ("ls <<'E'2>& - >& --a b\nE\n", "ls -a b"), ("ls >& -a", "ls a"),
        ("a >x b`c`d", "a bd"), ("ls | a <<E b`c`d\nE", "a bd"),
    ],
)  # fmt: skip
def test_words_at_a_redirection_are_counted_as_a_shell_does_or_asked_about(line: str, words: str) -> None:
    assert judge(line, ("deny", f"bash({words})")) in ("ask", "deny")


def test_a_file_is_found_that_a_command_between_redirections_names() -> None:
    for line in (">/dev/null 2>&1 cat .env </dev/null", "2>&- cat .env >&-", ">a 2>b cat <.env >c"):
        assert judge(line, ("deny", "read(.env)")) == "deny"


def test_a_usual_redirection_or_here_document_is_no_doubt() -> None:
    for line in (
        "cat > a <<'EOF'\nmark x\nEOF", "cat <<-E | grep a\n\tb\n\tE\nls", "cat <<E && ls\na \\\n b\nE", "ls 2>&1 >a b",
        'git commit -m "$(cat <<\'EOF\'\nit\'s `x`\nEOF\n)"', "cat <<EOF >a 2>b\nE\nEOF\n", "ls >a-2 2>&1", "ls a2 >&2",
        "(cat <<E\na\nE\n) 2>&-", "cat <<\"E\" # a\nb\nE", "while read x; do ls; done <<E\na\nE\n", 
        "export A=b >c mark",
    ):  # fmt: skip
        assert judge(line) == "allow", line


@pytest.mark.parametrize("line", ["ls &>f mark x", "((mark))", "[[ a || mark ]]", "ls $'\\'; mark x #'"])
def test_where_there_is_no_bash_a_deny_asks_about_what_only_bash_knows(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judge(line) == "allow"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (judge(line), judge("ls 12>f"), judge("ls >f x 2>&1")) == ("ask", "ask", "allow")


_PIECES = [
    ">f", "2>f", "<f", ">&-", "<&-", "2>& -", "2>&1", "2>&1-", "&>-", "mark", "mark", "\\mark", "ls", "x", "-a", "1",
    "$x", "A=1", "{", "}", "(", ")", "!", ";", "&&", "|", "\n", "\n", "<<E", "<<-E", "<<'E'", "\nE\n", ";mark",
    "'", "#",
]  # fmt: skip
_LINES = st.lists(st.sampled_from(_PIECES), max_size=7).map(" ".join) | st.lists(
    st.tuples(st.sampled_from(_PIECES), st.sampled_from([" ", "", " \\\n"])).map("".join), max_size=9
).map("".join)


@given(st.lists(_LINES, min_size=30, max_size=30))
def test_no_line_runs_a_denied_command_unasked(lines: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for line in marking(lines, Path(folder)):
            assert judge(line) in ("ask", "deny"), line
