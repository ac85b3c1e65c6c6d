"""`SandboxWorld`: a project beside what must stay out of reach, and a sandbox for it."""

import asyncio
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from zot_core.machine.interface import ShellExit
from zot_core.machine.shell import LocalShell, ShellLimits
from zot_core.sandbox.limits import SandboxLimits
from zot_core.sandbox.policy import make_policy
from zot_core.sandbox.sandbox import Sandbox
from zot_core.sandbox.shell import SandboxedShell

SECRET = "out-of-reach-7c1e"
"""What is in every file that the inside must not see."""

SET_MODES = """
import ctypes, os, sys
libc, name = ctypes.CDLL(None, use_errno=True), b"made"
def call(number, *arguments):
    ctypes.set_errno(0)
    found = libc.syscall(number, *arguments)
    if found > 2:
        os.close(found)
    return ctypes.get_errno()
def tries(bits):
    open(name, "w").close()
    held = os.open(name, os.O_RDONLY)
    x86 = os.uname().machine == "x86_64"
    create, temporary = os.O_CREAT | os.O_WRONLY, os.O_TMPFILE | os.O_WRONLY
    yield "fchmod", call(91 if x86 else 52, held, bits)
    yield "fchmodat", call(268 if x86 else 53, -100, name, bits)
    yield "fchmodat2", call(452, -100, name, bits, 0)
    yield "openat", call(257 if x86 else 56, -100, b"a", create, bits)
    yield "openat of a temporary file", call(257 if x86 else 56, -100, b".", temporary, bits)
    yield "mknodat", call(259 if x86 else 33, -100, b"b", 0o100000 | bits, 0)
    how = (ctypes.c_uint64 * 3)(create, bits, 0)
    yield "openat2", call(437, -100, b"c", how, 24)
    if x86:
        yield "chmod", call(90, name, bits)
        yield "open", call(2, b"d", create, bits)
        yield "creat", call(85, b"e", bits)
        yield "mknod", call(133, b"f", 0o100000 | bits, 0)
for bits in (0o4755, 0o2755):
    print(*(f"{what}: {number}" for what, number in tries(bits)), sep=chr(10))
"""
"""A program that tries every call that sets a mode, and prints the error of each."""


class SandboxWorld:
    """The folders of a test. Inside, `project` is writable, `other` readable, and nothing else of `folder` is there."""

    def __init__(self, folder: Path) -> None:
        """Fill an empty folder; the variable HOME should name `home` in it."""
        self.folder = folder
        self.project, self.home, self.other = folder / "project", folder / "home", folder / "other"
        self.zot_home, self.scratch = self.home / ".zot-home", folder / "scratch"
        for path in (
            "project/.git/hooks/pre-commit.sample", "project/.git/config", "project/.git/info/attributes",
            "project/.git/modules/sub/config", "project/src/a.py", "other/file",
        ):  # fmt: skip
            self.write(path, "text\n")
        for path in ("home/.ssh/id", "home/.bashrc", "home/.aws/credentials", "home/.zot-home/auth.json"):
            self.write(path, SECRET)
        for path in ("sessions/0/a.jsonl", "remembered/guard.jsonl", "pi-cache/guards/guard.json"):
            self.write(f"home/.zot-home/{path}", SECRET)
        self.scratch.mkdir()
        self.sandbox = self.open()
        self._before = self._outside()

    def write(self, path: str, text: str) -> None:
        """Write a file below `folder`."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def open(self, limits: SandboxLimits | None = None, **more: Any) -> Sandbox:
        """Return another sandbox; `more` are arguments of `make_policy`."""
        more = {"readable": [str(self.other)], "scratch": str(self.scratch)} | more
        policy = make_policy(str(self.project), zot_home=str(self.zot_home), home=str(self.home), **more)
        return Sandbox(policy, limits)

    def run(self, command: str, *, sandbox: Sandbox | None = None, **options: Any) -> tuple[ShellExit, str]:
        """Run a command inside; return how it ended and what it printed."""
        shell = SandboxedShell(sandbox or self.sandbox, LocalShell(ShellLimits(kill_after=0.5)))
        options = dict[str, Any](cwd=str(self.project), env={}, timeout=300) | options
        parts: list[bytes] = []
        ended = asyncio.run(shell.run(command, output=parts.append, **options))
        return ended, b"".join(parts).decode(errors="replace")

    def python(self, program: str, **options: Any) -> tuple[ShellExit, str]:
        """Run a program in Python inside."""
        return self.run(shlex.join([sys.executable, "-c", program]), **options)

    def with_other_rights(self) -> list[str]:
        """Return the files of the project that are setuid or setgid."""
        return [str(path) for path in self.project.rglob("*") if path.lstat().st_mode & 0o6000]

    def changed(self) -> list[str]:
        """Return what has changed outside."""
        after = self._outside()
        return sorted(path for path in self._before | after if self._before.get(path) != after.get(path))

    def _outside(self) -> dict[str, str]:
        """Return what may not change: names, and contents of files."""
        found: dict[str, str] = {}
        for folder, folders, files in os.walk(self.folder):
            here = Path(folder)
            if here in (self.project, self.scratch):
                folders[:] = [name for name in folders if name in (".git", ".zot", ".claude")]
                files = []
            found |= {str(here / name): (here / name).read_text() for name in files}
            found |= {str(here / name): "" for name in folders if name not in (".zot", ".claude")}
        return found
