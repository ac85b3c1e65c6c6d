"""`Replies`: the frames that an extension writes, with one reply to each request."""

from __future__ import annotations

import threading

from zot_ext.protocol.codec import encode
from zot_ext.protocol.from_extension import ShutdownAck

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.registrations import Registrations
    from zot_ext.runtime.frame_writer import FrameWriter


class PendingRequest:
    """A frame that waits for its reply; two are never equal, whatever their ids."""

    def __init__(self, type: str, id: str, name: str) -> None:
        self.type = type
        self.id = id
        self.name = name


class Replies:
    """Writes frames of at most `frame_bytes` bytes to `writer`, which it owns."""

    def __init__(self, writer: FrameWriter, frame_bytes: int, registrations: Registrations) -> None:
        self._writer, self._frame_bytes, self._registrations = writer, frame_bytes, registrations
        self._lock = threading.Lock()
        self._owed: set[PendingRequest] = set()

    @property
    def closed(self) -> bool:
        """Whether nobody reads any more."""
        return self._writer.closed

    def send(self, frame: FromExtension) -> None:
        """Write a frame now. Raises `FrameError` if it cannot be encoded; a host that is gone is not an error."""
        self._writer.write(self.encode(frame))

    def encode(self, frame: FromExtension) -> bytes:
        """Raises `FrameError`."""
        return encode(frame, limit=self._frame_bytes)

    def expect(self, request: PendingRequest) -> None:
        with self._lock:
            self._owed.add(request)

    def owes(self, request: PendingRequest) -> bool:
        return request in self._owed

    def answer(self, request: PendingRequest, line: bytes) -> None:
        """Reply, unless the request already has a reply. The lock is shared with the last frames: see `finish`."""
        with self._lock:
            if request in self._owed:
                self._owed.remove(request)
                self._writer.write(line)

    def failure(self, request: PendingRequest, reason: str) -> bytes:
        """Return the reply to a request that has failed."""
        from zot_ext.runtime.failures import failed  # noqa: PLC0415 - most requests do not fail

        block = any(each.blocks_on_error for each in self._registrations.interceptors.get(request.name, ()))
        return encode(failed(request.type, request.id, reason, block=block))

    def finish(self, *, acknowledge: bool) -> None:
        """Fail the requests without a reply, `acknowledge` the shutdown, and write nothing more."""
        with self._lock:
            for request in self._owed:
                self._writer.write(self.failure(request, "the extension is shutting down"))
            self._owed.clear()
            if acknowledge:
                self._writer.write(encode(ShutdownAck()), last=True)
        self._writer.close()
