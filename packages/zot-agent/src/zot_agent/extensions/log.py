"""`ExtensionLog`: the log file of an extension, with its standard error and lines of zot's own."""

import contextlib
import os
import subprocess
from binascii import crc32

from zot_core.clock import timestamp
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import open_regular

LARGEST = 5 << 20
"""Bytes after which a log is emptied. The last `LARGEST` bytes are kept in a file with the suffix `.1`."""

_QUOTED = 200
"""Bytes that are quoted of an invalid line, and characters of a line of the process."""

_TAIL = 4096
"""Bytes at the end of the file that are read for its last line."""

_LONGEST_NAME = 120
_PIECE = 1 << 20
"""Bytes copied at once."""


def log_path(home: str, name: str) -> str:
    """Return the path of the log of the extension `name`: `logs/ext-NAME.log` below `home`.

    Characters that are unsafe in a file name become `_`, and a checksum keeps such names distinct. (The prefix `ext-`
    avoids the names that Windows reserves.)
    """
    safe = "".join(letter if letter.isalnum() or letter in " ._-" else "_" for letter in name).replace("..", "__")
    safe = safe.encode("utf-8", "replace")[:_LONGEST_NAME].decode("utf-8", "ignore").strip(" .")
    if safe != name:
        safe = f"{safe}-{crc32(name.encode('utf-8', 'surrogatepass')):08x}"
    return os.path.join(home, "logs", f"ext-{safe}.log")


class ExtensionLog:
    """Appends to the log of the extension `name`. Only its owner can read the file; its folder is made if missing.

    The file is opened when it is needed, which for a remembered extension is after the first request. An extension runs
    even without a log: all lines are dropped then. The owner calls `close`.
    """

    def __init__(self, home: str, name: str, *, largest: int = LARGEST) -> None:
        self.path = log_path(home, name)
        self._problem = ""
        self._largest = largest
        self._opened: int | None = None
        self._closed = False
        self._last = ""
        self._repeated = 0

    @property
    def problem(self) -> str:
        """A line for the user if the file cannot be opened, else empty."""
        _ = self._descriptor
        return self._problem

    @property
    def _descriptor(self) -> int | None:
        if self._opened is None and not self._closed and not self._problem:
            try:
                self._opened = _open(self.path)
            except OSError as error:
                why = error.strerror or error
                self._problem = f"cannot write the log {self.path}: {why}; the extension runs without one"
        return self._opened

    @property
    def descriptor(self) -> int:
        """The standard error for the process: the file, opened to append, or `subprocess.DEVNULL`.

        The process writes to the file directly, so it can outgrow its limit until zot writes its next line.
        """
        return subprocess.DEVNULL if self._descriptor is None else self._descriptor

    def line(self, text: str) -> None:
        """Add a line of zot's own, `[zot] TIME text`. A repetition of the last line is only counted."""
        if self._descriptor is None:
            return
        if text == self._last:
            self._repeated += 1
            return
        self._write_repetitions()
        self._last = text
        self._write(text)

    def last_words(self) -> str:
        """Return the beginning of the last line, if the process has written it; else an empty text."""
        if self._descriptor is None:
            return ""
        size = os.fstat(self._descriptor).st_size
        end = os.pread(self._descriptor, _TAIL, max(0, size - _TAIL)).decode(errors="replace").splitlines()
        last = next(filter(str.strip, reversed(end)), "")
        return "" if last.startswith("[zot] ") else " ".join(last.split())[:_QUOTED]

    def close(self) -> None:
        """Close the file; later lines are dropped. Closing twice is harmless."""
        if self._opened is not None:
            self._write_repetitions()
            os.close(self._opened)
            self._opened = None
        self._closed = True

    def _write_repetitions(self) -> None:
        if self._repeated:
            self._write(f"(the line before, {self._repeated} more times)")
            self._repeated = 0

    def _write(self, text: str) -> None:
        if self._descriptor is None:
            return
        line = f"[zot] {timestamp()} {' '.join(text.split())}\n"
        with contextlib.suppress(OSError):  # a full disk
            self._rotate()
            os.write(self._descriptor, line.encode("utf-8", "replace"))

    def _rotate(self) -> None:
        """Copy the end of a file that is too large, and empty it. It is not renamed: the process has it open, and keeps
        writing to it."""
        descriptor = self._descriptor
        if descriptor is None or (size := os.fstat(descriptor).st_size) <= self._largest:
            return
        kept = open_regular(f"{self.path}.1", os.O_WRONLY | os.O_TRUNC, create=True)
        try:
            at = size - self._largest
            while at < size and (piece := os.pread(descriptor, min(_PIECE, size - at), at)):
                at += os.write(kept, piece)
        finally:
            os.close(kept)
        os.ftruncate(descriptor, 0)


def _open(path: str) -> int:
    make_private(os.path.dirname(path))
    descriptor = open_regular(path, os.O_RDWR | os.O_APPEND, create=True)
    try:
        os.chmod(path, 0o600)  # an older file may have other permissions
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def quoted(line: bytes) -> str:
    """Return the beginning of an invalid line, for the log."""
    text = line[:_QUOTED].decode(errors="replace")
    return repr(text) + ("..." if len(line) > _QUOTED else "")
