"""`Capture`: the output of a command as it is, in a file once it exceeds the limits."""

import os
import time
from contextlib import suppress
from itertools import islice

from zot_core.tools.text.truncate import TextLimits, exceeds

_PREFIX, _SUFFIX = "zot-output-", ".log"

_KEPT_SECONDS = 7 * 86400.0
"""How long a file is kept: long enough for a session that is continued next week."""

_MAX_ENTRIES = 10_000
"""Entries of the folder for temporary files that are looked at."""


class Capture:
    """Collects output piece by piece.

    `path` is the file with the full output, empty while the output fits the limits, unless `keep` is called. Only the
    user can read the file. It is left on disk for the model, until a later command finds that it is a week old. It
    holds at most `spill_bytes`: a command that never stops must not fill the disk.
    `shortened` is the reason why it is incomplete; empty if it is complete.
    """

    def __init__(self, limits: TextLimits, spill_bytes: int, folder: str = "") -> None:
        """The file is in `folder`, by default that for temporary files."""
        self._folder = folder
        self._limits = limits
        self._start = bytearray()
        self._newlines = 0
        self._overflowed = False
        self._file: int | None = None
        self._room = spill_bytes
        self.path = ""
        self.shortened = ""

    def feed(self, piece: bytes) -> None:
        """Add the next piece. A full disk is recorded in `shortened`, never raised: the command continues."""
        if not self._overflowed:
            self._start += piece
            self._newlines += piece.count(b"\n")
            if exceeds(self._start, self._newlines, self._limits):
                self.keep()
        elif self._file is not None:
            self._write(self._file, piece)

    def keep(self) -> None:
        """Put the output into the file, however short it is."""
        if not self._overflowed and self._start:
            self._overflowed = True
            piece = bytes(self._start)
            self._start.clear()
            self._open()
            if self._file is not None:
                self._write(self._file, piece)

    def close(self) -> None:
        """Close the file; no more pieces follow."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def discard(self) -> None:
        """Close and delete the file, if the command has left it."""
        self.close()
        if self.path:
            with suppress(OSError):
                os.unlink(self.path)
            self.path = ""

    def _open(self) -> None:
        import tempfile  # noqa: PLC0415  5 ms that only long outputs need

        folder = self._folder or tempfile.gettempdir()
        _remove_old(folder)
        try:
            self._file, self.path = tempfile.mkstemp(prefix=_PREFIX, suffix=_SUFFIX, dir=folder)
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


def _remove_old(folder: str) -> None:
    """Delete the user's own files of this kind that have not been written for a week."""
    oldest, user = time.time() - _KEPT_SECONDS, os.getuid() if hasattr(os, "getuid") else 0
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in islice(entries, _MAX_ENTRIES):
            if not (entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX)):
                continue
            with suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                if found.st_mtime < oldest and found.st_uid == user:
                    os.unlink(entry.path)
