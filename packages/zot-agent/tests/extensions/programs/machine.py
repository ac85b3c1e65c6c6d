"""An extension that offers a folder as another machine; the first argument says which, the second how it behaves.

Commands `die`, `hang`, `flood`, `garbage` and `stray` do what they say; so do files with these names.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping

from zot_ext import Extension, FileStat, ToolOps
from zot_ext.protocol.groups.tool_ops import OpOutput, OpResponse

ROOT = sys.argv[1]
OPTIONS = sys.argv[2:]
NAME = next((each.removeprefix("name=") for each in OPTIONS if each.startswith("name=")), "machine")
ext = Extension(NAME, "1", capabilities=("registration_result",))


def place(path: str) -> str:
    return ROOT + path


async def behave(name: str) -> None:
    if name == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "hang":
        await asyncio.get_running_loop().create_future()


class Folder(ToolOps):
    async def stat(self, path: str) -> FileStat:
        found = os.stat(place(path))
        kind = "directory" if os.path.isdir(place(path)) else "file"
        return FileStat(kind, found.st_size, found.st_mode & 0o777)

    async def read(self, path: str, offset: int, length: int) -> bytes:
        await behave(os.path.basename(path))
        with open(place(path), "rb") as file:
            file.seek(offset)
            return file.read(length + ("greedy" in OPTIONS))

    async def write(self, path: str, data: bytes) -> None:
        await behave(os.path.basename(path))
        if os.path.basename(path) == "lost":
            raise ConnectionResetError("the cable was cut")
        os.makedirs(os.path.dirname(place(path)), exist_ok=True)
        with open(place(path), "wb") as file:
            file.write(data)

    async def list(self, path: str, follow: bool) -> list[tuple[str, str]]:
        if "climbs" in OPTIONS:
            return [("../../secret", "file")]
        names = os.listdir(place(path))
        return [(name, "directory" if os.path.isdir(place(f"{path}/{name}")) else "file") for name in names]

    async def real(self, path: str) -> str:
        return "nowhere" if "unreal" in OPTIONS else os.path.normpath(path)

    async def run(self, command: str, cwd: str, env: Mapping[str, str], output: Callable[[bytes], None]) -> int:
        if command == "flood":
            for _ in range(4000):
                output(b"y\n" * 4096)
                await asyncio.sleep(0)
            return 0
        if command == "garbage":
            ext.send(OpOutput(current(), "%%%"))
        if command == "stray":
            ext.send(OpOutput("op-of-nobody", "eQ=="))
            ext.send(OpResponse("op-of-nobody", exit_code=1))
            return 0
        await behave(command)
        process = await asyncio.create_subprocess_exec(
            "sh", "-c", command, cwd=place(cwd), env={**os.environ, **env}, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            while piece := await process.stdout.read(65536):
                output(piece)
            return await process.wait()
        finally:
            if process.returncode is None:
                if "stubborn" in OPTIONS:
                    await asyncio.sleep(3600)
                os.killpg(process.pid, signal.SIGKILL)
                await process.wait()


def current() -> str:
    from zot_ext.calls.caller import current_request

    return current_request.get()


class Commands(Folder):
    """Commands alone."""

    stat, read, write, list, real = (  # type: ignore[assignment]
        getattr(ToolOps, name) for name in ("stat", "read", "write", "list", "real")
    )


ops = ext.tool_ops(Commands() if "exec" in OPTIONS else Folder())
if "later" not in OPTIONS:
    ops.claim(f"me@{NAME}", cwd="/srv", home="/home/me")


@ext.command(f"{NAME}-on")
def on(args: str) -> None:
    ops.claim(args or f"me@{NAME}", cwd="/srv", home="/home/me")


@ext.command(f"{NAME}-off")
def off(args: str) -> None:
    ops.release()


ext.run()
