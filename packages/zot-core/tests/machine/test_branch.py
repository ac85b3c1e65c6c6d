import os
import subprocess
from pathlib import Path

import pytest

from zot_core.machine.branch import branch


def git(folder: Path, *arguments: str) -> str:
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    env = {**os.environ, **names}
    done = subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "deep" / "er").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_the_branch_of_a_repository_and_of_a_folder_in_it(repository: Path) -> None:
    assert branch(str(repository)) == "main"
    assert branch(str(repository / "deep" / "er")) == "main"
    git(repository, "checkout", "-q", "-b", "feature/x")
    assert branch(str(repository)) == "feature/x"


def test_a_repository_without_a_commit_has_a_branch(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    assert branch(str(tmp_path)) == "trunk"


def test_a_detached_head_is_told_by_its_hash(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    assert branch(str(repository)) == git(repository, "rev-parse", "HEAD")[:7]


def test_a_worktree_has_a_branch_of_its_own(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    assert branch(str(tmp_path / "tree")) == "side"
    assert branch(str(repository)) == "main"


def test_a_relative_gitdir_is_relative_to_its_file(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").write_text("gitdir: ../repository/.git\n")
    assert branch(str(other)) == "main"


def test_outside_of_a_repository_there_is_none(tmp_path: Path) -> None:
    assert branch(str(tmp_path)) == ""
    assert branch(str(tmp_path / "nowhere")) == ""


@pytest.mark.parametrize("head", [b"", b"ref:", b"\xff\xfe\x00", b"ref: refs/heads/.invalid\n", b"not a hash\n"])
def test_a_head_that_says_nothing_is_no_branch(repository: Path, head: bytes) -> None:
    (repository / ".git" / "HEAD").write_bytes(head)
    assert branch(str(repository)) == ""


def test_a_branch_holds_nothing_that_a_terminal_would_obey(repository: Path) -> None:
    (repository / ".git" / "HEAD").write_bytes(b"ref: refs/heads/a\x1b[2J\x1b[31mb\rc\n")
    assert "\x1b" not in branch(str(repository))
    assert branch(str(repository)).startswith("a")


def test_a_pipe_in_the_place_of_head_is_not_waited_for(repository: Path) -> None:
    (repository / ".git" / "HEAD").unlink()
    os.mkfifo(repository / ".git" / "HEAD")
    assert branch(str(repository)) == ""
