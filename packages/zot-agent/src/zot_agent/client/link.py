"""`RpcProcess`: `zot rpc` as a process. Lines to it, lines from it, what it complained of, and its end."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from zot_agent.extensions.process import Process
from zot_agent.lines.reader import LineReader
from zot_agent.lines.writer import LineWriter, WriterLimits
from zot_core.aio import cancel_soon, finish, spawn
from zot_ext.protocol.splitter import Oversized
from zot_provider.errors import ZotError
from zot_provider.record import Record, record


class Disconnected(ZotError):
    """`zot rpc` has ended, or could not be started. The text says how, with the last of what it complained of."""


@record
class ClientLimits(Record):
    """How long a client waits, and how much it keeps. Times are seconds."""

    answer_seconds: float = 60.0
    """From a command to its response. An extension's slash command has 30 seconds of its own."""
    close_seconds: float = 10.0
    """From the end of its standard input to the end of the process, which finishes what it was asked. Then SIGTERM."""
    kill_seconds: float = 2.0
    """From SIGTERM to SIGKILL."""
    sent_bytes: int = 16 * 1024 * 1024
    """The longest line `zot rpc` reads."""
    unsent_bytes: int = 64 * 1024 * 1024
    """Commands that may wait while `zot rpc` does not read. From then on commands are refused."""
    received_bytes: int = 256 * 1024 * 1024
    """The longest line read; a whole conversation may come on one."""
    waiting_events: int = 10_000
    """Events that may wait for whoever iterates. Then nothing more is read, unless a response is expected."""
    stderr_bytes: int = 4096
    """What is kept of the end of its standard error."""


DEFAULT_LIMITS = ClientLimits()


class RpcProcess:
    """Starts `argv` in the folder `cwd`, in a process group of its own: a Ctrl+C is the client's own business.

    `line` is called for every line, `lost` once, with what to tell, when no line will come any more. `Disconnected` if
    the process cannot be started. `close` must be called in the end. A loop must run.
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
        self._read_all = False
        self._over, self._out_ended, self._errors_ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        errors, theirs = os.pipe()
        try:
            self.process = Process(argv, cwd, env, theirs, self._over.set)
        except (OSError, ValueError) as error:
            os.close(errors)
            raise Disconnected(f"cannot start {argv[0]}: {error}") from None
        finally:
            os.close(theirs)
        # There is no stall rule, and the end of the process reports the loss: nothing is left to do here.
        self._in = LineWriter(
            self.process.input,
            WriterLimits(full_bytes=limits.unsent_bytes),
            stuck=lambda how: None,
            lost=lambda error: None,
            owned=True,
        )
        self._out = LineReader(self.process.output, limits.received_bytes, self._take, self._output_ended, owned=True)
        self._errors = LineReader(errors, limits.stderr_bytes, self._complain, self._errors_ended.set, owned=True)
        self._watch = spawn(self._see_it_end(), "zot rpc")

    @property
    def full(self) -> bool:
        """Whether `unsent_bytes` wait for the process to read them."""
        return self._in.full

    def send(self, line: bytes) -> None:
        """Write a line, its break included, at once. What cannot be written any more is dropped: `lost` tells."""
        self._in.write(line, now=True)

    def pause(self) -> None:
        """Read nothing more until `resume`; harmless while paused, and when the process has ended."""
        if not self._read_all:
            self._out.pause()

    def resume(self) -> None:
        """Read on."""
        self._out.resume()

    async def close(self, *, patiently: bool = True) -> None:
        """End the process and wait for its end; without patience it is not left the time to finish.

        On return nothing of it runs, however often the caller was cancelled meanwhile.
        """
        if not self._closing:
            self._closing = True
            self._end = spawn(self._close(self._limits.close_seconds if patiently else 0.0), "close zot rpc")
        if await finish(self._end, lambda: cancel_soon(self._end)):
            raise asyncio.CancelledError

    async def _close(self, patience: float) -> None:
        try:
            self._read_all = True
            self.resume()
            self._in.finish()
            async with asyncio.timeout(patience):
                await self.process.exited.wait()
        except (TimeoutError, asyncio.CancelledError):
            pass  # whoever waits is told by the end of the process
        finally:
            ending = spawn(self._stop(), "end zot rpc")
            await finish(ending)

    async def _stop(self) -> None:
        await self.process.end(self._limits.kill_seconds)
        await self._watch
        self._in.close()

    async def _see_it_end(self) -> None:
        """Tell `lost` once there is nothing more to read. What the process left behind may hold its pipes open."""
        await self._over.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.kill_seconds):
                await self.process.exited.wait()
        self._out.drain()
        self._errors.drain()
        await self._out_ended.wait()
        await self._errors_ended.wait()
        self._lost(self.farewell())

    def farewell(self) -> str:
        """How it ended, and the last of its standard error."""
        text = bytes(self._stderr).decode("utf-8", "replace").strip()
        fate = self.process.fate() or "closed its standard output"
        return f"zot rpc {fate}{': ' if text else ''}{text}"

    def _output_ended(self) -> None:
        self._out_ended.set()
        self._over.set()

    def _take(self, line: bytes | Oversized) -> None:
        if not isinstance(line, Oversized):  # longer than any event: the command it answers runs into its own limit
            self._line(line)

    def _complain(self, line: bytes | Oversized) -> None:
        self._stderr += line.start + b"..." if isinstance(line, Oversized) else line
        self._stderr += b"\n"
        del self._stderr[: -self._limits.stderr_bytes]
