import pytest

from zot_core.tools.commands.contents import prints_contents


@pytest.mark.parametrize(
    "command",
    [
        "cat a.yaml",
        "LC_ALL=C sed -n 1,40p a.c",
        "cd src && nl -ba a.c | head -50",
        "make; tail -n 40 /tmp/a.log",
        "make > log 2>&1; cat log 2>/dev/null",
        'for f in *.c; do echo $f; /bin/cat "$f"; done | head -100',
        "for f in $(ls *.c); do cat $f; done",
        "cat $(git ls-files)",
        "find . -name '*.csv' -exec cat {} +",
        "find . -name '*.csv' | xargs -n 1 head -3",
        "git -C a show HEAD:a.c",
        "git diff | tee changes",
        "diff <(sort a) <(sort b)",
        "(cd a; cat b) | tail -5",
        "grep timeout a.yaml",
        "grep -in timeout a.yaml",
        "sed -ne 's/i/j/p' a.yaml",
        "make && \\\n  cat a.yaml",
    ],
)
def test_a_command_that_prints_files_is_known(command: str) -> None:
    assert prints_contents(command)


@pytest.mark.parametrize(
    "command",
    [
        "make",
        "make 2>&1 | tail -50",
        "(make; make test) 2>&1 | tail -50",
        "{ make; } | grep -v warning",
        "for n in 1 2; do make; done | tail -5",
        "seq -f 'case %g' 200 | head -100",
        "cat a | python3 b.py",
        "cat a.c > b.c; make",
        "cat > a.c && make",
        "VERSION=$(cat VERSION) make",
        "echo cat a; make",
        "npm test -- cat.test.js",
        "sed -i 's/a/b/' a.c && make",
        "sed -Ei.old s/a/b/ a.c; make",
        "grep -q x a.c && make",
        "git grep --quiet x || make",
        "diff -q a.c b.c; make",
        "git diff --quiet || make",
        "sort -o a a; make",
        "ls",
        "cat 'a",
        "",
    ],
)
def test_what_other_programs_print_is_a_log(command: str) -> None:
    assert not prints_contents(command)
