"""`JobOutput`: the output of a command that may print for ever, in bounded memory and a bounded file."""

from zot_core.tools.text.capture import Capture
from zot_core.tools.text.fold import folded
from zot_core.tools.text.truncate import TextLimits
from zot_provider.record import Record, field


class OutputLimits(Record):
    """Bytes that are kept of an output: of its beginning and its end in memory, and of its beginning in a file."""

    head: int = 16 * 1024
    tail: int = 32 * 1024
    file: int = 64 * 1024 * 1024


class JobLimits(Record):
    """How many jobs may run at a time, and how many that have ended are remembered; the output that is kept of each.

    The model reads at most `shown` bytes of an output at a time, unless its call names another number, and with the
    news of an end the last `news_lines` lines, `news` bytes at most. For `start_seconds` the call that starts a job
    waits: the result of a command that fails at once then says so.
    """

    running: int = 16
    remembered: int = 50
    shown: int = 16 * 1024
    news_lines: int = 10
    news: int = 1000
    output: OutputLimits = field(default_factory=OutputLimits)
    start_seconds: float = 0.1


class JobOutput:
    """Keeps the beginning and the end of an output; all of it, up to a limit, is in a file once it exceeds `head`."""

    def __init__(self, limits: OutputLimits) -> None:
        self._limits = limits
        self._head = bytearray()
        self._tail = bytearray()
        self._capture = Capture(TextLimits(limits.head, limits.head), limits.file)
        self.total = 0
        """The number of bytes so far."""

    @property
    def path(self) -> str:
        """The file with the output; empty while it is short."""
        return self._capture.path

    def feed(self, piece: bytes) -> None:
        self._capture.feed(piece)
        self.total += len(piece)
        self._head += piece[: self._limits.head - len(self._head)]
        self._tail += piece[-self._limits.tail :]
        if len(self._tail) > 2 * self._limits.tail:
            del self._tail[: -self._limits.tail]

    def since(self, offset: int) -> str:
        """Return the text from this byte on; a line says how many bytes of it are not kept in memory."""
        tail = self._tail[-self._limits.tail :]
        at = self.total - len(tail)
        if offset >= at:
            return _text(tail[offset - at :])
        head = self._head[offset:at]
        missing = at - offset - len(head)
        if not missing:
            return _text(head + tail)
        where = f"; the file has them: {self.path}" if self.path else ""
        gap = f"... [{missing:,} bytes are left out{where}]"
        return "\n".join(filter(None, [_text(head).rstrip("\n"), gap, _text(tail)]))

    def keep(self) -> None:
        """Put the output into the file, however short it is."""
        self._capture.keep()

    def close(self) -> None:
        """Close the file; no more pieces follow."""
        self._capture.close()


def _text(data: bytes | bytearray) -> str:
    return folded(bytes(data)).decode("utf-8", "replace")
