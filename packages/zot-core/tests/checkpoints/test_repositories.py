"""What a command does to a repository itself is not undone, and named."""

import subprocess
from pathlib import Path

import pytest
from saved_work import bash, opens_in

from zot_core.runtime.restoring import Moved

COMMIT = ["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x"]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A repository with a file in its one commit."""
    work = tmp_path / "work"
    subprocess.run(["git", "init", "-q", work], check=True)
    (work / "a").write_text("before")
    subprocess.run(["git", "-C", work, "add", "a"], check=True)
    subprocess.run(["git", "-C", work, *COMMIT], check=True)
    return work


async def undo(work: Path, command: str) -> Moved:
    async with opens_in(work)(bash(f"{command}; echo after > a"), "done") as rt:
        await rt.ask("go")
        return await rt.branches.undo()


@pytest.mark.parametrize(
    ("command", "lost"),
    [
        ("rm -r .git/*", "HEAD, config, refs, objects"),
        ("rm -r .git/objects .git/refs", "refs, objects"),
        ("rm -r .git/objects/*", "objects"),
        ("rm .git/HEAD", "HEAD"),
    ],
)
async def test_a_repository_that_has_lost_parts_is_named_as_not_undone(work: Path, command: str, lost: str) -> None:
    moved = await undo(work, command)
    assert moved.problems == [f"{work / '.git'}: a repository, of which nothing is stored; it has lost {lost}"]
    assert moved.restored == [str(work / "a")]


async def test_a_worktree_that_a_command_made_stays_one(work: Path) -> None:
    moved = await undo(work, "git worktree add -q made; echo more > made/new")
    assert moved.problems == [
        f"{work / 'made' / '.git'}: a repository, of which nothing is stored; it is new, and stays"
    ]
    assert moved.restored == [str(work / "a")]
    subprocess.run(
        ["git", "-C", work / "made", "rev-parse", "--verify", "-q", "HEAD"], check=True, stdout=subprocess.DEVNULL
    )
