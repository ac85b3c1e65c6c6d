"""`Capture`: what a command prints: its head in memory, and all of it in a file once that is too much."""

import os

from zot_core.tools.text.truncate import Head, Limits, exceeds, head


class Capture:
    """Takes the pieces of an output.

    `path` is the file of the full output, empty as long as the head is all there is. Only the user can read it, and it
    is left behind for the model. It holds `spill_bytes` at most: a command that never stops must not fill the disk.
    `shortened` says why it does not hold everything, if so.
    """

    def __init__(self, limits: Limits, spill_bytes: int) -> None:
        self._limits = limits
        self._start = bytearray()
        self._newlines = 0
        self._overflowed = False
        self._file: int | None = None
        self._room = spill_bytes
        self.path = ""
        self.shortened = ""

    def feed(self, piece: bytes) -> None:
        """Take the next piece. A full disk is noted, never raised: the command goes on."""
        if not self._overflowed:
            self._start += piece
            self._newlines += piece.count(b"\n")
            if not exceeds(self._start, self._newlines, self._limits):
                return
            self._overflowed = True
            piece = bytes(self._start)
            self._open()
        if self._file is not None:
            self._write(self._file, piece)

    def head(self) -> Head:
        """The start of the output, within the limits."""
        return head(bytes(self._start), self._limits)

    def close(self) -> None:
        """No more will come."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def discard(self) -> None:
        """No more will come, and nobody is told of the file."""
        self.close()
        if self.path:
            os.unlink(self.path)
            self.path = ""

    def _open(self) -> None:
        import tempfile  # noqa: PLC0415  5 ms that only long outputs need

        try:
            self._file, self.path = tempfile.mkstemp(prefix="zot-bash-", suffix=".log")
        except OSError as error:
            self.shortened = str(error.strerror)

    def _write(self, file: int, piece: bytes) -> None:
        rest = memoryview(piece)[: self._room]
        self._room -= len(rest)
        try:
            while rest:
                rest = rest[os.write(file, rest) :]
        except OSError as error:
            self.shortened = str(error.strerror)
            self.close()
        else:
            if not self._room:
                self.shortened = "too long"
                self.close()
