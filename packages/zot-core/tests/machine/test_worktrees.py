"""Worktrees, with real git."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from zot_core.aio import GivenUp
from zot_core.machine.worktrees import (
    Worktree,
    WorktreeError,
    WorktreeLimits,
    WorktreeWork,
    add_worktree,
    commit_worktree,
    drop_branch,
    finish_worktree,
    left_in,
    merge_worktree,
    remove_worktree,
    worktrees_folder,
)

LIMITS = WorktreeLimits()


def git(folder: Path | str, *arguments: str, check: bool = True) -> str:
    author = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(["git", *author, *arguments], cwd=folder, check=check, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit, in which `a.txt` is `one`."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "a.txt").write_text("one\n")
    (folder / ".gitignore").write_text("*.log\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def add(project: Path, name: str = "agent-1", check: Callable[[], None] = lambda: None) -> Worktree:
    return add_worktree(str(project), str(project.parent / "trees"), name, LIMITS, check)


def write(worktree: Worktree, text: str = "two\n", name: str = "a.txt") -> None:
    Path(worktree.folder, name).write_text(text)


def branches(project: Path) -> list[str]:
    return git(project, "branch", "--list", "zot/*", "--format=%(refname:short)").split()


def test_work_in_a_worktree_is_a_commit_on_its_branch_and_the_folder_is_removed(project: Path) -> None:
    worktree = add(project)
    write(worktree)
    write(worktree, "new\n", "b.txt")
    work = finish_worktree(worktree, "agent 1: do it", LIMITS)
    assert (work.branch, work.commits, work.folder, work.problem) == ("zot/agent-1", 1, "", "")
    assert work.line == (
        "its work is on the branch zot/agent-1 (1 commit, 2 files changed, 2 insertions(+), 1 deletion(-));"
        " to take it: git merge zot/agent-1"
    )
    assert not os.path.exists(os.path.dirname(worktree.folder))
    assert git(project, "show", "zot/agent-1:b.txt") == "new"
    assert git(project, "log", "-1", "--format=%s", "zot/agent-1") == "agent 1: do it"
    assert (project / "a.txt").read_text() == "one\n"


def test_a_worktree_without_changes_leaves_nothing(project: Path) -> None:
    worktree = add(project)
    write(worktree, "ignored\n", "build.log")
    work = finish_worktree(worktree, "nothing", LIMITS)
    assert work.line == "it changed no files"
    assert not branches(project)
    assert git(project, "worktree", "list").count("\n") == 0
    assert not os.path.exists(worktree.folder)


def test_commits_of_the_agent_itself_count_too(project: Path) -> None:
    worktree = add(project)
    write(worktree)
    git(worktree.folder, "commit", "--quiet", "-a", "-m", "its own")
    write(worktree, "three\n")
    work = finish_worktree(worktree, "the rest", LIMITS)
    assert work.commits == 2


def test_a_second_worktree_of_a_name_gets_another_one(project: Path) -> None:
    assert [add(project).branch for _ in range(3)] == ["zot/agent-1", "zot/agent-1-2", "zot/agent-1-3"]


def test_the_folder_is_that_of_the_repository_around(project: Path) -> None:
    (project / "part").mkdir()
    assert worktrees_folder("/trees", str(project / "part")) == worktrees_folder("/trees", str(project))
    assert worktrees_folder("/trees", str(project.parent)).startswith(f"/trees/{project.parent.name[:40]}")


def test_a_worktree_says_how_many_changes_are_not_in_it(project: Path) -> None:
    (project / "a.txt").write_text("changed\n")
    (project / "new.txt").write_text("new\n")
    worktree = add(project)
    assert worktree.left_out == 2
    assert Path(worktree.folder, "a.txt").read_text() == "one\n"


def test_without_a_repository_or_a_commit_there_is_no_worktree(tmp_path: Path) -> None:
    with pytest.raises(WorktreeError, match="needs a git repository"):
        add(tmp_path)
    git(tmp_path, "init", "--quiet")
    with pytest.raises(WorktreeError, match="needs a commit"):
        add(tmp_path)


def test_a_worktree_that_cannot_be_made_leaves_nothing(project: Path) -> None:
    git(project, "branch", "zot")  # no branch can be below it
    with pytest.raises(WorktreeError, match=r"^git worktree: "):
        add(project)
    (project.parent / "trees").rmdir()  # nothing is in it
    (project.parent / "trees").write_text("a file")
    with pytest.raises(WorktreeError, match="a worktree cannot be made there"):
        add(project)


def test_giving_up_ends_git_and_removes_what_was_made(project: Path, tmp_path: Path) -> None:
    begun, heard = tmp_path / "begun", tmp_path / "heard"
    git(project, "config", "filter.slow.smudge", f"trap 'touch {heard}; exit' TERM; touch {begun}; sleep 100 & wait")
    (project / ".gitattributes").write_text("*.txt filter=slow\n")
    git(project, "add", ".gitattributes")
    git(project, "commit", "--quiet", "-m", "slow")

    def check() -> None:
        if begun.exists():
            raise GivenUp

    with pytest.raises(GivenUp):
        add(project, check=check)
    assert heard.exists(), "git could not remove its locks"
    assert not branches(project)
    assert git(project, "worktree", "list").count("\n") == 0
    with pytest.raises(WorktreeError, match=r"takes longer than 0.2 s"):
        add_worktree(str(project), str(project.parent / "trees"), "b", WorktreeLimits(0.2))


def test_a_worktree_is_neither_made_nor_removed_while_another_zot_does(project: Path) -> None:
    worktree, asked = add(project), []

    def check() -> None:
        asked.append(1)
        if len(asked) == 5:
            raise GivenUp

    lock = os.open(project / ".git", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with pytest.raises(GivenUp):
        add(project, "agent-2", check)
    with pytest.raises(WorktreeError, match=r"others have made or removed worktrees for 0.1 s"):
        remove_worktree(worktree, WorktreeLimits(0.1))
    assert os.path.isdir(worktree.folder)
    os.close(lock)
    assert add(project, "agent-2").branch == "zot/agent-2"
    remove_worktree(worktree, LIMITS)


def test_agents_that_begin_and_end_at_the_same_time_keep_out_of_each_others_way(project: Path) -> None:
    def work(number: int) -> list[str]:
        done = []
        for round in range(3):
            worktree = add(project, f"agent-{number}")
            write(worktree, f"{number} {round}\n")
            done.append(finish_worktree(worktree, "work", LIMITS).problem)
        return done

    with ThreadPoolExecutor() as pool:
        assert list(pool.map(work, range(3))) == [[""] * 3] * 3
    assert len(branches(project)) == 9


def test_what_the_person_has_deleted_is_reported(project: Path) -> None:
    worktree = add(project)
    shutil.rmtree(worktree.folder)
    work = finish_worktree(worktree, "gone", LIMITS)
    assert work.problem == "the folder is gone; what was committed is on the branch zot/agent-1"
    assert branches(project) == ["zot/agent-1"]
    remove_worktree(worktree, LIMITS)
    drop_branch(worktree, LIMITS)
    assert not branches(project)


@pytest.mark.parametrize("kind", ["a file", "a repository", "nothing"])
def test_a_replaced_pointer_to_the_repository_runs_nothing(project: Path, tmp_path: Path, kind: str) -> None:
    worktree = add(project)
    os.unlink(os.path.join(worktree.folder, ".git"))
    if kind == "a repository":
        git(worktree.folder, "init", "--quiet")
        git(worktree.folder, "config", "core.fsmonitor", f"touch {tmp_path}/ran")
    elif kind == "a file":
        git(tmp_path, "init", "--quiet", "evil")
        write(worktree, f"gitdir: {tmp_path}/evil/.git\n", ".git")
    work = finish_worktree(worktree, "bad", LIMITS)
    assert work.line == (
        f"its worktree {worktree.folder} is kept: its .git was replaced; look at it before you run git there"
    )
    assert not (tmp_path / "ran").exists()


def test_a_merge_that_has_not_ended_is_kept(project: Path) -> None:
    worktree = add(project)
    write(worktree)
    git(worktree.folder, "commit", "--quiet", "-a", "-m", "its own")
    (project / "a.txt").write_text("other\n")
    git(project, "commit", "--quiet", "-a", "-m", "other")
    main = git(project, "branch", "--show-current")
    git(worktree.folder, "merge", main, check=False)
    work = finish_worktree(worktree, "x", LIMITS)
    assert work.problem == "a merge or a rebase in it has not ended"
    assert "<<<<<<<" in Path(worktree.folder, "a.txt").read_text()


def test_another_branch_in_the_worktree_is_kept(project: Path) -> None:
    worktree = add(project)
    git(worktree.folder, "checkout", "--quiet", "--detach")
    write(worktree)
    work = finish_worktree(worktree, "x", LIMITS)
    assert work.problem == "its branch is no longer zot/agent-1"
    assert Path(worktree.folder, "a.txt").read_text() == "two\n"


def test_a_repository_in_the_worktree_is_kept(project: Path) -> None:
    worktree = add(project)
    inner = Path(worktree.folder, "inner")
    inner.mkdir()
    git(inner, "init", "--quiet")
    git(inner, "commit", "--quiet", "--allow-empty", "-m", "inner")
    work = finish_worktree(worktree, "x", LIMITS)
    assert "submodules" in work.problem
    assert inner.exists()


def test_a_branch_that_has_moved_is_not_deleted(project: Path) -> None:
    worktree = add(project)
    write(worktree)
    work = commit_worktree(worktree, "x", LIMITS)
    with pytest.raises(WorktreeError):
        remove_worktree(worktree.replace(folder=f"{worktree.folder}-2"), LIMITS)
    remove_worktree(worktree, LIMITS, force=True)
    with pytest.raises(WorktreeError):
        drop_branch(worktree, LIMITS)
    drop_branch(worktree, LIMITS, work.commit)
    assert not branches(project)


def test_changes_that_are_not_committed_are_dropped_by_force_only(project: Path) -> None:
    worktree = add(project)
    write(worktree)
    with pytest.raises(WorktreeError, match="contains modified or untracked files"):
        remove_worktree(worktree, LIMITS)
    remove_worktree(worktree, LIMITS, force=True)
    assert not os.path.exists(worktree.folder)


def finished(project: Path, text: str = "two\n") -> tuple[Worktree, WorktreeWork]:
    worktree = add(project)
    write(worktree, text)
    return worktree, finish_worktree(worktree, "x", LIMITS)


def test_a_branch_is_merged(project: Path) -> None:
    worktree, _ = finished(project)
    assert merge_worktree(worktree, LIMITS) == "1 file changed, 1 insertion(+), 1 deletion(-)"
    assert (project / "a.txt").read_text() == "two\n"
    assert merge_worktree(worktree, LIMITS) == "nothing to merge"


@pytest.mark.parametrize(
    ("name", "author"), [("", "zot <zot@localhost>"), ("Ada", "Ada <ada@b>")], ids=["no name", "a name"]
)
def test_a_merge_is_by_the_person_or_by_zot_if_git_knows_no_name(project: Path, name: str, author: str) -> None:
    worktree, _ = finished(project)
    if name:
        git(project, "config", "user.name", name)
        git(project, "config", "user.email", "ada@b")
    (project / "b.txt").write_text("mine\n")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "mine")
    merge_worktree(worktree, LIMITS)
    assert git(project, "log", "-1", "--format=%an <%ae>") == author
    assert len(git(project, "log", "-1", "--format=%p").split()) == 2


def test_a_merge_with_conflicts_leaves_the_project_as_it_was(project: Path) -> None:
    worktree, _ = finished(project)
    (project / "a.txt").write_text("mine\n")
    git(project, "commit", "--quiet", "-a", "-m", "mine")
    (project / "b.txt").write_text("not committed\n")
    before = git(project, "rev-parse", "HEAD")
    with pytest.raises(WorktreeError, match=r"zot/agent-1 conflicts with a\.txt; to solve that: git merge zot/agent-1"):
        merge_worktree(worktree, LIMITS)
    assert git(project, "rev-parse", "HEAD") == before
    assert (project / "a.txt").read_text() == "mine\n"
    assert git(project, "status", "--porcelain") == "?? b.txt"


def test_a_merge_over_changes_that_are_not_committed_is_refused(project: Path) -> None:
    worktree, _ = finished(project)
    (project / "a.txt").write_text("mine\n")
    with pytest.raises(WorktreeError, match="would be overwritten by merge"):
        merge_worktree(worktree, LIMITS)
    assert (project / "a.txt").read_text() == "mine\n"


def test_a_merge_that_has_not_ended_is_not_touched(project: Path) -> None:
    worktree, _ = finished(project)
    (project / "a.txt").write_text("mine\n")
    git(project, "commit", "--quiet", "-a", "-m", "mine")
    git(project, "merge", worktree.branch, check=False)
    with pytest.raises(WorktreeError, match="has not ended"):
        merge_worktree(worktree, LIMITS)
    assert "<<<<<<<" in (project / "a.txt").read_text()


def test_without_git_the_error_says_so(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worktree = add(project)
    monkeypatch.setenv("PATH", str(project))
    with pytest.raises(WorktreeError, match="git is not installed"):
        remove_worktree(worktree, LIMITS)
    with pytest.raises(WorktreeError, match="git is not installed"):
        add(project)
    monkeypatch.undo()
    shutil.rmtree(project)
    with pytest.raises(WorktreeError, match="is gone"):
        remove_worktree(worktree, LIMITS)


def test_what_is_only_in_a_worktree_is_counted_until_another_branch_has_it(project: Path) -> None:
    worktree = add(project)
    assert left_in(worktree, LIMITS).line == ""
    write(worktree)
    assert left_in(worktree, LIMITS).line == "1 changed file"
    git(worktree.folder, "commit", "--quiet", "-a", "-m", "one")
    git(worktree.folder, "switch", "--quiet", "--detach")
    git(worktree.folder, "commit", "--quiet", "--allow-empty", "-m", "beside its branch")
    write(worktree, name="new.txt")
    write(worktree, name="newer.txt")
    assert left_in(worktree, LIMITS).line == "2 commits and 2 changed files"
    shutil.rmtree(worktree.folder)
    assert left_in(worktree, LIMITS).line == "1 commit"
    git(project, "merge", "--quiet", worktree.branch)
    assert left_in(worktree, LIMITS).line == ""
    git(project, "update-ref", "-d", f"refs/heads/{worktree.branch}")
    assert left_in(worktree, LIMITS).line == ""
    shutil.rmtree(project)
    with pytest.raises(WorktreeError, match="is gone"):
        left_in(worktree, LIMITS)
