"""What a command does to a repository itself is not undone, and named."""

import subprocess
from functools import partial
from pathlib import Path

import pytest

from zot_core import Runtime
from zot_core.checkpoints.watch import Checkpoints
from zot_provider.testing import Call, ScriptedClient, Turn


@pytest.mark.parametrize(
    ("command", "lost"),
    [
        ("rm -r .git/*", "HEAD, config, refs, objects"),
        ("rm -r .git/objects .git/refs", "refs, objects"),
        ("rm -r .git/objects/*", "objects"),
        ("rm .git/HEAD", "HEAD"),
    ],
)
async def test_a_repository_that_has_lost_parts_is_named_as_not_undone(tmp_path: Path, command: str, lost: str) -> None:
    work = tmp_path / "work"
    subprocess.run(["git", "init", "-q", work], check=True)
    (work / "a").write_text("before")
    commit = ["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x"]
    subprocess.run(["git", "-C", work, "add", "a"], check=True)
    subprocess.run(["git", "-C", work, *commit], check=True)
    answers = [Turn(calls=[Call("bash", {"command": f"{command}; echo after > a"})]), "done"]
    checkpoints = partial(Checkpoints, str(tmp_path / "checkpoints"))
    async with Runtime("any-name", client=ScriptedClient(answers), cwd=work, checkpoints=checkpoints) as rt:
        await rt.ask("go")
        moved = await rt.branches.undo()
    assert moved.problems == [f"{work / '.git'}: a repository, of which nothing is stored; it has lost {lost}"]
    assert moved.restored == [str(work / "a")]
