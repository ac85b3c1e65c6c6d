"""`Connection`: one running extension: its handshake, frames both ways, requests with limits, and its end.

```text
starting --hello, hello_ack--> running --shutdown, exit, loss of a pipe--> ended
```

Everything happens on the event loop, and while nobody says anything nothing does. An extension that breaks the rules
costs itself its connection, and never more.
"""

import asyncio
import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

from zot_agent.extensions.launch import refusal
from zot_agent.extensions.log import ExtensionLog
from zot_agent.extensions.process import Process
from zot_agent.extensions.requests import Ended, R, Requests, TimedOut
from zot_agent.extensions.trace import Trace
from zot_agent.lines.reader import LineReader
from zot_agent.lines.writer import LineWriter, Stuck, WriterLimits
from zot_agent.version import __version__
from zot_core.aio import finish, spawn
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_ext.protocol.codec import decode_from_extension, encode
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.frame import Unknown
from zot_ext.protocol.from_extension import (
    CommandResponse,
    EventInterceptResponse,
    FromExtension,
    Hello,
    Ready,
    ShutdownAck,
    ToolResult,
)
from zot_ext.protocol.from_host import CommandInvoked, EventIntercept, FromHost, HelloAck, Shutdown, ToolCall
from zot_ext.protocol.splitter import Oversized

__all__ = ["Connection", "Ended", "Handler", "TimedOut"]

_SHOWN = 200
"""Bytes of a bad line that are shown."""

_LAST_GASP = 0.1
"""Seconds between the loss of a pipe and the word that this is what is wrong. A process that ends closes its pipes a
moment before its end can be seen, and how it ended says more."""


class Handler(Protocol):
    """Who listens to an extension."""

    def received(self, connection: "Connection", frame: FromExtension) -> None:
        """A frame has come that is no reply and no part of greeting or parting."""
        ...

    def ended(self, connection: "Connection", why: str) -> None:
        """The extension is gone, or about to be made to go. Told once; `why` goes on after "the extension"."""
        ...


class Connection:
    """The extension `name`, started as `argv` in its folder `directory`.

    `ack` makes the answer to its hello. `log` gets its standard error, and a line for each thing it does wrong; who
    made it closes it, after `stop`. `stop` must be called in the end, whatever has happened before.
    """

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        directory: str,
        *,
        env: Mapping[str, str],
        handler: Handler,
        ack: Callable[[Hello], HelloAck],
        log: ExtensionLog,
        limits: ExtensionLimits = DEFAULT_LIMITS,
        trace: Trace | None = None,
    ) -> None:
        self.name = name
        self.state: Literal["starting", "running", "ended"] = "starting"
        self.hello: Hello | None = None
        self.why = ""
        """Why it has ended; empty before."""
        self.auto_ready = False
        """Whether it counts as ready because it fell silent, and not because it said so."""
        self.log = log.line
        self._argv, self._directory, self._env = argv, directory, env
        self._handler, self._ack, self._limits, self._trace = handler, ack, limits, trace
        self._errors = log
        self._requests = Requests(name, log.line)
        self._greeted, self._ready, self._parted = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._process: Process | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._heard = 0.0
        self._lost = ""
        self._closing = False
        self._clearing: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process, which is also the id of its group; `None` before the start."""
        return self._process.pid if self._process is not None else None

    async def start(self) -> None:
        """Start the process; its hello may come much later. Raises `LaunchError`."""
        if self.state != "starting" or self._process is not None:
            raise RuntimeError("a connection is started once")
        self.log(f"zot {__version__} starts {' '.join(self._argv)}")
        try:
            if sys.platform == "win32":
                raise OSError("running extensions needs a POSIX system; Windows is not supported yet")
            self._loop = asyncio.get_running_loop()
            process = Process(self._argv, self._directory, self._env, self._errors.descriptor, self._process_ended)
        except (OSError, ValueError) as error:
            refused = refusal(self.name, self._argv, self._directory, error)
            self._never_runs(str(refused))
            raise refused from error
        self._process = process
        self._reader = LineReader(
            process.output, self._limits.frame_bytes, self._received, self._output_ended, owned=True
        )
        self._writer = LineWriter(
            process.input,
            _writer_limits(self._limits),
            stuck=self._stuck,
            lost=self._input_lost,
            dropped=self._dropped,
            owned=True,
        )
        self._timer = self._loop.call_later(self._limits.hello_seconds, self._mute)

    async def wait_greeted(self) -> None:
        """Return once the extension is greeted, which makes it `running`, or has `ended`."""
        await self._greeted.wait()

    async def wait_ready(self) -> None:
        """Return once it has said that it is ready, or nothing for `ready_idle_seconds`, or has ended."""
        await self._ready.wait()

    def send(self, frame: FromHost, *, droppable: bool = False) -> None:
        """Send a frame after those before it; an extension that does not run gets nothing.

        Observations are `droppable`: they are the first to go when it does not read. A frame that cannot be written is
        logged.
        """
        if self.state != "running" or self._closing or (droppable and not self._writer.fits()):
            return
        try:
            line = encode(frame, limit=self._limits.frame_bytes)
        except FrameError as error:
            self.log(f"not sent: {error}")
            return
        self._put(line)

    async def request(self, frame: CommandInvoked | ToolCall | EventIntercept, reply: type[R], seconds: float) -> R:
        """Send a frame and wait for the `reply` to its id, `seconds` at most.

        Raises `TimedOut`; `Ended`, at once, if the extension does not run or ends meanwhile; and `FrameError` if the
        frame cannot be written or the reply cannot be read.
        """
        if self.state != "running" or self._closing:
            why = self.why or ("is being stopped" if self._closing else "is not running yet")
            raise Ended(f"extension {self.name!r} {why}")
        line = encode(frame, limit=self._limits.frame_bytes)
        future = self._requests.open(frame.id, reply)
        self._put(line, now=True)
        timer = self._loop.call_later(seconds, self._requests.time_out, frame.id, seconds)
        try:
            return await future
        finally:
            timer.cancel()
            self._requests.give_up(frame.id)
            if future.done() and not future.cancelled():
                future.exception()  # seen, also by a caller that is being cancelled

    async def stop(self) -> None:
        """Part from the extension and end its whole group: `shutdown`, its `shutdown_ack` or exit, SIGTERM, SIGKILL.

        Returns when nothing of it is left; stopping twice is harmless. Being cancelled hurries it up.
        """
        if self._process is None:
            self._never_runs(self.why or "was never started")
            return
        if self._stopping is None:
            self._stopping = spawn(self._stop(), f"stop extension {self.name}")
        if await finish(self._stopping, self._process.kill):
            raise asyncio.CancelledError
        self._stopping.result()

    # Its end

    def _never_runs(self, why: str) -> None:
        self.state, self.why = "ended", why
        self._greeted.set()
        self._ready.set()

    async def _stop(self) -> None:
        if self.state == "running":
            self.send(Shutdown())
            self._closing = True
            self._writer.finish()
            await self._part()
        self._end("was stopped")
        if self._clearing is not None:
            await finish(self._clearing)

    async def _part(self) -> None:
        """Wait for the word that it has parted, and then a little for the exit that follows."""
        try:
            async with asyncio.timeout(self._limits.shutdown_seconds):
                await self._parted.wait()
        except TimeoutError:
            self.log(f"no shutdown_ack within {self._limits.shutdown_seconds:g} s")
            return
        if self._process is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._limits.kill_seconds):
                    await self._process.exited.wait()

    def _end(self, why: str) -> None:
        """The only way to `ended`."""
        if self.state == "ended" or self._process is None:
            return
        self.state, self.why = "ended", why
        self.log(f"the extension {why}")
        self._stop_timer()
        self._reader.close()
        self._writer.close()
        self._requests.fail(why)
        for event in (self._greeted, self._ready, self._parted):
            event.set()
        self._clearing = spawn(self._process.end(self._limits.kill_seconds), f"end extension {self.name}")
        self._handler.ended(self, why)

    def _process_ended(self) -> None:
        self._reader.drain()
        # Its last words may take a few rounds of the loop, after which `_output_ended` is called.
        if self._reader.closed:
            self._output_ended()

    def _output_ended(self) -> None:
        fate = self._process.fate() if self._process is not None else ""
        if fate:
            self._end("was stopped" if self._closing else self._when(fate))
        else:
            self._lose("closed its standard output")

    def _when(self, fate: str) -> str:
        return f"{fate} before it said hello" if self.hello is None else fate

    def _input_lost(self, _: OSError) -> None:
        self._lose("closed its standard input")

    def _lose(self, why: str) -> None:
        if not self._lost and not self._closing and self.state != "ended":
            self._lost = why
            self._stop_timer()
            self._timer = self._loop.call_later(_LAST_GASP, self._end, why)

    def _stuck(self, how: Stuck) -> None:
        self._end(f"read nothing for {how.seconds:g} s while {how.lines} frames waited")

    def _dropped(self, count: int) -> None:
        self.log(f"{count} events were dropped because the extension did not read")

    def _mute(self) -> None:
        self._end(f"did not say hello within {self._limits.hello_seconds:g} s")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # Frames

    def _put(self, line: bytes, *, now: bool = False) -> None:
        if self._trace is not None:
            self._trace.add(self.name, "out", line)
        self._writer.write(line, now=now)

    def _received(self, line: bytes | Oversized) -> None:
        text = line.start if isinstance(line, Oversized) else line
        if self._trace is not None:
            self._trace.add(self.name, "in", text)
        try:
            if isinstance(line, Oversized):
                raise FrameError(f"line is longer than {line.limit} bytes")
            frame = decode_from_extension(line)
        except FrameError as error:
            if self.hello is None:
                self._end(f"did not begin with a hello frame: {error}: {_shown(text)}")
                return
            self.log(f"{error}; skipped: {_shown(text)}")
            self._requests.spoil(error)
            return
        if self.hello is None:
            self._greet(frame, text)
            return
        self._heard = self._loop.time()
        match frame:
            case CommandResponse() | ToolResult() | EventInterceptResponse():
                self._requests.settle(frame)
            case Ready():
                self._count_as_ready()
            case ShutdownAck():
                self._parted.set()
            case Hello():
                self.log("a second hello; ignored")
            case Unknown():
                self.log(f"frames of type {frame.type!r} are unknown to zot {__version__}; skipped")
            case _:
                self._handler.received(self, frame)

    def _greet(self, frame: FromExtension | Unknown, line: bytes) -> None:
        if not isinstance(frame, Hello) or not frame.name.strip():
            problem = "hello has no name" if isinstance(frame, Hello) else f"got {frame.type!r}"
            self._end(f"did not begin with a hello frame: {problem}: {_shown(line)}")
            return
        self._stop_timer()
        self.hello, self.state = frame, "running"
        if frame.name != self.name:
            self.log(f"it calls itself {frame.name!r} and its manifest {self.name!r}; the manifest counts")
        self.send(self._ack(frame))
        self._heard = self._loop.time()
        self._timer = self._loop.call_later(self._limits.ready_idle_seconds, self._look_for_silence)
        self._greeted.set()

    def _look_for_silence(self) -> None:
        left = self._heard + self._limits.ready_idle_seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look_for_silence)
        else:
            self.auto_ready = True
            self._count_as_ready()

    def _count_as_ready(self) -> None:
        if not self._ready.is_set():
            if not self._lost:
                self._stop_timer()
            self._ready.set()


def _writer_limits(limits: ExtensionLimits) -> WriterLimits:
    return WriterLimits(
        full_bytes=limits.queue_bytes,
        full_lines=limits.queue_frames,
        stall_seconds=limits.write_seconds,
        stall_only_full=True,
    )


def _shown(line: bytes) -> str:
    text = line[:_SHOWN].decode(errors="replace")
    return repr(text) + ("..." if len(line) > _SHOWN else "")
