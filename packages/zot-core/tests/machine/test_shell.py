import asyncio
import errno
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import runs
from waiting import PATIENCE, TIME_LIMITS, until, wait_until

from zot_core.machine.interface import ShellExit
from zot_core.machine.shell import LocalShell, ShellLimits

Output = tuple[ShellExit, bytes]


@pytest.fixture
def run(shell: LocalShell, tmp_path: Path) -> Callable[..., Output]:
    def run(command: str, *, timeout: float | None = None, cwd: str = "", **env: str) -> Output:
        async def work() -> Output:
            parts: list[bytes] = []
            ended = await shell.run(command, cwd=cwd or str(tmp_path), env=env, timeout=timeout, output=parts.append)
            return ended, b"".join(parts)

        return asyncio.run(work())

    return run


def gone(pid: int) -> bool:
    return wait_until(lambda: not runs(pid))


def pid_in(path: Path) -> int:
    return int(wait_until(lambda: path.exists() and path.read_text().strip()))


async def appears(path: Path) -> None:
    while not path.exists() or not path.read_text().strip():
        await asyncio.sleep(0.01)


def test_the_defaults_of_the_limits() -> None:
    assert ShellLimits() == ShellLimits(kill_after=3.0, kill_cancelled_after=0.05, linger=0.1, drain_interval=0.1)


def test_output_of_both_streams_comes_in_order_with_the_exit_code(run: Callable[..., Output]) -> None:
    assert run("echo a; echo b >&2; echo c; exit 7") == (ShellExit(7), b"a\nb\nc\n")


def test_stdin_is_empty(run: Callable[..., Output]) -> None:
    assert run("cat; echo end") == (ShellExit(0), b"end\n")


def test_directory_and_environment_are_handed_on(run: Callable[..., Output], tmp_path: Path) -> None:
    ended, printed = run('pwd -P; echo "$ZOT_TEST"; test -n "$PATH"', ZOT_TEST="value")
    assert (ended.exit_code, printed.decode().split()) == (0, [str(tmp_path.resolve()), "value"])


def test_death_by_signal_is_128_and_its_number(run: Callable[..., Output]) -> None:
    assert run("kill -9 $$")[0] == ShellExit(137)


def test_a_directory_that_is_gone_is_an_os_error(run: Callable[..., Output], tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    with pytest.raises(FileNotFoundError):
        run("true", cwd=str(tmp_path / "gone"))
    assert not before or len(os.listdir("/proc/self/fd")) == before


async def test_bash_is_preferred_and_sh_does_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: LocalShell
) -> None:
    async def said(shell: LocalShell) -> bytes:
        parts: list[bytes] = []
        await shell.run("x", cwd="/", env={}, timeout=None, output=parts.append)
        return b"".join(parts)

    for name in ("bash", "sh"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho fake {name} $2\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await said(shell) == b"fake bash x\n"
    (tmp_path / "bash").unlink()
    assert await said(LocalShell()) == b"fake sh x\n"
    monkeypatch.setenv("PATH", "/nowhere")
    assert b"not found" in await said(LocalShell())


def test_megabytes_come_whole(run: Callable[..., Output]) -> None:
    ended, printed = run("head -c 5000000 /dev/zero")
    assert (ended.exit_code, len(printed)) == (0, 5_000_000)


def test_a_command_is_ended_at_the_time_limit_with_all_it_started(run: Callable[..., Output], tmp_path: Path) -> None:
    running = ["sleep 600"] if os.path.isdir("/proc") else []  # other systems do not show them
    for limit in TIME_LIMITS:
        found = run("sleep 600 & echo $! > pid; echo before; sleep 600", timeout=limit)
        if found == (ShellExit(None, timed_out=True, running=running), b"before\n"):
            break
    else:
        pytest.fail(str(found))
    assert gone(pid_in(tmp_path / "pid"))


async def test_what_obeys_sigterm_is_not_waited_for(tmp_path: Path) -> None:
    # The child of an ended shell stays a zombie in a container whose first process is no init.
    shell = LocalShell(ShellLimits(kill_after=600))
    started = time.monotonic()
    assert (await shell.run("sleep 600 & wait", cwd="/", env={}, timeout=0.1, output=lambda piece: None)).timed_out
    assert time.monotonic() - started < PATIENCE


def test_what_ignores_sigterm_is_killed(run: Callable[..., Output], tmp_path: Path) -> None:
    for limit in TIME_LIMITS:
        found = run("trap '' TERM; echo $$ > pid; echo begun; while true; do sleep 0.05; done", timeout=limit)
        if found[1]:
            break
    assert found == (ShellExit(None, timed_out=True, running=found[0].running), b"begun\n")
    assert gone(pid_in(tmp_path / "pid"))


async def test_a_child_has_time_to_clean_up_after_its_shell(tmp_path: Path) -> None:
    child = "trap 'sleep 0.1; echo clean > done; exit' TERM; echo $$ > pid; echo begun; while true; do sleep 0.02; done"
    command, shell = f"sh -c {shlex.quote(child)} & wait", LocalShell(ShellLimits(kill_after=PATIENCE))
    for limit in TIME_LIMITS:
        printed: list[bytes] = []
        await shell.run(command, cwd=str(tmp_path), env={}, timeout=limit, output=printed.append)
        if printed:
            break
    assert gone(pid_in(tmp_path / "pid"))
    assert (tmp_path / "done").exists()


async def test_cancelling_ends_everything(shell: LocalShell, tmp_path: Path) -> None:
    command = "sleep 60 & echo $! > child; echo $$ > leader; wait"
    task = asyncio.ensure_future(shell.run(command, cwd=str(tmp_path), env={}, timeout=None, output=lambda piece: None))
    await appears(tmp_path / "leader")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not runs(pid_in(tmp_path / "child"))
    assert not runs(pid_in(tmp_path / "leader"))


async def test_what_ignores_sigterm_is_killed_soon_after_it_is_cancelled(tmp_path: Path) -> None:
    shell = LocalShell(ShellLimits(kill_after=600))
    command = "trap '' TERM; echo $$ > leader; while true; do sleep 0.05; done"
    task = asyncio.ensure_future(shell.run(command, cwd=str(tmp_path), env={}, timeout=None, output=lambda piece: None))
    await appears(tmp_path / "leader")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, PATIENCE)
    assert not runs(pid_in(tmp_path / "leader"))


async def test_cancelling_twice_kills_at_once(tmp_path: Path) -> None:
    shell = LocalShell(ShellLimits(kill_cancelled_after=600))
    command = "trap '' TERM; echo $$ > leader; while true; do sleep 0.05; done"
    task = asyncio.ensure_future(shell.run(command, cwd=str(tmp_path), env={}, timeout=None, output=lambda piece: None))
    await appears(tmp_path / "leader")
    started = time.monotonic()
    task.cancel()
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < PATIENCE
    assert not runs(pid_in(tmp_path / "leader"))


async def test_a_background_child_does_not_hold_the_command_and_lives_on(shell: LocalShell, tmp_path: Path) -> None:
    # It prints more than a pipe holds after its shell has ended, and must neither die of it nor be stopped by it.
    child = (
        "import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)\n"
        "[os.write(1, b'x' * 50000) for _ in range(6)]; open('done', 'w').write('1')"
    )
    parts: list[bytes] = []
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(child)} & echo $! > pid; echo started"
    ended = await shell.run(command, cwd=str(tmp_path), env={}, timeout=None, output=parts.append)
    assert (ended, b"".join(parts)) == (ShellExit(0), b"started\n")
    assert runs(pid_in(tmp_path / "pid"))
    (tmp_path / "go").touch()
    await asyncio.wait_for(appears(tmp_path / "done"), PATIENCE)
    assert b"".join(parts) == b"started\n"
    assert gone(pid_in(tmp_path / "pid"))


def test_a_chatty_background_child_does_not_hold_the_command(run: Callable[..., Output], tmp_path: Path) -> None:
    started = time.monotonic()
    assert run("yes & echo $! > pid")[0] == ShellExit(0)
    assert time.monotonic() - started < PATIENCE
    os.kill(pid_in(tmp_path / "pid"), 9)


async def test_commands_run_side_by_side(shell: LocalShell, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    gate = os.open(tmp_path / "gate", os.O_RDWR)  # a line for each of them, once all have begun

    def one(number: int) -> asyncio.Future[ShellExit]:
        command = f"touch {number}; read line < gate; exit {number}"
        return asyncio.ensure_future(
            shell.run(command, cwd=str(tmp_path), env={}, timeout=None, output=lambda piece: None)
        )

    all_of_them = asyncio.gather(*[one(number) for number in range(20)])
    await until(lambda: len(os.listdir(tmp_path)) == 21)
    os.write(gate, b"\n" * 20)
    assert await all_of_them == [ShellExit(number) for number in range(20)]
    os.close(gate)


def test_a_system_without_process_descriptors_waits_in_a_thread(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Output]
) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    assert run("echo a; exit 3") == (ShellExit(3), b"a\n")
    assert run("sleep 60", timeout=0.1)[0].timed_out


def test_no_descriptor_is_left_open(run: Callable[..., Output]) -> None:
    run("true")
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        run("echo a")
        run("sleep 60", timeout=0.05)
    assert len(os.listdir("/dev/fd")) <= before


Pieces = tuple[ShellExit, bytes, bytes]


async def feed(shell: LocalShell, command: str, data: bytes, cwd: Path, timeout: float | None = None) -> Pieces:
    output, errors = bytearray(), bytearray()
    ended = await shell.run(
        command, cwd=str(cwd), env={}, timeout=timeout, output=output.extend, errors=errors.extend, stdin=data
    )
    return ended, bytes(output), bytes(errors)


async def test_standard_error_is_kept_apart_where_that_is_wanted(shell: LocalShell, tmp_path: Path) -> None:
    assert await feed(shell, "echo out; echo err >&2; exit 2", b"", tmp_path) == (ShellExit(2), b"out\n", b"err\n")


async def test_a_command_reads_all_that_it_is_given_and_then_the_end(shell: LocalShell, tmp_path: Path) -> None:
    data = b"x" * 300_000
    assert await feed(shell, "cat", data, tmp_path) == (ShellExit(0), data, b"")
    assert await feed(shell, "cat; echo end", b"", tmp_path) == (ShellExit(0), b"end\n", b"")


async def test_a_command_need_not_read_its_input(shell: LocalShell, tmp_path: Path) -> None:
    data = b"x" * 300_000
    assert await feed(shell, "echo done", data, tmp_path) == (ShellExit(0), b"done\n", b"")
    ended, output, _ = await feed(shell, "exec <&-; echo closed", data, tmp_path)
    assert (ended, output) == (ShellExit(0), b"closed\n")


async def test_a_command_that_does_not_read_its_input_ends_at_its_time_limit(tmp_path: Path) -> None:
    shell = LocalShell(ShellLimits(kill_after=0.2))
    ended, _, _ = await feed(shell, "sleep 100", b"x" * 300_000, tmp_path, timeout=0.1)
    assert ended.timed_out


WITHOUT_DESCRIPTORS = """
import asyncio, os, resource
from zot_core.machine.shell import LocalShell

async def main():
    shell = LocalShell()
    def run():
        return shell.run("true", cwd="/", env={}, timeout=60, output=len, errors=len, stdin=b"")
    await run()
    before, kinds = sorted(os.listdir("/proc/self/fd")), set()
    for more in range(8):
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(before) + more, 4096))
        try:
            await run()
        except OSError as error:
            kinds.add(error.errno)
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096))
        assert sorted(os.listdir("/proc/self/fd")) == before, more
    print(*kinds)

asyncio.run(main())
"""


@pytest.mark.needs("linux")  # descriptors are counted with /proc
def test_a_command_that_finds_no_descriptors_leaves_none_open() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_DESCRIPTORS], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.stdout, done.stderr) == (f"{errno.EMFILE}\n", "")
