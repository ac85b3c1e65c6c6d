"""`SseSplitter`: an incremental parser of server-sent events, without I/O.

The format is WHATWG HTML, "Server-sent events", "Interpreting an event stream"
(https://html.spec.whatwg.org/multipage/server-sent-events.html). Of its fields only `data` is kept: every wire repeats
the name of the event in the data.
"""

from zot_provider.errors import ProtocolError

_BOM = b"\xef\xbb\xbf"

MAX_EVENT_BYTES = 64 << 20
"""Size of an event above which a stream is refused."""


class SseSplitter:
    """Splits a stream into the data of its events, however the network divided it into chunks.

    An event without its final blank line is buffered; at the end of the stream it is dropped, as the format requires.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._buffer = bytearray()  # the unfinished event, its line ends already converted to LF
        self._start = True  # no byte after a possible byte order mark has come
        self._after_cr = False  # the last byte was a CR, so a following LF belongs to it

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of each event that `chunk` completes, lines joined by LF. Events without data are left out.

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
        """Return the buffered first bytes of the stream and `chunk`, without a byte order mark."""
        chunk = bytes(self._buffer) + chunk
        self._buffer.clear()
        if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
            self._buffer += chunk
            return b""
        self._start = False
        return chunk.removeprefix(_BOM)

    def _with_lf(self, chunk: bytes) -> bytes:
        """Return `chunk` with every line end (CR LF, CR) converted to LF; a CR LF may be divided between two chunks."""
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
    """Return the data lines of an event, joined by LF; None for an event without data."""
    lines = []
    for line in block.split(b"\n"):
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
        elif line == b"data":
            lines.append(b"")
    return b"\n".join(lines) if lines else None
