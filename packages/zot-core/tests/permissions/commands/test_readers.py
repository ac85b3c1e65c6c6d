"""Commands that only read need no question; whatever does more than read has one."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_core.machine.git import quiet_environment
from zot_core.machine.programs import find_program
from zot_core.permission_mode import PermissionMode
from zot_core.permissions.commands.readers import BUILTINS, READERS
from zot_core.permissions.judge import Judge, Verdict
from zot_core.permissions.rule import Action, parse_rule


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e@e.test")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "p"
    (root / "sub").mkdir(parents=True)
    (root.parent / "secret").write_text("s-e-c-r-e-t\n")
    for name in ("a.txt", "b.txt", "sub/c.py", "data.json"):
        (root / name).write_text("[1]\n")
    (root / "out").symlink_to("../secret")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "a.txt", "b.txt", "sub")
    git(root, "commit", "-q", "-m", "one")
    return root


def verdict(command: str, cwd: Path, *rules: tuple[Action, str], mode: PermissionMode = "ask") -> Verdict:
    return Judge([parse_rule(*each) for each in rules], mode).judge_command(command, str(cwd))


READS = [
    "ls", "ls -la sub", "cat a.txt b.txt", "cat *.txt", "head -n 5 a.txt | tail -2", "head -5 a.txt", "grep -rn x .",
    "grep -A 3 x a.txt 2>/dev/null", "find . -name '*.py' -type f", "sort a.txt | uniq -c | sort -rn",
    "wc -l *.txt", "pwd",
    "sed -n 1,5p a.txt", "sed -n '2p' a.txt", "cd sub && ls", "(ls)", "ls; echo hi && true", "ls 2>&1 | head",
    "jq . data.json",
    "git status", "git status -sb", "git diff", "git diff --stat HEAD", "git log --oneline -5", "git show HEAD:a.txt",
    "git branch -a", "git blame a.txt", "git ls-files", "git rev-parse HEAD", "git --no-pager log -p",
    "git grep -n x",
    "git tag", "git remote -v", "cut -d: -f1 a.txt", "printf '%s\\n' a", "echo -n 'rm -rf /'", "date +%F", "which ls",
    "grep -- /etc/x a.txt", "du -sh .", "stat -c %s a.txt", "diff a.txt b.txt", "tr a-z A-Z", "ls --help",
    "sort ./*.txt", "head --lines=1 a.txt", "cat sub/*.py", "cat < a.txt", "wc -l <a.txt | cat", "test -f a.txt && ls",
    "git reflog", "git reflog -5 HEAD", "git stash list", "git worktree list --porcelain", "git show HEAD:sub/c.py",
    "tar tf - <a.txt", "grep -n -- -x a.txt", "git log --oneline -- a.txt", "find sub -name x -- ./a",
    "tar tf a.txt", "tar -tzf a.txt | head", "tar -t -v -f a.txt", "git diff --name-only HEAD",
]  # fmt: skip


def with_needs(command: str) -> object:
    """The parameter of a test, which declares the programs of the command that some machines lack."""
    needed = re.findall(r"(?:^|\| )(du|diff|jq|stat|which)\b", command)
    return pytest.param(command, marks=[pytest.mark.needs(each) for each in needed])


@pytest.mark.parametrize("command", [with_needs(each) for each in READS])
def test_a_command_that_only_reads_runs_without_a_question_in_the_modes_that_ask(command: str, project: Path) -> None:
    modes: tuple[PermissionMode, ...] = ("ask", "accept-edits", "plan")
    assert {verdict(command, project, mode=mode).action for mode in modes} == {"allow"}
    name = re.findall(r"\w+", command)[0]
    assert verdict(command, project, ("deny", f"bash({name} *)")).action == "deny"
    assert verdict(command, project, ("ask", f"bash({name} *)")).action == "ask"


DOES_MORE = [
    "sort -o a.txt b.txt", "sort --output=x a.txt", "sort -T /tmp a.txt", "uniq a.txt b.txt", "find . -delete",
    "ls > x",
    "find . -exec ls {} ;", "find . -fprintf x a", "sed -i s/a/b/ a.txt", "sed -n 'w x' a.txt", "sed 1e./x a.txt",
    "tree -o x",
    "git branch x", "git branch -D x", "git tag x", "git stash", "git diff --output=x", "git log --outpu=x",
    "git fetch",
    "git -c core.pager=x log", "git diff --ext-diff", "git show --textconv HEAD", "git grep -O./x a",
    "git log --format=%G?",
    "git log --show-signature", "git remote show origin", "git cat-file --batch", "git diff --no-index a.txt b.txt",
    "date -s now", "date 0101", "xxd a.txt b.txt", "printf -v x y", "rg --pre ./x a", "rg -z a", "rg -L a", "file -C",
    "diff -l a.txt b.txt", "tail -f a.txt", "env", "jq -n env", "jq -n '$ENV'", "echo $HOME", "ls $(pwd)",
    "cat <>a.txt", "cat <../secret", "cat <out", "cat <*.txt", "cat <$x", "cat <a.txt >x", "bash <a.txt", "cat 3<a.txt",
    "[ -f ../secret ]", "[ -f a.txt ]\ntouch x", "[ -f a.txt ] >x", "[ -v 'a[$(touch x)]' ]", "test -v 'a[$(touch x)]'",
    "test 'a[$(touch x)]' -eq 1", "if [ -f a.txt ]; then touch x; fi", "if touch x; then ls; fi", "test -f ../secret",
    "tar xf a.txt", "tar tf h:a.txt", "tar tf a* ", "tar tf a.txt --to-command=ls", "tar -tIls -f a.txt", "tar tf out",
    "tar -tf a.txt -F ls", "tar tf -- -Ils", "tar tf -- a.txt --use-compress-program=ls",
    "git reflog expire --all", "git reflog delete HEAD@{0}", "git stash list -p",
    "git stash drop",
    "git worktree add x", "git worktree list x", "git stash show --ext-diff", "git reflog show --format=%G?",
    "cat <<E\nx\nE", "./ls", "/bin/ls", "A=1 ls", "ls | tee x", "ls; rm a.txt", "cd", "cd -", "cd sub; cd ..",
    "curl h",
    "cd sub && git status", "cat /etc/passwd", "cat ../secret", "cat out", "cat o*", "ls ..", "cd .. && ls", "ls ~",
    "cd sub && cat ../../secret", "(cd sub); cat ../secret", "grep -f ../secret a.txt", "grep -e a ../secret",
    "git show HEAD:../secret", "git diff -- ../secret", "sort *", "diff *", "cat [ab].txt", "cat \"$x\"",
    "strings @/etc/x", "strings @a.txt", "strings -n @a.txt", "strings -- @a.txt", "strings @*",
    "for f in a; do cat $f; done", "hostname x", "wc --files0-from=../secret", "du -X ../secret", "ls && make",
    "echo ../*", "uniq *.txt", "uniq a.?xt", "xxd *.txt", "xxd -ps a.txt new", "xxd -bc a.txt new",
    "xxd -pl a.txt new", "xxd a.txt -p", "uniq a.txt -c",
    "tree -Po x new", "tree -Io x new", "printf x%n PATH; ls", "printf '%-3.1ln' PATH", "printf '%*n' 3 PATH",
    "find . -name -- -delete", "find . ! -name -- -exec touch x ';'", "find -- . -delete", "tree -I -- -o new",
    "rg --regexp -- --pre ./x a.txt", "git shortlog --since -- --output=new HEAD", "sort --key -- -o new a.txt",
    "git log --format=%+G?", "git show --pretty='% GS'", "git branch --format='%(signature)'", "date +%F 0101",
]  # fmt: skip


@pytest.mark.parametrize("command", DOES_MORE)
def test_a_command_that_may_do_more_than_read_or_reads_elsewhere_is_asked_about(command: str, project: Path) -> None:
    assert verdict(command, project).action == "ask"
    assert verdict(command, project, mode="accept-edits").action == "ask"
    assert verdict(command, project, mode="plan").action in ("ask", "deny")


def test_a_test_in_brackets_and_a_choice_need_no_question(project: Path) -> None:
    for command in (
        "[ -f a.txt ] && cat a.txt || echo no",
        "if [ -d sub ]; then ls sub; elif test -f x; then pwd; else ls; fi",
    ):
        assert verdict(command, project).action == "allow", command
    assert verdict("[ -f a.txt ]", project, ("deny", "read(a.txt)")).action == "ask"


def test_a_file_is_no_input_of_a_program_that_a_rule_allows(project: Path) -> None:
    assert verdict("make <a.txt", project, ("allow", "bash(make)")).action == "ask"
    assert verdict("cat <a.txt | make", project, ("allow", "bash(make)")).action == "ask"


def test_a_wildcard_in_a_folder_stands_for_what_a_link_there_leads_to(project: Path) -> None:
    (project / "sub" / "link").symlink_to("../../secret")
    for command in ("cat sub/l*", "cat ./sub/li?k", "head */link"):
        assert verdict(command, project).action == "ask", command


def test_a_wildcard_behind_a_backslash_that_is_plain_is_one(project: Path) -> None:
    (project / "\\s").symlink_to("../secret")
    for command in (r"cat \\s", r"cat \\*", r"cat \\?"):
        assert verdict(command, project).action == "ask", command
    for command in (r"cat \*", r"cat a\\*"):
        assert verdict(command, project).action == "allow", command


@pytest.mark.parametrize("command", ["cat ! \t\\ \n", "cat ! \\ \n", "cat a=~/x", "cat a=b:~/x"])
def test_a_word_that_the_grammar_leaves_out_or_bash_expands_is_asked_about(command: str, project: Path) -> None:
    assert verdict(command, project).action == "ask"


def test_a_path_outside_is_read_where_the_tool_read_may_read_it(project: Path) -> None:
    allowed: tuple[Action, str] = ("allow", f"read({project.parent}/secret)")
    assert verdict("cat ../secret out", project, allowed).action == "allow"
    assert verdict("cat ../secret", project, allowed, ("ask", "read(../secret)")).action == "ask"
    assert verdict("cat ../secret", project, mode="plan").action == "ask"


def test_where_a_file_must_not_be_read_what_reads_folders_is_asked_about(project: Path) -> None:
    hidden: tuple[Action, str] = ("deny", "read(**/.env)")
    for command in (
        "grep -r x .", "git diff", "git log -p", "git show", "git grep x", "git status -v", "git log --check",
        "grep x *", "git show HEAD:a.txt HEAD", "git show --all HEAD:a.txt", "git show HEAD:a.txt -p", "git show HEAD",
        "git diff --stat -p", "git diff --stat -U1", "git show --name-only --check", "git diff --stat -Gx",
        "git show --stat abc1234", "git show --name-only 'main^{}'", "git show --stat x-gABCD",
        "git show HEAD:.env", "git show HEAD:sub/.env", "git stash show -p", "git diff *.txt --word-diff --stat",
    ):  # fmt: skip
        assert verdict(command, project, hidden).action in ("ask", "deny"), command
    assert verdict("git show HEAD:sub/c.py", project / "sub", ("deny", "read(c.py)")).action in ("ask", "deny")
    for command in (
        "git show HEAD:a.txt", "git show HEAD:a.txt HEAD:sub/c.py", "git diff --stat", "git show --name-only HEAD",
    ):  # fmt: skip
        assert verdict(command, project, hidden).action == "allow", command
    for command in ("cat a.txt", "git status", "git log --oneline", "ls -R", "grep x a.txt", "grep -r x a.txt"):
        assert verdict(command, project, hidden).action == "allow", command
    assert verdict("grep -r x sub", project, ("deny", "read(a.txt)")).action == "allow"


@pytest.mark.needs("rg")
def test_ripgrep_lists_files_without_reading_them_unless_it_is_told_to_search(project: Path) -> None:
    hidden: tuple[Action, str] = ("deny", "read(**/.env)")
    assert verdict("rg --files --hidden sub", project, hidden).action == "allow"
    for option in ("--json", "-c", "-l"):  # with which ripgrep 14 searches nevertheless
        assert verdict(f"rg --files {option} -e x .", project, hidden).action == "ask", option


@pytest.mark.needs("diff")
def test_a_comparison_of_folders_reads_files_that_it_does_not_name(project: Path) -> None:
    hidden: tuple[Action, str] = ("deny", "read(**/.env)")
    for command in ("diff . sub", "diff --recursive sub .", "diff a.txt sub"):
        assert verdict(command, project, hidden).action == "ask", command
    assert verdict("diff a.txt b.txt", project, hidden).action == "allow"


def test_a_program_of_the_project_does_not_take_the_place_of_a_reader(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "bin").mkdir()
    (project / "bin" / "ls").write_text("#!/bin/sh\n: >ran\n")
    (project / "bin" / "ls").chmod(0o755)
    path = os.environ["PATH"]
    for first in (str(project / "bin"), "bin", "./bin"):
        monkeypatch.setenv("PATH", f"{first}{os.pathsep}{path}")
        assert verdict("ls", project).action == "ask"
        assert verdict("cat a.txt", project).action == "allow"
    monkeypatch.setenv("PATH", f"sub/bin{os.pathsep}bin{os.pathsep}{path}")
    (project / "bin").rename(project / "sub" / "bin")
    assert verdict("cd sub && ls", project).action == "ask"
    (project / "sub" / "bin" / "ls").unlink()
    (project / "sub" / "bin" / "cat").symlink_to("/bin/sh")
    assert verdict("cat a.txt", project).action == "ask"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("CDPATH", str(project.parent))
    assert verdict("cd sub && cat c.py", project).action == "ask"


def test_a_variable_that_names_a_file_of_the_project_gives_git_no_orders(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value, action in (("a.txt", "ask"), (f"{project}/.gitconfig", "ask"), (os.devnull, "allow")):
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", value)
        assert verdict("git status", project).action == action, value
        assert verdict("ls", project).action == "allow"


def test_readers_stand_beside_what_a_rule_allows_but_not_in_another_folder(project: Path) -> None:
    make: tuple[Action, str] = ("allow", "bash(make *)")
    assert verdict("make test 2>&1 | tail -5", project, make).action == "allow"
    assert verdict("make x; cat ../secret", project, make).action == "ask"
    assert verdict("cd sub && make x", project, make).action == "ask"


# git


def runs(command: str, cwd: Path, found: Verdict) -> bytes:
    """Run a command in a real shell as the tool bash would after this verdict. Return what it writes."""
    quiet = quiet_environment(os.environ, reads=found.git == "reads") if found.git else {}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", command],
        cwd=cwd, env=os.environ | quiet, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_a_question_about_git_says_where_it_has_no_repository(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "empty/.git").mkdir(parents=True)
    for folder, said in (
        ("none", "there is no git repository here"),
        ("empty", f"git may run other programs: {tmp_path.resolve()}/empty has a .git that is no git directory"),
    ):
        found = Judge(mode="ask").judge_command("git status", str(tmp_path.resolve() / folder))
        assert (found.action, found.reason) == ("ask", said)


MORE_GIT = ["git diff --cached", "git ls-files -m", "git describe --all"]
GIT_READS = [*(each for each in READS if each.startswith("git ")), *MORE_GIT]


@pytest.mark.parametrize(
    "setting",
    [
        ("core.fsmonitor",), ("filter.x.clean",), ("filter.x.process",), ("diff.x.textconv",), ("diff.x.command",),
        ("diff.external",), ("core.pager",), ("pager.log",), ("gpg.program",
        "log.showSignature"), ("core.hooksPath",),
        ("gpg.program", "format.pretty"),
    ],
)  # fmt: skip
def test_no_setting_of_a_repository_starts_a_program_at_a_git_that_needs_no_question(
    project: Path, setting: tuple[str, ...]
) -> None:
    mark = project.parent / "mark"
    mark.write_text(f"#!/bin/sh\n: >>{project.parent}/ran\ncat\n")
    mark.chmod(0o755)
    hooks = project.parent / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").symlink_to(mark)
    values = {"core.hooksPath": str(hooks), "log.showSignature": "true", "format.pretty": "%G?"}
    for name in setting:
        git(project, "config", name, values.get(name, str(mark)))
    (project / ".gitattributes").write_text("* filter=x diff=x\n")
    (project / "a.txt").write_text("[2]\n")
    for command in GIT_READS:
        found = verdict(command, project)
        if found.action == "allow":
            runs(command, project, found)
        assert not (project.parent / "ran").exists(), command
    assert verdict("git status", project).action == ("allow" if setting == ("core.hooksPath",) else "ask")


def test_a_submodule_an_include_and_a_git_directory_elsewhere_are_asked_about(project: Path, tmp_path: Path) -> None:
    assert verdict("git status", project).action == "allow"
    nested = project / "vend"
    nested.mkdir()
    git(nested, "init", "-q")
    git(nested, "commit", "-q", "--allow-empty", "-m", "x")
    git(project, "add", "vend")
    assert "submodules" in verdict("git status", project).reason
    git(project, "reset", "-q", "--hard")
    git(project, "config", "include.path", "/dev/null")
    assert "include.path" in verdict("git status", project).reason
    git(project, "config", "--unset", "include.path")
    (project / ".git").rename(tmp_path / "elsewhere")
    (project / ".git").write_text(f"gitdir: {tmp_path}/elsewhere\n")
    assert "somewhere else" in verdict("git status", project).reason


def test_a_worktree_is_read_and_a_configuration_that_is_no_file_holds_nobody_up(project: Path) -> None:
    git(project, "worktree", "add", "-q", "../tree")
    assert verdict("git status", project.parent / "tree").action == "allow"
    (project / ".git" / "config").unlink()
    os.mkfifo(project / ".git" / "config")
    assert verdict("git status", project).action == "ask"


def bare_repository(folder: Path, program: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    git(folder, "config", "core.fsmonitor", str(program))
    git(folder, "config", "core.worktree", ".")
    git(folder, "config", "core.bare", "false")


def test_an_allow_for_git_covers_no_repository_but_that_of_the_project(project: Path) -> None:
    bare_repository(project / "vend", project / "mark")
    (project / "clone").mkdir()
    git(project / "clone", "init", "-q")
    rules: list[tuple[Action, str]] = [("allow", "bash(cd *)"), ("allow", "bash(git status*)")]
    for folder in ("vend", "clone", "clone/..//clone", "..", ".git", "vend/refs"):
        assert verdict(f"cd {folder} && git status", project, *rules).action == "ask", folder
    assert verdict("cd sub && git status", project, *rules).action == "allow"
    assert verdict("cd vend && git status", project, ("allow", "bash")).action == "ask"


def test_a_bare_repository_counts_in_every_form_that_git_takes_for_one(project: Path) -> None:
    for name in ("linked", "split"):
        bare_repository(project / name, project / "mark")
    (project / "linked" / "HEAD").unlink()
    (project / "linked" / "HEAD").symlink_to("refs/heads/none")
    (project / "vend").mkdir()
    (project / "vend" / "commondir").write_text("../split")
    (project / "split" / "HEAD").rename(project / "vend" / "HEAD")
    for name in ("linked", "vend"):
        command = ["git", "-c", "core.fsmonitor=", "rev-parse", "--git-dir"]
        assert subprocess.run(command, cwd=project / name, capture_output=True).stdout == b".\n"
        for line in (f"cd {name} && git status", f"git -C {name} status"):
            rules: list[tuple[Action, str]] = [
                ("allow", "bash(cd *)"),
                ("allow", "bash(git *)"),
                ("allow", f"bash({line})"),
            ]
            assert verdict(line, project, *rules).action == "ask", line


def test_an_option_of_git_does_not_lead_an_allow_into_another_repository(project: Path) -> None:
    for name in ("nest", "sub/nest"):
        (project / name).mkdir()
        git(project / name, "init", "-q")
    bare_repository(project / "vend", project / "mark")
    (project / "link").symlink_to("nest")
    for place in (
        "-C nest", "-C link", "-C sub -C nest", "-C sub/../nest", "-C nest -C .", "-c a.b=c -C vend",
        "--git-dir=nest/.git", "--git-dir nest/.git",
        "-C .. --git-dir=p/nest/.git", "--work-tree . --git-dir=vend", "-C vend/refs",
        "--no-pager -C nest",
    ):  # fmt: skip
        line = f"git {place} status"
        for rule in (f"bash({line})", f"bash(git {place} *)", "bash", "bash(git *)"):
            found = verdict(line, project, ("allow", rule))
            assert found.action == "ask", line
    for place in ("-C sub", "--git-dir=.git", "-C .", "-c a.b=c -C sub", "--git-dir .git --work-tree ."):
        assert verdict(f"git {place} status", project, ("allow", f"bash(git {place} status)")).action == "allow", place
    for place, expected in (
        ("./nest", "ask"),
        (f"file://{project}/vend", "ask"),
        ("origin", "allow"),
        ("-u h:a/b", "ask"),
    ):
        found = verdict(f"git push {place} main", project, ("allow", "bash(git push *)"))
        assert found.action == expected, place


def test_a_bare_repository_is_none_for_a_git_that_a_rule_lets_run(project: Path) -> None:
    mark = project.parent / "mark"
    mark.write_text(f"#!/bin/sh\n: >>{project.parent}/ran\n")
    mark.chmod(0o755)
    bare_repository(project / "vend", mark)
    found = verdict("git status", project, ("allow", "bash(git status)"))
    assert (found.action, found.git) == ("allow", "reads")
    runs("git status", project / "vend", found)  # as if the check had been passed by
    assert not (project.parent / "ran").exists()
    runs("git status", project / "vend", Verdict("allow"))
    assert (project.parent / "ran").exists()


def test_hooks_of_the_project_run_at_a_commit_that_a_rule_allows(project: Path) -> None:
    hook = project / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\n: >hooked\n")
    hook.chmod(0o755)
    command = "git -c user.name=n -c user.email=e@e.test commit -qam two"
    found = verdict("git commit -am two", project, ("allow", "bash(git commit *)"))
    assert (found.action, found.git) == ("allow", "writes")
    (project / "a.txt").write_text("[2]\n")
    runs(command, project, found)
    assert (project / "hooked").exists()


def test_variables_of_git_that_are_set_already_are_kept() -> None:
    base = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}
    found = base | quiet_environment(base, reads=True)
    count = int(found["GIT_CONFIG_COUNT"])
    values = {found[f"GIT_CONFIG_KEY_{at}"]: found[f"GIT_CONFIG_VALUE_{at}"] for at in range(count)}
    assert values["a.b"] == "c"
    assert values["safe.bareRepository"] == "explicit"
    assert "core.hooksPath" in values
    assert "GIT_CONFIG_KEY_1" in quiet_environment(base, reads=False)


# Whatever is put together


_WORDS = st.sampled_from([
    "-a", "-n", "-o", "-r", "-i", "-e", "-c", "-s", "-w", "--output=x", "-exec", "-delete", "1", "a.txt", "b.txt",
    "sub", ".",
    "*.txt", "*", "..", "../secret", "out", "new", "'1,2p'", "'w new'", "x", "HEAD", "--", "-O", "-f", "-d", "-v",
    "-u", "-", "+1", "a.*", "?.txt", "-ps", "-bc", "-Po", "-Io", "-l1", "x%n", "PATH", "--recursive", "-L", "sub/*",
])  # fmt: skip
_COMMANDS = st.tuples(
    st.sampled_from(sorted(name for name in READERS if name not in ("sleep", "rg") and name != "file")),
    st.lists(_WORDS, max_size=4),
).map(lambda parts: " ".join([parts[0], *parts[1]]))
_LINES = st.lists(_COMMANDS, min_size=1, max_size=2).map(" | ".join)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(_LINES)
def test_what_runs_without_a_question_changes_nothing_and_shows_nothing_from_outside(project: Path, line: str) -> None:
    found = verdict(line, project)
    if found.action != "allow":
        return
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and path.name != "out"}
    shown = runs(line, project, found)
    after = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and path.name != "out"}
    assert after == before
    assert b"s-e-c-r-e-t" not in shown


_LISTS = ("@names", "-n @names", "-- @names", "./@names", *(f"{each}names" for each in (
    "--files0-from=", "--files-from=", "--files-from ", "-f ", "-T ", "-X ", "-i ", "--from-file=", "--file=",
    "-c ", "--check ", "-I", "--pathspec-from-file=", "--exclude-from=", "-a @", "--fromfile ", "-", "+",
)))  # fmt: skip


_ELSEWHERE = "du", "file", "jq", "rg", "strings", "xxd"
"""Readers that some machines lack."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=[pytest.mark.needs(each)] if each in _ELSEWHERE else [])
        for each in READERS
        if each not in ("sleep", "cd", "tree")  # the last one is on few machines, and prints names alone
    ],
)
def test_no_reader_takes_the_files_that_it_reads_from_another_file(name: str, project: Path) -> None:
    secret = project.parent / "secret"
    for path in ("names", "@names"):
        (project / path).write_text(f"{secret}\n")
    judged = [(line, verdict(line, project)) for line in (f"{name} {words}" for words in _LISTS)]
    is_here = name in BUILTINS or find_program(name.split()[0])
    allowed = [(line, found) for line, found in judged if found.action == "allow" and is_here]
    assert [line for line, found in allowed if b"s-e-c-r-e-t" in runs(line, project, found)] == []


def test_builtins_are_readers_and_other_readers_are_looked_for_on_the_path() -> None:
    assert all(name in READERS for name in BUILTINS)
    assert find_program("ls") is not None
