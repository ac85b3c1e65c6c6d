"""A file that a command did not make, but that a look sees for the first time, is no file for undo to remove."""

import os
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from saved_work import bash, opens_in

from zot_core.checkpoints.states import CLOCK_SECONDS
from zot_core.checkpoints.store import CheckpointLimits
from zot_core.errors import FilesEdited
from zot_core.runtime.restoring import Moved

Undoes = Callable[..., Awaitable[Moved]]

STAYS = "it was there before, out of sight, and stays"
FOLDER_STAYS = "its files were there before, out of sight; they stay"


def pass_time() -> None:
    """Let the clock of the kernel, which is coarser than that of a look, go on after files were made."""
    end = time.time() + 4 * CLOCK_SECONDS
    while time.time() < end:
        time.sleep(CLOCK_SECONDS)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    for name in ("", "sub", "built"):
        subprocess.run(["git", "init", "-q", work / name], check=True)
    (work / "built" / ".git").rename(tmp_path / "unused")
    (work / ".git" / "info" / "exclude").write_text("notes\n")
    (work / ".gitignore").write_text(".env\nbuilt/\n*.o\n")
    for name in (".env", "notes", "a", "sub/f", "built/x", "../outside"):
        (work / name).write_text(f"only {name}")
    pass_time()
    return work


@pytest.fixture
def undoes(work: Path) -> Undoes:
    async def undo(command: str, limits: CheckpointLimits | None = None, *, force: bool = False) -> Moved:
        pass_time()
        async with opens_in(work)(bash(command), "done", limits=limits) as rt:
            await rt.ask("go")
            return await rt.branches.undo(force=force)

    return undo


@pytest.mark.parametrize(
    ("command", "file", "text"),
    [
        ("mv ../outside moved", "moved", "only ../outside"),
        ("echo more >> ../outside; mv ../outside moved", "moved", "only ../outsidemore\n"),
        ("mv .env moved", "moved", "only .env"),
        ("mv built moved", "moved/x", "only built/x"),
        ("mv sub/f moved", "moved", "only sub/f"),
        (": > .git/info/exclude", "notes", "only notes"),
        ("rm .git/info/exclude; sed -i s/only/changed/ notes", "notes", "changed notes"),
        ("rm -r .git; git init -q", "notes", "only notes"),
        ("sed -i /env/d .gitignore; sed -i s/only/changed/ .env", ".env", "changed .env"),
    ],
)
async def test_what_only_came_into_sight_stays_and_is_named(
    undoes: Undoes, work: Path, command: str, file: str, text: str
) -> None:
    moved = await undoes(f"{command}; echo new > new; echo changed > a", force=True)
    assert (work / file).read_text() == text
    assert f"{work / file}: {STAYS}" in moved.problems
    assert not (work / "new").exists()
    assert (work / "a").read_text() == "only a"


@pytest.mark.parametrize(
    "command", ["rm -r sub/.git", "mv sub/.git ../elsewhere", "rm sub/.git/HEAD", "rm -r sub/.git/*"]
)
async def test_the_files_around_a_repository_that_is_gone_stay_and_are_named_once(
    undoes: Undoes, work: Path, command: str
) -> None:
    (work / "sub" / "g").write_text("g")
    moved = await undoes(command)
    assert [line for line in moved.problems if ".git: " not in line] == [f"{work / 'sub'}: {FOLDER_STAYS}"]
    assert len(moved.problems) == 2
    assert (moved.restored, (work / "sub" / "f").read_text()) == ([], "only sub/f")


async def test_a_submodule_that_is_cut_off_keeps_its_files(undoes: Undoes, work: Path) -> None:
    who = ["-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "-C", work / "sub", *who, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run(["git", "-C", work, *who, "submodule", "--quiet", "add", work / "sub", "module"], check=True)
    (work / "module" / "f").write_text("only")
    moved = await undoes("rm module/.git", force=True)
    assert (work / "module" / "f").read_text() == "only"
    assert moved.restored == [str(work / "module" / ".git")]
    assert [line for line in moved.problems if "module" in line]


@pytest.mark.parametrize(
    "command",
    [
        "sed s/only/changed/ .env > copied; rm .env",
        "sed -i s/only/changed/ .env; mv .env copied",
        "cp -p ../outside copied; rm ../outside",
        "mv ../outside a",
        "sed -i /built/d .gitignore; sed -i s/only/changed/ built/x",
        "rm -r sub/.git; sed -i s/only/changed/ sub/f",
    ],
)
async def test_what_may_be_the_only_copy_is_asked_about(undoes: Undoes, work: Path, command: str) -> None:
    with pytest.raises(FilesEdited):
        await undoes(command)


@pytest.mark.parametrize(
    ("command", "lost", "verb"),
    [
        ("rm .env", ".env", "removed"),
        ("echo new > .env", ".env", "changed"),
        ("echo new > fresh; mv fresh .env", ".env", "changed"),
        ("cat .env > copied; rm .env", ".env", "removed"),
        ("mv .env moved", ".env", "removed"),
        ("rm notes", "notes", "removed"),
        ("rm -r built", "built", "removed"),
        ("git clean -qfdx", ".env", "removed"),
        ("git stash -qa", ".env", "removed"),
    ],
)
async def test_what_is_out_of_sight_and_lost_is_named(
    undoes: Undoes, work: Path, command: str, lost: str, verb: str
) -> None:
    subprocess.run(["git", "-C", work, "config", "user.name", "a"], check=True)
    subprocess.run(["git", "-C", work, "config", "user.email", "a@example.com"], check=True)
    subprocess.run(["git", "-C", work, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    moved = await undoes(f"{command}; echo changed > a", force=True)
    assert f"{work / lost}: it was left out of what is stored, and a command has {verb} it" in moved.problems
    assert (work / "a").read_text() == "only a"


@pytest.mark.parametrize("command", ["touch .env", "echo > new.o", "cat .env notes", "cp .env t; cp t .env; rm t"])
async def test_what_is_out_of_sight_and_as_it_was_is_not(undoes: Undoes, work: Path, command: str) -> None:
    assert (await undoes(f"{command}; echo changed > a", force=True)).problems == []


@pytest.mark.parametrize(
    "command", ["cat .env > copied; rm .env", "cp .env t; rm .env; mv t copied", "cat .env > a; rm .env"]
)
async def test_the_only_copy_of_what_a_command_has_removed_stays(undoes: Undoes, work: Path, command: str) -> None:
    moved = await undoes(f"{command}; echo new > new", force=True)
    copy = work / ("a" if "> a" in command else "copied")
    assert copy.read_text() == "only .env"
    assert f"{copy}: it may be all that is left of what a command has removed, and stays" in moved.problems
    assert not (work / "new").exists()


async def test_of_many_lost_files_some_are_named_and_the_others_counted(undoes: Undoes, work: Path) -> None:
    for number in range(25):
        (work / f"{number}.o").write_text(str(number))
    problems = (await undoes("rm *.o", force=True)).problems
    assert problems[0] == f"{work}: 5 more files that are left out of what is stored were changed"
    assert len(problems) == 21


@pytest.mark.parametrize(
    "command",
    [
        "mv a moved",
        "mv a moved; echo more >> moved",
        "mv a moved; sed -i s/only/changed/ moved",
        "cp -p a copied",
        "mkdir deep; ln a deep/linked",
        "mkdir objects; echo > objects/x.o; echo > objects/x.c",
        "echo > sub/new; echo > built/new; echo new > new",
    ],
)
async def test_what_a_command_made_is_removed_without_a_question(undoes: Undoes, work: Path, command: str) -> None:
    ignored = {"objects/x.o", "built/new", "sub/new"}
    before = {str(path.relative_to(work)) for path in work.rglob("*") if ".git/" not in str(path)}
    moved = await undoes(command)
    after = {str(path.relative_to(work)) for path in work.rglob("*") if ".git/" not in str(path)}
    assert after - ignored - {"objects"} == before
    assert (moved.problems, (work / "a").read_text()) == ([], "only a")


async def test_a_large_file_that_is_moved_stays_because_nothing_of_it_is_stored(undoes: Undoes, work: Path) -> None:
    (work / "large").write_text("x" * 2000)
    moved = await undoes("sleep 0.1; mv large moved", CheckpointLimits(file_bytes=1000))
    assert moved.problems == [f"{work / 'large'}: too large to be stored", f"{work / 'moved'}: {STAYS}"]
    assert os.path.getsize(work / "moved") == 2000


async def test_what_was_found_is_again_what_it_was_then_and_may_be_gone(work: Path) -> None:
    answers = [each for line in ("mv .env moved", "echo > moved", "rm moved") for each in (bash(line), "done")]
    async with opens_in(work)(*answers) as rt:
        await rt.ask("one")
        await rt.ask("two")
        moved = await rt.branches.go_back(rt.messages[0].id, before=True, restore="files")
        lost = f"{work / '.env'}: it was left out of what is stored, and a command has removed it"
        assert (moved.problems, moved.restored) == ([lost, f"{work / 'moved'}: {STAYS}"], [str(work / "moved")])
        assert (work / "moved").read_text() == "only .env"
        await rt.ask("three")
        moved = await rt.branches.go_back(rt.messages[0].id, before=True, restore="files")
        assert not (work / "moved").exists()
        assert moved.problems == [lost]


async def test_a_folder_that_a_link_has_replaced_is_a_folder_again(undoes: Undoes, work: Path) -> None:
    (work / "folder").mkdir()
    (work / "folder" / "f").write_text("in it")
    moved = await undoes("mv folder moved; ln -s moved folder")
    assert moved.problems == []
    assert not (work / "folder").is_symlink()
    assert (work / "folder" / "f").read_text() == "in it"
    assert not (work / "moved").exists()


async def test_a_command_whose_changes_git_cannot_find_is_not_called_undone(
    undoes: Undoes, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git, fails = tmp_path / "bin" / "git", tmp_path / "fails"
    git.parent.mkdir()
    git.write_text(f"""#!/bin/sh
case "$*" in *diff-files*) if [ -e {fails} ]; then echo broken >&2; exit 1; fi ;; esac
exec {shutil.which("git")} "$@"
""")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")
    moved = await undoes(f"touch {fails}; echo changed > a")
    assert moved.problems == [f"{work}: what commands change here is not undone: git diff-files failed: broken"]
