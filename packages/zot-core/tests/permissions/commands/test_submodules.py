"""An allow for git and the submodules that it follows."""

import subprocess
from pathlib import Path

import pytest

from zot_core.permissions.judge import Judge
from zot_core.permissions.rule import parse_rule

ALLOWED = ("git status", "git diff --submodule=diff", "git commit -am x", "git add -A")


def git(folder: Path, *words: str) -> None:
    person = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *person, *words], cwd=folder, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "f").write_text("1\n")
    git(folder, "add", "f")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def answers(project: Path) -> set[str]:
    judge = Judge([parse_rule("allow", "bash(git *)")], "ask")
    return {judge.judge_command(line, str(project.resolve())).action for line in ALLOWED}


def test_an_allow_for_git_covers_no_project_with_a_submodule_that_has_its_own_git_directory(tmp_path: Path) -> None:
    project = repository(tmp_path / "p")
    nest = repository(project / "nest")
    assert answers(project) == {"allow"}  # git looks into no repository that it does not know
    git(project, "add", "nest")
    assert answers(project) == {"ask"}
    git(nest, "config", "filter.x.clean", f"touch {tmp_path}/ran; cat")
    (nest / ".gitattributes").write_text("f filter=x\n")
    (nest / "f").write_text("2\n")
    git(project, "status")
    assert (tmp_path / "ran").exists()  # which is why


@pytest.mark.parametrize("folder", ["", "sub"])
def test_an_allow_for_git_covers_a_project_with_submodules_that_git_has_cloned(tmp_path: Path, folder: str) -> None:
    other, project = repository(tmp_path / "other"), repository(tmp_path / "p")
    git(project, "submodule", "add", "-q", str(other), "lib")
    git(project, "commit", "-q", "-m", "two")
    (project / "sub").mkdir()
    assert answers(project / folder) == {"allow"}
    git(project, "submodule", "deinit", "-q", "-f", "lib")
    assert answers(project / folder) == {"allow"}
    git(project, "worktree", "add", "-q", "../tree")
    git(tmp_path / "tree", "submodule", "update", "-q", "--init")
    assert answers(tmp_path / "tree") == {"allow"}
