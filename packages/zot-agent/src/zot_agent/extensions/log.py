"""`ExtensionLog`: what an extension prints to its standard error, and what zot has to say about it."""

import contextlib
import os
import stat
import subprocess
import zlib

from zot_core.clock import timestamp

LARGEST = 5 << 20
"""Bytes at which a log begins anew; the last ones before are kept in a file with `.1` at its end."""

_LONGEST_NAME = 120
_PIECE = 1 << 20


def log_path(home: str, name: str) -> str:
    """Where the log of the extension `name` lies: `logs/ext-NAME.log` below `home`.

    What does not belong in a file's name becomes `_`, and a check sum keeps two such names apart. (With the `ext-`
    before it no name is one that Windows reserves.)
    """
    safe = "".join(letter if letter.isalnum() or letter in " ._-" else "_" for letter in name).replace("..", "__")
    safe = safe.encode("utf-8", "replace")[:_LONGEST_NAME].decode("utf-8", "ignore").strip(" .")
    if safe != name:
        safe = f"{safe}-{zlib.crc32(name.encode('utf-8', 'surrogatepass')):08x}"
    return os.path.join(home, "logs", f"ext-{safe}.log")


class ExtensionLog:
    """Appends to the log of the extension `name`, readable by its owner alone; its folder is made if need be.

    Nothing about a log is worth an extension: one that cannot be opened says why in `problem`, a line for the person
    that is empty otherwise, and all it is given is dropped. The owner calls `close`.
    """

    def __init__(self, home: str, name: str, *, largest: int = LARGEST) -> None:
        self.path = path = log_path(home, name)
        self.problem = ""
        self._largest = largest
        self._descriptor: int | None = None
        self._last = ""
        self._repeated = 0
        try:
            self._descriptor = _open(path)
        except OSError as error:
            self.problem = f"cannot write the log {path}: {error.strerror or error}; the extension runs without one"

    @property
    def descriptor(self) -> int:
        """What the process is to have as its standard error: the file, opened to append, or `subprocess.DEVNULL`.

        The process writes there by itself, so the file can outgrow its limit until zot writes its next line.
        """
        return subprocess.DEVNULL if self._descriptor is None else self._descriptor

    def line(self, text: str) -> None:
        """Add a line of zot's own, `[zot] TIME text`. A line like the one before is only counted."""
        if self._descriptor is None:
            return
        if text == self._last:
            self._repeated += 1
            return
        self._tell_repeated()
        self._last = text
        self._put(text)

    def close(self) -> None:
        """Close the file; later lines are dropped. Closing twice is harmless."""
        if self._descriptor is not None:
            self._tell_repeated()
            os.close(self._descriptor)
            self._descriptor = None

    def _tell_repeated(self) -> None:
        if self._repeated:
            self._put(f"(the line before, {self._repeated} more times)")
            self._repeated = 0

    def _put(self, text: str) -> None:
        if self._descriptor is None:
            return
        line = f"[zot] {timestamp()} {' '.join(text.split())}\n"
        with contextlib.suppress(OSError):  # a full disk
            self._begin_anew()
            os.write(self._descriptor, line.encode("utf-8", "replace"))

    def _begin_anew(self) -> None:
        """Copied and cut off, not renamed: the process holds this file open, and what is appended still arrives."""
        descriptor = self._descriptor
        if descriptor is None or (size := os.fstat(descriptor).st_size) <= self._largest:
            return
        kept = os.open(f"{self.path}.1", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            at = size - self._largest
            while at < size and (piece := os.pread(descriptor, min(_PIECE, size - at), at)):
                at += os.write(kept, piece)
        finally:
            os.close(kept)
        os.ftruncate(descriptor, 0)


def _open(path: str) -> int:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    # Not to wait: a named pipe would, until somebody reads it.
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        mode = os.fstat(descriptor).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISCHR(mode)):
            raise OSError("it is no file")
        if stat.S_ISREG(mode):
            os.chmod(path, 0o600)  # it may be older than this rule
        if hasattr(os, "O_NONBLOCK"):  # not on Windows
            os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
