import pytest

from zot_core.tools.commands.no_match import found_nothing


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("diff a b", "1c1\n< a\n---\n> b\n"),
        ("/usr/bin/cmp a b", "a b differ: byte 1, line 1\n"),
        ("cd src && rg -c x .", ""),
        ("ls | grep x", ""),
        ("ls; [[ -e gone ]]", ""),
        ("test -f a && grep x a", ""),
        ("echo uses:; grep -n x a", "uses:\n"),
        ("test -f gone && echo yes", ""),
        ("grep -q x a && printf found && echo .", ""),
        ("grep -n 'def main(' a.py", ""),
        ('rg "foo\\(|bar$" src', ""),
        ("cat a; grep -n x b", "the text of a\n"),
        ("cat a && grep -n x b", "the text of a\n"),
        ("ls | grep -c x", "0\n"),
        ("grep -c x a b", "a:0\nb:0\n"),
        ("make; grep -n failed log", "cc -c a.c\n"),
        ("python3 a.py | diff - b", "1c1\n< a\n---\n> b\n"),
        ("if test -f a; then cat a; fi; rg x b", "the text of a\n"),
        ("LC_ALL=C grep x a", ""),
        ("cat a | \\\n  grep x", ""),
        ("[ -f gone ] && cat gone", ""),
        ("test -d gone && cd gone && ls", ""),
        ("cd src && git grep -n x", ""),
        ("git -C src --no-pager grep x", ""),
        ("git diff --quiet", ""),
        ("git diff --exit-code", "-a\n+b\n"),
        ("timeout 5 grep x a", ""),
        ("env A=b grep x a", ""),
        ("find . -name '*.py' -exec grep -l x {} +", ""),
        ("# don't look (further)\ngrep x a", ""),
    ],
)
def test_what_only_found_nothing_or_a_difference_is_known(command: str, output: str) -> None:
    assert found_nothing(command, output)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("make diff", ""),
        ("cat gone; grep x a", "cat: gone: No such file or directory\n"),
        ("/bin/cat gone && grep x a", "/bin/cat: gone: No such file or directory\n"),
        ("cat gone 2> log && grep x a", ""),
        ("if true; then cat gone; fi; grep x a", "cat: gone: No such file or directory\n"),
        ("if test -f a; then exit 1; fi; grep x a", ""),
        ("grep x gone | grep y", "grep: gone: No such file or directory\n"),
        ("python3 a.py | grep -c x", "0\nTraceback (most recent call last):\n"),
        ("nonesuch; grep x a", "bash: line 1: nonesuch: command not found\n"),
        ("make; grep x a", "make: *** No targets specified and no makefile found.  Stop.\n"),
        ("make -s check > log 2>&1 && grep -q passed log", ""),
        ("set -e; make -s; grep x a", ""),
        ("echo x > /gone/a; grep x a", "bash: line 1: /gone/a: No such file or directory\n"),
        ("make && diff a b", "cc: error\n"),
        ("make &&\n  grep x a", ""),
        ("make && \n  grep x a", ""),
        ("! grep -q x a", ""),
        ("cat gone | grep x", "cat: gone: No such file or directory\n"),
        ("cd gone && diff a b", "bash: line 1: cd: gone: No such file or directory\n"),
        ("grep x $(cat gone)", ""),
        ('grep "$(cat gone)" a', ""),
        ("(exit 1); (grep x a)", ""),
        ("grep x <(exit 1)", ""),
        ("make -s && echo built", ""),
        ("make -s && test -f a && echo built", ""),
        ("test -f a && make -s", ""),
        ("$PROGRAM x", ""),
        ("grep 'x", ""),
        ("test -f a && cat a", "cat: a: Permission denied\n"),
        ("make -s && cat a", ""),
        ("git push && git grep x", ""),
        ("git push", ""),
        ("git diff --no-index a gone", "error: Could not access 'gone'\n"),
        ("timeout 5 make grep", ""),
        ("find gone -exec grep x {} +", "find: ‘gone’: No such file or directory\n"),
        ("find . -exec false {} +", ""),
        ("", ""),
        ("# grep x", ""),
        (f"grep {'x' * 20_000}", ""),
    ],
)
def test_what_may_have_failed_otherwise_is_a_failure(command: str, output: str) -> None:
    assert not found_nothing(command, output)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("find . -name '*.py' | xargs grep -l x", ""),
        ("find . -print0 | xargs -0 -n 1 grep -n x", "1:x, found by one of the greps\n"),
        ("ls | xargs -I {} grep -n x {}", ""),
    ],
)
def test_what_xargs_started_and_only_found_nothing_is_known_by_the_code_of_xargs(command: str, output: str) -> None:
    assert found_nothing(command, output, 123)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("ls | xargs make", ""),
        ("ls | xargs grep x", "grep: gone: No such file or directory\n"),
        ("find gone | xargs grep x", "find: ‘gone’: No such file or directory\n"),
        ("make; grep x a", ""),
        ("ls | xargs env make grep", ""),
    ],
)
def test_a_program_that_xargs_started_and_that_failed_is_a_failure(command: str, output: str) -> None:
    assert not found_nothing(command, output, 123)


@pytest.mark.parametrize("code", [2, 124, 127, 130])
def test_another_code_than_1_is_a_failure(code: int) -> None:
    assert not found_nothing("grep x a", "", code)
