"""`RemoteFiles` and `RemoteShell`: the files and the shell of another machine, through an extension."""

import asyncio
import errno
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Literal, get_args

from zot_agent.extensions.machines.operations import MachineLost, MachineOps, decoded, pieces
from zot_core.aio import spawn
from zot_core.machine.files import LocalFiles
from zot_core.machine.interface import FileInfo, ShellExit
from zot_ext.protocol.groups.tool_ops import OpRequest
from zot_ext.protocol.raw import RawObject

_Kind = Literal["file", "directory", "link", "other"]
_MIB = 1 << 20


class RemoteFiles:
    """`Files` of another machine. What is below the folder `outputs` is on this one, and can only be read."""

    direct = False

    def __init__(self, ops: MachineOps, cwd: str, outputs: str) -> None:
        self._ops, self._cwd, self._outputs = ops, cwd, f"{outputs}/"
        self._here = LocalFiles()

    async def stat(self, path: str) -> FileInfo:
        if path.startswith(self._outputs):
            return await self._here.stat(path)
        found = await self._ops.ask("stat", path)
        kind = _kind(found.kind)
        return FileInfo("other" if kind == "link" else kind, max(found.size, 0), found.mode)

    async def read(self, path: str, limit: int | None = None) -> bytes:
        parts = []
        async for piece in self._pieces(path, limit):
            parts.append(piece)
        return b"".join(parts)

    async def chunks(self, path: str) -> AsyncIterator[bytes]:
        async for piece in self._pieces(path, None):
            yield piece

    async def _pieces(self, path: str, limit: int | None) -> AsyncIterator[bytes]:
        if path.startswith(self._outputs):
            yield await self._here.read(path, limit)
            return
        size, offset = self._ops.limits.op_piece_bytes, 0
        while limit is None or offset < limit:
            length = size if limit is None else min(size, limit - offset)
            piece = decoded(await self._ops.ask("read", path, offset=offset, length=length), length)
            offset += len(piece)
            if piece:
                yield piece
            if len(piece) < length:
                return

    async def write(self, path: str, data: bytes) -> None:
        limits = self._ops.limits
        if path.startswith(self._outputs):
            raise PermissionError(errno.EACCES, "outputs of commands are not changed", path)
        if len(data) > limits.op_write_bytes:
            raise OSError(errno.EFBIG, f"it has more than {limits.op_write_bytes >> 20} MiB", path)
        id = self._ops.new_id()
        first, rest = pieces(data, limits.op_piece_bytes, id)
        seconds = limits.op_seconds * (1 + len(data) / _MIB)
        try:
            await self._ops.send(OpRequest(id, "write", path, data=first, more=bool(rest)), seconds, rest)
        except MachineLost as error:
            raise MachineLost(f"{error}. It is not known whether {path} has the old or the new content") from None

    async def list(self, path: str, *, follow: bool = True) -> list[tuple[str, _Kind]]:
        found = await self._ops.ask("list", path, follow=follow)
        if len(found.names) != len(found.kinds):
            raise MachineLost(f"{self._ops.name}: {len(found.names)} names and {len(found.kinds)} kinds of files")
        wrong = next((each for each in found.names if each in ("", ".", "..") or "/" in each or "\0" in each), None)
        if wrong is not None:
            raise MachineLost(f"{self._ops.name}: {wrong!r} is not the name of a file")
        return sorted((name, _kind(kind)) for name, kind in zip(found.names, found.kinds, strict=True))

    async def real(self, path: str) -> str:
        if path == self._cwd:
            return path
        if path.startswith(self._outputs):
            return await self._here.real(path)
        found = (await self._ops.ask("real", path)).path
        if not found.startswith("/"):
            raise MachineLost(f"{self._ops.name}: {found!r} is no absolute path")
        return found


def _kind(text: str) -> _Kind:
    return next((each for each in get_args(_Kind) if each == text), "other")


class RemoteShell:
    """`Shell` of another machine. The host keeps the time limit: the extension only knows of a cancelled command."""

    def __init__(self, ops: MachineOps) -> None:
        self._ops = ops

    async def run(
        self, command: str, *, cwd: str, env: Mapping[str, str], timeout: float | None, output: Callable[[bytes], None]
    ) -> ShellExit:
        """See `Shell.run`. Raises `MachineLost` too."""
        id = self._ops.new_id()
        frame = OpRequest(id, "exec", command=command, cwd=cwd, env=RawObject.from_value(env))
        task = spawn(self._ops.run(frame, output), f"command on {self._ops.name}")
        try:
            done, _ = await asyncio.wait([task], timeout=timeout)
            if done:
                return ShellExit(task.result().exit_code)
            await self._stop(task, id)
            if not task.done():
                raise MachineLost(
                    f"{self._ops.name} did not confirm that the command was ended after {timeout:g} s; it may still run"
                )
            return ShellExit(None, timed_out=True)
        except asyncio.CancelledError:
            await self._stop(task, id)
            raise
        finally:
            task.cancel()
            if task.done() and not task.cancelled():
                task.exception()  # it was ended, and how is of no interest

    async def _stop(self, task: "asyncio.Task[object]", id: str) -> None:
        """Ask the extension to end the command, and wait a moment for that."""
        if not task.done():
            self._ops.cancel(id)
            await asyncio.wait([task], timeout=self._ops.limits.op_cancel_seconds)
