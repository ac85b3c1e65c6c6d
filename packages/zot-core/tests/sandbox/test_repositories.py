"""Attempts to plant a hook in a repository that is not simply `.git` in the project; with real bubblewrap and git."""

import subprocess
from pathlib import Path

import pytest
from sandbox_world import SandboxWorld

from zot_core.machine.worktrees import WorktreeLimits, add_worktree, commit_worktree, worktrees_folder
from zot_core.sandbox.sandbox import Sandbox, open_sandbox

pytestmark = pytest.mark.needs("bwrap")


def git(folder: Path, *arguments: str) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, *options: str) -> Path:
    """Make a repository with a commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", *options)
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "x")
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files below a folder. What cannot be renamed may be copied to `gone`."""
    found = (path for path in folder.rglob("*") if path.is_file() and "gone" not in path.parts)
    return {str(path): path.read_bytes() for path in found}


def attempt(world: SandboxWorld, sandbox: Sandbox, command: str, cwd: Path) -> None:
    """Run an attempt, which must fail and leave everything as it was."""
    before = files(world.folder)
    try:
        ended, _ = world.run(command, sandbox=sandbox, cwd=str(cwd))
    finally:
        sandbox.close()
    assert ended.exit_code
    assert files(world.folder) == before


PLANTS = ["echo x >$R/hooks/post-checkout", "mv $R gone && mkdir -p $R/hooks", "git config -f $R/config a.b c"]


@pytest.mark.parametrize("command", PLANTS)
@pytest.mark.parametrize("kind", ["a worktree", "a submodule"])
def test_the_repository_outside_that_a_pointer_leads_to_is_not_writable(
    world: SandboxWorld, kind: str, command: str
) -> None:
    main = repository(world.folder / "main")
    project = main / "part"
    if kind == "a submodule":
        git(main, "submodule", "add", "--quiet", str(repository(world.folder / "lib")), "part")
        real = main / ".git" / "modules" / "part"
    else:
        git(main, "worktree", "add", "--quiet", "part")
        real = main / ".git"
    sandbox = open_sandbox(str(project), zot_home=str(world.zot_home))
    attempt(world, sandbox, command.replace("$R", str(real)), project)


@pytest.mark.parametrize("command", [*PLANTS, "mv .git gone && mkdir -p .git/hooks", "echo 'gitdir: evil' >.git"])
@pytest.mark.parametrize("place", [".bare", "tools/repository"])
def test_the_repository_in_the_project_that_a_pointer_leads_to_is_not_writable(
    world: SandboxWorld, place: str, command: str
) -> None:
    project = world.folder / "pointed"
    (project / place).parent.mkdir(parents=True)
    repository(project / "new", f"--separate-git-dir={project / place}")
    (project / "new" / ".git").rename(project / ".git")
    sandbox = open_sandbox(str(project), zot_home=str(world.zot_home))
    attempt(world, sandbox, command.replace("$R", place), project)


def test_a_repository_in_the_project_can_be_made_writable_like_any_other(world: SandboxWorld) -> None:
    project = repository(world.folder / "pointed", f"--separate-git-dir={world.folder / 'pointed' / '.bare'}")
    sandbox = open_sandbox(str(project), zot_home=str(world.zot_home), git="write")
    assert world.run("echo x >.bare/index.lock", sandbox=sandbox, cwd=str(project))[0].exit_code == 0
    sandbox.close()


@pytest.mark.parametrize(
    "command",
    [
        "echo x >.git/hooks/post-checkout",
        "mkdir -p .zot && echo x >.zot/config.json",
        "cd .. && mv project gone && mkdir -p project/.git/hooks",
        "cd .. && mv deep/other gone && mkdir -p deep/other/.git/hooks",
        "cd ../.. && mv work gone && mkdir work",
        "cd ../deep && mv other/.git gone",
    ],
)
def test_a_folder_of_work_around_others_leaves_them_protected(world: SandboxWorld, command: str) -> None:
    work = world.folder / "work"
    project, other = repository(work / "project"), repository(work / "deep" / "other")
    sandbox = open_sandbox(str(project), zot_home=str(world.zot_home), writable=[str(other), str(work)])
    attempt(world, sandbox, command, project)


def test_a_hidden_folder_in_the_project_keeps_its_place(world: SandboxWorld) -> None:
    world.write("project/deep/keys/a", "hidden")
    sandbox = world.open(hidden=[str(world.project / "deep" / "keys")])
    for command in ("mv deep gone", "cat deep/keys/a", "cat */keys/a */*/keys/a"):
        ended, text = world.run(command, sandbox=sandbox)
        assert ended.exit_code
        assert text != "hidden"
    assert (world.project / "deep" / "keys" / "a").read_text() == "hidden"


def test_a_worktree_of_an_agent_is_writable_and_its_repository_is_not(world: SandboxWorld) -> None:
    project = repository(world.folder / "main")
    folder = worktrees_folder(str(world.zot_home / "worktrees"), str(project))
    sandbox = open_sandbox(str(project), zot_home=str(world.zot_home), worktrees=folder)
    worktree = add_worktree(str(project), str(world.zot_home / "worktrees"), "agent-1", WorktreeLimits())
    try:
        ended, _ = world.run("echo x >a.txt && git status --short", sandbox=sandbox, cwd=worktree.folder)
        assert ended.exit_code == 0
        ended, _ = world.run("git add a.txt", sandbox=sandbox, cwd=worktree.folder)
        assert ended.exit_code
        ended, _ = world.run(f"cat {world.zot_home}/auth.json", sandbox=sandbox, cwd=worktree.folder)
        assert ended.exit_code
    finally:
        sandbox.close()
    assert commit_worktree(worktree, "x", WorktreeLimits()).commits == 1
