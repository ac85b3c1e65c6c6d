import pytest

from zot_core.tools.search.no_match import found_nothing


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
    ],
)
def test_what_only_found_nothing_or_a_difference_is_known(command: str, output: str) -> None:
    assert found_nothing(command, output)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("make diff", ""),
        ("make -s check > log 2>&1 && grep -q passed log", ""),
        ("set -e; make -s; grep x a", ""),
        ("echo x > /gone/a; grep x a", "bash: line 1: /gone/a: No such file or directory\n"),
        ("make && diff a b", "cc: error\n"),
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
