"""`CheckSession`: one run of a checked program, with its output and the times of its lines."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from zot_ext.protocol.codec import decode_from_extension, encode
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import (
    CallTool,
    CommandResponse,
    EventInterceptResponse,
    HostCall,
    Ready,
    ShutdownAck,
    ToolResult,
)
from zot_ext.protocol.from_host import HostResult, Shutdown, ToolAnswer
from zot_ext.protocol.groups.providers import ProviderEvent, ProviderResult
from zot_ext.protocol.groups.tool_ops import OpResponse
from zot_ext.protocol.splitter import FrameSplitter, Oversized
from zot_ext.protocol.values import TextBlock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zot_ext.limits import ExtensionLimits
    from zot_ext.protocol.frame import Unknown
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import HelloAck
    from zot_ext.testing.conformance.target import CheckTarget

    Reply = CommandResponse | ToolResult | EventInterceptResponse | ProviderEvent | ProviderResult | OpResponse

REPLIES = (CommandResponse, ToolResult, EventInterceptResponse, ProviderEvent, ProviderResult, OpResponse)
"""The classes of frames that answer requests."""


class OutputLine:
    """One line that the program wrote: the decoded frame, or the error."""

    def __init__(self, raw: bytes, at: float, *, oversized: bool = False) -> None:
        self.raw = raw
        self.at = at
        """When it was received, by `time.monotonic`."""
        self.oversized = oversized
        self.frame: FromExtension | Unknown | None = None
        self.error: FrameError | None = None
        if not oversized:
            try:
                self.frame = decode_from_extension(raw)
            except FrameError as error:
                self.error = error

    @property
    def is_reply(self) -> bool:
        """Whether it answers a request: of the events of an answer the last one does."""
        if isinstance(self.frame, ProviderEvent):
            return self.frame.event in ("done", "error")
        return isinstance(self.frame, REPLIES)

    @property
    def answers(self) -> str:
        """The id of the request that this line answers, even if it is malformed; `""` if it is not a reply."""
        if isinstance(self.frame, REPLIES):
            return self.frame.id if self.is_reply else ""
        return self.error.id if self.error is not None else ""


class CheckRequest:
    """A frame that needs a reply."""

    def __init__(self, id: str, what: str, reply: type[Reply], limit: float, line: bytes) -> None:
        self.id = id
        self.what = what
        """A description: `command 'todos' without arguments`."""
        self.reply = reply
        self.limit = limit
        """Seconds."""
        self.line = line
        self.sent_at = 0.0


class CheckSession:
    """A running program under check. It only exchanges frames and judges nothing; the owner must call `close`."""

    def __init__(
        self, target: CheckTarget, limits: ExtensionLimits, ack: HelloAck, log: str, environ: Mapping[str, str]
    ) -> None:
        """Start the program; its standard error overwrites the file `log`. Raises `OSError` if that fails."""
        self.limits = limits
        self.ack = ack
        self.lines: list[OutputLine] = []
        self.requests: list[CheckRequest] = []
        self.ended = False
        """Standard output has ended."""
        self.last = "the start"
        """A description of what was sent last."""
        self._log = log
        self._ids = 0
        self._closed = False
        self._writing = threading.Lock()
        self._changed = threading.Condition()
        with open(log, "wb") as errors:
            self.process = subprocess.Popen(
                list(target.command),
                cwd=target.folder,
                env=dict(environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
                start_new_session=True,
            )
        assert self.process.stdin is not None
        os.set_blocking(self.process.stdin.fileno(), False)
        self._reader = threading.Thread(target=self._read, name="reader", daemon=True)
        self._reader.start()

    def id(self) -> str:
        """Return a new id; the sequence is the same in every check."""
        self._ids += 1
        return f"check-{self._ids}"

    def write(self, data: bytes, what: str) -> None:
        """Write bytes as they are; the rest is dropped if the program has ended or does not read within the limit."""
        self.last = what
        with self._writing:
            self._write(data)

    def _write(self, data: bytes) -> None:
        stream = self.process.stdin
        assert stream is not None
        rest = memoryview(data)
        until = time.monotonic() + self.limits.write_seconds
        while rest and not stream.closed:
            try:
                rest = rest[os.write(stream.fileno(), rest) :]
            except BlockingIOError:
                left = until - time.monotonic()
                if left <= 0 or not select.select([], [stream], [], left)[1]:
                    return
            except OSError:
                return

    def greet(self) -> None:
        """Send `hello_ack`."""
        self.write(encode(self.ack), "hello_ack")

    def ask(self, *requests: CheckRequest) -> bool:
        """Send requests in one write; return whether all were answered in time, correctly or not."""
        for request in requests:
            request.sent_at = time.monotonic()
            self.requests.append(request)
        self.write(b"".join(request.line for request in requests), requests[-1].what)
        return self.wait(
            lambda: all(any(line.answers == request.id for line in self.lines) for request in requests),
            max((request.limit for request in requests), default=0),
        )

    def replied(self, request: CheckRequest) -> bool:
        """Whether the request has a reply of the right type."""
        return any(isinstance(line.frame, request.reply) and line.answers == request.id for line in self.lines)

    def wait(self, found: Callable[[], bool], seconds: float) -> bool:
        """Wait until `found` is true, at most `seconds` and not beyond the end of the output; return whether it is."""
        until = time.monotonic() + seconds
        with self._changed:
            while not found():
                left = until - time.monotonic()
                if left <= 0 or self.ended:
                    return False
                self._changed.wait(left)
            return True

    def settle(self, *, says_ready: bool) -> None:
        """Wait for registrations: until `ready`, or until silence if the program does not send it. On a busy machine a
        program may be silent for long before it sends it."""
        until = time.monotonic() + self.limits.ready_total_seconds
        silence = self.limits.ready_total_seconds if says_ready else self.limits.ready_idle_seconds
        while not self.sent_ready():
            count = len(self.lines)
            left = min(silence, until - time.monotonic())
            if left <= 0 or not self.wait(lambda count=count: len(self.lines) > count, left):  # type: ignore[misc]
                return

    def sent_ready(self) -> bool:
        """Whether the program has sent `ready`."""
        return any(isinstance(line.frame, Ready) for line in self.lines)

    def acknowledged(self) -> bool:
        """Whether the program has sent `shutdown_ack`."""
        return any(isinstance(line.frame, ShutdownAck) for line in self.lines)

    def shut_down(self) -> bool:
        """Send `shutdown`, and return whether it is acknowledged in time."""
        self.write(encode(Shutdown()), "shutdown")
        return self.wait(self.acknowledged, self.limits.shutdown_seconds)

    def end_input(self) -> None:
        """Close the program's standard input."""
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()

    def exited(self, seconds: float) -> bool:
        """Whether the process ends within `seconds`."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(max(seconds, 0))
        return self.process.returncode is not None

    def group(self) -> list[int]:
        """Return the ids of processes left in the program's group, after waiting a moment for their end."""
        until = time.monotonic() + self.limits.kill_seconds
        while (left := _members(self.process.pid)) and time.monotonic() < until:
            time.sleep(0.02)  # only the end of our own children can be awaited
        return left

    def last_words(self) -> str:
        """Return the last line that the program wrote to standard error, or `""`."""
        with open(self._log, "rb") as file:
            lines = file.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else ""

    def close(self) -> None:
        """End the program and everything in its group, and close the pipes. Repeated calls do nothing."""
        if self._closed:
            return
        self._closed = True
        self.end_input()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join(self.limits.kill_seconds)
        if self.process.stdout is not None and not self._reader.is_alive():
            self.process.stdout.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        source = self.process.stdout.fileno()
        splitter = FrameSplitter(self.limits.frame_bytes)
        chunk = b"-"
        while chunk:
            chunk = os.read(source, 65536)
            now = time.monotonic()
            read = splitter.feed(chunk) if chunk else splitter.finish()
            lines = [
                OutputLine(each.start, now, oversized=True) if isinstance(each, Oversized) else OutputLine(each, now)
                for each in read
            ]
            for each in lines:
                refusal: HostResult | ToolAnswer | None = None
                if isinstance(each.frame, HostCall):
                    refusal = HostResult(each.frame.id, code="unavailable", error="this is a check")
                elif isinstance(each.frame, CallTool):
                    text = TextBlock("this is a check")
                    refusal = ToolAnswer(each.frame.id, each.frame.name, (text,), is_error=True)
                if refusal is not None and self.process.stdin is not None:
                    with suppress(ValueError), self._writing:
                        self._write(encode(refusal))
            with self._changed:
                self.lines += lines
                self.ended = not chunk
                self._changed.notify_all()


def _members(group: int) -> list[int]:
    if not os.path.isdir("/proc/self"):
        try:
            os.killpg(group, 0)
        except OSError:
            return []
        return [group]
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                # After the name, which may contain anything: state, parent, group.
                state, _parent, number = file.read().rpartition(")")[2].split()[:3]
            if int(number) == group and state not in "ZX":
                found.append(int(name))
    return sorted(found)
