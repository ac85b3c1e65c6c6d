"""Commands in a sandbox, and those that it stops; with real bubblewrap."""

import asyncio
import shlex
import sys
from pathlib import Path

import pytest
from sandbox_world import SECRET, SandboxWorld
from waiting import PATIENCE

from zot_core.machine.shell import LocalShell
from zot_core.sandbox import bubblewrap
from zot_core.sandbox.sandbox import open_sandbox
from zot_core.sandbox.shell import SandboxedShell, stopped_by


@pytest.mark.needs("bwrap")
def test_a_command_reads_the_system_and_writes_the_project_and_temporary_files(world: SandboxWorld) -> None:
    ended, text = world.run(
        "cat src/a.py $OTHER && echo new >src/b.py && mktemp -d", env={"OTHER": str(world.other / "file")}
    )
    assert ended.exit_code == 0
    assert text.startswith("text\ntext\n/tmp/")
    assert (world.project / "src" / "b.py").read_text() == "new\n"


@pytest.mark.needs("bwrap")
def test_temporary_files_last_until_the_sandbox_is_closed(world: SandboxWorld) -> None:
    world.run("echo kept >/tmp/a")
    assert world.run("cat /tmp/a")[1] == "kept\n"
    world.sandbox.close()
    assert not world.scratch.exists()


@pytest.mark.needs("bwrap")
def test_a_command_gets_its_own_variables_and_the_harmless_ones_of_the_agent(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.setenv("WANTED", "yes")
    monkeypatch.setenv("A_TOKEN", SECRET)
    sandbox = world.open(variables=["WANTED"])
    _, text = world.run("echo $LC_TIME $WANTED $A_TOKEN $OWN", env={"OWN": "1"}, sandbox=sandbox)
    assert text == "C yes 1\n"


@pytest.mark.needs("bwrap")
def test_folders_that_stand_for_missing_settings_are_removed_in_the_end(world: SandboxWorld) -> None:
    world.run("true")
    assert (world.project / ".claude").is_dir()
    (world.project / ".zot" / "config.json").write_text("{}")  # the person's
    world.sandbox.close()
    assert not (world.project / ".claude").exists()
    assert (world.project / ".zot" / "config.json").exists()


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo x >.git/index.lock", "it writes .git"),
        ("echo x >$OTHER/x", "it writes outside the project"),
        ("cat </dev/tcp/192.0.2.1/80", "it needs the network"),
        ("unlink missing", ""),
    ],
)
def test_a_command_that_the_sandbox_stopped_says_so(world: SandboxWorld, command: str, reason: str) -> None:
    _, text = world.run(command, env={"OTHER": str(world.other)})
    assert ("[the sandbox seems to have stopped this command: " in text) == bool(reason)
    assert reason in text


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo x >.git/x || true", "it writes .git"),
        ("{ echo x >$OTHER/x; } 2>&1 | cat", "it writes outside the project"),
        ("cat </dev/tcp/192.0.2.1/80; echo done", "it needs the network"),
        ("echo 'Read-only file system' | cat", ""),
        ("echo 'disk: Read-only file system'", ""),
    ],
)
def test_a_command_that_hides_the_error_of_a_part_says_so(world: SandboxWorld, command: str, reason: str) -> None:
    ended, text = world.run(command, env={"OTHER": str(world.other)})
    assert ended.exit_code == 0
    assert ("[the sandbox seems to have stopped a part of this command: " in text) == bool(reason)
    assert reason in text


@pytest.mark.needs("bwrap")
def test_without_a_network_installers_do_not_try_again(world: SandboxWorld) -> None:
    assert world.run("echo $PIP_RETRIES $npm_config_fetch_retries")[1] == "0 0\n"
    assert world.run("echo $PIP_RETRIES", env={"PIP_RETRIES": "3"})[1] == "3\n"


def test_a_text_that_an_error_also_has_without_a_sandbox_does_not_count() -> None:
    assert stopped_by(1, b"cat: x: Permission denied\n") == ""
    assert stopped_by(7, b"curl: (7) Failed to connect to localhost port 80") == ""
    assert stopped_by(None, b"Read-only file system") == ""


def run_offered(world: SandboxWorld, answer: bool, *commands: str, strict: bool = False) -> tuple[list[str], str]:
    """Run commands where the person gives an answer; return what was asked, and the output."""
    asked: list[str] = []
    parts: list[bytes] = []

    async def offer(command: str, reason: str) -> bool:
        asked.append(f"{command}: {reason}")
        return answer

    async def run() -> None:
        shell = SandboxedShell(world.open(strict=strict), LocalShell(), offer)
        for command in commands:
            await shell.run(command, cwd=str(world.project), env={}, timeout=PATIENCE, output=parts.append)

    asyncio.run(run())
    return asked, b"".join(parts).decode()


COMMIT = "echo x >.git/index.lock && echo done"


@pytest.mark.needs("bwrap")
def test_the_person_can_let_a_command_run_again_outside(world: SandboxWorld) -> None:
    asked, text = run_offered(world, True, COMMIT)
    assert asked == [f"{COMMIT}: it writes .git"]
    assert text.endswith("[the user lets it run again, outside the sandbox]\ndone\n")
    assert (world.project / ".git" / "index.lock").exists()


@pytest.mark.needs("bwrap")
def test_the_person_is_asked_once_for_a_command(world: SandboxWorld) -> None:
    asked, text = run_offered(world, False, COMMIT, COMMIT)
    assert len(asked) == 1
    assert text.count("seems to have stopped") == 2
    assert not (world.project / ".git" / "index.lock").exists()


@pytest.mark.needs("bwrap")
def test_a_strict_sandbox_offers_nothing(world: SandboxWorld) -> None:
    assert run_offered(world, True, COMMIT, strict=True)[0] == []


@pytest.mark.needs("bwrap")
def test_git_can_be_made_writable(world: SandboxWorld) -> None:
    assert world.run(COMMIT, sandbox=world.open(git="write"))[1] == "done\n"


def fake_bwrap(folder: Path, script: str) -> None:
    folder.mkdir()
    (folder / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "bwrap").chmod(0o755)


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("", "the sandbox needs bubblewrap: install the package bubblewrap"),
        ("echo \"bwrap: Can't mount proc on /newroot/proc\" >&2; exit 1", "this container hides /proc"),
        ('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1', "does not let you make user namespaces"),
        ('echo "bwrap: No permissions to create a new namespace" >&2; exit 1', "does not let you make user namespaces"),
        ("exec /nowhere", "the sandbox does not work here"),
    ],
    ids=["no bwrap", "hidden proc", "no user namespaces", "no namespaces", "damaged"],
)  # fmt: skip
def test_without_a_sandbox_nothing_runs(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch, script: str, line: str
) -> None:
    if script:
        fake_bwrap(world.folder / "bin", script)
    monkeypatch.setenv("PATH", str(world.folder / "bin"))
    with pytest.raises(OSError, match=line.replace("/", ".")):
        world.run("touch ran", sandbox=world.open(strict=True))
    assert not (world.project / "ran").exists()


def test_a_bubblewrap_of_the_project_or_of_a_relative_folder_does_not_count(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_bwrap(world.project / "bin", "exit 0")
    monkeypatch.chdir(world.project)
    for path in ("bin", str(world.project / "bin")):
        assert bubblewrap.find_bubblewrap([str(world.project)], path) == ""
    assert bubblewrap.find_bubblewrap((), str(world.project / "bin")) == str(world.project / "bin" / "bwrap")


def test_a_bubblewrap_in_an_added_folder_is_not_started(world: SandboxWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    (world.folder / "more").mkdir()
    fake_bwrap(world.folder / "more" / "bin", "touch ran")
    monkeypatch.setenv("PATH", str(world.folder / "more" / "bin"))
    with pytest.raises(OSError, match="needs bubblewrap"):
        world.run("true", sandbox=world.open(writable=[str(world.folder / "more")], strict=True))
    assert not Path("ran").exists()


def test_a_version_without_an_option_works_without_it(world: SandboxWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    script = 'case "$*" in *disable-userns*) echo "bwrap: Unknown option --disable-userns" >&2; exit 1;; esac'
    fake_bwrap(world.folder / "bin", script)
    monkeypatch.setenv("PATH", str(world.folder / "bin"))
    assert bubblewrap.problem() == ""


@pytest.mark.needs("bwrap")
async def test_with_hosts_a_command_reaches_the_proxy_and_nothing_else(world: SandboxWorld) -> None:
    sandbox = world.open(hosts=["example.com"])
    parts: list[bytes] = []
    program = (
        "import urllib.request\n"
        "try: urllib.request.urlopen('http://example.org/', timeout=30)\n"
        "except Exception as error: print(error.code)\n"
        "import socket\n"
        "try: socket.create_connection(('192.0.2.1', 80), 5)\n"
        "except OSError as error: print(error.strerror)\n"
    )
    shell = SandboxedShell(sandbox, LocalShell())
    command = shlex.join([sys.executable, "-c", program])
    await shell.run(command, cwd=str(world.project), env={}, timeout=PATIENCE, output=parts.append)
    sandbox.close()
    assert b"".join(parts).decode().splitlines()[:2] == ["403", "Network is unreachable"]


def test_a_wrong_pattern_of_a_host_is_refused(world: SandboxWorld) -> None:
    with pytest.raises(ValueError, match="a b"):
        open_sandbox(str(world.project), zot_home="/z", hosts=["a b"])
