"""`RpcProcess`: the process of `zot rpc`, the lines to and from it, its standard error and its end."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from zot_agent.extensions.process import Process
from zot_agent.lines.reader import LineReader
from zot_agent.lines.writer import LineWriter, WriterLimits
from zot_core.aio import cancel_soon, finish, spawn
from zot_core.machine.shell import Launch
from zot_ext.protocol.splitter import Oversized
from zot_provider.errors import ZotError
from zot_provider.record import Record


class Disconnected(ZotError):
    """`zot rpc` has ended or could not be started. The text says how, with the end of its standard error."""


class ClientLimits(Record):
    """The time limits and buffer sizes of a client."""

    answer_seconds: float = 60.0
    """From a command to its response."""
    patient_seconds: float = 86_400.0
    """The same for commands that may wait for a model or a person, such as `control.run`; a dialog is open as long."""
    close_seconds: float = 10.0
    """From the end of its standard input to its exit; it finishes running and waiting prompts. Then SIGTERM."""
    kill_seconds: float = 2.0
    """From SIGTERM to SIGKILL."""
    sent_bytes: int = 16 * 1024 * 1024
    """The longest line that `zot rpc` reads."""
    unsent_bytes: int = 64 * 1024 * 1024
    """Commands that may wait while `zot rpc` does not read. Further commands are refused."""
    received_bytes: int = 256 * 1024 * 1024
    """The longest line that the client reads; one line may hold a whole conversation."""
    waiting_events: int = 10_000
    """Events that may wait for the iterating caller. Then reading pauses, unless a response is expected."""
    stderr_bytes: int = 4096
    """How much of the end of its standard error is kept."""


DEFAULT_LIMITS = ClientLimits()


class RpcProcess:
    """Starts `argv` in the folder `cwd`, in its own process group, so that Ctrl+C does not reach it.

    `line` is called for every line; `lost` is called once, with the reason, after the last line. Raises `Disconnected`
    if the process cannot be started. `close` must be called in the end. A loop must run.
    """

    def __init__(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        limits: ClientLimits,
        line: Callable[[bytes], None],
        lost: Callable[[str], None],
    ) -> None:
        self._limits = limits
        self._line = line
        self._lost = lost
        self._stderr = bytearray()
        self._closing = False
        self._reads_all = False
        self._exited, self._out_ended, self._errors_ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        errors, theirs = os.pipe()
        try:
            self.process = Process(Launch(argv, cwd, env), theirs, self._exited.set)
        except (OSError, ValueError) as error:
            os.close(errors)
            raise Disconnected(f"cannot start {argv[0]}: {error}") from None
        finally:
            os.close(theirs)
        # There is no stall limit, and the end of the process reports the loss: both callbacks have nothing to do.
        self._in = LineWriter(
            self.process.input,
            WriterLimits(full_bytes=limits.unsent_bytes),
            stuck=lambda how: None,
            lost=lambda error: None,
            owned=True,
        )
        self._out = LineReader(
            self.process.output, limits.received_bytes, self._received, self._output_ended, owned=True
        )
        self._errors = LineReader(errors, limits.stderr_bytes, self._keep_stderr, self._errors_ended.set, owned=True)
        self._watch = spawn(self._report_end(), "zot rpc")

    @property
    def full(self) -> bool:
        """Whether `unsent_bytes` wait for the process to read them."""
        return self._in.full

    def send(self, line: bytes) -> None:
        """Write a line, with its line end, at once. It is dropped once the process has closed its input; see `lost`."""
        self._in.write(line, now=True)

    def pause(self) -> None:
        """Pause reading until `resume`. Harmless while paused and after the end of the process."""
        if not self._reads_all:
            self._out.pause()

    def resume(self) -> None:
        self._out.resume()

    async def close(self, *, patiently: bool = True) -> None:
        """End the process and wait for its end. With `patiently` it first has the time to finish its work.

        On return no process of its group runs, however often the caller was cancelled.
        """
        if not self._closing:
            self._closing = True
            self._end = spawn(self._close(self._limits.close_seconds if patiently else 0.0), "close zot rpc")
        if await finish(self._end, lambda: cancel_soon(self._end)):
            raise asyncio.CancelledError

    async def _close(self, patience: float) -> None:
        try:
            self._reads_all = True
            self.resume()
            self._in.finish()
            async with asyncio.timeout(patience):
                await self.process.exited.wait()
        except (TimeoutError, asyncio.CancelledError):
            pass  # the caller sees the cancellation in `close`
        finally:
            ending = spawn(self._stop(), "end zot rpc")
            await finish(ending)

    async def _stop(self) -> None:
        await self.process.end(self._limits.kill_seconds)
        await self._watch
        self._in.close()

    async def _report_end(self) -> None:
        """Call `lost` once all output is read. Children of the process may keep its pipes open."""
        await self._exited.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.kill_seconds):
                await self.process.exited.wait()
        self._out.drain()
        self._errors.drain()
        await self._out_ended.wait()
        await self._errors_ended.wait()
        self._lost(self.farewell())

    def farewell(self) -> str:
        """Return how it ended, with the end of its standard error."""
        text = bytes(self._stderr).decode("utf-8", "replace").strip()
        fate = self.process.fate() or "closed its standard output"
        return f"zot rpc {fate}{': ' if text else ''}{text}"

    def _output_ended(self) -> None:
        self._out_ended.set()
        self._exited.set()

    def _received(self, line: bytes | Oversized) -> None:
        if not isinstance(line, Oversized):  # too long for an event: a response; its command reaches its time limit
            self._line(line)

    def _keep_stderr(self, line: bytes | Oversized) -> None:
        self._stderr += line.start + b"..." if isinstance(line, Oversized) else line
        self._stderr += b"\n"
        del self._stderr[: -self._limits.stderr_bytes]
