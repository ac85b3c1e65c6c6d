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
        ("", ""),
        ("# grep x", ""),
        (f"grep {'x' * 20_000}", ""),
    ],
)
def test_what_may_have_failed_otherwise_is_a_failure(command: str, output: str) -> None:
    assert not found_nothing(command, output)
