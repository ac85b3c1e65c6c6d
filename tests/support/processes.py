"""Whether processes still run. One that is killed dies when its turn comes, which a busy machine may put off: tests
wait for that, with `waiting.py`, unless they have waited for the process itself."""

import os
from pathlib import Path


def _stat(pid: int) -> list[str]:
    """The state, the parent and the group of a process, or nothing."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:3]
    except OSError:
        return []


def runs(pid: int) -> bool:
    """Whether a process runs. One that has ended and nobody has waited for does not."""
    return _stat(pid)[:1] not in ([], ["Z"])


def running_in(group: int) -> list[int]:
    """The processes of a group that run."""
    found = {int(each): _stat(each) for each in os.listdir("/proc") if each.isdecimal()}
    return [pid for pid, stat in found.items() if stat[2:] == [str(group)] and stat[0] != "Z"]
