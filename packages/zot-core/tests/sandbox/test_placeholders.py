"""Folders that hold the place of settings, for one sandbox and for several."""

import asyncio
import errno
import fcntl
import os
from pathlib import Path

import pytest
from sandbox_world import SandboxWorld
from waiting import PATIENCE, until

from zot_core.machine.shell import LocalShell
from zot_core.sandbox.placeholders import Placeholders
from zot_core.sandbox.shell import SandboxedShell


@pytest.mark.needs("bwrap")
async def test_the_end_of_another_sandbox_of_the_project_takes_no_protection_away(world: SandboxWorld) -> None:
    first, second = world.open(scratch=""), world.open(scratch="")
    shells = [SandboxedShell(each, LocalShell()) for each in (first, second)]
    await shells[0].run("true", cwd=str(world.project), env={}, timeout=PATIENCE, output=print)
    command = "touch begun; until [ -e ended ]; do sleep 0.01; done; echo x >.zot/config.json || mkdir .zot"
    running = asyncio.create_task(
        shells[1].run(command, cwd=str(world.project), env={}, timeout=PATIENCE, output=lambda piece: None)
    )
    await until((world.project / "begun").exists)
    first.close()
    (world.project / "ended").touch()
    assert (await running).exit_code == 1
    assert list((world.project / ".zot").iterdir()) == []
    second.close()
    assert not (world.project / ".zot").exists()


@pytest.mark.needs("bwrap")
def test_other_settings_that_are_gone_are_not_made_again(world: SandboxWorld) -> None:
    world.write("project/.envrc", "text\n")
    sandbox = world.open()
    (world.project / ".envrc").unlink()
    ended, text = world.run("ls -A", sandbox=sandbox)
    sandbox.close()
    assert (ended.exit_code, sorted(text.split())) == (0, [".claude", ".git", ".zot", "src"])


def test_no_folder_stays_open_when_its_place_is_given_up(tmp_path: Path) -> None:
    holder, before = Placeholders([str(tmp_path / ".zot")]), os.listdir("/dev/fd")
    for _ in range(2):
        holder.make()
        assert len(os.listdir("/dev/fd")) == len(before) + 1
        holder.remove()
        assert os.listdir("/dev/fd") == before


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0]])
def test_the_last_one_that_needs_a_folder_removes_it(tmp_path: Path, order: list[int]) -> None:
    path = tmp_path / ".zot"
    holders = [Placeholders([str(path)]) for _ in range(3)]
    for each in holders:
        each.make()
        each.make()
    for number in order:
        assert path.is_dir()
        holders[number].remove()
    assert not path.exists()


def test_a_folder_that_was_there_stays_also_if_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / ".zot").mkdir()
    holder = Placeholders([str(tmp_path / ".zot"), str(tmp_path / ".git")])
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    holder.make()
    holder.remove()
    assert sorted(os.listdir(tmp_path)) == [".git", ".zot"]


def test_a_folder_that_somebody_removed_is_made_again(tmp_path: Path) -> None:
    holder = Placeholders([str(tmp_path / ".zot")])
    holder.make()
    (tmp_path / ".zot").rmdir()
    holder.make()
    assert (tmp_path / ".zot").is_dir()
    holder.remove()
    assert not (tmp_path / ".zot").exists()


def test_where_the_file_system_has_no_locks_a_place_is_held_and_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, kind: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    holder = Placeholders([str(tmp_path / ".zot")])
    holder.make()
    assert os.listdir(tmp_path) == [".zot"]
    holder.remove()
    assert os.listdir(tmp_path) == []


def test_a_folder_that_another_program_locks_is_an_error(tmp_path: Path) -> None:
    (tmp_path / ".zot").mkdir()
    descriptor = os.open(tmp_path / ".zot", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(OSError, match=r"cannot protect .* another program locks it"):
        Placeholders([str(tmp_path / ".zot")]).make()
    os.close(descriptor)
