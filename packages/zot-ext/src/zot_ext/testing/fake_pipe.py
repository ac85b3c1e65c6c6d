"""`ExtensionPipe`: the pipes of a host in a test, the frames that came through them, and waiting for one."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from zot_ext.protocol.codec import decode_from_extension, encode
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import CommandResponse, EventInterceptResponse, ToolResult
from zot_ext.protocol.from_host import CommandInvoked, Event, EventIntercept, ToolCall
from zot_ext.protocol.groups.providers import ProviderEvent, ProviderQuestion, ProviderResult
from zot_ext.protocol.raw import RawList, RawObject
from zot_ext.protocol.splitter import FrameSplitter, Oversized

if TYPE_CHECKING:
    from collections.abc import Callable

    from zot_ext.extension import Extension
    from zot_ext.limits import ExtensionLimits
    from zot_ext.protocol.frame import Unknown
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import FromHost


F = TypeVar("F")
R = TypeVar("R", CommandResponse, ToolResult, EventInterceptResponse, ProviderEvent, ProviderResult)


class ExtensionPipe:
    """The pipes to one extension. What it has sent is in `frames`, in order, and in `noise` the lines that are no
    frames."""

    def __init__(self, extension: Extension | subprocess.Popen[bytes], limits: ExtensionLimits) -> None:
        self.limits = limits
        self.frames: list[FromExtension | Unknown] = []
        self.noise: list[bytes] = []
        self._extension = extension
        self._changed = threading.Condition()
        self._ended = False
        self._ids = 0
        self._writing = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._target = -1

    def received(self, frame: FromExtension | Unknown) -> None:
        """Do what a frame asks for. Called in the thread that reads."""

    def start(self) -> None:
        """Start the extension and begin to read; send nothing."""
        extension = self._extension
        if not isinstance(extension, subprocess.Popen):
            inward, self._target = os.pipe()
            source, outward = os.pipe()
            self._start_thread(lambda: extension.serve(inward, outward))
        else:
            assert extension.stdin is not None
            assert extension.stdout is not None
            self._target, source = os.dup(extension.stdin.fileno()), os.dup(extension.stdout.fileno())
            extension.stdin.close()
            extension.stdout.close()
        self._start_thread(lambda: self._read(source))

    def intercept(self, event: str, **fields: Any) -> EventInterceptResponse:
        """Ask about an event and wait for the decision; `fields` are its members."""
        question = EventIntercept(self.new_id(), event, **_raw(EventIntercept, fields))
        return self.ask(question, EventInterceptResponse, self.limits.intercept_seconds)

    def event(self, event: str, **fields: Any) -> None:
        """Send an event; `fields` are its members. There is no answer."""
        self.send(Event(event, **_raw(Event, fields)))

    def ask(
        self, question: CommandInvoked | ToolCall | EventIntercept | ProviderQuestion, kind: type[R], seconds: float
    ) -> R:
        """Send a request and wait for the first reply to its id."""
        self.send(question)
        return self.wait_for(kind, lambda reply: reply.id == question.id, seconds=seconds)

    def send(self, frame: FromHost) -> None:
        self.send_line(encode(frame, limit=self.limits.large_frame_bytes))

    def send_line(self, line: bytes) -> None:
        """Send bytes as they are."""
        with self._writing:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._target, rest) :]

    def wait_for(
        self,
        kind: type[F],
        where: Callable[[F], bool] = lambda _: True,
        *,
        count: int = 1,
        seconds: float | None = None,
    ) -> F:
        """Wait for a frame of class `kind` that `where` accepts: the first one sent, or number `count`."""

        def found() -> F | None:
            matching = [frame for frame in self.frames if isinstance(frame, kind) and where(frame)]
            return matching[count - 1] if len(matching) >= count else None

        return self._wait(found, self.limits.tool_seconds if seconds is None else seconds, kind.__name__)

    def sent(self, kind: type[F]) -> list[F]:
        """Return the frames of a class that were received so far."""
        with self._changed:
            return [frame for frame in self.frames if isinstance(frame, kind)]

    def end_input(self) -> None:
        """Close the extension's input, as if the host had died, and wait for the end of its output."""
        self._close_target()
        self._wait(lambda: self._ended or None, self.limits.command_seconds, "the end")

    def close(self) -> None:
        self._close_target()
        for thread in self._threads:
            thread.join(self.limits.shutdown_seconds + self.limits.kill_seconds)

    def _close_target(self) -> None:
        with self._writing:
            target, self._target = self._target, -1
            if target >= 0:
                os.close(target)

    def new_id(self) -> str:
        with self._changed:
            self._ids += 1
            return f"host-{self._ids}"

    def _start_thread(self, work: Callable[[], object]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _read(self, source: int) -> None:
        splitter = FrameSplitter(self.limits.large_frame_bytes)
        while True:
            chunk = os.read(source, 65536)
            lines = splitter.feed(chunk) if chunk else splitter.finish()
            with self._changed:
                for line in lines:
                    self._keep(line)
                self._ended = not chunk
                self._changed.notify_all()
            if not chunk:
                os.close(source)
                return

    def _keep(self, line: bytes | Oversized) -> None:
        if isinstance(line, Oversized):
            self.noise.append(line.start)
            return
        try:
            frame = decode_from_extension(line)
        except FrameError:
            self.noise.append(line)
            return
        self.frames.append(frame)
        self.received(frame)

    def _wait(self, found: Callable[[], F | None], seconds: float, what: str) -> F:
        deadline = time.monotonic() + seconds
        with self._changed:
            while (value := found()) is None:
                left = deadline - time.monotonic()
                if left <= 0 or self._ended:
                    why = "the extension has ended" if self._ended else f"not within {seconds:g} s"
                    raise TimeoutError(f"{what}: {why}; it sent {self.frames!r}, and as noise {self.noise!r}")
                self._changed.wait(left)
            return value


def _raw(kind: type[Event | EventIntercept], members: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a frame from plain values."""
    found = dict(members)
    for name in ("tool_args", "payload"):
        if isinstance(found.get(name), dict):
            found[name] = RawObject.from_value(found[name])
    if isinstance(found.get("messages"), (list, tuple)):
        found["messages"] = RawList.from_values(found["messages"])
    return kind.fields_of(found)
