#!/usr/bin/env python3
"""zot's own tools on another machine: `/ssh me@host:/folder`, `/ssh off`, `zot --ssh me@host:/folder`.

One `ssh` process is the connection. It carries the files (SFTP), and each command is a channel of it.
"""

import asyncio
import contextlib
import os
import re
import secrets
import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping

from sftp import Sftp, kind

from zot_ext import Extension, FileStat, Response, ToolOps, display, error

CONFIG = os.environ.get("ZOT_SSH_CONFIG", "")
"""Another file than `~/.ssh/config`."""
CONNECT_SECONDS, END_SECONDS, LINGER_SECONDS = 15.0, 2.0, 0.3
TARGET = re.compile(r"(?P<host>[\w.@%+-]+|\w[\w.@%+-]*@\[[\da-fA-F:]+\])(?::(?P<folder>.*))?")

ext = Extension("ssh", "1.0.0")


def options(socket: str) -> list[str]:
    """The options of every `ssh`. It never asks: keys come from an agent or from files."""
    values = ["BatchMode=yes", f"ControlPath={socket}", "ConnectTimeout=10", "ServerAliveInterval=5"]
    words = [word for each in (*values, "ServerAliveCountMax=3", "ForwardX11=no") for word in ("-o", each)]
    return [*(["-F", CONFIG] if CONFIG else []), *words]


class Link:
    """One connection to `host`."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._folder = tempfile.mkdtemp(prefix="zot-ssh-")
        self._socket = os.path.join(self._folder, "s")
        self._master: asyncio.subprocess.Process | None = None
        self._words = b""
        self.files: Sftp | None = None
        """The files there, while the connection stands."""

    async def open(self) -> Sftp:
        """Connect. Raises `ConnectionError` with what `ssh` says."""
        master = self._master = await asyncio.create_subprocess_exec(
            "ssh", *options(self._socket), "-o", "ControlMaster=yes", "-o", "ControlPersist=no",
            self._host, "-s", "sftp",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        assert master.stdin is not None
        assert master.stdout is not None
        listening = asyncio.create_task(self._listen(master))
        files = Sftp(master.stdout, master.stdin)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await files.begin()
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            self.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(END_SECONDS):
                    await listening
            raise ConnectionError(f"no connection to {self._host}: {self._last_words()}") from None
        self.files = files
        return files

    async def _listen(self, master: asyncio.subprocess.Process) -> None:
        assert master.stderr is not None
        while piece := await master.stderr.read(4096):
            self._words = (self._words + piece)[-4096:]
        await master.wait()
        if self.files is not None:
            self.files.close(f"the connection to {self._host} was lost")
            self.files = None

    def _last_words(self) -> str:
        lines = [line.strip() for line in self._words.decode(errors="replace").splitlines() if line.strip()]
        told = [line for line in lines if not line.startswith("@")]
        return told[-1][:300] if told else "it did not answer in time"

    async def channel(self, command: str) -> asyncio.subprocess.Process:
        """Start a command on this connection, and on no other one."""
        return await asyncio.create_subprocess_exec(
            "ssh", *options(self._socket), "-o", "ControlMaster=no", "-o", "ProxyCommand=false", "-T",
            self._host, command,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip

    def close(self) -> None:
        """End the connection, and with it all its channels."""
        if self._master is not None and self._master.returncode is None:
            self._master.terminate()
        shutil.rmtree(self._folder, ignore_errors=True)


def script(command: str, cwd: str, env: Mapping[str, str], mark: str) -> str:
    """What the login shell there is given. It says its process group, and the exit code, on standard error."""
    names = [name for name in env if re.fullmatch(r"[A-Za-z_]\w*", name)]
    settings = "".join(f"export {name}={shlex.quote(env[name])}; " for name in names)
    shell = 'if command -v bash >/dev/null 2>&1; then bash -c "$run"; else sh -c "$run"; fi'
    inside = (
        f"echo {mark} pid $$ >&2; cd {shlex.quote(cwd)} || {{ echo {mark} lost >&2; exit 1; }}; {settings}"
        f"run={shlex.quote(command)}; {{ {shell}; }} </dev/null 2>&1; echo {mark} exit $? >&2"
    )
    return f"exec sh -c {shlex.quote(inside)}"


class RemoteCommand:
    """One command, from its start to its end."""

    def __init__(self, link: Link, output: Callable[[bytes], None]) -> None:
        self._link, self._output = link, output
        self._mark = f"zot-{secrets.token_hex(8)}"
        self._group, self._lost_folder = "", False
        self._exit: int | None = None
        self._over = asyncio.Event()

    async def run(self, command: str, cwd: str, env: Mapping[str, str]) -> int:
        """Run it and return its exit code. It ends when its shell ends: what runs on in the background is not read."""
        process = await self._link.channel(script(command, cwd, env, self._mark))
        printing = asyncio.create_task(self._print(process))
        marks = asyncio.create_task(self._read_marks(process))
        try:
            await self._over.wait()
            await asyncio.wait([printing], timeout=LINGER_SECONDS if self._exit is not None else None)
        except BaseException:
            await self._end()
            raise
        finally:
            for task in (printing, marks):
                task.cancel()
            if process.returncode is None:
                process.kill()
        if self._lost_folder:
            raise FileNotFoundError(2, f"there is no folder {cwd}", cwd)
        if self._exit is None:
            raise ConnectionResetError("the connection was lost; the command may still run there")
        return self._exit

    async def _print(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while piece := await process.stdout.read(65536):
            self._output(piece)

    async def _read_marks(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while line := await process.stderr.readline():
            match line.decode(errors="replace").split():
                case [self._mark, "pid", group]:
                    self._group = group
                case [self._mark, "exit", code]:
                    self._exit = int(code)
                    self._over.set()
                case [self._mark, "lost"]:
                    self._lost_folder = True
        self._over.set()

    async def _end(self) -> None:
        """End the process group there: first politely."""
        if not self._group.isdecimal():
            return
        group = f"-{self._group}"
        words = f"kill -s TERM -- {group}; sleep 0.2 2>/dev/null || sleep 1; kill -s KILL -- {group} 2>/dev/null"
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await (await self._link.channel(f"exec sh -c {shlex.quote(words)}")).communicate()


class Remote(ToolOps):
    """The machine at the other end of ssh. A connection that is lost is made again by the next operation."""

    def __init__(self) -> None:
        self.host = ""
        self._link: Link | None = None
        self._connecting = asyncio.Lock()

    async def files(self) -> Sftp:
        """The files there, connected. Raises `ConnectionError`."""
        async with self._connecting:
            if self._link is not None and self._link.files is not None:
                return self._link.files
            self.leave()
            self._link = Link(self.host)
            return await self._link.open()

    def leave(self) -> None:
        """End the connection."""
        if self._link is not None:
            self._link.close()
            self._link = None

    async def stat(self, path: str) -> FileStat:
        found = await (await self.files()).stat(path)
        return FileStat(kind(found.mode), found.size, found.mode & 0o7777)

    async def read(self, path: str, offset: int, length: int) -> bytes:
        return await (await self.files()).read(path, offset, length)

    async def write(self, path: str, data: bytes) -> None:
        await (await self.files()).write(path, data)

    async def list(self, path: str, follow: bool) -> list[tuple[str, str]]:  # noqa: FBT001
        files = await self.files()
        try:
            found = [(name, kind(mode)) for name, mode in await files.list(path)]
        except FileNotFoundError:
            if kind((await files.stat(path)).mode) == "directory":
                raise
            raise NotADirectoryError(20, "it is no folder", path) from None
        return [await self._target(files, path, *each) for each in found] if follow else found

    async def _target(self, files: Sftp, folder: str, name: str, found: str) -> tuple[str, str]:
        if found == "link":
            with contextlib.suppress(FileNotFoundError, PermissionError):
                return name, kind((await files.stat(os.path.join(folder, name))).mode)
            return name, "other"
        return name, found

    async def real(self, path: str) -> str:
        return await (await self.files()).real(path)

    async def run(self, command: str, cwd: str, env: Mapping[str, str], output: Callable[[bytes], None]) -> int:
        await self.files()
        assert self._link is not None
        return await RemoteCommand(self._link, output).run(command, cwd, env)


remote = Remote()
ops = ext.tool_ops(remote)


async def connect(target: str) -> str:
    """Let the tools work on another machine. Returns its folder; raises OSError and ValueError."""
    found = TARGET.fullmatch(target)
    if found is None or target.startswith("-"):
        raise ValueError(f"{target!r} is not me@host:/folder")
    remote.leave()
    remote.host = found["host"]
    files = await remote.files()
    home = await files.real(".")
    folder = await files.real(os.path.join(home, found["folder"] or "."))
    if kind((await files.stat(folder)).mode) != "directory":
        raise NotADirectoryError(20, f"{folder} is no folder")
    ops.claim(found["host"], cwd=folder, home=home)
    return folder


@ext.command("ssh", "let the tools work on another machine (me@host:/folder), or here again (off)")
async def ssh(args: str) -> Response:
    ext.require("tool_ops")
    if args == "off":
        ops.release()
        remote.leave()
        return display("the tools work here")
    if not args:
        claimed = ops.claimed
        return display(f"the tools work on {claimed.name}: {claimed.cwd}" if claimed else "the tools work here")
    before = remote.host
    try:
        return display(f"the tools work on {args.partition(':')[0]}: {await connect(args)}")
    except (OSError, ValueError) as problem:
        remote.leave()
        remote.host = before
        return error(str(problem.strerror or problem) if isinstance(problem, OSError) else str(problem))


@ext.flag("ssh", default="")
async def begin(target: object) -> None:
    if not target:
        return
    try:
        await connect(str(target))
    except (OSError, ValueError) as problem:
        # The tools must not work here by mistake: they fail, and say why, until the connection can be made.
        ext.notify(f"{problem}", "error")
        ops.claim(str(target).partition(":")[0][:100], cwd="/")


ext.run()
