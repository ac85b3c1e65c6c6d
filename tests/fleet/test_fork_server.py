"""The process that forks for each run of a worker."""

import asyncio
import json
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE, until

from zot_agent.fleet.fork_server import ForkedRun, ForkServer
from zot_agent.fleet.limits import FleetLimits
from zot_agent.fleet.run_lines import Task, fields_of
from zot_agent.fleet.run_process import read_lines
from zot_agent.fleet.worker import RunProcess

pytestmark = pytest.mark.needs("linux")


@asynccontextmanager
async def running() -> AsyncIterator[ForkServer]:
    server = ForkServer()
    async with asyncio.timeout(PATIENCE):
        yield server
        await server.close()


async def end_of(run: ForkedRun, folder: Path) -> dict[str, Any]:
    """Name a run that the store does not have, and return what its process says in the end."""
    task = Task("none", 1, str(folder / "store"), str(folder))
    run.stdin.write(json.dumps(fields_of(task)).encode() + b"\n")
    lines = [json.loads(line) async for line in run.stdout]
    found: dict[str, Any] = lines[-1]["end"]
    return found


async def test_a_run_has_a_process_that_shares_what_the_server_has_loaded(tmp_path: Path) -> None:
    async with running() as server:
        runs = await asyncio.gather(*[server.fork(str(tmp_path)) for _ in range(3)])
        assert len({run.pid for run in runs}) == 3
        for run in runs:
            folder = f"/proc/{run.pid}/cwd"
            await until(lambda folder=folder: os.readlink(folder) == str(tmp_path))  # type: ignore[misc]
            assert Path(f"/proc/{run.pid}/cmdline").read_bytes().split(b"\0")[2:4] == [
                b"-m",
                b"zot_agent.fleet.fork_server",
            ]
            assert (await end_of(run, tmp_path))["state"] == "failed"
            assert await run.wait() == 0


async def test_the_end_of_a_process_is_known_by_its_signal(tmp_path: Path) -> None:
    async with running() as server:
        run = await server.fork(str(tmp_path))
        run.kill()
        assert await run.wait() == -signal.SIGKILL
        assert await run.stdout.read() == b""
        run.kill()


async def test_a_process_that_is_killed_before_it_reads_has_ended(tmp_path: Path) -> None:
    async with running() as server:
        run = await server.fork(str(tmp_path))
        os.kill(run.pid, signal.SIGSTOP)
        process = RunProcess(Task("none", 1, str(tmp_path / "store"), str(tmp_path)), FleetLimits(), run)
        await run.stdin.drain()
        os.kill(run.pid, signal.SIGKILL)
        assert (await process.end(lambda: False))["reason"] == "its process was ended by signal 9"


async def test_a_process_whose_worker_has_gone_ends(tmp_path: Path) -> None:
    async with running() as server:
        run = await server.fork(str(tmp_path))
        run.stdin.close()
        assert await run.wait() == 0


async def test_a_killed_server_is_started_again_and_its_runs_continue(tmp_path: Path) -> None:
    async with running() as server:
        run = await server.fork(str(tmp_path))
        parent = int(Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(parent, signal.SIGKILL)
        assert (await end_of(run, tmp_path))["state"] == "failed"
        assert await run.wait() == 0
        other = await server.fork(str(tmp_path))
        assert (await end_of(other, tmp_path))["state"] == "failed"
        assert await other.wait() == 0


async def test_a_process_whose_server_has_been_killed_can_be_left(tmp_path: Path) -> None:
    async with running() as server:
        run = await server.fork(str(tmp_path))
        parent = int(Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(parent, signal.SIGKILL)
        run.kill()
        assert await run.stdout.read() == b""
        assert await run.wait() == 0


async def test_a_folder_that_is_not_there_ends_the_process(tmp_path: Path) -> None:
    async with running() as server:
        run = await server.fork(str(tmp_path / "none"))
        assert await run.stdout.read() == b""
        assert await run.wait() == 1


def test_a_worker_that_goes_without_reading_ends_the_lines() -> None:
    ours, theirs = socket.socketpair()
    ours.send(b"one\ntwo\n")
    theirs.send(b"not read")
    ours.close()
    with theirs:
        assert list(read_lines(theirs.fileno())) == [b"one", b"two"]
