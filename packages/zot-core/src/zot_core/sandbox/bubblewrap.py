"""The sandbox of Linux: bubblewrap starts a program in new namespaces.

Inside are the paths of a policy and nothing else of the machine: own processes, own network (none), own `/dev`, `/proc`
and `/tmp`, no capability, and a filter of system calls. An argument below names what it stops.
"""

import functools
import os
import stat
import subprocess
from collections.abc import Iterable, Sequence

from zot_core.machine.shell import Launch
from zot_core.sandbox.limits import SandboxLimits, with_limits
from zot_core.sandbox.policy import TEMPORARY, SandboxPolicy
from zot_core.sandbox.seccomp import MACHINES, filter_program

_NAMESPACES = (
    "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net",
)  # fmt: skip
_NO_RIGHTS = (
    "--cap-drop", "ALL",  # root in a namespace could mount the disk writable again
    "--die-with-parent",  # the thread that starts it must live as long
)  # fmt: skip
_TRIAL_SECONDS = 10.0
_DEVICES = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")


def find_bubblewrap(inside: Iterable[str] = (), path: str | None = None) -> str:
    """Return the absolute path of `bwrap`, empty without one. What is below the folders `inside`, which the agent may
    write, does not count."""
    return _find(tuple(inside), os.environ.get("PATH", "") if path is None else path)


@functools.cache
def _find(inside: tuple[str, ...], path: str) -> str:
    untrusted = tuple(os.path.join(os.path.realpath(each), "") for each in inside)
    for folder in filter(os.path.isabs, path.split(os.pathsep)):
        program = os.path.realpath(os.path.join(folder, "bwrap"))
        if not program.startswith(untrusted) and os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    return ""


def writable_folders(policy: SandboxPolicy) -> list[str]:
    """Return the folders whose programs are not trusted; the project alone, if the system itself may be written."""
    return [policy.root] if policy.may_write("/usr") else [*filter(policy.may_write, policy.paths)]


def problem(inside: Iterable[str] = ()) -> str:
    """Return why commands cannot be confined here, a line for the person; empty if they can. It tries it once."""
    program = find_bubblewrap(inside)
    if not program:
        return "the sandbox needs bubblewrap: install the package bubblewrap"
    if os.uname().machine not in MACHINES:
        return f"the sandbox does not know the system calls of {os.uname().machine}"
    return _trial(program)[1]


@functools.cache
def _trial(program: str) -> tuple[list[str], str]:
    """Start a program in a sandbox. Return arguments that this version knows, and what went wrong."""
    failed = ""
    for more in (["--disable-userns"], []):  # since 0.8; the filter of system calls refuses namespaces too
        arguments = [program, *_NAMESPACES, *more, *_NO_RIGHTS, *_DEVICES, "--", program, "--version"]
        try:
            ran = subprocess.run(
                arguments, env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TRIAL_SECONDS, check=False
            )
        except (OSError, subprocess.SubprocessError) as error:
            return [], f"the sandbox cannot start {program}: {error}"
        if ran.returncode == 0:
            return more, ""
        failed = ran.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        if "nknown option" not in failed:
            break
    return [], f"the sandbox does not work here: {failed}{_advice(failed)}"


def _advice(text: str) -> str:
    if "mount proc" in text:
        return "; this container hides /proc, run zot outside it"
    if any(each in text for each in ("uid map", "RTM_NEWADDR", "No space left", "namespace", "not permitted")):
        return (
            "; this system does not let you make user namespaces, see sysctl kernel.unprivileged_userns_clone,"
            " user.max_user_namespaces and kernel.apparmor_restrict_unprivileged_userns"
        )
    return ""


def confined(
    launch: Launch, policy: SandboxPolicy, limits: SandboxLimits, more: Sequence[str] = (), *, home: str = ""
) -> Launch:
    """Return how `launch` is started in a sandbox, with `more` arguments for bubblewrap, and with the folder `home` of
    this machine as its home. `problem` has found none."""
    program = find_bubblewrap(writable_folders(policy))
    descriptor = _sealed(filter_program(processes=policy.processes))
    namespaces = [each for each in _NAMESPACES if each != "--unshare-net" or not policy.open_network]
    argv = [
        program, *namespaces, *_trial(program)[0], *_NO_RIGHTS, *_DEVICES,
        *mounts(policy, home), *more, "--chdir", os.path.realpath(launch.cwd), "--seccomp", str(descriptor), "--",
        *with_limits(launch.argv, limits),
    ]  # fmt: skip
    # The environment is that of bubblewrap itself too, which processes inside can read.
    return Launch(argv, launch.cwd, launch.env, [*launch.descriptors, descriptor])


def mounts(policy: SandboxPolicy, home: str = "") -> list[str]:
    """Return the arguments that show the paths of a policy, a folder before what is in it. What is written into a
    hidden folder would be lost without a word, so that it is refused; but programs need the home."""
    arguments: list[str] = []
    hidden: list[str] = []
    around = _around_protected(policy)
    for path, access in sorted({**dict.fromkeys(around, "write"), **policy.paths}.items()):
        kind = _kind(path)
        differs = access != policy.access(os.path.dirname(path))
        if not kind or not (differs or path in around or path == policy.home):
            continue
        if access != "none":
            arguments += ["--bind" if access == "write" else "--ro-bind", path, path]
        elif own := {TEMPORARY: policy.scratch, policy.home: home}.get(path):
            arguments += ["--bind", own, path]
        elif kind == "folder":
            arguments += ["--perms", "0700", "--tmpfs", path]
            hidden += ["--remount-ro", path] if path not in (TEMPORARY, policy.home) else []
        else:  # also what cannot be read now: its owner is the inside's
            arguments += ["--ro-bind", os.devnull, path]
    if os.getuid() == 0:  # the owner of the files of the kernel writes them without a capability too
        arguments += [word for path in _kernel_files() for word in ("--ro-bind", path, path)]
    return [*arguments, *hidden]


def _around_protected(policy: SandboxPolicy) -> set[str]:
    """Return the writable folders around what is not writable. Each becomes a mount, which cannot be renamed: the
    mounts in it would move along, and leave their paths free."""
    found = set()
    for path, access in policy.paths.items():
        while access != "write" and path != os.path.sep and policy.may_write(path := os.path.dirname(path)):
            found.add(path)
    return found


@functools.cache
def _kernel_files() -> list[str]:
    """Return the entries of `/proc` in which root can write, except the entries of processes."""
    names = (name for name in os.listdir("/proc") if not name.isdecimal())
    return [path for name in sorted(names) if _is_writable(path := os.path.join("/proc", name))]


def _is_writable(path: str) -> bool:
    """Whether a file, or one in a folder, may be written by its owner."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode):
            return path == "/proc/sys" or any(_is_writable(os.path.join(path, name)) for name in os.listdir(path))
    except OSError:  # it has just gone
        return False
    return stat.S_ISREG(mode) and bool(mode & stat.S_IWUSR)


def _kind(path: str) -> str:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return ""
    return "folder" if stat.S_ISDIR(mode) else "" if stat.S_ISLNK(mode) else "file"


def _sealed(data: bytes) -> int:
    """Return a descriptor to read `data` from."""
    descriptor = os.memfd_create("zot-filter")
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
