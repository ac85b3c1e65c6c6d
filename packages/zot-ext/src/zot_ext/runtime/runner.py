"""`ExtensionRunner`: runs one extension. Reads frames, schedules handlers, and sends one reply to every request.

Requests (commands, tool calls, interceptions) run side by side, each in a thread. Events run in order in one queue,
keys of panels in another. One thread always reads, so that `shutdown` and the end of the input are noticed whatever
the handlers do.
"""

from __future__ import annotations

import functools
import os
import threading
import time

from zot_ext.errors import ExpectedError
from zot_ext.protocol.codec import decode_from_host
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import CALL_GROUPS, Hello, Ready
from zot_ext.protocol.splitter import FrameSplitter, Oversized
from zot_ext.runtime.frame_writer import FrameWriter
from zot_ext.runtime.handlers import HandlerRunner
from zot_ext.runtime.replies import PendingRequest, Replies
from zot_ext.runtime.threads import RunningJobs, SelfPipe, SerialQueue, ThreadPool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from zot_ext.calls.caller import Caller
    from zot_ext.calls.panels import PanelFrame, ScreenPanel
    from zot_ext.limits import ExtensionLimits
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import CancelRequest, Event, HelloAck, PanelClose, RegistrationResult
    from zot_ext.registrations import Registrations
    from zot_ext.runtime.providers import ProviderHandlers
    from zot_ext.runtime.tool_ops import OpHandlers

_CHUNK = 65536
_REQUESTS = ("command_invoked", "tool_call", "event_intercept", "provider_stream", "provider_request", "op_request")


class FrameInput:
    """The lines of a descriptor, which it owns; lines of more than `longest` bytes are dropped."""

    def __init__(self, source: int, longest: int) -> None:
        self._source, self._splitter = source, FrameSplitter(longest)
        os.set_blocking(source, True)

    def read(self) -> tuple[list[bytes | Oversized], bool]:
        """Return some lines, and whether they are the last ones. Raises OSError."""
        chunk = os.read(self._source, _CHUNK)
        return (self._splitter.feed(chunk), False) if chunk else (self._splitter.finish(), True)

    def close(self) -> None:
        os.close(self._source)


class Greeting:
    """The answer of the host to `hello`, which the `on_hello` handlers get, and the frame `ready`, which is sent
    once."""

    def __init__(self, hello: Hello, registrations: Registrations, handlers: HandlerRunner, replies: Replies) -> None:
        self.hello = hello
        self.host: HelloAck | None = None
        self._registrations, self._handlers, self._replies = registrations, handlers, replies
        self._lock = threading.Lock()
        self._ready = False
        self._done = threading.Event()
        self._done.set()

    def receive(self, frame: HelloAck, queue: SerialQueue) -> None:
        """Take a greeting; after the first one the handlers run in `queue`."""
        first, self.host = self.host is None, frame
        if first and self._registrations.hello:
            self._done.clear()
            queue.put(self._run)

    def _run(self) -> None:
        try:
            if self._handlers.greet(self.host):
                self.send_ready()
        finally:
            self._done.set()

    def send_ready(self) -> None:
        with self._lock:
            sent, self._ready = self._ready, True
        if not sent:
            self._replies.send(Ready(tuple(self._registrations.missing)))

    def wait(self, seconds: float) -> None:
        """Wait for the handlers, unless that takes too long."""
        self._done.wait(seconds)


class ExtensionRunner:
    """Runs one extension over two file descriptors, which it owns."""

    def __init__(
        self,
        hello: Hello,
        registrations: Registrations,
        pipes: tuple[int, int],
        limits: ExtensionLimits,
        log: Callable[[str], None],
    ) -> None:
        self._registrations = registrations
        self._limits = limits
        self._wakeup = SelfPipe()
        large = "large_frames" in hello.capabilities
        longest = limits.large_frame_bytes if large else limits.frame_bytes
        self._replies = Replies(FrameWriter(pipes[1], self._wakeup.wake), longest, registrations)
        self.caller: Caller | None = None
        """Calls to the host; None if the extension asks for no group with calls."""
        if not {*CALL_GROUPS, "call_tool"}.isdisjoint(hello.capabilities):
            from zot_ext.calls.caller import Caller  # noqa: PLC0415 - only extensions that call the host need it

            self.caller = Caller(self.send)
        self._handlers = HandlerRunner(registrations, log, self.caller)
        self.greeting = Greeting(hello, registrations, self._handlers, self._replies)
        self._jobs = RunningJobs(self._wakeup.wake)
        self._events, self._panels = SerialQueue("events", self._jobs), SerialQueue("panels", self._jobs)
        self._pool = ThreadPool()
        self._served: list[ProviderHandlers | OpHandlers] = []
        if registrations.providers and self.caller is not None:
            from zot_ext.runtime.providers import ProviderHandlers  # noqa: PLC0415 - few extensions serve models

            providers = registrations.providers
            self._served.append(ProviderHandlers(providers, self.send, self._handlers.call, self.caller))
            longest = max(longest, limits.context_bytes)
        if registrations.ops is not None and self.caller is not None:
            from zot_ext.runtime.tool_ops import OpHandlers  # noqa: PLC0415 - few extensions serve another machine

            ops = registrations.ops.handlers
            self._served.append(OpHandlers(ops, self.send, self._handlers.call, self.caller))
        self._input = FrameInput(pipes[0], longest)
        self._received: list[tuple[PendingRequest, Callable[[], FromExtension]]] = []
        self._ended: set[Literal["shutdown", "input ended", "terminated", "finishing"]] = set()
        """Why it ends; and whether the last frames are being written."""

    def run(self) -> bool:
        """Serve until `shutdown`, the end of the input, `terminate`, or until the host stops reading.

        Returns whether every handler ended within the limits.
        """
        self.send(self.greeting.hello)
        for frame in self._registrations.frames():
            self.send(frame)
        if not self._registrations.hello:
            self.greeting.send_ready()
        self._pool.put(self._read)
        while not (self._ended or self._replies.closed):
            self._wakeup.wait()
        complete = self._drain()
        self._finish()
        return complete

    def send(self, frame: FromExtension) -> None:
        """Write a frame now. Raises `FrameError` if it cannot be encoded; a host that is gone is not an error."""
        self._replies.send(frame)

    @property
    def finishing(self) -> bool:
        """Whether the last frames are being written; no handler is waited for any more."""
        return "finishing" in self._ended

    def signal_descriptor(self) -> int:
        """Return the descriptor for `signal.set_wakeup_fd`."""
        return self._wakeup.signal_descriptor()

    def terminate(self) -> None:
        """End soon. May be called in a signal handler."""
        self._ended.add("terminated")
        self._wakeup.wake()

    # Reading

    def _read(self) -> None:
        """Read frames until the end, or until a request that no other frame follows.

        The thread that read such a request also answers it, while another thread continues to read: waking a thread for
        the answer takes longer than most answers.
        """
        last = shutdown = False
        while not last:
            try:
                lines, last = self._input.read()
            except OSError as error:
                self._handlers.log(f"input failed: {error}")
                lines, last = [], True
            for line in lines:
                if self._receive(line):
                    last = shutdown = True
                    break
            if self._start_requests(here=not last):
                return
        self._input.close()
        if self.caller is not None:
            self.caller.close("the extension is shutting down" if shutdown else "the host has ended")
        for each in self._served:
            each.close()
        self._ended.add("shutdown" if shutdown else "input ended")
        self._wakeup.wake()

    def _start_requests(self, *, here: bool) -> bool:
        """Start the received requests, the last one in this thread if `here`; return whether another thread reads."""
        requests, self._received = self._received, []
        last = requests.pop() if requests and here else None
        for each in requests:
            self._start(each)
        if last is None:
            return False
        handed_over = True
        try:
            self._pool.put(self._read)
        except RuntimeError:  # no more threads: this one continues to read after its answer
            handed_over = False
        self._serve(*last)
        return handed_over

    def _receive(self, line: bytes | Oversized) -> bool:
        """Handle one line; return whether it was `shutdown`."""
        if isinstance(line, Oversized):
            self._handlers.log(f"a line over {line.limit} bytes was dropped, it began {line.start[:80]!r}")
            return False
        try:
            frame = decode_from_host(line)
        except FrameError as error:
            self._handlers.log(f"host: {error}")
            self._refuse(error)
            return False
        if frame.type == "shutdown":
            return True
        handle = self.frame_handlers.get(type(frame))
        if handle is None:
            self._handlers.log(f"host: frame of unknown type {frame.type!r} ignored")
            return False
        if frame.type != "hello_ack" and self.greeting.host is None:
            self.greeting.send_ready()  # this host does not greet
        handle(frame)
        return False

    @functools.cached_property
    def frame_handlers(self) -> dict[type[object], Callable[[Any], None]]:
        """The method for each class of frame from the host, except `Shutdown`, which ends the reading."""
        from zot_ext.protocol import from_host  # noqa: PLC0415 - defined when the host first sends something

        return {
            from_host.HelloAck: lambda frame: self.greeting.receive(frame, self._events),
            from_host.Event: self._on_event,
            **dict.fromkeys(from_host.PANEL_FRAMES, self._on_panel_frame),
            from_host.PanelClose: self._on_panel_close,
            from_host.CommandInvoked: lambda frame: self._take(frame, frame.name, self._handlers.run_command),
            from_host.ToolCall: lambda frame: self._take(frame, frame.name, self._handlers.call_tool),
            from_host.EventIntercept: lambda frame: self._take(frame, frame.event, self._handlers.intercept),
            from_host.RegistrationResult: self._on_registration_result,
            **({} if self.caller is None else self.caller.frame_handlers()),
            **{
                kind: handle
                for each in self._served
                for kind, handle in each.frame_handlers(self._accept, PendingRequest).items()
            },
            **({from_host.CancelRequest: self._on_cancel} if self._served else {}),
        }

    def _on_registration_result(self, frame: RegistrationResult) -> None:
        if frame.status != "ok":
            self._handlers.log(f"the host: {frame.kind} {frame.name!r} is {frame.status}: {frame.reason}")

    def _on_cancel(self, frame: CancelRequest) -> None:
        if self.caller is not None:
            self.caller.cancel(frame)
        for each in self._served:
            each.cancel(frame.id)

    def _refuse(self, error: FrameError) -> None:
        if error.id and error.frame in _REQUESTS:
            request = PendingRequest(error.frame, error.id, "")
            self._replies.expect(request)
            self._replies.answer(request, self._replies.failure(request, str(error)))

    def _on_event(self, frame: Event) -> None:
        if frame.event in self._registrations.events:
            self._events.put(lambda: self._handlers.observe(frame))

    def _on_panel_frame(self, frame: PanelFrame) -> None:
        self._panels.put(lambda: self._handlers.use_panel(frame))

    def _on_panel_close(self, frame: PanelClose) -> None:
        # At once: a command that follows may open the panel again.
        if handler := self._handlers.close_panel(frame):
            self._panels.put(handler)

    def enqueue(self, panel: ScreenPanel, handler: Callable[..., object]) -> bool:
        """Run a handler of a panel in turn with its others. False if the extension ends, and nothing more runs."""
        return self._panels.put(lambda: self._handlers.tick_panel(panel, handler), always=False)

    # Requests

    def _take(self, frame: Any, name: str, work: Callable[[Any], FromExtension]) -> None:
        self._accept(PendingRequest(frame.type, frame.id, name), lambda: work(frame))

    def _accept(self, request: PendingRequest, work: Callable[[], FromExtension]) -> None:
        self._replies.expect(request)
        if self.caller is not None:
            self.caller.expect(request.id)
        self._jobs.add()
        self._received.append((request, work))

    def _start(self, received: tuple[PendingRequest, Callable[[], FromExtension]]) -> None:
        request, work = received
        try:
            self._pool.put(lambda: self._serve(request, work))
        except RuntimeError as error:
            self._replies.answer(request, self._replies.failure(request, f"cannot start: {error}"))
            if self.caller is not None:
                self.caller.end(request.id)
            self._jobs.done()

    def _serve(self, request: PendingRequest, work: Callable[[], FromExtension]) -> None:
        try:
            # Every request can use what `on_hello` prepared.
            self.greeting.wait(self._limits.ready_total_seconds)
            if self.caller is not None:
                self.caller.begin(request.id)
            try:
                line = self._replies.encode(work())
            except BaseException as error:  # noqa: BLE001 - a foreign handler; the host gets a reply in any case
                if self._replies.owes(request) and not isinstance(error, ExpectedError):
                    self._handlers.log_failure(f"{request.type} {request.name!r}", error)
                line = self._replies.failure(request, f"{type(error).__name__}: {error}".removesuffix(": "))
            finally:
                if self.caller is not None:  # what the handler has started does not call for a request that is answered
                    self.caller.end(request.id)
            self._replies.answer(request, line)
        finally:
            self._jobs.done()

    # Shutdown

    def _drain_seconds(self) -> float:
        if "terminated" in self._ended:
            return min(self._limits.drain_seconds, self._limits.kill_seconds * 0.75)
        if self._replies.closed or "shutdown" in self._ended:
            return self._limits.drain_seconds
        return self._limits.command_seconds

    def _drain(self) -> bool:
        """Wait for the running handlers; return whether all of them ended in time."""
        began = time.monotonic()
        while not self._jobs.drain():
            left = began + self._drain_seconds() - time.monotonic()
            if left <= 0:
                return False
            self._wakeup.wait(left)
        return True

    def _finish(self) -> None:
        self._ended.add("finishing")
        self._events.clear()
        self._panels.clear()
        self._replies.finish(acknowledge="shutdown" in self._ended)
        self._pool.stop()
        self._handlers.stop(0.1)
        self._wakeup.close()
