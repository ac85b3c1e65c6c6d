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
        self.write("home/.zot-home/sessions/0/a.jsonl", SECRET)
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
        options = dict[str, Any](cwd=str(self.project), env={}, timeout=60) | options
        parts: list[bytes] = []
        ended = asyncio.run(shell.run(command, output=parts.append, **options))
        return ended, b"".join(parts).decode(errors="replace")

    def python(self, program: str, **options: Any) -> tuple[ShellExit, str]:
        """Run a program in Python inside."""
        return self.run(shlex.join([sys.executable, "-c", program]), **options)

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
