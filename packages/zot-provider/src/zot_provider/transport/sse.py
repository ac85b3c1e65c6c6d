"""Bytes to the data of server-sent events: pure, incremental.

The format is WHATWG HTML, "Server-sent events", "Interpreting an event stream"
(https://html.spec.whatwg.org/multipage/server-sent-events.html). Of its fields only `data` is kept: every wire repeats
the event's name inside the data.
"""

from zot_provider.errors import ProtocolError

_BOM = b"\xef\xbb\xbf"

MAX_EVENT_BYTES = 64 << 20
"""Bytes of one event above which a stream is refused."""


class SseSplitter:
    """Cuts a stream into the data of its events, however the network cut it into chunks.

    An event that no blank line has ended yet is held back; at the end of the stream it is dropped, as the format wants.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._buffer = bytearray()  # the unfinished event, line ends already made LF
        self._start = True  # a byte order mark may still come
        self._after_cr = False  # an LF now belongs to the CR before it

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of each event that `chunk` completes, lines joined by LF; an event without data gives nothing.

        Raises `ProtocolError` for an event of more than `max_event_bytes` bytes.
        """
        if self._start:
            chunk = self._without_mark(chunk)
        if self._after_cr or b"\r" in chunk:
            chunk = self._with_lf(chunk)
        held = self._buffer
        if b"\n\n" not in chunk and not (chunk[:1] == b"\n" and held[-1:] == b"\n"):
            held += chunk
            self._check(len(held))
            return []
        if held:
            chunk = bytes(held) + chunk
            held.clear()
        blocks = chunk.split(b"\n\n")
        if len(chunk) > self._max_event_bytes:
            self._check(max(map(len, blocks)))
        held += blocks.pop()
        events = []
        for block in blocks:
            if block.startswith(b"event: "):
                block = block[block.find(b"\n") + 1 :]
            if block.startswith(b"data: ") and b"\n" not in block:
                events.append(block[6:])
            else:
                data = _data(block)
                if data is not None:
                    events.append(data)
        return events

    def _without_mark(self, chunk: bytes) -> bytes:
        """`chunk` with what was held of the stream's first bytes, but without a byte order mark."""
        chunk = bytes(self._buffer) + chunk
        self._buffer.clear()
        if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
            self._buffer += chunk
            return b""
        self._start = False
        return chunk.removeprefix(_BOM)

    def _with_lf(self, chunk: bytes) -> bytes:
        """`chunk` with every line end (CR LF, CR, LF) made LF; a CR LF may lie across two chunks."""
        if not chunk:
            return chunk
        if self._after_cr:
            chunk = chunk.removeprefix(b"\n")
        self._after_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _check(self, size: int) -> None:
        if size > self._max_event_bytes:
            raise ProtocolError(f"the server sent an event of more than {self._max_event_bytes} bytes")


def _data(block: bytes) -> bytes | None:
    """The data lines of an event, joined by LF; None if it has none."""
    lines = []
    for line in block.split(b"\n"):
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
        elif line == b"data":
            lines.append(b"")
    return b"\n".join(lines) if lines else None
