"""`TerminalOutput`: text output on a descriptor, which `Terminal` writes to."""

import os
import select


class TerminalOutput:
    """Text output on a descriptor, a frame in one `write`; all of it, also where writing does not block.

    `lost`: errors are not raised any more.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.lost = False
        self._pending: list[str] = []

    def fileno(self) -> int:
        """The descriptor, which urwid asks for the size."""
        return self.descriptor

    def write(self, data: str, /) -> None:
        """Keep `data` for `flush`."""
        self._pending.append(data)

    def flush(self) -> None:
        """Write what was kept. OSError if that fails, unless `lost`."""
        data = memoryview("".join(self._pending).encode(errors="replace"))
        self._pending.clear()
        try:
            while data:
                try:
                    data = data[os.write(self.descriptor, data) :]
                except BlockingIOError:  # a child has made our terminal non-blocking
                    select.select([], [self.descriptor], [], 1.0)
        except OSError:
            if not self.lost:
                raise
