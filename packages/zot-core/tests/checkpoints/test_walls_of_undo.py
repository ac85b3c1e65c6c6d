"""What an undo may not do: write elsewhere, take the person's work, call something undone that is not."""

import asyncio
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from saved_work import Opens, bash, opens_in, write
from waiting import until

from zot_core.checkpoints.objects import ObjectStore
from zot_core.checkpoints.states import put_back, save
from zot_core.checkpoints.store import CheckpointLimits
from zot_core.errors import CheckpointError, FilesEdited, JobsRunning
from zot_core.events import AgentEvent, Done
from zot_core.machine.files import LocalFiles
from zot_core.sandbox.files import SandboxedFiles
from zot_core.sandbox.policy import make_policy
from zot_provider.testing import Call, Turn


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def opens(work: Path) -> Opens:
    return opens_in(work)


EXCHANGE = """
import ctypes, os, sys
folder, other = map(os.fsencode, sys.argv[1:])
os.symlink(other, folder + b".link")
libc = ctypes.CDLL(None)
print("ready", flush=True)
while libc.renameat2(-100, folder, -100, folder + b".link", 2) == 0:  # RENAME_EXCHANGE
    pass
"""


@contextmanager
def exchanging(folder: Path, other: Path) -> Iterator[None]:
    """Exchange a folder for a link to another one, and back, all the time."""
    with subprocess.Popen([sys.executable, "-c", EXCHANGE, folder, other], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield
            assert process.poll() is None
        finally:
            process.kill()


@pytest.mark.parametrize("sandboxed", [False, True], ids=["without a sandbox", "in a sandbox"])
async def test_a_folder_that_is_exchanged_for_a_link_meanwhile_leads_an_undo_nowhere_else(
    opens: Opens, work: Path, tmp_path: Path, sandboxed: bool
) -> None:
    keys = tmp_path / "keys"
    keys.mkdir()
    (work / "sub").mkdir()
    names = [f"{number}" for number in range(40)]
    for name in names:
        (work / "sub" / name).write_text("before")
        (keys / name).write_text("secret")
    policy = make_policy(str(work), zot_home=str(tmp_path / "z"), home=str(tmp_path / "h"))
    files = SandboxedFiles(policy) if sandboxed else LocalFiles()
    turns = [Turn(calls=[Call("write", {"path": f"sub/{name}", "content": "by zot"}) for name in names]), "done"]
    async with opens(*turns, files=files) as rt:
        await rt.ask("go")
        with exchanging(work / "sub", keys):
            for _ in range(10):
                await rt.branches.undo(force=True)
                await rt.branches.redo(force=True)
        assert {(keys / name).read_text() for name in names} == {"secret"}
        assert len(list(keys.iterdir())) == len(names)
    stored = [path.read_bytes() for path in tmp_path.glob("checkpoints/*/objects/??/*")]
    assert stored
    objects = ObjectStore(next(tmp_path.glob("checkpoints/*")).as_posix())
    assert not objects.has(ObjectStore(str(tmp_path / "another")).put(b"secret"))


def test_neither_a_look_nor_a_restoration_follows_a_folder_that_is_exchanged(tmp_path: Path) -> None:
    objects = ObjectStore(str(tmp_path / "store"))
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "file").write_text("secret")
    path = tmp_path / "a" / "b" / "file"
    path.write_text("mine")
    seen, restored, refused = set(), 0, 0
    state = save(str(path), objects, 1000)
    assert state is not None
    with exchanging(tmp_path / "a" / "b", tmp_path / "keys"):
        while refused < 500 or restored < 500:
            try:
                found = save(str(path), objects, 1000)
                seen.add(None if found is None else objects.get(found.id))
                put_back(str(path), state, objects)
                restored += 1
            except (OSError, CheckpointError):
                refused += 1
    assert seen <= {b"mine", None}
    assert (tmp_path / "keys" / "file").read_text() == "secret"
    assert [each.name for each in (tmp_path / "keys").iterdir()] == ["file"]


async def next_second(path: Path) -> None:
    """Wait until the time of a change is later than that of the file by more than a second."""
    tick = path.parent.parent / "tick"
    tick.touch()
    while int(tick.stat().st_ctime) <= int(path.stat().st_ctime) + 1:
        await asyncio.sleep(0.05)
        tick.touch()


@pytest.mark.parametrize("mode", [0o640, 0o600, 0o664, 0o755, 0o700, 0o444])
async def test_permissions_are_what_they_were(opens: Opens, work: Path, mode: int) -> None:
    names = ("edited", "replaced", "removed", "changed")
    for name in names:
        (work / name).write_text("before")
        (work / name).chmod(mode)
    await next_second(work / "changed")  # git compares times in seconds
    command = "rm -f removed replaced; echo new > replaced; chmod 0604 changed"
    async with opens(bash(command), "done") as rt:
        await rt.ask("one")
        assert stat.S_IMODE((work / "changed").stat().st_mode) == 0o604
        moved = await rt.branches.undo()
        assert moved.problems == []
    assert [stat.S_IMODE((work / name).stat().st_mode) for name in names] == [mode] * 4
    assert {(work / name).read_text() for name in names} == {"before"}
    # Another process knows the files from the index alone.
    async with opens(bash("rm -f *"), write("edited", "new"), "done") as rt:
        await rt.ask("two")
        await rt.branches.undo()
    assert [stat.S_IMODE((work / name).stat().st_mode) for name in names] == [mode] * 4


async def test_a_program_does_not_get_the_rights_of_its_owner_back(opens: Opens, work: Path) -> None:
    (work / "program").write_text("before")
    (work / "program").chmod(0o4755)
    async with opens(bash("rm program"), "done") as rt:
        await rt.ask("go")
        await rt.branches.undo()
    assert stat.S_IMODE((work / "program").stat().st_mode) == 0o755


async def test_a_file_with_several_links_keeps_them(opens: Opens, work: Path) -> None:
    (work / "a").write_text("before")
    os.link(work / "a", work / "b")
    async with opens(write("a", "after"), "done") as rt:
        await rt.ask("go")
        await rt.branches.undo()
    assert (work / "b").read_text() == "before"
    assert (work / "a").samefile(work / "b")


@pytest.mark.parametrize("end", ["done", "error"])
async def test_what_is_done_at_the_end_of_a_run_is_the_work_of_the_person(opens: Opens, work: Path, end: str) -> None:
    def formats(event: AgentEvent) -> None:
        if type(event) is Done:
            (work / "mine").write_text("mine")
            (work / "a").write_text("formatted")

    last = "done" if end == "done" else Turn(error=ValueError("broken"))
    async with opens(bash("echo 1 > a; echo 2 > b"), last) as rt:
        rt.hooks.event.add(formats)
        await rt.prompt("go")
        with pytest.raises(FilesEdited) as caught:
            await rt.branches.undo()
        assert caught.value.paths == [str(work / "a")]
        await rt.branches.undo(force=True)
    assert [each.name for each in work.iterdir()] == ["mine"]


@pytest.mark.parametrize("stopped", [False, True])
async def test_what_changes_while_the_search_takes_too_long_is_asked_about(
    opens: Opens, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    """A git that waits: the search for what a command changed ends only after `done`."""
    git, wait, waits = tmp_path / "bin" / "git", tmp_path / "wait", tmp_path / "waits"
    git.parent.mkdir()
    git.write_text(f"""#!/bin/sh
if [ -e {wait} ]; then touch {waits}; while [ -e {wait} ]; do sleep 0.01; done; fi
exec {shutil.which("git")} "$@"
""")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")
    (work / "old").write_text("old")
    limits = CheckpointLimits(done_seconds=0.01, stopped_seconds=0.01, seconds=60)
    command = f"echo 1 > a; echo 1 > early; touch {wait}" + ("; exec sleep 1000" if stopped else "")
    async with opens(bash(command), "done", limits=limits) as rt:
        run = rt.prompt("go")
        if stopped:
            await until(wait.exists)
            rt.cancel()
        assert await run == ("aborted" if stopped else "completed")
        await next_second(work / "early")  # the clock of the kernel has to be past what the command did
        (work / "a").write_text("by me")
        (work / "mine").write_text("by me")
        (work / "old").unlink()
        await until(waits.exists)
        wait.unlink()
        with pytest.raises(FilesEdited) as caught:
            await rt.branches.undo()
        assert {str(work / name) for name in ("a", "mine", "old")} <= set(caught.value.paths)
    assert (work / "mine").read_text() == (work / "a").read_text() == "by me"


def repository(folder: Path) -> Path:
    """Make a repository with a commit, and return its git directory."""
    options = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "init", "-q", folder], check=True)
    subprocess.run(["git", "-C", folder, *options, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    return folder / ".git"


@pytest.mark.parametrize(
    ("command", "named", "why"),
    [
        ("rm -rf .git", ".git", "it was removed"),
        ("mv .git ../elsewhere", ".git", "it was removed"),
        ("mv inside/.git ../inner; git init -q --bare bare; touch bare/objects/x", "bare", "it is new, and stays"),
        ("rm -rf .git; git init -q", ".git", "this is another one"),
        ("rm -rf inside", "inside/.git", "it was removed"),
        ("git init -q new && touch new/a && git -C new add a && git -C new -c user.name=a -c user.email=a@b "
         "commit -qm x", "new/.git", "it is new, and stays"),
    ],
)  # fmt: skip
async def test_a_repository_that_a_command_removed_or_made_is_named_as_not_undone(
    opens: Opens, work: Path, command: str, named: str, why: str
) -> None:
    repository(work)
    repository(work / "inside")
    (work / "a").write_text("before")
    async with opens(bash(f"{command}; echo after > a"), "done") as rt:
        await rt.ask("go")
        moved = await rt.branches.undo()
    assert moved.restored == [str(work / "a")]
    assert f"{work / named}: a repository, of which nothing is stored; {why}" in moved.problems
    assert len(moved.problems) == 1 + ("inner" in command)


async def test_a_repository_that_a_command_moved_keeps_its_history(opens: Opens, work: Path) -> None:
    repository(work)
    async with opens(bash("mv .git moved; echo after > a"), "done") as rt:
        await rt.ask("go")
        moved = await rt.branches.undo()
    named = [f"{work / name}: a repository, of which nothing is stored; " for name in (".git", "moved")]
    assert moved.problems == [f"{named[0]}it was removed", f"{named[1]}it is new, and stays"]
    assert moved.restored == [str(work / "a")]
    subprocess.run(["git", "--git-dir", work / "moved", "rev-parse", "--verify", "HEAD"], check=True)


@pytest.mark.parametrize("command", ["rm .gitignore", "rm -rf .git", "echo '# none' > .gitignore"])
async def test_what_was_left_out_is_not_taken_for_new_when_a_command_removes_the_rule(
    opens: Opens, work: Path, command: str
) -> None:
    excludes = repository(work) / "info" / "exclude"
    excludes.write_text("notes\n")
    (work / ".gitignore").write_text(".env\n")
    for name in (".env", "notes"):
        (work / name).write_text("mine")
    await next_second(work / "notes")
    async with opens(bash(f"{command}; echo new > new"), "done") as rt:
        await rt.ask("go")
        await rt.branches.undo()
    assert not (work / "new").exists()
    assert (work / ".env").read_text() == (work / "notes").read_text() == "mine"
    assert (work / ".gitignore").read_text() == ".env\n"


async def test_what_git_does_in_a_repository_is_no_change_of_files(opens: Opens, work: Path) -> None:
    repository(work)
    options = "-c user.name=a -c user.email=a@example.com"
    command = f"echo 1 > a; git add a; git {options} commit -qm x; git checkout -qb other; git gc -q"
    async with opens(bash(command), "done") as rt:
        await rt.ask("go")
        moved = await rt.branches.undo()
    assert (moved.restored, moved.problems) == ([str(work / "a")], [])


async def test_the_file_of_a_worktree_that_names_its_repository_is_undone(opens: Opens, work: Path) -> None:
    repository(work.parent / "main")
    shutil.rmtree(work)
    subprocess.run(["git", "-C", work.parent / "main", "worktree", "add", "-q", work], check=True)
    pointer = (work / ".git").read_text()
    async with opens(bash("rm .git"), "done") as rt:
        await rt.ask("go")
        moved = await rt.branches.undo()
    assert (moved.restored, moved.problems) == ([str(work / ".git")], [])
    assert (work / ".git").read_text() == pointer


async def test_an_undo_of_commands_that_were_not_covered_says_so(opens: Opens, work: Path) -> None:
    for number in range(4):
        (work / f"{number}").touch()
    async with opens(bash("rm 1"), write("a", "1"), "done", limits=CheckpointLimits(files=3)) as rt:
        await rt.ask("go")
        moved = await rt.branches.undo()
        assert moved.restored == [str(work / "a")]
        assert moved.problems == [f"{work}: what commands change here is not undone: the folder has more than 3 files"]
        assert await rt.branches.diff() == []


async def test_nothing_goes_back_with_files_while_a_job_runs_unless_it_is_stopped_first(
    opens: Opens, work: Path
) -> None:
    (work / "a").write_text("before")
    job = bash("exec sleep 1000", background=True)
    async with opens(job, "runs", write("a", "after"), "done", job, "again") as rt:
        await rt.ask("one")
        await rt.ask("two")
        for moves in (rt.branches.undo, lambda: rt.branches.go_back(rt.messages[0].id, before=True, force=True)):
            with pytest.raises(JobsRunning) as caught:
                await moves()
            assert caught.value.ids == ["1"]
        assert (work / "a").read_text() == "after"
        assert rt.messages[-1].text == "done"
        assert (await rt.branches.undo(stop_jobs=True)).restored == [str(work / "a")]
        assert rt.agent.context.jobs.running == []
        assert (work / "a").read_text() == "before"
        await rt.branches.redo()
        await rt.ask("three")
        with pytest.raises(JobsRunning):  # also where no file has changed: the job would go on unknown
            await rt.branches.undo()
        await rt.branches.undo(stop_jobs=True)
        assert rt.messages[-1].text == "done"


async def test_the_conversation_goes_back_alone_while_a_job_runs(opens: Opens) -> None:
    async with opens(bash("exec sleep 1000", background=True), "runs") as rt:
        await rt.ask("one")
        await rt.branches.go_back(rt.messages[0].id, before=True, restore="conversation")
        assert rt.messages == []


async def test_a_folder_that_was_private_is_private_again(opens: Opens, work: Path) -> None:
    (work / "keep").write_text("x")
    for name, mode in {"secret": 0o700, "shared": 0o750, "usual": 0o755, "read": 0o555}.items():
        (work / name / "in").mkdir(parents=True)
        (work / name / "in" / "key").write_text("x")
        (work / name).chmod(mode)
    (work / "usual" / "in").chmod(0o711)
    remove = "chmod -R u+w read && rm -r secret shared usual read"
    async with opens(bash("true"), "done", bash(remove), "done", bash("true"), "done") as rt:
        await rt.ask("look")
        (work / "usual").chmod(0o705)  # by the person, since then
        await rt.ask("go")
        await rt.ask("go on")
        assert not (work / "secret").exists()
        await rt.branches.undo(force=True)
        await rt.branches.undo(force=True)
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in work.iterdir() if path.is_dir()}
    assert found == {"secret": 0o700, "shared": 0o750, "usual": 0o705, "read": 0o755}
    assert stat.S_IMODE((work / "usual" / "in").stat().st_mode) == 0o711


async def test_an_undo_removes_the_folders_of_new_files_and_never_the_project(opens: Opens, work: Path) -> None:
    outside = work.parent / "out"
    async with opens(write("a/b/file", "x"), write(f"{outside}/file", "x"), "done") as rt:
        await rt.ask("go")
        await rt.branches.undo(force=True)
    assert [*work.iterdir()] == []
    assert outside.is_dir()
    assert [*outside.iterdir()] == []
