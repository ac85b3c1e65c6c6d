"""`Link`: `zot rpc` as a process. Lines to it, lines from it, what it complained of, and its end."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence

from zot_agent.extensions.process import Process
from zot_core.aio import cancel_soon, finish, spawn
from zot_ext.protocol.splitter import FrameSplitter, Oversized
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
    received_bytes: int = 256 * 1024 * 1024
    """The longest line read; a whole conversation may come on one."""
    waiting_events: int = 10_000
    """Events that may wait for whoever iterates. Then nothing more is read, unless a response is expected."""
    stderr_bytes: int = 4096
    """What is kept of the end of its standard error."""


DEFAULT_LIMITS = ClientLimits()


class Link:
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
        self._splitter = FrameSplitter(limits.received_bytes)
        self._stderr = bytearray()
        self._closing = False
        self._read_all = False
        self._readers: list[asyncio.ReadTransport] = []
        self._out_ended, self._errors_ended = asyncio.Event(), asyncio.Event()
        self._errors, theirs = os.pipe()
        try:
            self.process = Process(argv, cwd, env, theirs, lambda: None)
        except (OSError, ValueError) as error:
            os.close(self._errors)
            raise Disconnected(f"cannot start {argv[0]}: {error}") from None
        finally:
            os.close(theirs)

    async def open(self) -> None:
        """Begin to read and write."""
        loop = asyncio.get_running_loop()
        self._in, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(self.process.input, "wb", 0))
        self._out = await self._reader(self.process.output, self._take, self._out_ended)
        await self._reader(self._errors, self._complain, self._errors_ended)
        self._watch = spawn(self._see_it_end(), "zot rpc")

    async def _reader(
        self, descriptor: int, take: Callable[[bytes], None], ended: asyncio.Event
    ) -> asyncio.ReadTransport:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: _Incoming(take, ended.set), os.fdopen(descriptor, "rb", 0))
        self._readers.append(transport)
        return transport

    def send(self, line: bytes) -> None:
        """Write a line, its break included. What cannot be written any more is dropped: `lost` tells."""
        if not self._in.is_closing():
            self._in.write(line)

    def pause(self) -> None:
        """Read nothing more until `resume`; harmless when it is so already, or when the process has ended."""
        if not self._read_all:
            self._out.pause_reading()

    def resume(self) -> None:
        """Read on."""
        self._out.resume_reading()

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
            self._in.close()
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
        if self._in.get_write_buffer_size():  # one that has been written to its end is closed, and cannot be twice
            self._in.abort()
        for transport in self._readers:
            transport.close()
        await asyncio.sleep(0)  # a transport closes its pipe when the loop comes round

    async def _see_it_end(self) -> None:
        """Tell `lost` once there is nothing more to read. What the process left behind may hold its pipes open."""
        ended = spawn(self._out_ended.wait(), "standard output of zot rpc")
        exited = spawn(self.process.exited.wait(), "process of zot rpc")
        await asyncio.wait([ended, exited], return_when=asyncio.FIRST_COMPLETED)
        self._read_all = True
        self.resume()
        everything = [ended, exited, spawn(self._errors_ended.wait(), "standard error of zot rpc")]
        _, waiting = await asyncio.wait(everything, timeout=self._limits.kill_seconds)
        for task in waiting:
            task.cancel()
        self._lost(self.farewell())

    def farewell(self) -> str:
        """How it ended, and the last of its standard error."""
        text = bytes(self._stderr).decode("utf-8", "replace").strip()
        fate = self.process.fate() or "closed its standard output"
        return f"zot rpc {fate}{': ' if text else ''}{text}"

    def _take(self, data: bytes) -> None:
        for line in self._splitter.feed(data):
            if isinstance(line, Oversized):
                continue  # longer than any event: the command it answers runs into its own limit
            self._line(line)

    def _complain(self, data: bytes) -> None:
        self._stderr += data
        del self._stderr[: -self._limits.stderr_bytes]


class _Incoming(asyncio.Protocol):
    """Hands on what comes through a pipe."""

    def __init__(self, take: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._take = take
        self._ended = ended

    def data_received(self, data: bytes) -> None:
        self._take(data)

    def connection_lost(self, error: Exception | None) -> None:
        self._ended()
