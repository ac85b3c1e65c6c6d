"""Process groups (POSIX), by which a command or an extension is ended together with everything it started."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Protocol

_SHOWN = 100
"""Characters of a command line."""
_MOST_COMMANDS = 5
_POLL = 0.02
_LOWER = 5
"""Steps of niceness: beside another process, this one gets a third of its time."""


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a group; return whether the group exists (signal 0 only asks)."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # no such group, or a group of another user (sudo)
        return False
    return True


def end_command(process: "subprocess.Popen[bytes]", seconds: float = 2.0) -> None:
    """End a command that may still run, with its group, whose leader it is: with SIGTERM, so that git removes its locks
    and what it has half made, and after `seconds` with SIGKILL."""
    if process.returncode is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        signal_group(process.pid, signal.SIGTERM)
        until = time.monotonic() + seconds
        while group_runs(process.pid) and time.monotonic() < until:
            time.sleep(_POLL)  # only the end of our own children can be awaited
        signal_group(process.pid, signal.SIGKILL)
    process.wait()


class Child(Protocol):
    """A child process of `asyncio`."""

    @property
    def pid(self) -> int: ...

    def kill(self) -> None: ...


def kill_child(process: Child) -> None:
    """End a child that asyncio waits for. Its own `kill` first looks whether the child has ended, and may take its exit
    code from asyncio, which then prints "Unknown child process"."""
    if not hasattr(signal, "SIGKILL"):  # Windows
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended
        os.kill(process.pid, signal.SIGKILL)


def lower_priority(process: int) -> None:
    """Let this process, which serves a person, come before `process`, which computes."""
    with contextlib.suppress(AttributeError, OSError):  # Windows; a process that has ended
        os.setpriority(os.PRIO_PROCESS, process, _LOWER)


async def computed(arguments: Sequence[str], given: bytes) -> tuple[bytes, int]:
    """Run Python, with the standard library alone, and give it `given` to read; return what it prints and its exit
    code. Unlike a thread, the process ends when this call is cancelled."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    lower_priority(process.pid)
    try:
        printed, _ = await process.communicate(given)
        return printed, process.returncode or 0
    finally:
        if process.returncode is None:
            kill_child(process)
            await process.wait()


def group_runs(group: int) -> bool:
    """Whether a process of the group still runs.

    Zombies, which also accept signals, do not count: a container whose first process is not an init keeps them.
    """
    if not signal_group(group, 0):
        return False
    states = [state for number in _process_ids() if (state := _state_in_group(number, group))]
    return not states or any(state != "Z" for state in states)


def group_commands(group: int) -> list[str]:
    """Return the command lines of a group's processes, the first ones and cut; that of a shell with `-c` comes only if
    it is alone. Empty where the system does not show them."""
    found = [words for number in _process_ids() if _state_in_group(number, group) not in ("", "Z")
             if (words := _command_line(number))]  # fmt: skip
    below = [words for words in found if words[-2:-1] != ["-c"]]
    lines = [" ".join(words).replace("\n", " ") for words in (below or found)]
    return [line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..." for line in [*dict.fromkeys(lines)][:_MOST_COMMANDS]]


def _command_line(number: str) -> list[str]:
    try:
        with open(f"/proc/{number}/cmdline", "rb") as file:
            return file.read(4096).decode("utf-8", "replace").rstrip("\0").split("\0")
    except OSError:
        return []


def _process_ids() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:  # not Linux
        return []


def _state_in_group(number: str, group: int) -> str:
    """Return the state letter of a process, or an empty string if it is not in the group."""
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            state, _, process_group, *_ = file.read().rpartition(b")")[2].split()
    except (OSError, ValueError):
        return ""
    return state.decode() if int(process_group) == group else ""
