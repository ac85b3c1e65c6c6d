import asyncio
import os
import subprocess
import threading
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_agent.extensions.process import Process
from zot_core.machine.shell import Launch


class Started:
    """A shell command as a process."""

    def __init__(self, command: str, directory: str = "/") -> None:
        self.ends = 0
        self.process = Process(
            Launch(["/bin/sh", "-c", command], directory, {"A": "b"}), subprocess.DEVNULL, self._ended
        )

    def _ended(self) -> None:
        self.ends += 1

    async def output(self) -> bytes:
        """All that it prints."""
        parts: list[bytes] = []
        while True:
            try:
                part = os.read(self.process.output, 1000)
            except BlockingIOError:
                await asyncio.sleep(0.01)
                continue
            if not part:
                return b"".join(parts)
            parts.append(part)

    def close(self) -> None:
        os.close(self.process.input)
        os.close(self.process.output)


def of_group(group: int) -> list[str]:
    listed = subprocess.run(["ps", "-o", "stat=", "-g", str(group)], capture_output=True, text=True).stdout.split()
    return [state for state in listed if not state.startswith("Z")]


@pytest.fixture(params=["descriptor", "thread"])
def waits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How the end is waited for: where the system has descriptors of processes, and where it has none."""
    if request.param == "thread":
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    return str(request.param)


@pytest.mark.parametrize(
    ("command", "fate"),
    [("exit 0", "exited with code 0"), ("exit 7", "exited with code 7"), ("kill -11 $$", "was ended by SIGSEGV")],
)
async def test_the_fate_of_a_process_is_known_after_its_end(waits: str, command: str, fate: str) -> None:
    async with asyncio.timeout(PATIENCE):
        started = Started(f"read go; {command}")
        assert started.process.fate() == ""
        os.write(started.process.input, b"go\n")
        await started.process.exited.wait()
        assert (started.process.fate(), started.ends) == (fate, 1)
        started.close()


async def test_waiting_for_the_end_leaves_no_process_thread_or_descriptor(waits: str) -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    async with asyncio.timeout(PATIENCE):
        started = Started("sleep 1000")
        waiting = [each for each in threading.enumerate() if each.name == f"process {started.process.pid}"]
        assert len(waiting) == (waits == "thread")
        await started.process.end(PATIENCE)
        assert started.process.fate() == "was ended by SIGTERM"
        with pytest.raises(ChildProcessError):
            os.waitpid(started.process.pid, os.WNOHANG)
        started.close()
    for thread in waiting:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert sorted(os.listdir("/proc/self/fd")) == before


async def test_it_has_the_folder_and_the_environment_it_was_given(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE):
        started = Started("pwd -P; echo $A$HOME", str(tmp_path))
        assert (await started.output()).decode().split() == [str(tmp_path.resolve()), "b"]
        await started.process.exited.wait()
        started.close()


@pytest.mark.needs("ps")
async def test_children_that_outlive_the_process_are_ended_with_their_group() -> None:
    async with asyncio.timeout(PATIENCE):
        started = Started("sleep 1000 & sleep 1000 & exit 0")
        await started.process.exited.wait()
        assert len(of_group(started.process.pid)) == 2
        await started.process.end(PATIENCE)
        assert of_group(started.process.pid) == []
        started.close()


async def test_a_child_has_time_to_clean_up_before_it_is_killed() -> None:
    async with asyncio.timeout(PATIENCE):
        started = Started("(trap 'sleep 0.2; echo clean; exit' TERM; echo set; while :; do sleep 0.05; done) & exit 0")
        await started.process.exited.wait()
        assert await asyncio.to_thread(_line, started.process.output) == b"set\n"
        await started.process.end(PATIENCE)
        assert os.read(started.process.output, 100) == b"clean\n"
        started.close()


def _line(descriptor: int) -> bytes:
    os.set_blocking(descriptor, True)
    return os.read(descriptor, 100)


async def test_a_program_that_cannot_be_started_leaves_nothing_open() -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(FileNotFoundError):
            Process(Launch(["/no/such/program"], "/", {}), subprocess.DEVNULL, lambda: None)
    assert sorted(os.listdir("/proc/self/fd")) == before
