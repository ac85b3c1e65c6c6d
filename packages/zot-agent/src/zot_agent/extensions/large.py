"""Frames of an extension as lines: large ones are encoded and decoded in a thread, and the loop does other work."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeAlias

from zot_agent.lines.reader import LineReader
from zot_agent.lines.writer import WriterLimits
from zot_core.aio import spawn
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


async def encode_frame(frame: FromHost, limit: int) -> bytes:
    """Encode a frame. Raises `FrameError`."""
    size = 0
    if isinstance(frame, EventIntercept):
        size += 0 if frame.messages is None else sum(map(len, frame.messages.texts))
        size += 0 if frame.payload is None else len(frame.payload.text)
    if size < _LARGE:
        return encode(frame, limit=limit)
    return await asyncio.to_thread(encode, frame, limit=limit)


class FrameLines:
    """Passes lines to `handle` in their order, each with its frame, or with the error that it has none; lines that
    `takes` takes are not decoded. While a large one is decoded, `reader` reads no more.

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
            self._handle(line.start, FrameError(f"line is longer than {line.limit} bytes"))
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


def writer_limits(limits: ExtensionLimits) -> WriterLimits:
    """Return the limits of the queue of frames to an extension."""
    return WriterLimits(
        full_bytes=limits.queue_bytes,
        full_lines=limits.queue_frames,
        max_bytes=4 * limits.queue_bytes,  # calls are answered however slowly the answers are read
        stall_seconds=limits.write_seconds,
        stall_only_full=True,
    )
