"""`Connection`: one extension process: its handshake, frames both ways, requests with time limits, and its end.

```text
starting --hello, hello_ack--> running --stop()--> stopping --shutdown_ack, exit, time limit--> ended
    |                             |                                                              ^
    +-------- stop(), exit, loss of a pipe, breach of the protocol ------------------------------+
```

Everything runs on the event loop; an idle connection costs nothing. An extension that breaks the protocol loses its
connection, and nothing else is affected.
"""

from __future__ import annotations

# Longer than 400 lines: the life of a connection, from its start to its end, is in one class.
import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from zot_agent.extensions import frames
from zot_agent.extensions.calls.intercept_options import InterceptOptions
from zot_agent.extensions.log import ExtensionLog, quoted
from zot_agent.extensions.requests import ExtensionEnded, PendingRequests, TimedOut
from zot_agent.version import __version__
from zot_core.aio import finish, spawn
from zot_core.machine.posix import missing_posix
from zot_core.machine.shell import Launch
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.permissions import EVERYTHING, ExtensionPermissions

if TYPE_CHECKING:
    from zot_agent.extensions.declared.registration_record import NamesAndEvents
    from zot_agent.extensions.process import Process
    from zot_agent.extensions.requests import AnswerLines, R, RequestFrame
    from zot_agent.extensions.tool_calls.running import RunningCall
    from zot_agent.extensions.trace import Trace
    from zot_agent.lines.writer import Stuck
    from zot_core.sandbox.sandbox import Sandbox
    from zot_ext.protocol.splitter import Oversized

__all__ = ["Connection", "ConnectionListener", "ExtensionEnded", "TimedOut"]

_MISSING_LINES, _MISSING_CHARACTERS = 20, 300
"""How much of what an extension could not start is kept, for a line."""
_EXIT_GRACE = 1.0
"""Seconds from the loss of a pipe until it counts as the reason for the end. An exiting process closes its pipes
shortly before its exit is seen, and its exit status is the better reason."""


class ConnectionListener(Protocol):
    """Receives the frames of an extension, and its end."""

    def received(self, connection: Connection, frame: frames.FromExtension) -> None:
        """Handle a frame that is not a reply and not part of the handshake or the end."""

    def is_ready(self, connection: Connection) -> None:
        """The extension has sent `ready`; it may have counted as ready before."""

    def unanswered(self, connection: Connection, text: str) -> None:
        """A question has no answer, so its subject is allowed."""

    def ended(self, connection: Connection, why: str) -> None:
        """The extension has ended or is being ended. Called once; `why` completes a sentence that begins "the
        extension"."""


class Connection:
    """The process of the extension `name`, started as `argv` in its folder `directory`.

    `ack` makes the answer to its hello. `log` gets its standard error, and a line for each of its mistakes; the owner
    of the log closes it after `stop`. With a `sandbox` the process is confined by it; `permissions` are
    those of its manifest, for what zot does for it. `stop` must always be called in the end.
    """

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        directory: str,
        *,
        env: Mapping[str, str],
        listener: ConnectionListener,
        ack: Callable[[frames.Hello], frames.HelloAck],
        log: ExtensionLog,
        limits: ExtensionLimits = DEFAULT_LIMITS,
        trace: Trace | None = None,
        sandbox: Sandbox | None = None,
        permissions: ExtensionPermissions = EVERYTHING,
    ) -> None:
        self.name = name
        self.state: Literal["starting", "running", "stopping", "ended"] = "starting"
        self.hello: frames.Hello | None = None
        self.end_reason = ""
        """Why it has ended; empty before that."""
        self.auto_ready = False
        """Whether it counts as ready because it was silent for a while, without a `ready` frame."""
        self.missing: tuple[str, ...] = ()
        """What it could not start, a line each, once it is ready."""
        self.silence_counts: Callable[[], bool] = lambda: True
        """Returns whether it counts as ready if it is silent."""
        self.log = log.line
        self.launch = Launch(argv, directory, env)
        self.sandbox, self.permissions = sandbox, permissions
        self._listener, self._ack, self._limits, self._trace, self._log = listener, ack, limits, trace, log
        self.granted: tuple[str, ...] = ()  # the groups that it may use, as of the handshake
        self.intercept_options: dict[str, InterceptOptions] = {}  # by event
        self.pending = PendingRequests(name, log.line)
        self.answers: AnswerLines | None = None  # of a provider
        self._frame_bytes = limits.frame_bytes
        self.tool_calls: dict[str, RunningCall] = {}  # by the ids of their requests
        self._greeted, self._ready, self._shutdown_acked = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._process: Process | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last_frame_at = 0.0
        self._lost_pipe = ""
        self._cleanup: asyncio.Task[None] | None = None
        self._stop_task: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process and of its process group; `None` before the start."""
        return self._process.pid if self._process is not None else None

    @property
    def is_ready(self) -> bool:
        return self.state == "running" and self._ready.is_set()

    def settle(self, gone: NamesAndEvents | None, why: str, *, late: bool) -> None:
        """For a connection that holds requests until the process is ready: see `LateConnection`."""

    def release(self) -> None:
        """For a connection that keeps events until then: see `LateConnection`."""

    def unanswered(self, text: str) -> None:
        """Tell the person that a question has no answer, and that its subject is allowed."""
        self._listener.unanswered(self, text)

    async def start(self) -> None:
        """Start the process, without waiting for its hello. Raises `LaunchError`."""
        if self.state != "starting" or self._process is not None:
            raise RuntimeError("a connection is started once")
        # Local imports: a remembered extension is started after the first request.
        from zot_agent.extensions.large import FrameLines, encode_frame, writer_limits  # noqa: PLC0415
        from zot_agent.extensions.launch import launch_failure  # noqa: PLC0415
        from zot_agent.extensions.process import Process  # noqa: PLC0415
        from zot_agent.lines.reader import LineReader  # noqa: PLC0415
        from zot_agent.lines.writer import LineWriter  # noqa: PLC0415

        self.log(f"zot {__version__} starts {' '.join(self.launch.argv)}")
        try:
            if problem := missing_posix("programs of extensions"):
                raise OSError(problem)
            self._loop = asyncio.get_running_loop()
            launch = self.launch if self.sandbox is None else self.sandbox.confine(self.launch)
            process = Process(launch, self._log.descriptor, self._process_ended)
        except (OSError, ValueError) as error:
            failure = launch_failure(self.name, self.launch.argv, self.launch.cwd, error)
            self._end_before_start(str(failure))
            raise failure from error
        self._process = process
        self.reader = LineReader(
            process.output, self._limits.frame_bytes, self._received, self._output_ended, owned=True
        )
        self._lines, self._encode = FrameLines(self._handle, self._takes, self.reader), encode_frame
        self._writer = LineWriter(
            process.input,
            writer_limits(self._limits),
            stuck=self._writer_stuck,
            lost=self._input_closed,
            dropped=self._events_dropped,
            owned=True,
        )
        self._timer = self._loop.call_later(self._limits.hello_seconds, self._no_hello)

    async def wait_greeted(self) -> None:
        """Return once the handshake is done, which makes the state `running`, or the extension has ended."""
        await self._greeted.wait()

    async def wait_ready(self) -> None:
        """Return once it has sent `ready`, or has ended, or without the group `ready` has sent nothing for
        `ready_idle_seconds`."""
        await self._ready.wait()

    def send(self, frame: frames.FromHost, *, droppable: bool = False) -> None:
        """Queue a frame; does nothing unless the extension is running. While it ends, its calls are answered.

        A `droppable` frame (an observed event) is dropped if the extension does not read. A frame that cannot be
        encoded is logged.
        """
        answers = self.state == "stopping" and isinstance(frame, frames.HostResult)
        if not (self.state == "running" or answers) or (droppable and not self._writer.fits()):
            return
        from zot_ext.protocol.codec import encode  # noqa: PLC0415  not before the first request

        try:
            line = encode(frame, limit=self._frame_bytes)
        except FrameError as error:
            self.log(f"not sent: {error}")
            return
        self.write_line(line)

    async def request(self, frame: RequestFrame, reply: type[R], seconds: float) -> R:
        """Send a frame and wait for the `reply` to its id, `seconds` at most.

        Raises `TimedOut`; `ExtensionEnded`, at once, if the extension does not run or ends meanwhile; and `FrameError`
        if the frame cannot be encoded or the reply cannot be decoded.
        """
        if self.state != "running":
            why = self.end_reason or ("is being stopped" if self.state == "stopping" else "is not running yet")
            raise ExtensionEnded(f"extension {self.name!r} {why}")
        line = await self._encode(frame, self._frame_bytes)
        if self.state != "running":
            raise ExtensionEnded(f"extension {self.name!r} {self.end_reason or 'is being stopped'}")
        future = self.pending.open(frame.id, reply, seconds)
        messages = frame.messages if isinstance(frame, frames.EventIntercept) else None
        self._lines.known = self._lines.known if messages is None else messages.texts
        self.write_line(line, now=True)
        try:
            return await future
        finally:
            if messages is not None:
                self._lines.known = ()
            self.pending.abandon(frame.id)
            if future.done() and not future.cancelled():
                future.exception()  # mark it as seen, also when the caller is cancelled

    async def stop(self) -> None:
        """Send `shutdown`, wait for `shutdown_ack` or the exit, and end the process group with SIGTERM, then SIGKILL.

        Returns when no process of the group is left. Stopping twice is harmless. A cancelled caller kills the group at
        once.
        """
        if self._process is None:
            self._end_before_start(self.end_reason or "was never started")
            return
        if self._stop_task is None:
            self._stop_task = spawn(self._stop(), f"stop extension {self.name}")
        if await finish(self._stop_task, self._process.kill):
            raise asyncio.CancelledError
        self._stop_task.result()

    # Its end

    def _end_before_start(self, why: str) -> None:
        self.state, self.end_reason = "ended", why
        self._greeted.set()
        self._ready.set()

    async def _stop(self) -> None:
        if self.state == "running":
            self.send(frames.Shutdown())
            self.state = "stopping"
            if {"session", "storage"}.isdisjoint(self.granted):
                self._writer.finish()  # else it may ask for what it needs at the end
            await self._wait_for_shutdown()
        self._end("was stopped")
        if self._cleanup is not None:
            await finish(self._cleanup)

    async def _wait_for_shutdown(self) -> None:
        """Wait for `shutdown_ack`, and then a moment for the exit that follows."""
        try:
            async with asyncio.timeout(self._patience(self._limits.shutdown_seconds)):
                await self._shutdown_acked.wait()
        except TimeoutError:
            self.log(f"no shutdown_ack within {self._patience(self._limits.shutdown_seconds):g} s")
            return
        if self._process is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._patience(self._limits.kill_seconds)):
                    await self._process.exited.wait()

    def _patience(self, seconds: float) -> float:
        """Return `seconds`, or less if the extension did not answer before: it is not waited for again."""
        return min(seconds, self._limits.stuck_seconds) if self.pending.owed else seconds

    def _end(self, why: str) -> None:
        """Enter the state `ended`; the only way, once the process runs."""
        if self.state == "ended" or self._process is None:
            return
        self.state, self.end_reason = "ended", why
        self.log(f"the extension {why}")
        self._stop_timer()
        self.reader.close()
        self._writer.close()
        self.pending.fail_all(why)
        if self.answers is not None:
            self.answers.fail_all(why)
        for event in (self._greeted, self._ready, self._shutdown_acked):
            event.set()
        self._cleanup = spawn(
            self._process.end(self._patience(self._limits.kill_seconds)), f"end extension {self.name}"
        )
        self._listener.ended(self, why)

    def _process_ended(self) -> None:
        self.reader.drain()
        # The rest of its output may take a few rounds of the loop; then `_output_ended` is called.
        if self.reader.closed:
            self._output_ended()

    def _output_ended(self) -> None:
        if self._lines.later(self._output_ended):
            return
        fate = self._process.fate() if self._process is not None else ""
        if fate:
            self._end("was stopped" if self.state == "stopping" else self._with_stage(fate))
        else:
            self._pipe_lost("closed its standard output")

    def _with_stage(self, fate: str) -> str:
        if self.hello is not None:
            return fate
        said = self._log.last_words()
        return f"{fate} before it said hello{': ' if said else ''}{said}"

    def _input_closed(self, _: OSError) -> None:
        self._pipe_lost("closed its standard input")

    def _pipe_lost(self, why: str) -> None:
        if not self._lost_pipe and self.state in ("starting", "running"):
            self._lost_pipe = why
            self._stop_timer()
            self._timer = self._loop.call_later(_EXIT_GRACE, self._end, why)

    def _writer_stuck(self, how: Stuck) -> None:
        self._end(f"read nothing for {how.seconds:g} s while {how.lines} frames waited")

    def _events_dropped(self, count: int) -> None:
        self.log(f"{count} events were dropped because the extension did not read")

    def _no_hello(self) -> None:
        self._end(f"did not say hello within {self._limits.hello_seconds:g} s")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # Frames

    def write_line(self, line: bytes, *, now: bool = False) -> None:
        """Queue an encoded frame; for a running extension."""
        if self._trace is not None:
            self._trace.add(self.name, "out", line)
        self._writer.write(line, now=now)

    def _received(self, line: bytes | Oversized) -> None:
        if self._trace is not None:
            self._trace.add(self.name, "in", line if isinstance(line, bytes) else line.start)
        self._lines.feed(line)

    def _takes(self, line: bytes) -> bool:
        return self.answers is not None and self.answers.takes(line)

    def _handle(self, line: bytes, frame: frames.FromExtension | frames.Unknown | FrameError) -> None:
        if self.state == "ended":
            return
        if isinstance(frame, FrameError):
            if self.hello is None:
                self._end(f"did not begin with a hello frame: {frame}: {quoted(line)}")
            else:
                self._refuse(frame, line)
            return
        if self.hello is None:
            self._receive_hello(frame, line)
            return
        self._last_frame_at = self._loop.time()
        match frame:
            case (
                frames.CommandResponse() | frames.ToolResult() | frames.EventInterceptResponse()
                | frames.ProviderResult() | frames.OpResponse()
            ):  # fmt: skip
                self.pending.resolve(frame)
            case frames.Ready(missing):
                self._receive_ready(missing)
            case frames.ShutdownAck():
                self._shutdown_acked.set()
            case frames.Hello():
                self.log("a second hello; ignored")
            case frames.Unknown():
                self.log(f"frames of type {frame.type!r} are unknown to zot {__version__}; skipped")
            # `OpenCalls` refuses calls that change something.
            case _ if self.state == "stopping" and not isinstance(
                frame, frames.Notify | frames.ClearNotes | frames.HostCall | frames.CancelCall
            ):
                self.log(f"a {frame.type} after the shutdown; ignored")
            case _:
                self._listener.received(self, frame)

    def _refuse(self, error: FrameError, line: bytes) -> None:
        """Fail what a malformed frame is about."""
        self.log(f"{error}; skipped: {quoted(line)}")
        if error.frame != frames.HostCall.type:  # the ids of the two directions have nothing to do with each other
            self.pending.reject(error)
        elif error.id:
            self.send(frames.HostResult(error.id, code="invalid", error=str(error)))

    def _receive_hello(self, frame: frames.FromExtension | frames.Unknown, line: bytes) -> None:
        if not isinstance(frame, frames.Hello) or not frame.name.strip():
            problem = "hello has no name" if isinstance(frame, frames.Hello) else f"got {frame.type!r}"
            self._end(f"did not begin with a hello frame: {problem}: {quoted(line)}")
            return
        self._stop_timer()
        self.hello, self.state = frame, "running"
        if frame.name != self.name:
            self.log(f"it calls itself {frame.name!r} and its manifest {self.name!r}; the manifest counts")
        self.send(ack := self._ack(frame))
        self.granted = ack.capabilities
        if "large_frames" in self.granted:
            self._frame_bytes = self._limits.large_frame_bytes
            self.reader.set_limit(self._frame_bytes)
            if self._process is not None:
                self._process.widen_pipes(1 << 20)
        self._last_frame_at = self._loop.time()
        if "ready" not in self.granted:
            self._timer = self._loop.call_later(self._limits.ready_idle_seconds, self._check_silence)
        self._greeted.set()

    def _receive_ready(self, missing: tuple[str, ...]) -> None:
        if self._ready.is_set() and not self.auto_ready:
            self.log("a second ready; ignored")
            return
        self.auto_ready = False
        self.missing = tuple(" ".join(each.split())[:_MISSING_CHARACTERS] for each in missing[:_MISSING_LINES])
        self._mark_ready()
        self._listener.is_ready(self)

    def _check_silence(self) -> None:
        left = self._last_frame_at + self._limits.ready_idle_seconds - self._loop.time()
        if left > 0 or not self.silence_counts():
            again = left if left > 0 else self._limits.ready_idle_seconds
            self._timer = self._loop.call_later(again, self._check_silence)
        else:
            self.auto_ready = True
            self._mark_ready()

    def _mark_ready(self) -> None:
        if not self._ready.is_set():
            if not self._lost_pipe:
                self._stop_timer()
            self._ready.set()
