"""`Service`: one extension at work. Reads frames, runs handlers, sees to one reply for every request.

Requests (commands, tool calls, interceptions) run side by side, each in a thread; events run in order in
one lane, keys of panels in another. Some thread always reads, so that `shutdown` and the end of the input
are seen whatever handlers do.
"""

from __future__ import annotations

import os
import threading
import time

from zot_ext.answers import command_frame, tool_frame
from zot_ext.protocol.codec import decode_from_host, encode
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import (
    CommandResponse,
    EventInterceptResponse,
    Hello,
    Ready,
    ShutdownAck,
    ToolResult,
)
from zot_ext.protocol.splitter import FrameSplitter, Oversized
from zot_ext.protocol.values import TextBlock
from zot_ext.runtime.threads import Lane, LoopThread, SelfPipe, Workers
from zot_ext.runtime.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from zot_ext.limits import Limits
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import (
        CommandInvoked,
        Event,
        EventIntercept,
        HelloAck,
        PanelClose,
        PanelKey,
        ToolCall,
    )
    from zot_ext.registry import Registry

_CHUNK = 65536
_REQUESTS = ("command_invoked", "tool_call", "event_intercept")


class Request:
    """A frame that waits for its reply; two are never equal, whatever their ids."""

    def __init__(self, type: str, id: str, name: str) -> None:
        self.type = type
        self.id = id
        self.name = name


class Service:
    """Speaks for one extension over two file descriptors, which it owns."""

    def __init__(
        self, hello: Hello, registry: Registry, pipes: tuple[int, int], limits: Limits, log: Callable[[str], None]
    ) -> None:
        self.host: HelloAck | None = None
        self.finishing = False
        """The last frames are being written; nothing is left to wait for."""
        self._hello = hello
        self._registry = registry
        self._source = pipes[0]
        self._limits = limits
        self._log = log
        self._bell = SelfPipe()
        self._wire = Wire(pipes[1], self._bell.ring)
        self._events, self._panels = Lane("events"), Lane("panels")
        self._workers = Workers()
        self._splitter = FrameSplitter(limits.frame_bytes)
        self._taken: list[tuple[Request, Callable[[], FromExtension]]] = []
        self._loop = LoopThread()
        self._lock = threading.Lock()
        self._busy = 0
        self._draining = False
        self._answering = threading.Lock()
        self._open: set[Request] = set()
        self._greeted = threading.Event()
        self._greeted.set()
        self._ready = self._terminated = False
        self._ended = ""
        os.set_blocking(self._source, True)

    def run(self) -> bool:
        """Serve until `shutdown`, the end of the input, `terminate` or a host that reads no more.

        Returns whether every handler had come to its end within the limits.
        """
        self.send(self._hello)
        for frame in self._registry.frames():
            self.send(frame)
        if not self._registry.hello:
            self._send_ready()
        self._workers.put(self._read)
        while not (self._ended or self._terminated or self._wire.closed):
            self._bell.wait()
        complete = self._drain()
        self._finish()
        return complete

    def send(self, frame: FromExtension) -> None:
        """Write a frame now. Raises `FrameError` when it cannot be written; a host that has gone is no error."""
        self._wire.write(encode(frame, limit=self._limits.frame_bytes))

    @property
    def wakeup(self) -> int:
        """For `signal.set_wakeup_fd`."""
        return self._bell.for_signals()

    def terminate(self) -> None:
        """End soon. May be called in a signal handler."""
        self._terminated = True
        self._bell.ring()

    # The way in

    def _read(self) -> None:
        """Take what comes, to the end, or to a request that nothing follows: the thread that has read it answers it
        too, while another one reads on. To wake a thread for the answer takes longer than most answers."""
        reason = ""
        while not reason:
            try:
                chunk = os.read(self._source, _CHUNK)
                lines = self._splitter.feed(chunk) if chunk else self._splitter.finish()
                reason = "" if chunk else "input ended"
            except OSError as error:
                self._log(f"input failed: {error}")
                lines, reason = [], "input ended"
            for line in lines:
                if self._take(line):
                    reason = "shutdown"
                    break
            if self._begin_requests(here=not reason):
                return
        os.close(self._source)
        self._ended = reason
        self._bell.ring()

    def _begin_requests(self, *, here: bool) -> bool:
        """Begin the requests that were taken, the last of them in this thread if it is to be `here`; whether it was."""
        requests, self._taken = self._taken, []
        last = requests.pop() if requests and here else None
        for each in requests:
            self._start(each)
        if last is None:
            return False
        handed_over = True
        try:
            self._workers.put(self._read)
        except RuntimeError:  # no more threads: this one reads on when it has answered
            handed_over = False
        self._serve(*last)
        return handed_over

    def _take(self, line: bytes | Oversized) -> bool:
        """Set one line to work; say whether it was `shutdown`."""
        if isinstance(line, Oversized):
            self._log(f"a line over {line.limit} bytes was dropped, it began {line.start[:80]!r}")
            return False
        try:
            frame = decode_from_host(line)
        except FrameError as error:
            self._log(f"host: {error}")
            self._refuse(error)
            return False
        if frame.type == "shutdown":
            return True
        taken = getattr(self, f"_take_{frame.type}", None)
        if taken is None:
            self._log(f"host: frame of unknown type {frame.type!r} ignored")
            return False
        if frame.type != "hello_ack" and self.host is None:
            self._send_ready()  # this host does not greet
        taken(frame)
        return False

    def _refuse(self, error: FrameError) -> None:
        if error.id and error.frame in _REQUESTS:
            request = Request(error.frame, error.id, "")
            with self._answering:
                self._open.add(request)
            self._answer(request, encode(self._failure(request, str(error))))

    def _take_hello_ack(self, frame: HelloAck) -> None:
        first, self.host = self.host is None, frame
        if first and self._registry.hello:
            self._greeted.clear()
            self._queue(self._events, self._greet)

    def _greet(self) -> None:
        try:
            for handler in list(self._registry.hello):
                self._guard("on_hello", handler, self.host)
            self._send_ready()
        finally:
            self._greeted.set()

    def _send_ready(self) -> None:
        with self._lock:
            sent, self._ready = self._ready, True
        if not sent:
            self.send(Ready())

    def _take_event(self, frame: Event) -> None:
        if frame.event in self._registry.events:
            self._queue(self._events, lambda: self._observe(frame))

    def _observe(self, frame: Event) -> None:
        for handler in list(self._registry.events[frame.event]):
            self._guard(f"event {frame.event!r}", handler, frame)

    def _take_panel_key(self, frame: PanelKey) -> None:
        self._queue(self._panels, lambda: self._press(frame))

    def _press(self, frame: PanelKey) -> None:
        panel = self._registry.panels.get(frame.panel_id)
        if panel is None or not panel.is_open:
            return  # closed while the key was under way
        if panel.key_handler is not None:
            self._guard(f"panel {panel.id!r}, key {frame.key!r}", panel.key_handler, frame)
        self._guard(f"panel {panel.id!r}, render", panel.refresh)

    def _take_panel_close(self, frame: PanelClose) -> None:
        self._queue(self._panels, lambda: self._close_panel(frame))

    def _close_panel(self, frame: PanelClose) -> None:
        panel = self._registry.panels.get(frame.panel_id)
        if panel is not None and panel.is_open:
            panel.is_open = False
            if panel.close_handler is not None:
                self._guard(f"panel {panel.id!r}, close", panel.close_handler)

    def _take_command_invoked(self, frame: CommandInvoked) -> None:
        self._begin(Request(frame.type, frame.id, frame.name), lambda: self._command(frame))

    def _take_tool_call(self, frame: ToolCall) -> None:
        self._begin(Request(frame.type, frame.id, frame.name), lambda: self._tool(frame))

    def _take_event_intercept(self, frame: EventIntercept) -> None:
        self._begin(Request(frame.type, frame.id, frame.event), lambda: self._intercept(frame))

    # Handlers

    def _call(self, handler: Callable[..., Any], *args: object) -> object:
        answer: Any = handler(*args)
        return self._loop.run(answer) if hasattr(answer, "__await__") else answer

    def _guard(self, what: str, handler: Callable[..., Any], *args: object) -> None:
        try:
            self._call(handler, *args)
        except BaseException as error:  # noqa: BLE001 - a foreign handler; its failure is told in the log
            self._failed(what, error)

    def _failed(self, what: str, error: BaseException) -> None:
        from traceback import format_exception  # noqa: PLC0415 - only failures need it

        self._log(f"{what} failed: {type(error).__name__}: {error}\n{''.join(format_exception(error)).rstrip()}")

    def _command(self, frame: CommandInvoked) -> FromExtension:
        command = self._registry.commands.get(frame.name)
        if command is None:
            return CommandResponse(frame.id, error=f"no command {frame.name!r} here")
        reply = command_frame(frame.id, self._call(command.handler, frame.args))
        if reply.open_panel is not None and reply.open_panel.id in self._registry.panels:
            self._registry.panels[reply.open_panel.id].is_open = True
        return reply

    def _tool(self, frame: ToolCall) -> FromExtension:
        from zot_ext.schema import BadArguments  # noqa: PLC0415 - loaded with the first tool

        tool = self._registry.tools.get(frame.name)
        if tool is None:
            return ToolResult(frame.id, (TextBlock(f"no tool {frame.name!r} here"),), is_error=True)
        try:
            return tool_frame(frame.id, self._call(tool.handler, frame.args.value))
        except BadArguments as error:  # the model's mistake, not the extension's
            return ToolResult(frame.id, (TextBlock(str(error)),), is_error=True)

    def _intercept(self, frame: EventIntercept) -> FromExtension:
        from zot_ext.interception import intercept_frame  # noqa: PLC0415 - loaded with the first interceptor

        return intercept_frame(
            frame,
            self._registry.interceptors.get(frame.event, ()),
            self._call,
            lambda error: self._failed(f"interceptor of {frame.event!r}", error),
        )

    # Requests

    def _begin(self, request: Request, work: Callable[[], FromExtension]) -> None:
        with self._answering:
            self._open.add(request)
        self._enter()
        self._taken.append((request, work))

    def _start(self, taken: tuple[Request, Callable[[], FromExtension]]) -> None:
        request, work = taken
        try:
            self._workers.put(lambda: self._serve(request, work))
        except RuntimeError as error:
            self._answer(request, encode(self._failure(request, f"cannot start: {error}")))
            self._leave()

    def _serve(self, request: Request, work: Callable[[], FromExtension]) -> None:
        try:
            # What `on_hello` prepares is there for every request, unless it takes for ever.
            self._greeted.wait(self._limits.ready_total_seconds)
            try:
                line = encode(work(), limit=self._limits.frame_bytes)
            except BaseException as error:  # noqa: BLE001 - a foreign handler; the host gets a reply in any case
                if request in self._open:
                    self._failed(f"{request.type} {request.name!r}", error)
                line = encode(self._failure(request, f"{type(error).__name__}: {error}".removesuffix(": ")))
            self._answer(request, line)
        finally:
            self._leave()

    def _failure(self, request: Request, reason: str) -> FromExtension:
        reason = reason[:2000]
        if request.type == "command_invoked":
            return CommandResponse(request.id, error=reason)
        if request.type == "tool_call":
            return ToolResult(request.id, (TextBlock(reason),), is_error=True)
        refuses = any(each.blocks_on_error for each in self._registry.interceptors.get(request.name, ()))
        return EventInterceptResponse(request.id, block=refuses, reason=reason if refuses else "")

    def _answer(self, request: Request, line: bytes) -> None:
        """Reply, unless the request has had its reply. Under one lock with the last frames: see `_finish`."""
        with self._answering:
            if request in self._open:
                self._open.remove(request)
                self._wire.write(line)

    # The end

    def _queue(self, lane: Lane, job: Callable[[], None]) -> None:
        self._enter()

        def counted() -> None:
            try:
                job()
            finally:
                self._leave()

        lane.put(counted)

    def _enter(self) -> None:
        with self._lock:
            self._busy += 1

    def _leave(self) -> None:
        with self._lock:
            self._busy -= 1
            awaited = self._draining and not self._busy
        if awaited:
            self._bell.ring()

    def _patience(self) -> float:
        if self._terminated:
            return min(self._limits.drain_seconds, self._limits.kill_seconds * 0.75)
        if self._wire.closed or self._ended == "shutdown":
            return self._limits.drain_seconds
        return self._limits.command_seconds

    def _drain(self) -> bool:
        began = time.monotonic()
        while True:
            with self._lock:
                self._draining = True
                if not self._busy:
                    return True
            left = began + self._patience() - time.monotonic()
            if left <= 0:
                return False
            self._bell.wait(left)

    def _finish(self) -> None:
        self.finishing = True
        self._events.clear()
        self._panels.clear()
        with self._answering:
            for request in self._open:
                self._wire.write(encode(self._failure(request, "the extension is shutting down")))
            self._open.clear()
            if self._ended == "shutdown":
                self._wire.write(encode(ShutdownAck()), last=True)
        self._wire.close()
        self._workers.stop()
        self._loop.stop(0.1)
        self._bell.close()
