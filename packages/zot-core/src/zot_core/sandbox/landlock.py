"""The lesser sandbox of Linux: Landlock, rights to paths that a process gives up for itself and what it starts.

It is for systems without bubblewrap or without namespaces. Landlock adds rights below a folder and takes none away, so
it cannot protect `.git` in a project that is writable; and what a command leaves running stays. With bubblewrap
it is not used: an interpreter would have to start for it, which takes longer than bubblewrap, and protects no better.
"""

import base64
import ctypes
import functools
import json
import os
import sys

from zot_core.machine.shell import Launch
from zot_core.sandbox import give_up
from zot_core.sandbox.limits import SandboxLimits, with_limits
from zot_core.sandbox.policy import SandboxPolicy
from zot_core.sandbox.seccomp import MACHINES, filter_program

_OLDEST = 3  # the first version that refuses to truncate files (Linux 6.2)
_ENTRIES = 5000
_HIDDEN = ("/dev", "/proc")
"""Devices, and what other processes show of themselves: Linux 6.18 shows their environment in spite of Landlock."""
_READ = (
    "/dev/random", "/dev/urandom", "/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat",
    "/proc/sys", "/proc/uptime", "/proc/version",
)  # fmt: skip
_WRITTEN = ("/dev/full", "/dev/null", "/dev/tty", "/dev/zero")


@functools.cache
def problem() -> str:
    """Return why there is no Landlock here, a line for the person; empty if there is."""
    if sys.platform != "linux" or os.uname().machine not in MACHINES:
        return "there is no Landlock on this system"
    version = ctypes.CDLL(None).syscall(give_up.CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return "" if version >= _OLDEST else "the kernel has no Landlock, or an old version of it"


def confined(launch: Launch, policy: SandboxPolicy, limits: SandboxLimits) -> Launch:
    """Return how `launch` is started with less. `problem` has found none."""
    read, write = allowed(policy)
    order = json.dumps(
        {"read": read, "write": write, "filter": base64.b64encode(filter_program(network=False)).decode()}
    )
    with open(give_up.__file__, encoding="utf-8") as file:
        program = [os.path.realpath(sys.executable), "-ISE", "-c", file.read(), order]
    env = {**launch.env, "TMPDIR": policy.scratch} if policy.scratch else launch.env
    return launch.replace(argv=[*program, *with_limits(launch.argv, limits)], env=env)


def allowed(policy: SandboxPolicy) -> tuple[list[str], list[str]]:
    """Return the paths that may be read with everything below them, and the paths that may be written too."""
    hidden = [*_HIDDEN, *(path for path, access in policy.paths.items() if access == "none")]
    write = [path for path, access in policy.paths.items() if access == "write"]
    readable = [path for path, access in policy.paths.items() if access == "read"]
    read = [each for path in (os.path.sep, *readable) for each in _around(path, hidden)]
    return [*read, *_READ], [*write, *_WRITTEN]


def _around(folder: str, hidden: list[str]) -> list[str]:
    """Return a folder without the hidden paths: itself, or as few of its entries as possible."""
    if not any(each.startswith(os.path.join(folder, "")) for each in hidden):
        return [folder]
    found = []
    for name in sorted(os.listdir(folder))[:_ENTRIES]:
        path = os.path.join(folder, name)
        if path not in hidden and not os.path.islink(path):
            found += _around(path, hidden)
    return found
