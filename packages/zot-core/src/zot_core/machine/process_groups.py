"""Process groups (POSIX): what ends a command or an extension together with all that it has started."""

import os


def signal_group(group: int, number: int) -> bool:
    """Send the signal; whether there was anything to send it to (signal 0 only asks)."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # no such group, or one of others' processes (sudo)
        return False
    return True


def group_runs(group: int) -> bool:
    """Whether something in the group still runs.

    Dead processes that nobody waits for answer to signals too: those of a container whose first process is no init.
    """
    if not signal_group(group, 0):
        return False
    states = [state for number in _process_ids() if (state := _state_in_group(number, group))]
    return not states or any(state != "Z" for state in states)


def _process_ids() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:  # no Linux
        return []


def _state_in_group(number: str, group: int) -> str:
    """The state of a process of the group, a letter; empty if it is not one."""
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            state, _, process_group, *_ = file.read().rpartition(b")")[2].split()
    except (OSError, ValueError):
        return ""
    return state.decode() if int(process_group) == group else ""
