"""Process groups (POSIX), by which a command or an extension is ended together with everything it started."""

import contextlib
import os

_LOWER = 5
"""Steps of niceness: beside another process, this one gets a third of its time."""


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a group; return whether the group exists (signal 0 only asks)."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # no such group, or a group of another user (sudo)
        return False
    return True


def lower_priority(process: int) -> None:
    """Let this process, which serves a person, come before `process`, which computes."""
    with contextlib.suppress(AttributeError, OSError):  # Windows; a process that has ended
        os.setpriority(os.PRIO_PROCESS, process, _LOWER)


def group_runs(group: int) -> bool:
    """Whether a process of the group still runs.

    Zombies, which also accept signals, do not count: a container whose first process is not an init keeps them.
    """
    if not signal_group(group, 0):
        return False
    states = [state for number in _process_ids() if (state := _state_in_group(number, group))]
    return not states or any(state != "Z" for state in states)


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
