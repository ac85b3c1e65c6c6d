"""`Connection`: one extension process: its handshake, frames both ways, requests with time limits, and its end.

```text
starting --hello, hello_ack--> running --stop()--> stopping --shutdown_ack, exit, time limit--> ended
    |                             |                                                              ^
    +-------- stop(), exit, loss of a pipe, breach of the protocol ------------------------------+
```

An idle connection costs nothing. An extension that breaks the protocol loses its connection, and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

from zot_agent.extensions import frames
from zot_agent.extensions.calls.intercept_options import InterceptOptions
from zot_agent.extensions.log import ExtensionLog, quoted
from zot_agent.extensions.requests import ExtensionEnded, PendingRequests, TimedOut, refused
from zot_agent.version import __version__
from zot_core.aio import finish, spawn
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_ext.protocol.errors import FrameError

if TYPE_CHECKING:
    from zot_agent.extensions.declared.registration_record import NamesAndEvents
    from zot_agent.extensions.pipes import FramePipes
    from zot_agent.extensions.providers.answers import OpenAnswers
    from zot_agent.extensions.requests import R, RequestFrame
    from zot_agent.extensions.setup import ProcessTerms
    from zot_agent.extensions.trace import Trace

__all__ = ["Connection", "ConnectionListener", "ExtensionEnded", "TimedOut"]

_MISSING_LINES, _MISSING_CHARACTERS = 20, 300
"""How much of what an extension could not start is kept, for a line."""
_EXIT_GRACE = 1.0
"""Seconds from the loss of a pipe until it counts as the reason for the end. An exiting process closes its pipes
shortly before its exit is seen, and its exit status is the better reason."""


class ConnectionListener(Protocol):
    """Answers the hello of an extension, and receives its frames and its end."""

    def ack(self, hello: frames.Hello) -> frames.HelloAck:
        """Return the answer to the hello."""

    def silence_counts(self) -> bool:
        """Whether the extension counts as ready if it is silent for a while."""

    def has_registered(self, frame: RequestFrame) -> bool:
        """Whether the present process has registered what a request is about."""

    def received(self, connection: Connection, frame: frames.FromExtension) -> None:
        """Handle a frame that is not a reply and not part of the handshake or the end."""

    def is_ready(self, connection: Connection) -> None:
        """The extension has sent `ready`; it may have counted as ready before."""

    def unanswered(self, connection: Connection, text: str) -> None:
        """A question has no answer, so its subject is allowed."""

    def ended(self, connection: Connection, why: str) -> None:
        """The extension has ended or is being ended. Called once; `why` completes a sentence that begins "the
        extension"."""


class Handshake:
    """How far the start of a process has come: it says hello, and then that it is ready, or is silent for a while.

    `silence_counts` returns whether silence means that it is ready.
    """

    def __init__(self, limits: ExtensionLimits, silence_counts: Callable[[], bool]) -> None:
        self.hello: frames.Hello | None = None
        self.auto_ready = False
        """Whether it counts as ready because it was silent for a while, without a `ready` frame."""
        self.missing: tuple[str, ...] = ()
        """The parts that it could not start, a line each, once it is ready."""
        self.greeted, self.ready = asyncio.Event(), asyncio.Event()
        """Set when it is done, and when the process is ready; also when that has ended."""
        self._limits, self._silence_counts = limits, silence_counts
        self._timer: asyncio.TimerHandle | None = None
        self._last_frame_at = 0.0

    def expect_hello(self, late: Callable[[str], None]) -> None:
        """Call `late` with the reason if there is no hello within the limit."""
        seconds, loop = self._limits.hello_seconds, asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, late, f"did not say hello within {seconds:g} s")

    def heard(self) -> None:
        """The process is not silent."""
        self._last_frame_at = asyncio.get_running_loop().time()

    def greet(self, hello: frames.Hello, *, says_ready: bool) -> None:
        """The hello is answered; a process that never `says_ready` counts as ready when it is silent."""
        self.hello = hello
        self.heard()
        if not says_ready:
            self._wait(self._limits.ready_idle_seconds)
        self.greeted.set()

    def receive_ready(self, missing: tuple[str, ...]) -> bool:
        """The process says that it is ready; return whether it has not said so before."""
        if self.ready.is_set() and not self.auto_ready:
            return False
        self.auto_ready = False
        self.missing = tuple(" ".join(each.split())[:_MISSING_CHARACTERS] for each in missing[:_MISSING_LINES])
        self.stop()
        self.ready.set()
        return True

    def stop(self) -> None:
        """Wait for nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def end(self) -> None:
        """Release who waits for it: the process has ended."""
        self.stop()
        self.greeted.set()
        self.ready.set()

    def _wait(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._check_silence)

    def _check_silence(self) -> None:
        left = self._last_frame_at + self._limits.ready_idle_seconds - asyncio.get_running_loop().time()
        if left > 0 or not self._silence_counts():
            self._wait(left if left > 0 else self._limits.ready_idle_seconds)
        else:
            self.auto_ready = True
            self.ready.set()


class Connection:
    """The process of the extension `name`, started on `terms`.

    `log` gets its standard error, and a line for each of its mistakes; the owner of the log closes it after `stop`,
    which must always be called in the end.
    """

    def __init__(
        self,
        name: str,
        terms: ProcessTerms,
        listener: ConnectionListener,
        log: ExtensionLog,
        *,
        limits: ExtensionLimits = DEFAULT_LIMITS,
        trace: Trace | None = None,
    ) -> None:
        self.name, self.terms = name, terms
        self.state: Literal["starting", "running", "stopping", "ended"] = "starting"
        self.end_reason = ""
        """Why it has ended; empty before that."""
        self._listener, self._limits, self._trace, self._log = listener, limits, trace, log
        self.handshake = Handshake(limits, listener.silence_counts)
        self.granted: tuple[str, ...] = ()  # the groups that it may use, as of the handshake
        self.intercept_options: dict[str, InterceptOptions] = {}  # by event
        self.pending = PendingRequests(name, log.line)
        self.pipes: FramePipes | None = None
        """The process, once it is started."""
        self._shutdown_acked = asyncio.Event()
        self._stop_task: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process and of its process group; `None` before the start."""
        return None if self.pipes is None else self.pipes.process.pid

    @cached_property
    def answers(self) -> OpenAnswers:
        """The answers of models that it is giving."""
        from zot_agent.extensions.providers.answers import OpenAnswers  # noqa: PLC0415  few extensions serve models

        return OpenAnswers(self, self._limits)

    @property
    def is_ready(self) -> bool:
        return self.state == "running" and self.handshake.ready.is_set()

    def log(self, text: str) -> None:
        self._log.line(text)

    def settle(self, gone: NamesAndEvents | None, why: str, *, late: bool) -> None:
        """For a connection that holds requests until the process is ready: see `LateConnection`."""

    def release(self) -> None:
        """For a connection that keeps events until then: see `LateConnection`."""

    def unanswered(self, text: str) -> None:
        """Tell the person that a question has no answer, and that its subject is allowed."""
        self._listener.unanswered(self, text)

    async def start(self) -> None:
        """Start the process, without waiting for its hello. Raises `LaunchError`."""
        if self.state != "starting" or self.pipes is not None:
            raise RuntimeError("a connection is started once")
        # Local imports: a remembered extension is started after the first request.
        from zot_agent.extensions.launch import LaunchError  # noqa: PLC0415
        from zot_agent.extensions.pipes import FramePipes  # noqa: PLC0415

        launch = self.terms.launch
        self.log(f"zot {__version__} starts {' '.join(launch.argv)}")
        try:
            self.pipes = FramePipes(self, launch, self.terms.sandbox, self._log, self._limits, self._trace)
        except LaunchError as failure:
            self._end_before_start(str(failure))
            raise
        self.handshake.expect_hello(self.broken)

    def send(self, frame: frames.FromHost, *, droppable: bool = False) -> None:
        """Queue a frame; does nothing unless the extension is running. While it ends, its calls are answered.

        A `droppable` frame (an observed event) is dropped if the extension does not read. A frame that cannot be
        encoded is logged.
        """
        answers = self.state == "stopping" and isinstance(frame, frames.HostResult)
        pipes = self.pipes
        if pipes is None or not (self.state == "running" or answers) or (droppable and not pipes.fits()):
            return
        try:
            pipes.send(frame)
        except FrameError as error:
            self.log(f"not sent: {error}")

    async def request(self, frame: RequestFrame, reply: type[R], seconds: float) -> R:
        """Send a frame and wait for the `reply` to its id, `seconds` at most.

        Raises `TimedOut`; `ExtensionEnded`, at once, if the extension does not run or ends meanwhile; and `FrameError`
        if the frame cannot be encoded or the reply cannot be decoded.
        """
        pipes = self.pipes
        if self.state != "running" or pipes is None:
            why = self.end_reason or ("is being stopped" if self.state == "stopping" else "is not running yet")
            raise ExtensionEnded(f"extension {self.name!r} {why}")
        line = await pipes.encode(frame)
        if self.state != "running":
            raise ExtensionEnded(f"extension {self.name!r} {self.end_reason or 'is being stopped'}")
        future = self.pending.open(frame.id, reply, seconds)
        messages = frame.messages if isinstance(frame, frames.EventIntercept) else None
        if messages is not None:
            pipes.expect(messages.texts)
        pipes.write(line, now=True)
        try:
            return await future
        finally:
            if messages is not None:
                pipes.expect(())
            self.pending.abandon(frame.id)
            if future.done() and not future.cancelled():
                future.exception()  # mark it as seen, also when the caller is cancelled

    async def stop(self) -> None:
        """Send `shutdown`, wait for `shutdown_ack` or the exit, and end the process group with SIGTERM, then SIGKILL.

        Returns when no process of the group is left. Stopping twice is harmless. A cancelled caller kills the group at
        once.
        """
        if self.pipes is None:
            self._end_before_start(self.end_reason or "was never started")
            return
        if self._stop_task is None:
            self._stop_task = spawn(self._stop(self.pipes), f"stop extension {self.name}")
        if await finish(self._stop_task, self.pipes.process.kill):
            raise asyncio.CancelledError
        self._stop_task.result()

    # Its end

    def _end_before_start(self, why: str) -> None:
        self.state, self.end_reason = "ended", why
        self.handshake.end()

    async def _stop(self, pipes: FramePipes) -> None:
        if self.state == "running":
            self.send(frames.Shutdown())
            self.state = "stopping"
            if {"session", "storage"}.isdisjoint(self.granted):
                pipes.finish()  # else it may ask for what it needs at the end
            await self._wait_for_shutdown(pipes)
        self.broken("was stopped")
        await pipes.closed()

    async def _wait_for_shutdown(self, pipes: FramePipes) -> None:
        """Wait for `shutdown_ack`, and then a moment for the exit that follows."""
        try:
            async with asyncio.timeout(self._patience(self._limits.shutdown_seconds)):
                await self._shutdown_acked.wait()
        except TimeoutError:
            self.log(f"no shutdown_ack within {self._patience(self._limits.shutdown_seconds):g} s")
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience(self._limits.kill_seconds)):
                await pipes.process.exited.wait()

    def _patience(self, seconds: float) -> float:
        """Return `seconds`, or less if the extension did not answer before: it is not waited for again."""
        return min(seconds, self._limits.stuck_seconds) if self.pending.owed else seconds

    def broken(self, why: str) -> None:
        """Enter the state `ended`; the only way, once the process runs."""
        if self.state == "ended" or self.pipes is None:
            return
        self.state, self.end_reason = "ended", why
        self.log(f"the extension {why}")
        self.pipes.close(self._patience(self._limits.kill_seconds))
        self.pending.fail_all(why)
        if "answers" in self.__dict__:
            self.answers.fail_all(why)
        self.handshake.end()
        self._shutdown_acked.set()
        self._listener.ended(self, why)

    def exited(self, fate: str) -> None:
        if self.state == "stopping":
            fate = "was stopped"
        elif self.handshake.hello is None:
            said = self._log.last_words()
            fate = f"{fate} before it said hello{': ' if said else ''}{said}"
        self.broken(fate)

    def pipe_lost(self, why: str) -> None:
        if self.state in ("starting", "running"):
            self.handshake.stop()
            asyncio.get_running_loop().call_later(_EXIT_GRACE, self.broken, why)

    # Frames

    def takes(self, line: bytes) -> bool:
        return "answers" in self.__dict__ and self.answers.takes(line)

    def handle(self, line: bytes, frame: frames.FromExtension | frames.Unknown | FrameError) -> None:
        if self.state == "ended" or self.pipes is None:
            return
        if self.handshake.hello is None:
            self._receive_hello(frame, line)
            return
        if isinstance(frame, FrameError):
            self._refuse(frame, line)
            return
        self.handshake.heard()
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
        if error.frame not in ("host_call", "cancel", "call_tool", "call_tool_cancel"):
            self.pending.reject(error)  # of these frames the ids are the extension's own
        elif error.id and error.frame in ("host_call", "call_tool"):
            self.send(refused(error))

    def _receive_ready(self, missing: tuple[str, ...]) -> None:
        if self.handshake.receive_ready(missing):
            self._listener.is_ready(self)
        else:
            self.log("a second ready; ignored")

    def _receive_hello(self, frame: frames.FromExtension | frames.Unknown | FrameError, line: bytes) -> None:
        if not isinstance(frame, frames.Hello) or not frame.name.strip():
            problem = str(frame) if isinstance(frame, FrameError) else f"got {frame.type!r}"
            problem = "hello has no name" if isinstance(frame, frames.Hello) else problem
            self.broken(f"did not begin with a hello frame: {problem}: {quoted(line)}")
            return
        self.handshake.stop()
        self.state = "running"
        if frame.name != self.name:
            self.log(f"it calls itself {frame.name!r} and its manifest {self.name!r}; the manifest counts")
        self.send(ack := self._listener.ack(frame))
        self.granted = ack.capabilities
        if "large_frames" in self.granted and self.pipes is not None:
            self.pipes.widen()
        self.handshake.greet(frame, says_ready="ready" in self.granted)
