"""`OpHandlers`: carries out the operations of `ToolOps` and turns what they return and raise into frames."""

from __future__ import annotations

import errno
import threading
from base64 import b64decode, b64encode

from zot_ext.errors import ExpectedError
from zot_ext.protocol.groups.tool_ops import OpInput, OpOutput, OpRequest, OpResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from zot_ext.calls.caller import Caller
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.tool_ops import ToolOps

    R = TypeVar("R")

_PIECE = 256 * 1024
"""Most bytes of output in one frame."""


class _Cancelled(ExpectedError):
    """Nobody waits for the operation any more."""


class _Write:
    """The content of an open `write`, as it comes."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.complete = threading.Event()
        self.cancelled = False


class OpHandlers:
    """Serves `ToolOps`. `call` runs a handler, plain or `async`; `caller` knows which requests are cancelled."""

    def __init__(
        self, ops: ToolOps, send: Callable[[FromExtension], None], call: Callable[..., object], caller: Caller
    ) -> None:
        self._ops, self._send, self._call, self._caller = ops, send, call, caller
        self._writes: dict[str, _Write] = {}

    def frame_handlers(
        self, accept: Callable[[R, Callable[[], FromExtension]], None], request: Callable[[str, str, str], R]
    ) -> dict[type[object], Callable[[Any], None]]:
        """Return the method for each class of frame; see `ProviderHandlers.frame_handlers`."""

        def answer(frame: OpRequest) -> None:
            if frame.op == "write":
                self._begin(frame)
            accept(request(frame.type, frame.id, frame.op), lambda: self.carry_out(frame))

        return {OpRequest: answer, OpInput: self._more}

    def carry_out(self, frame: OpRequest) -> FromExtension:
        """Do what a request says and return its answer."""
        work: Any = getattr(self, f"_{frame.op}", None) if frame.op in _OPS else None
        try:
            if work is None:
                return OpResponse(frame.id, code="ENOSYS", error=f"there is no operation {frame.op!r} here")
            result: OpResponse = work(frame)
        except NotImplementedError:
            return OpResponse(frame.id, code="ENOSYS", error=f"{frame.op} is not possible on this machine")
        except ConnectionError as error:
            return OpResponse(frame.id, code="ECONNRESET", error=_words(error))
        except TimeoutError as error:
            return OpResponse(frame.id, code="ETIMEDOUT", error=_words(error))
        except OSError as error:
            return OpResponse(frame.id, code=errno.errorcode.get(error.errno or 0, "EIO"), error=_words(error))
        except BaseException:
            if self._caller.cancelled:
                return OpResponse(frame.id, code="ECANCELED", error="cancelled")
            raise
        finally:
            self._writes.pop(frame.id, None)
        return result

    def _stat(self, frame: OpRequest) -> OpResponse:
        found: Any = self._call(self._ops.stat, frame.path)
        return OpResponse(frame.id, found.kind, found.size, found.mode)

    def _read(self, frame: OpRequest) -> OpResponse:
        data: Any = self._call(self._ops.read, frame.path, frame.offset, frame.length)
        return OpResponse(frame.id, data=b64encode(data).decode())

    def _write(self, frame: OpRequest) -> OpResponse:
        open_write = self._writes[frame.id]
        open_write.complete.wait()
        if open_write.cancelled:
            raise _Cancelled("the write was cancelled")
        self._call(self._ops.write, frame.path, b"".join(open_write.parts))
        return OpResponse(frame.id)

    def _list(self, frame: OpRequest) -> OpResponse:
        listed: Any = self._call(self._ops.list, frame.path, frame.follow)
        entries = sorted(listed)
        return OpResponse(frame.id, names=tuple(name for name, _ in entries), kinds=tuple(kind for _, kind in entries))

    def _real(self, frame: OpRequest) -> OpResponse:
        path: Any = self._call(self._ops.real, frame.path)
        return OpResponse(frame.id, path=path)

    def _exec(self, frame: OpRequest) -> OpResponse:
        def output(data: bytes) -> None:
            if self._caller.cancelled:
                raise _Cancelled("the command was cancelled")
            for start in range(0, len(data), _PIECE):
                self._send(OpOutput(frame.id, b64encode(data[start : start + _PIECE]).decode()))

        env = {} if frame.env is None else {name: str(value) for name, value in frame.env.value.items()}
        code: Any = self._call(self._ops.run, frame.command, frame.cwd, env, output)
        return OpResponse(frame.id, exit_code=code)

    # The content of a write

    def _begin(self, frame: OpRequest) -> None:
        self._writes[frame.id] = _Write()
        self._more(OpInput(frame.id, frame.data, frame.more))

    def _more(self, frame: OpInput) -> None:
        found = self._writes.get(frame.id)
        if found is not None:
            found.parts.append(b64decode(frame.data))
            if not frame.more:
                found.complete.set()

    def cancel(self, id: str) -> None:
        """Give up a write whose content does not come any more."""
        found = self._writes.get(id)
        if found is not None and not found.complete.is_set():
            found.cancelled = True
            found.complete.set()

    def close(self) -> None:
        """The host sends nothing any more."""
        for id in list(self._writes):
            self.cancel(id)


_OPS = ("stat", "read", "write", "list", "real", "exec")


def _words(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__)[:2000]
