"""`MachineOps`: the operations that an extension carries out on another machine."""

import asyncio
import binascii
import errno
import itertools
import os
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.requests import ExtensionEnded, TimedOut
from zot_core.aio import cancel_soon, spawn
from zot_core.errors import ToolError
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_host import CancelRequest
from zot_ext.protocol.groups.tool_ops import OpInput, OpOutput, OpRequest, OpResponse

ID = "op-"
"""The beginning of the ids of operations."""

NO_LIMIT = 1e8
"""Seconds: commands have their own limits."""

_FILE_ERRORS = (
    *("EACCES", "EBUSY", "EDQUOT", "EEXIST", "EFBIG", "EINVAL", "EISDIR", "ELOOP", "EMLINK", "ENAMETOOLONG", "ENOENT"),
    *("ENOSPC", "ENOTDIR", "ENOTEMPTY", "ENXIO", "EPERM", "EROFS", "ETXTBSY"),
)
"""Codes about a file. Any other says that the machine cannot be used."""

_ids = itertools.count(1)


class MachineLost(ToolError):
    """The machine cannot be used. It is no OSError: a search must not take it for a file that is missing."""


class MachineOps:
    """Asks the extension at `connection` for operations on the machine `name`."""

    def __init__(self, name: str, connection: Connection, limits: ExtensionLimits, outputs: "CommandOutputs") -> None:
        self.name, self.limits = name, limits
        self._connection, self._outputs = connection, outputs

    @staticmethod
    def new_id() -> str:
        return f"{ID}{next(_ids)}"

    async def ask(self, op: str, path: str = "", *, seconds: float = 0.0, **fields: Any) -> OpResponse:
        """Carry out an operation. Raises the OSError of the file, and `MachineLost`."""
        return await self.send(OpRequest(self.new_id(), op, path, **fields), seconds)

    async def send(self, frame: OpRequest, seconds: float = 0.0, rest: tuple[OpInput, ...] = ()) -> OpResponse:
        """Do what `ask` does, for a frame; `rest` is sent after it."""
        connection, answered = self._connection, False
        try:
            asked = connection.request(frame, OpResponse, seconds or self.limits.op_seconds)
            response = await (self._with_rest(asked, rest) if rest else asked)
            answered = True
        except TimedOut as error:
            raise MachineLost(f"{self.name}: {error}") from None
        except ExtensionEnded as error:
            raise MachineLost(f"{self.name} cannot be used any more: {error}; run /reload-ext") from None
        except FrameError as error:
            answered = True
            raise MachineLost(f"{self.name}: extension {connection.name!r}: {error}") from None
        finally:
            if not answered:
                connection.send(CancelRequest(frame.id))
        if response.code:
            raise self._error(response, frame)
        return response

    async def _with_rest(self, asked: Any, rest: tuple[OpInput, ...]) -> OpResponse:
        task = spawn(asked, "write on another machine")
        try:
            for each in rest:
                await asyncio.sleep(0)
                if task.done():
                    break
                self._connection.send(each)
            answer: OpResponse = await task
            return answer
        finally:
            cancel_soon(task)

    def _error(self, response: OpResponse, frame: OpRequest) -> Exception:
        words = response.error
        if response.code in _FILE_ERRORS:
            number = getattr(errno, response.code, errno.EIO)
            path = frame.cwd if frame.op == "exec" else frame.path
            return OSError(number, words or os.strerror(number), path)
        return MachineLost(f"{self.name} cannot be used: {words or response.code}")

    async def run(self, frame: OpRequest, output: Callable[[bytes], None]) -> OpResponse:
        """Carry out an `exec`; its output goes to `output`."""
        self._outputs.running[self._connection, frame.id] = output
        try:
            return await self.send(frame, NO_LIMIT)
        finally:
            del self._outputs.running[self._connection, frame.id]

    def cancel(self, id: str) -> None:
        """Ask the extension to end an operation, whose answer still counts."""
        self._connection.send(CancelRequest(id))


class CommandOutputs:
    def __init__(self) -> None:
        self.running: dict[tuple[Connection, str], Callable[[bytes], None]] = {}
        """By the connection of the extension, and the id of the operation."""
        self._stray = False

    def received(self, connection: Connection, frame: OpOutput) -> None:
        output = self.running.get((connection, frame.id))
        if output is None:  # that of a command that was cancelled may still come
            if not self._stray:
                connection.log(f"op_data for id {frame.id!r}, which runs no command; dropped, and so are later ones")
            self._stray = True
            return
        try:
            output(b64decode(frame.data, validate=True))
        except binascii.Error:
            connection.pending.reject(FrameError("is not base64", frame=OpOutput.type, field="data", id=frame.id))


def pieces(data: bytes, size: int, id: str) -> tuple[str, tuple[OpInput, ...]]:
    """Return the first piece of a content in base64, and the frames for the others."""
    parts = [data[start : start + size] for start in range(0, len(data), size)] or [b""]
    texts = [b64encode(each).decode() for each in parts]
    rest = [OpInput(id, text, more=number < len(texts) - 1) for number, text in enumerate(texts[1:], 1)]
    return texts[0], tuple(rest)


def decoded(response: OpResponse, most: int) -> bytes:
    """Return the bytes of an answer. Raises `MachineLost` if they are more than `most`, or no base64."""
    try:
        data = b64decode(response.data, validate=True)
    except binascii.Error:
        raise MachineLost("the extension sent data that is not base64") from None
    if len(data) > most:
        raise MachineLost(f"the extension sent {len(data)} bytes of a file; {most} were asked for")
    return data
