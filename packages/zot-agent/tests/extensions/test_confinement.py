"""What the process of an extension can do, as the system sees it: every attempt is made in a real one."""

import contextlib
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from zot_agent.extensions.discover import discover
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_ext.limits import ExtensionLimits

PATIENT = ExtensionLimits(hello_seconds=60, ready_total_seconds=60, command_seconds=60, shutdown_seconds=20)

PROBE = f"""#!{sys.executable}
import ctypes, os, socket, subprocess, sys, threading
from zot_ext import Extension, display
ext = Extension("probe", "1")

@ext.command("attempt")
def attempt(args):
    found = {{}}
    try:
        exec(args, globals(), found)
    except BaseException as error:
        return display(f"{{type(error).__name__}} {{getattr(error, 'strerror', '')}}")
    return display(str(found.get("it")))

ext.run()
"""


pytestmark = pytest.mark.needs("bwrap")


class Machine:
    """A home with a key, zot's own folder, a project and an installed extension that does what a test says."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        self.zot_home = self.home / ".zot-home"
        self.folder = self.zot_home / "extensions" / "probe"
        for folder in (self.home / ".ssh", self.home / "notes", self.project / "src", self.folder):
            folder.mkdir(parents=True)
        for file in (".ssh/id", "notes/a", ".zot-home/auth.json", ".bashrc"):
            (self.home / file).write_text("secret")
        (self.project / "src" / "code").write_text("secret")
        (self.folder / "main.py").write_text(PROBE)
        (self.folder / "main.py").chmod(0o755)

    @contextlib.asynccontextmanager
    async def running(self, removed_env: frozenset[str] = frozenset(), **permissions: Any) -> AsyncIterator[Extensions]:
        """The extension with these permissions, started."""
        given = {"commands": True, **permissions}
        (self.folder / "extension.json").write_text(
            json.dumps({"name": "probe", "exec": "./main.py", "permissions": given})
        )
        extensions = Extensions(
            lambda: discover([], str(self.project), str(self.zot_home)),
            lambda: AgentInfo(str(self.project), "p", "m", ""),
            home=str(self.zot_home),
            limits=PATIENT,
            removed_env=removed_env,
        )
        extensions.start()
        try:
            await extensions.ready()
            assert [member.failure for member in extensions.members] == [""]
            yield extensions
        finally:
            await extensions.close()

    async def attempts(self, programs: list[str], **permissions: Any) -> list[str]:
        """Run programs in the extension; return of each what its `it` is, or its error."""
        async with self.running(**permissions) as extensions:
            return [(await extensions.run_command("attempt", program)).text for program in programs]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path)
    monkeypatch.setenv("HOME", str(found.home))
    return found


def opened(path: Path | str, mode: str = "r") -> str:
    return f"open({str(path)!r}, {mode!r})" + (".write('x')" if mode != "r" else "") + "; it = 'done'"


HIDDEN, DENIED, READ_ONLY = (
    "FileNotFoundError No such file or directory",
    "PermissionError Operation not permitted",
    "OSError Read-only file system",
)
FORK = "it = ctypes.CDLL(None, use_errno=True).fork(); os._exit(0) if it == 0 else None"


async def test_without_permissions_it_has_its_own_folder_and_the_system(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect = f"it = socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5)"
        answers = await machine.attempts(
            [
                opened(machine.home / ".ssh/id"),
                opened(machine.home / "notes/a"),
                opened(machine.zot_home / "auth.json"),
                opened(machine.project / "src/code"),
                opened(f"/proc/self/root{machine.project}/src/code"),
                opened("/usr/planted", "w"),
                opened(machine.folder / "extension.json", "w"),
                opened(machine.folder / "data", "w"),
                opened("/etc/passwd"),
                opened("/tmp/scratch", "w"),
                "it = subprocess.run(['true'])",
                "it = os.fork()",
                "it = os.posix_spawn('/bin/true', ['true'], {})",
                FORK,
                "it = []; thread = threading.Thread(target=it.append, args=[1]); thread.start(); thread.join()",
                connect,
                "it = socket.socket(socket.AF_UNIX)",
                f"it = os.kill({os.getpid()}, 0)",
                "it = [name for name in os.environ if 'SECRET' in name]",
            ]
        )
    assert answers == [
        *[HIDDEN] * 5,
        READ_ONLY,
        READ_ONLY,
        *["done"] * 3,
        *[DENIED] * 3,
        "-1",
        "[1]",
        "ConnectionRefusedError Connection refused",
        DENIED,
        "ProcessLookupError No such process",
        "[]",
    ]
    assert (machine.folder / "data").read_text() == "x"
