"""`FramePipes`: the process of an extension, and the frames on its pipes. Large ones are encoded and decoded in a
thread, and the loop does other work."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from zot_agent.extensions.launch import launch_failure
from zot_agent.extensions.log import ExtensionLog
from zot_agent.extensions.process import Process
from zot_agent.extensions.trace import Trace
from zot_agent.lines.reader import LineReader
from zot_agent.lines.writer import LineWriter, Stuck, WriterLimits
from zot_core.aio import finish, spawn
from zot_core.machine.posix import missing_posix
from zot_core.machine.shell import Launch
from zot_core.sandbox.sandbox import Sandbox
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.codec import decode_from_extension, encode
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.frame import Unknown
from zot_ext.protocol.from_extension import FromExtension
from zot_ext.protocol.from_host import EventIntercept, FromHost
from zot_ext.protocol.splitter import Oversized

Decoded: TypeAlias = FromExtension | Unknown | FrameError

_LARGE = 256 * 1024
"""Bytes of a line that takes some milliseconds."""


class PipesOwner(Protocol):
    """Receives what comes from an extension, and learns what ends it."""

    @property
    def name(self) -> str: ...

    def handle(self, line: bytes, frame: Decoded) -> None:
        """Take a line, with its frame, or with the error that it has none."""

    def takes(self, line: bytes) -> bool:
        """Take a line that need not be decoded, and return whether it is one."""

    def exited(self, fate: str) -> None:
        """The process has ended, and everything that it has written was passed on; `fate` completes a sentence."""

    def pipe_lost(self, why: str) -> None:
        """A pipe is closed; the process may be about to exit."""

    def broken(self, why: str) -> None:
        """It must end, because of what it has done."""


class FramePipes:
    """A process, started as `launch` says and confined by `sandbox`, and frames over its standard input and output.

    `log` gets its standard error. Lines are written to `trace`. Raises `LaunchError` if the process cannot be started.
    """

    def __init__(
        self,
        owner: PipesOwner,
        launch: Launch,
        sandbox: Sandbox | None,
        log: ExtensionLog,
        limits: ExtensionLimits,
        trace: Trace | None,
    ) -> None:
        self._owner, self._log, self._limits, self._trace = owner, log, limits, trace
        self._frame_bytes = limits.frame_bytes
        self._cleanup: asyncio.Task[None] | None = None
        try:
            if problem := missing_posix("programs of extensions"):
                raise OSError(problem)
            self.process = Process(launch if sandbox is None else sandbox.confine(launch), log.descriptor, self._ended)
        except (OSError, ValueError) as error:
            raise launch_failure(owner.name, launch.argv, launch.cwd, error) from error
        self.reader = LineReader(
            self.process.output, limits.frame_bytes, self._received, self._output_ended, owned=True
        )
        self._lines = FrameLines(owner.handle, owner.takes, self.reader)
        self._writer = LineWriter(
            self.process.input,
            WriterLimits(
                full_bytes=limits.queue_bytes,
                full_lines=limits.queue_frames,
                max_bytes=4 * limits.queue_bytes,  # calls are answered however slowly the answers are read
                stall_seconds=limits.write_seconds,
                stall_only_full=True,
            ),
            stuck=self._stuck,
            lost=lambda _: owner.pipe_lost("closed its standard input"),
            dropped=self._dropped,
            owned=True,
        )

    def widen(self) -> None:
        """Take large frames from now on."""
        self._frame_bytes = self._limits.large_frame_bytes
        self.reader.set_limit(self._frame_bytes)
        self.process.widen_pipes(1 << 20)

    def fits(self) -> bool:
        """Whether the queue of frames to the process is not full."""
        return self._writer.fits()

    def send(self, frame: FromHost) -> None:
        """Encode a frame and queue it. Raises `FrameError`."""
        self.write(encode(frame, limit=self._frame_bytes))

    async def encode(self, frame: FromHost) -> bytes:
        """Encode a frame. Raises `FrameError`."""
        size = 0
        if isinstance(frame, EventIntercept):
            size += 0 if frame.messages is None else sum(map(len, frame.messages.texts))
            size += 0 if frame.payload is None else len(frame.payload.text)
        if size < _LARGE:
            return encode(frame, limit=self._frame_bytes)
        return await asyncio.to_thread(encode, frame, limit=self._frame_bytes)

    def write(self, line: bytes, *, now: bool = False) -> None:
        if self._trace is not None:
            self._trace.add(self._owner.name, "out", line)
        self._writer.write(line, now=now)

    def expect(self, texts: Sequence[str]) -> None:
        """Note texts of messages that the process may send back: see `decode_from_extension`."""
        self._lines.known = texts

    def finish(self) -> None:
        """Close the standard input of the process when everything in the queue is written."""
        self._writer.finish()

    def close(self, patience: float) -> None:
        """Stop reading and writing, and end the process group: after `patience` seconds with SIGKILL."""
        self.reader.close()
        self._writer.close()
        self._cleanup = spawn(self.process.end(patience), f"end extension {self._owner.name}")

    async def closed(self) -> None:
        """Wait for the end of the process group, after `close`."""
        if self._cleanup is not None:
            await finish(self._cleanup)

    def _received(self, line: bytes | Oversized) -> None:
        if self._trace is not None:
            self._trace.add(self._owner.name, "in", line if isinstance(line, bytes) else line.start)
        self._lines.feed(line)

    def _ended(self) -> None:
        self.reader.drain()
        # The rest of its output may take a few rounds of the loop; then `_output_ended` is called.
        if self.reader.closed:
            self._output_ended()

    def _output_ended(self) -> None:
        if self._lines.later(self._output_ended):
            return
        if fate := self.process.fate():
            self._owner.exited(fate)
        else:
            self._owner.pipe_lost("closed its standard output")

    def _stuck(self, how: Stuck) -> None:
        self._owner.broken(f"read nothing for {how.seconds:g} s while {how.lines} frames waited")

    def _dropped(self, count: int) -> None:
        self._log.line(f"{count} events were dropped because the extension did not read")


class FrameLines:
    """Passes lines to `handle` in their order, each with its frame, or with the error that it has none; lines that
    `takes` takes are not decoded. While a large one is decoded, `reader` pauses.

    `known` are texts of messages that the extension was sent, and may send back: see `decode_from_extension`.
    """

    def __init__(
        self, handle: Callable[[bytes, Decoded], None], takes: Callable[[bytes], bool], reader: LineReader
    ) -> None:
        self._handle, self._takes, self._reader = handle, takes, reader
        self.known: Sequence[str] = ()
        self._waiting: deque[bytes | Oversized | Callable[[], None]] = deque()
        self._task: asyncio.Task[None] | None = None

    def feed(self, line: bytes | Oversized) -> None:
        if self._task is None and (isinstance(line, Oversized) or len(line) < _LARGE):
            self._pass_on(line)
            return
        self._waiting.append(line)
        if self._task is None:
            self._reader.pause()
            self._task = spawn(self._work(), "decode a large frame")

    def later(self, work: Callable[[], None]) -> bool:
        """Run `work` after the lines so far, if some are still being decoded; return whether they are."""
        if self._task is not None:
            self._waiting.append(work)
        return self._task is not None

    def _pass_on(self, line: bytes | Oversized) -> None:
        if isinstance(line, Oversized):
            from zot_agent.lines.oversized import first_members, id_of  # noqa: PLC0415  only for a mistake

            frame, id = (each.strip('"') for each in (first_members(line).get("type", ""), id_of(line)))
            text = f"line is longer than {line.limit} bytes"
            self._handle(line.start, FrameError(text, frame=frame, id=id, code="too_large"))
        elif not self._takes(line):
            self._handle(line, _decoded(line))

    async def _work(self) -> None:
        try:
            while self._waiting:
                line = self._waiting.popleft()
                if isinstance(line, bytes) and len(line) >= _LARGE and not self._takes(line):
                    self._handle(line, await asyncio.to_thread(_decoded, line, self.known))
                elif isinstance(line, bytes | Oversized):
                    self._pass_on(line)
                else:
                    self._task = None
                    line()
        finally:
            self._task = None
            self._reader.resume()


def _decoded(line: bytes, known: Sequence[str] = ()) -> Decoded:
    try:
        return decode_from_extension(line, known)
    except FrameError as error:
        return error
