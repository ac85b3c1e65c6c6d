"""Run a command where only what every machine has is at its place, of all programs: `hide_programs.py COMMAND`.

CI runs tests with it. The root `conftest.py` shows a test the programs that it declares, but cannot keep it from
`/usr/bin/node`, or from a shell that has no PATH and looks where the system's programs are. Here these folders, and all
on the PATH, hold nothing but PROGRAMS, python3 and what these are links to. The folders as they are can be seen below
OUTSIDE, and PATH leads there, so that what a test declares is found.

This needs Linux and a mount namespace: as root one of the machine, else one of a user namespace. If it cannot be had, a
line on stderr says so, and the command runs where all programs are at their places.
"""

import ast
import ctypes
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUTSIDE = "/usr/bin/outside"
PLACES = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
"""Where programs look that have no PATH."""
LIBC = ctypes.CDLL(None, use_errno=True)
NEW_MOUNTS, NEW_USERS = 0x00020000, 0x10000000
BIND, RECURSIVE, PRIVATE, DETACH = 0x1000, 0x4000, 0x40000, 2
"""CLONE_NEWNS and CLONE_NEWUSER of `linux/sched.h`, and MS_BIND, _REC, _PRIVATE, MNT_DETACH of `sys/mount.h`."""


def programs_of_every_machine() -> list[str]:
    """The PROGRAMS of the root `conftest.py`, and python3."""
    for node in ast.parse((ROOT / "conftest.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PROGRAMS":
            return [*str(ast.literal_eval(node.value)).split(), "python3"]
    raise LookupError("PROGRAMS")


def _folders() -> list[str]:
    """The folders to hide: those of programs, but not that of this virtual environment, nor one around the checkout."""
    paths = [*os.environ.get("PATH", "").split(os.pathsep), *PLACES]
    used = [str(ROOT), os.getcwd(), *([os.path.dirname(sys.executable)] if sys.prefix != sys.base_prefix else [])]
    folders: list[str] = []
    for each in sorted({os.path.realpath(path) for path in paths if path}):
        if os.path.isdir(each) and not _inside(each, folders) and not any(_inside(use, [each]) for use in used):
            folders.append(each)
    return folders


def _inside(path: str, folders: list[str]) -> bool:
    return any(f"{path}/".startswith(f"{folder}/") for folder in folders)


def _kept(folders: list[str], files: Iterable[str]) -> set[str]:
    """The files that stay, with the links on the way to them."""
    names = programs_of_every_machine()
    left = [*files, sys.executable, *(os.path.join(folder, name) for folder in folders for name in names)]
    kept: set[str] = set()
    while left:
        path = left.pop()
        path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if path not in kept and os.path.lexists(path) and not os.path.isdir(path):
            kept.add(path)
            if os.path.islink(path):
                left.append(os.path.join(os.path.dirname(path), os.readlink(path)))
    return {path for path in kept if os.path.dirname(path) in folders}


def _check(code: int, what: str) -> None:
    if code:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), what)


def _mount(source: str, target: str, flags: int = 0, options: str = "") -> None:
    """Mount a place at another, or a "tmpfs" with options."""
    _check(LIBC.mount(source.encode(), target.encode(), source.encode(), flags, options.encode()), target)


def _show(machine: str, folders: list[str]) -> None:
    """Show the folders below OUTSIDE as they are below `machine`, and beside them links to what is beside them."""
    for folder in folders:
        os.makedirs(OUTSIDE + folder)
        _mount(machine + folder, OUTSIDE + folder, BIND | RECURSIVE)
    for parent in {str(each) for folder in folders for each in Path(folder).parents}:
        for name in os.listdir(parent):
            with suppress(FileExistsError):
                os.symlink(os.path.join(parent, name), os.path.join(OUTSIDE + parent, name))


def hide(files: Iterable[str], *, outside: bool) -> None:
    """Hide the programs from this process, which has one thread, and from its children, all but PROGRAMS and `files`.
    With `outside` their folders stay below OUTSIDE. Raises OSError where that cannot be."""
    folders = _folders()
    kept = {path: os.readlink(path) if os.path.islink(path) else "" for path in _kept(folders, files)}
    user, group = os.geteuid(), os.getegid()
    _check(LIBC.unshare(NEW_MOUNTS | (NEW_USERS if user else 0)), "a mount namespace")
    if user:
        maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
        for name, text in maps.items():
            Path("/proc/self", name).write_text(text)
    _mount("none", "/", RECURSIVE | PRIVATE)
    machine = tempfile.mkdtemp(prefix="zot-outside-")
    try:
        _mount("/", machine, BIND | RECURSIVE)
        for folder in folders:
            _mount("tmpfs", folder, options="mode=755")
        for path, link in kept.items():
            if link:
                os.symlink(link, path)
            else:
                os.close(os.open(path, os.O_CREAT))
                _mount(machine + path, path, BIND)
        if outside:
            _show(machine, folders)
        _check(LIBC.umount2(machine.encode(), DETACH), machine)
    finally:
        with suppress(OSError):  # it can be busy for a moment, and what is hidden is hidden
            os.rmdir(machine)


def can_hide(files: Iterable[str], *, outside: bool) -> bool:
    """Try it in another process, and say on stderr if it cannot be."""
    sys.stderr.flush()
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    try:
        hide(files, outside=outside)
    except (OSError, AttributeError) as error:  # a system other than Linux has no such functions
        os.write(2, f"programs that tests do not declare are not hidden from them: {error}\n".encode())
        os._exit(1)
    os._exit(0)


def main(words: list[str]) -> None:
    """Become the command."""
    if can_hide([], outside=True):
        folders = _folders()
        hide([], outside=True)
        path = [*os.environ.get("PATH", "").split(os.pathsep), *PLACES]
        real = [os.path.realpath(each) for each in path if each]
        os.environ["PATH"] = os.pathsep.join(OUTSIDE + each if _inside(each, folders) else each for each in real)
        if _inside(uv := os.environ.get("UV", ""), folders):
            os.environ["UV"] = OUTSIDE + uv
    program = shutil.which(words[0]) or words[0]
    os.execv(program, words)


if __name__ == "__main__":
    main(sys.argv[1:])
