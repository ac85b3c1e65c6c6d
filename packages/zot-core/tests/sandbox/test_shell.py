"""Commands in a sandbox, and those that it stops; with real bubblewrap."""

import asyncio
import ctypes
import os
import shlex
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from sandbox_world import SECRET, SandboxWorld
from waiting import PATIENCE

from zot_core.machine.shell import Launch, LocalShell
from zot_core.sandbox import bubblewrap, landlock
from zot_core.sandbox.sandbox import open_sandbox
from zot_core.sandbox.shell import SandboxedShell, stopped_by, unheard_host


@pytest.mark.needs("bwrap")
def test_a_command_reads_the_system_and_writes_the_project_and_temporary_files(world: SandboxWorld) -> None:
    ended, text = world.run(
        "cat src/a.py $OTHER && echo new >src/b.py && mktemp -d", env={"OTHER": str(world.other / "file")}
    )
    assert ended.exit_code == 0
    assert text.startswith("text\ntext\n/tmp/")
    assert (world.project / "src" / "b.py").read_text() == "new\n"


@pytest.mark.needs("bwrap")
def test_of_a_sandbox_that_protects_everything_there_is_nothing_to_say(world: SandboxWorld) -> None:
    assert (world.sandbox.state, world.sandbox.note()) == ("on", "")


@pytest.mark.needs("bwrap")
def test_temporary_files_last_until_the_sandbox_is_closed(
    world: SandboxWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "homes").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "homes"))
    world.run("echo kept >/tmp/a; echo lost >~/a")
    assert world.run("cat /tmp/a; ls -A ~")[1] == "kept\n"
    world.sandbox.close()
    assert not world.scratch.exists()
    assert not os.listdir(tmp_path / "homes")


@pytest.mark.needs("bwrap")
async def test_the_home_of_a_command_that_is_cancelled_is_removed(
    world: SandboxWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "homes").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "homes"))
    began = asyncio.Event()
    shell = SandboxedShell(world.sandbox, LocalShell())
    running = asyncio.ensure_future(
        shell.run(
            "echo x >~/x; echo; sleep 1000",
            cwd=str(world.project), env={}, timeout=PATIENCE, output=lambda _: began.set(),
        )
    )  # fmt: skip
    async with asyncio.timeout(PATIENCE):
        await began.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await asyncio.get_running_loop().shutdown_default_executor()
    (homes,) = (tmp_path / "homes").iterdir()
    assert not os.listdir(homes)


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


def test_the_variables_that_say_where_tools_and_certificates_are_reach_the_inside(world: SandboxWorld) -> None:
    given = dict.fromkeys(("CI", "JAVA_HOME", "ANDROID_HOME", "SSL_CERT_FILE", "SOURCE_DATE_EPOCH"), "x")
    assert given.items() <= world.sandbox.environment(given).items()


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
        ("echo 'ERROR: No matching distribution found for x'; exit 1", "it needs the network"),
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
def test_what_a_command_writes_into_the_home_is_not_kept_and_it_says_so(world: SandboxWorld) -> None:
    _, text = world.run("echo x >~/.bashrc; mkdir ~/bin; printf done")
    note = "Each command in this sandbox has an empty home of its own]\n"
    assert text == f"done\n[not kept: ~/.bashrc, ~/bin/. {note}"
    assert (world.home / ".bashrc").read_text() == SECRET
    assert world.run("ls -A ~; echo x >~/.bashrc")[1] == f"[not kept: ~/.bashrc. {note}"


@pytest.mark.needs("bwrap")
async def test_what_a_sandbox_shows_in_the_home_is_not_written_by_the_command(world: SandboxWorld) -> None:
    world.write("home/.tools/bin/run", "")
    shell = SandboxedShell(world.open(readable=[str(world.home / ".tools" / "bin")]), LocalShell())

    async def run(command: str) -> str:
        parts: list[bytes] = []
        await shell.run(command, cwd=str(world.project), env={}, timeout=PATIENCE, output=parts.append)
        return b"".join(parts).decode()

    assert await run("ls ~/.tools/bin") == "run\n"
    assert "not kept: ~/.tools/log. " in await run("echo x >~/.tools/log")
    assert await run("echo x >~/.tools/log") == ""  # it has been said


@pytest.mark.needs("bwrap")
def test_a_hidden_folder_that_is_no_home_refuses_what_would_be_lost(world: SandboxWorld) -> None:
    ended, text = world.run("echo x >/var/tmp/x")
    assert ended.exit_code == 1
    assert "it writes outside the project" in text


@pytest.mark.needs("bwrap", "curl")
@pytest.mark.parametrize(
    ("command", "noted"),
    [
        ("curl -s https://example.com/install.sh | sh", True),
        ("curl -fsSL https://example.com/install.sh | sh", False),  # it says so itself
        ("curl --silent -o x http://user:word@example.com:8080/ || true", True),
        ("wget -qO- http://example.com/a.tar | cat", True),
        ("git clone https://example.com/a 2>/dev/null; echo done", True),
        ("git clone https://example.com/a 2>&-; echo done", True),
        ("curl -s http://localhost:8080 http://127.0.0.1/ | cat", False),
        ("echo https://example.com | cat", False),
        ("grep -rs https://example.com src 2>/dev/null | cat", False),
        ("echo 'curl -s https://example.com' | cat", False),
        ("U=https://example.com; if x=$(curl -s -XPOST $U); then true; fi; true", True),
    ],
)
def test_a_download_that_fails_without_a_word_is_told_of(world: SandboxWorld, command: str, noted: bool) -> None:
    ended, text = world.run(command)
    assert ended.exit_code == 0
    assert ("[this command hides errors, and the sandbox does not reach example.com]\n" in text) == noted


@pytest.mark.needs("bwrap", "curl")
def test_a_silent_download_that_fails_can_be_run_outside(world: SandboxWorld) -> None:
    command = "curl -s https://example.invalid"
    asked, text, _ = run_offered(world, False, command)
    assert asked == [f"{command}: it needs the network"]
    assert text == "[this command hides errors, and the sandbox does not reach example.invalid]\n"


async def test_a_host_that_the_sandbox_reaches_is_not_told_of(world: SandboxWorld) -> None:
    access = world.open(hosts=["*.example.com"]).access
    assert unheard_host("curl -s https://a.example.com | sh", access) == ""
    assert unheard_host("curl -s https://a.example.com https://b.example.org | sh", access) == "b.example.org"


@pytest.mark.needs("bwrap")
def test_without_a_network_installers_do_not_try_again(world: SandboxWorld) -> None:
    assert world.run("echo $PIP_RETRIES $npm_config_fetch_retries $UV_HTTP_RETRIES")[1] == "0 0 0\n"
    assert world.run("echo $PIP_RETRIES", env={"PIP_RETRIES": "3"})[1] == "3\n"


def test_a_text_that_an_error_also_has_without_a_sandbox_does_not_count() -> None:
    assert stopped_by(1, b"cat: x: Permission denied\n") == ""
    assert stopped_by(7, b"curl: (7) Failed to connect to localhost port 80") == ""
    assert stopped_by(None, b"Read-only file system") == ""
    assert stopped_by(1, b"ERROR: No matching distribution found for x\n") == ""


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (b"dial udp 8.8.8.8:53: connect: network is unreachable\n", "it needs the network"),
        (b"dial unix /run/docker.sock: socket: operation not permitted\n", "the system refused it a right"),
        (b"open /etc/x: read-only file system\n", "it writes outside the project, or what is protected in it"),
        (b"ERROR: No matching distribution found for x\n", "it needs the network"),
    ],
)
def test_other_spellings_of_the_errors_are_known(tail: bytes, reason: str) -> None:
    assert stopped_by(1, tail, closed=True) == reason


class Offered(NamedTuple):
    """What was asked about commands, their output, and their exit codes."""

    asked: list[str]
    text: str
    codes: list[int | None]


def run_offered(world: SandboxWorld, answer: bool, *commands: str, strict: bool = False) -> Offered:
    """Run commands where the person gives an answer."""
    asked: list[str] = []
    codes: list[int | None] = []
    parts: list[bytes] = []

    async def offer(command: str, reason: str) -> bool:
        asked.append(f"{command}: {reason}")
        return answer

    async def run() -> None:
        shell = SandboxedShell(world.open(strict=strict), LocalShell(), offer)
        for command in commands:
            ended = await shell.run(command, cwd=str(world.project), env={}, timeout=PATIENCE, output=parts.append)
            codes.append(ended.exit_code)

    asyncio.run(run())
    return Offered(asked, b"".join(parts).decode(), codes)


COMMIT = "echo x >.git/index.lock && echo done"


@pytest.mark.needs("bwrap")
def test_the_person_can_let_a_command_run_again_outside(world: SandboxWorld) -> None:
    asked, text, codes = run_offered(world, True, COMMIT)
    assert asked == [f"{COMMIT}: it writes .git"]
    assert text.endswith("[the user lets it run again, outside the sandbox]\ndone\n")
    assert codes == [0]
    assert (world.project / ".git" / "index.lock").exists()


@pytest.mark.needs("bwrap")
def test_the_person_is_asked_once_for_a_command_that_fails_if_it_stays_inside(world: SandboxWorld) -> None:
    asked, text, codes = run_offered(world, False, COMMIT, COMMIT)
    assert (len(asked), codes) == (1, [1, 1])
    assert text.count("seems to have stopped") == 2
    assert not (world.project / ".git" / "index.lock").exists()


@pytest.mark.needs("bwrap")
def test_a_strict_sandbox_offers_nothing(world: SandboxWorld) -> None:
    assert run_offered(world, True, COMMIT, strict=True).asked == []


@pytest.mark.needs("bwrap")
def test_git_can_be_made_writable(world: SandboxWorld) -> None:
    assert world.run(COMMIT, sandbox=world.open(git="write"))[1] == "done\n"


def fake_bwrap(folder: Path, script: str) -> None:
    folder.mkdir()
    (folder / "bwrap").write_text(f"{script}\n" if script.startswith("#!") else f"#!/bin/sh\n{script}\n")
    (folder / "bwrap").chmod(0o755)


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("", "the sandbox needs bubblewrap: install the package bubblewrap"),
        ("echo \"bwrap: Can't mount proc on /newroot/proc\" >&2; exit 1", "this container hides /proc"),
        ('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1', "does not let you make user namespaces"),
        ('echo "bwrap: No permissions to create a new namespace" >&2; exit 1', "does not let you make user namespaces"),
        ("exec /nowhere", "the sandbox does not work here"),
        ("#!/nowhere", "the sandbox cannot start /"),
    ],
    ids=["no bwrap", "hidden proc", "no user namespaces", "no namespaces", "damaged", "no interpreter"],
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


@pytest.mark.needs("linux")
@pytest.mark.parametrize(("version", "enough"), [(-1, False), (2, False), (3, True)])
def test_without_bubblewrap_an_old_landlock_does_not_do(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch, version: int, enough: bool
) -> None:
    kernel = SimpleNamespace(syscall=lambda *_: version)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: kernel)
    monkeypatch.setenv("PATH", str(world.folder))
    landlock.problem.cache_clear()
    try:
        assert ("needs bubblewrap" not in world.open().problem()) == enough
    finally:
        landlock.problem.cache_clear()  # for others it is the kernel of this machine


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


OLD = 'case "$*" in *disable-userns*) echo "bwrap: Unknown option --disable-userns" >&2; exit 1;; esac'


@pytest.mark.parametrize(("script", "used"), [("", True), (OLD, False)])
def test_an_option_is_used_where_the_version_of_bubblewrap_has_it(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch, script: str, used: bool
) -> None:
    fake_bwrap(world.folder / "bin", script)
    monkeypatch.setenv("PATH", str(world.folder / "bin"))
    launch = world.sandbox.confine(Launch(["true"], str(world.project), {}))
    for each in launch.descriptors:
        os.close(each)
    assert launch.argv[0] == str(world.folder / "bin" / "bwrap")
    assert ("--disable-userns" in launch.argv) == used


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


def test_a_wrong_pattern_of_a_host_is_refused_and_leaves_nothing(
    world: SandboxWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "made"))
    with pytest.raises(ValueError, match="a b"):
        open_sandbox(str(world.project), zot_home="/z", hosts=["a b"])
    assert not os.listdir(tmp_path / "made")
