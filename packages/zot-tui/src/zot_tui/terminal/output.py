"""`TerminalOutput`: text output on a file descriptor, for `Terminal`."""

import os
import select


class TerminalOutput:
    """Buffered text output on a file descriptor. Each flush writes everything, also where the descriptor does not
    block.

    While `lost` is set, errors are ignored.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.lost = False
        self._pending: list[str] = []

    def fileno(self) -> int:
        """Return the descriptor; urwid asks it for the window size."""
        return self.descriptor

    def write(self, data: str, /) -> None:
        """Buffer `data` until `flush`."""
        self._pending.append(data)

    def flush(self) -> None:
        """Write what is buffered. Raises OSError if that fails, unless `lost` is set."""
        data = memoryview("".join(self._pending).encode(errors="replace"))
        self._pending.clear()
        try:
            while data:
                try:
                    data = data[os.write(self.descriptor, data) :]
                except BlockingIOError:  # a child process made the terminal non-blocking
                    select.select([], [self.descriptor], [], 1.0)
        except OSError:
            if not self.lost:
                raise
