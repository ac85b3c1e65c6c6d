"""Other paths of hidden folders: a file system that is mounted twice, as a whole or in part, has each file twice.
So have processes and devices, every time in a file system of its own.

The table of mounts is `/proc/self/mountinfo`; proc(5) describes its fields.
"""

import os
import re
import sys
from collections.abc import Iterable

_ESCAPED = re.compile(r"\\([0-7]{3})")

_OF_THE_KERNEL = {"proc": "/proc", "devtmpfs": "/dev", "devpts": "/dev"}
"""File systems that show processes and devices, with their usual places, where a sandbox has its own."""

Mount = tuple[str, str, str, str]
"""The device, the folder of its file system that is shown, where it is shown, and the kind of file system."""


def read_mounts(path: str = "/proc/self/mountinfo") -> list[Mount]:
    """Return the mounts of this process; none on other systems than Linux. Raises ValueError, with a line for the
    person."""
    if sys.platform != "linux":
        return []
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return parse_mounts(file.read())
    except OSError as error:
        raise ValueError(f"the sandbox cannot read where folders are mounted: {path}: {error.strerror}") from error


def parse_mounts(text: str) -> list[Mount]:
    rows = (line.split(" ") for line in text.splitlines())
    return [(row[2], _plain(row[3]), _plain(row[4]), row[row.index("-", 5) + 1]) for row in rows if "-" in row[5:-1]]


def _plain(field: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), field)


def other_paths(hidden: Iterable[str], mounts: Iterable[Mount]) -> list[str]:
    """Return further paths of `hidden` paths, and of what is in them; and the paths of processes and devices."""
    mounts = list(mounts)
    found = [where for _, _, where, kind in mounts if not _is_in(where, _OF_THE_KERNEL.get(kind, "/"))]
    for path in hidden:
        around = [mount for mount in mounts if _is_in(path, mount[2])]
        if not around:
            continue
        device, root, point, _ = max(around, key=lambda mount: len(mount[2]))  # of equal ones the last is on top
        inside = _join(root, os.path.relpath(path, point))
        for other, shown, where, _ in mounts:
            if other != device or where == point:
                continue
            if _is_in(inside, shown):
                found.append(_join(where, os.path.relpath(inside, shown)))
            elif _is_in(shown, inside) and not _is_in(where, path):
                found.append(where)
    return [path for path in dict.fromkeys(found) if os.path.lexists(path)]


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _join(folder: str, relative: str) -> str:
    return folder if relative == "." else os.path.join(folder, relative)
