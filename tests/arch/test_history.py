"""`scripts/check_history.py`, on repositories that git makes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = "scripts/check_history.py"
WHY = "A reason."


class Repository:
    """A repository in which the check was added by its first commit, and `packages/zot-core/src/zot_core/tools` is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("an old commit, from before the rules", body="")
        (path / "scripts").mkdir()
        shutil.copyfile(ROOT / SCRIPT, path / SCRIPT)
        tool = path / "packages" / "zot-core" / "src" / "zot_core" / "tools" / "read.py"
        tool.parent.mkdir(parents=True)
        tool.touch()
        self.git("add", ".")
        self.commit("what adds the check is not checked", body="")

    def git(self, *arguments: str) -> str:
        names = {f"GIT_{who}_{what}": "someone" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        env = os.environ | names | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *arguments], cwd=self.path, env=env, check=True, capture_output=True, text=True
        ).stdout

    def commit(self, subject: str, body: str = WHY) -> None:
        self.git("commit", "--quiet", "--allow-empty", "--message", f"{subject}\n\n{body}")

    def merge(self, subject: str) -> None:
        self.git("switch", "--quiet", "--create", "branch", "HEAD~1")
        self.commit("core: keep the exit code of a command")
        self.git("switch", "--quiet", "main")
        self.git("merge", "--quiet", "--no-ff", "--message", subject, "branch")

    def check(self) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, SCRIPT], cwd=self.path, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        return done.returncode, done.stdout.decode()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


@pytest.mark.parametrize(
    "subject",
    [
        "core: keep the exit code of a command that was cancelled",
        "core, scripts: read the table once",
        "tools: offer `ls` where a model asks for it",
        "scripts: re-read, and print, the table",
        "scripts: Bump the group of actions with 2 updates",
    ],
)
def test_a_commit_that_does_one_thing_and_says_why_passes(repository: Repository, subject: str) -> None:
    repository.commit(subject)
    assert repository.check() == (0, "")


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("Fix the build", "its subject is not `package: verb object`"),
        ("core:", "its subject is not `package: verb object`"),
        ("kernel: keep the exit code", "'kernel' is no package and no folder"),
        ("core: the exit code is kept", "'the' is no verb with an object"),
        ("core: Keep the exit code", "'Keep' is no verb with an object"),
        ("core: cleanup", "'cleanup' is no verb with an object"),
        ("core: keep the exit code; read the table", "its subject names two things"),
        ("core: keep the exit code.", "ends with a period"),
        (f"core: keep {'everything ' * 10}", "is longer than 100 characters"),
    ],
)
def test_a_subject_that_is_no_package_verb_and_object_fails(repository: Repository, subject: str, fault: str) -> None:
    repository.commit(subject)
    code, said = repository.check()
    assert code == 1
    assert fault in said


@pytest.mark.parametrize("body", ["", "Signed-off-by: Someone <a@b.example>\nRefs: 12"])
def test_a_commit_without_a_reason_fails(repository: Repository, body: str) -> None:
    repository.commit("core: keep the exit code", body)
    code, said = repository.check()
    assert code == 1
    assert "it has no body that says why" in said


def test_the_merge_of_a_branch_fails_and_so_does_what_it_brings(repository: Repository) -> None:
    repository.commit("core: read the table once")
    repository.merge("Merge branch 'branch'")
    code, said = repository.check()
    assert code == 1
    assert "it merges a branch" in said


@pytest.mark.parametrize("subject", ["Merge pull request #12 from someone/branch", f"Merge {'a' * 40} into {'b' * 40}"])
def test_the_merge_of_a_pull_request_passes(repository: Repository, subject: str) -> None:
    repository.commit("core: read the table once")
    repository.merge(subject)
    assert repository.check() == (0, "")


def test_the_commits_that_a_pull_request_brings_are_checked(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "branch")
    repository.commit("wip")
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge pull request #1 from someone/branch", "branch")
    code, said = repository.check()
    assert code == 1
    assert "wip: its subject is not" in said


def test_a_clone_with_a_part_of_the_history_is_refused(repository: Repository, tmp_path: Path) -> None:
    part = tmp_path / "part"
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.path}", str(part))
    done = subprocess.run([sys.executable, SCRIPT], cwd=part, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "this clone has a part of the history; git fetch --unshallow\n"
