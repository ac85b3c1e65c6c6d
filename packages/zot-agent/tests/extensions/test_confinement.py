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
from calling_extension import PATIENT

from zot_agent.extensions.discover import DiscoveredExtension, discover, read_extension
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.launch import LaunchError
from zot_agent.extensions.permissions.confinement import extension_sandbox
from zot_agent.extensions.setup import ExtensionSetup
from zot_ext.limits import ExtensionLimits

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

    def extensions(self, removed_env: frozenset[str] = frozenset(), **permissions: Any) -> Extensions:
        """The extension with these permissions, not started."""
        given = {"commands": True, **permissions}
        (self.folder / "extension.json").write_text(
            json.dumps({"name": "probe", "exec": "./main.py", "permissions": given})
        )
        return Extensions(
            lambda: discover([], str(self.project), str(self.zot_home)),
            lambda: AgentInfo(str(self.project), "p", "m", ""),
            ExtensionSetup(str(self.zot_home), ExtensionLimits(**PATIENT), removed_env=removed_env),
        )

    @contextlib.asynccontextmanager
    async def running(self, removed_env: frozenset[str] = frozenset(), **permissions: Any) -> AsyncIterator[Extensions]:
        """The extension with these permissions, started."""
        extensions = self.extensions(removed_env, **permissions)
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


async def test_an_extension_that_is_stopped_while_its_sandbox_is_opened_does_not_run(machine: Machine) -> None:
    extensions = machine.extensions()
    extensions.start()
    (member,) = extensions.members
    await extensions.close()
    assert member.connection is None


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


async def test_it_has_the_files_that_its_permissions_name(machine: Machine) -> None:
    answers = await machine.attempts(
        [
            opened(machine.project / "src/code"),
            opened(machine.project / "src/code", "w"),
            opened(machine.project / "README", "w"),
            opened(machine.home / "notes/a", "a"),
            opened(machine.home / "notes/b", "w"),
            opened(machine.home / ".ssh/id"),
            "it = sorted(os.listdir(os.environ['HOME']))",
        ],
        read=["src"],
        write=["~/notes/**"],
    )
    assert answers == ["done", READ_ONLY, "done", "done", "done", HIDDEN, "['.zot-home', 'notes']"]
    assert not (machine.project / "README").exists()  # it was written to a folder that is gone with the process
    assert (machine.home / "notes/a").read_text() == "secretx"


async def test_the_settings_in_a_project_that_it_may_write_are_not_writable(machine: Machine) -> None:
    (machine.project / ".git").mkdir()
    answers = await machine.attempts(
        [
            opened(machine.project / "src/code", "w"),
            opened(machine.project / ".git/config", "w"),
            opened(machine.project / ".zot/config.json", "w"),
        ],
        write=["."],
    )
    assert answers == ["done", READ_ONLY, READ_ONLY]


async def test_it_reads_all_files_and_writes_none_but_its_own(machine: Machine) -> None:
    answers = await machine.attempts(
        [opened(machine.home / ".ssh/id"), opened(machine.home / "notes/a", "w"), opened(machine.folder / "data", "w")],
        read=True,
    )
    assert answers == ["done", READ_ONLY, "done"]


async def test_it_writes_all_files_and_has_no_network(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect = f"it = socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5)"
        answers = await machine.attempts(
            [opened(machine.home / ".bashrc", "w"), opened(machine.folder / "extension.json", "w"), connect], write=True
        )
    assert answers == ["done", READ_ONLY, "ConnectionRefusedError Connection refused"]


async def test_it_connects_and_starts_programs_if_it_may(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        answers = await machine.attempts(
            [
                f"socket.create_connection({address!r}, 5); it = 'done'",
                "it = subprocess.run(['sh', '-c', 'echo $((1 + 1))'], capture_output=True).stdout",
                f"it = subprocess.run(['cat', {str(machine.home / '.ssh/id')!r}], stderr=-3).returncode",
            ],
            network=True,
            exec=True,
        )
    assert answers == ["done", "b'2\\n'", "1"]


async def test_a_proxy_refuses_hosts_that_its_permissions_do_not_name_and_there_is_no_way_around_it(
    machine: Machine,
) -> None:
    ask = "import urllib.request, urllib.error\ntry: urllib.request.urlopen('http://{}/', timeout=20)\n"
    ask += "except urllib.error.HTTPError as error: it = error.code"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        answers = await machine.attempts(
            [
                ask.format("b.invalid"),
                ask.format(f"127.0.0.1.a.invalid:{port}"),
                "import os; os.environ['NO_PROXY'] = '*'; it = socket.create_connection(('192.0.2.1', 80), 5)",
                f"it = socket.create_connection(('127.0.0.1', {port}), 5)",
                "it = os.fork()",
            ],
            network=["a.invalid"],
        )
    assert answers == [
        "403",
        "403",
        "OSError Network is unreachable",
        "ConnectionRefusedError Connection refused",
        DENIED,
    ]


async def test_variables_with_keys_stay_outside_unless_the_manifest_names_them(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("A_KEY", "DB_PASSWORD", "SSH_AUTH_SOCK", "LD_PRELOAD_NOT"):
        monkeypatch.setenv(name, "secret")
    answers = await machine.attempts(
        [
            "it = [name for name, value in os.environ.items() if value == 'secret']",
            "it = os.path.isdir(os.environ['ZOT_EXT_PATH'])",
        ]
    )
    assert answers == ["[]", "True"]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"permissions": {"write": ["~"]}}, "the sandbox cannot protect your home folder from work in "),
        ({"exec": "../outside.py"}, "its program "),
    ],
)
async def test_permissions_that_cannot_be_kept_to_keep_it_from_starting(
    machine: Machine, fields: dict[str, Any], why: str
) -> None:
    outside = machine.folder.parent / "outside.py"
    outside.write_text(PROBE)
    outside.chmod(0o755)
    manifest = {"name": "probe", "exec": "./main.py", "permissions": {}, **fields}
    (machine.folder / "extension.json").write_text(json.dumps(manifest))
    found = read_extension(str(machine.folder), "global")
    assert isinstance(found, DiscoveredExtension)
    with pytest.raises(LaunchError, match=f"^extension 'probe': its permissions cannot be enforced: {why}"):
        extension_sandbox(found, AgentInfo(str(machine.project), "", "", ""), str(machine.zot_home))


async def test_without_a_sandbox_it_is_not_started_and_a_line_says_why(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AssertionError, match="its permissions cannot be enforced: the sandbox needs bubblewrap"):
        async with machine.running():
            pass
