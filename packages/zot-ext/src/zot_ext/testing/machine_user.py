"""`FakeMachineUser`: the part of `FakeHost` that uses the machine of an extension."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from zot_ext.protocol.from_host import CancelRequest
from zot_ext.protocol.groups.tool_ops import (
    OpInput,
    OpOutput,
    OpRequest,
    OpResponse,
    RegisterToolOps,
    UnregisterToolOps,
)
from zot_ext.protocol.raw import RawObject
from zot_ext.testing.fake_pipe import ExtensionPipe

if TYPE_CHECKING:
    from collections.abc import Mapping


class FakeMachineUser(ExtensionPipe):
    """A base class of `FakeHost`."""

    @property
    def machine(self) -> RegisterToolOps | None:
        """The machine that the tools would use; None for that of the host."""
        found = [each for each in [*self.frames] if isinstance(each, (RegisterToolOps, UnregisterToolOps))]
        return found[-1] if found and isinstance(found[-1], RegisterToolOps) else None

    def op(self, op: str, path: str = "", **fields: Any) -> OpResponse:
        return self.op_answer(self.begin_op(op, path, **fields))

    def begin_op(self, op: str, path: str = "", **fields: Any) -> str:
        request = OpRequest(self.new_id(), op, path, **fields)
        self.send(request)
        return request.id

    def op_answer(self, id: str) -> OpResponse:
        """Wait for the answer to an operation."""
        response: OpResponse = self.wait_for(OpResponse, lambda reply: reply.id == id, seconds=self.limits.op_seconds)
        return response

    def cancel_op(self, id: str) -> None:
        """Cancel an operation, which is still answered."""
        self.send(CancelRequest(id))

    def read_file(self, path: str, offset: int = 0, length: int = 1 << 18) -> bytes:
        """Read a piece of a file. Raises OSError with the code and the words of the answer."""
        response = self.op("read", path, offset=offset, length=length)
        if response.code:
            raise OSError(f"{response.code}: {response.error}")
        return b64decode(response.data)

    def write_file(self, path: str, *pieces: bytes) -> OpResponse:
        """Write a file whose content comes in these pieces."""
        texts = [b64encode(each).decode() for each in pieces or (b"",)]
        id = self.begin_op("write", path, data=texts[0], more=len(texts) > 1)
        for number, text in enumerate(texts[1:], 2):
            self.send(OpInput(id, text, more=number < len(texts)))
        return self.op_answer(id)

    def run_command(
        self, command: str, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> tuple[OpResponse, bytes]:
        """Run a command; return its answer and its output."""
        id = self.begin_op("exec", command=command, cwd=cwd, env=RawObject.from_value(env or {}))
        response = self.op_answer(id)
        return response, self.output_of(id)

    def output_of(self, id: str) -> bytes:
        """Return the output of a command so far."""
        return b"".join(b64decode(each.data) for each in self.sent(OpOutput) if each.id == id)
