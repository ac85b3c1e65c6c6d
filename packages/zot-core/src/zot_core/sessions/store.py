"""Where sessions lie: one folder for each working directory, one file for each session."""

import hashlib
import os
import time
from contextlib import suppress

from zot_core.clock import timestamp
from zot_core.errors import SessionError, SessionNotFound
from zot_core.sessions.file import SessionFile, StoredSession, load
from zot_core.sessions.rows import Meta


class SessionStore:
    """The sessions below `root`: `<root>/<h>/<YYYYMMDD-HHMMSS>-<first 8 of the id>.jsonl`, times UTC.

    `<h>` is the first 8 bytes of the SHA-256 of the working directory's path, in hex.
    """

    def __init__(self, root: str, advice: str = "") -> None:
        """`advice`: see `SessionFile`."""
        self.root = root
        self.advice = advice

    def folder(self, cwd: str) -> str:
        """The folder for a working directory."""
        return os.path.join(self.root, hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16])

    def create(self, cwd: str, model: str, provider: str, version: str) -> SessionFile:
        """A new session; nothing is on disk before its first message."""
        return new_session(self.folder(cwd), Meta("", cwd, model, provider, "", version), self.advice)

    def paths(self, cwd: str) -> list[str]:
        """The sessions of a working directory, the one used last first. Raises `SessionError`."""
        found: list[tuple[int, str]] = []
        for path in _sessions(self.folder(cwd)):
            with suppress(OSError):  # gone meanwhile
                found.append((os.stat(path).st_mtime_ns, path))
        return [path for _, path in sorted(found, reverse=True)]

    def latest(self, cwd: str) -> str:
        """The session of `cwd` used last; `SessionNotFound` if there is none."""
        paths = self.paths(cwd)
        if not paths:
            raise SessionNotFound(f"no session to continue in {cwd}; start one without -c")
        return paths[0]

    def find(self, name: str, cwd: str) -> str:
        """A session named by its path, or by (the beginning of) its id or file name; `SessionNotFound` if none or
        several fit."""
        if os.path.sep in name or os.path.isfile(name):
            path = os.path.abspath(name)
            if not os.path.isfile(path):
                raise SessionNotFound(f"no session file at {path}")
            return path
        fitting = [path for path in self._all(cwd) if _fits(path, name)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            names = ", ".join(os.path.basename(path) for path in fitting[:5])
            raise SessionNotFound(f"{len(fitting)} sessions begin with {name!r}: {names}; give more of the name")
        raise SessionNotFound(f"no session {name!r}; give a path, or the beginning of a session's id")

    def _all(self, cwd: str) -> list[str]:
        """Every session, those of `cwd` first."""
        others = [os.path.join(self.root, name) for name in _names(self.root)]
        return self.paths(cwd) + sorted(
            path for folder in others if folder != self.folder(cwd) for path in _sessions(folder)
        )


def new_session(folder: str, meta: Meta, advice: str = "") -> SessionFile:
    """A new session in `folder`, like `meta` but for its id and start. Nothing is on disk before its first message."""
    raw = bytearray(os.urandom(16))
    raw[6], raw[8] = raw[6] & 0x0F | 0x40, raw[8] & 0x3F | 0x80  # a version 4 UUID (RFC 9562)
    digits = raw.hex()
    identity = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{digits[:8]}.jsonl"
    meta = meta.replace(id=identity, started=timestamp())
    return SessionFile(os.path.join(folder, name), meta, advice=advice)


def _names(folder: str) -> list[str]:
    """What is in a folder: nothing if there is none, or if it is none."""
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise SessionError(f"cannot read the sessions in {folder}: {error.strerror}") from error


def _sessions(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in _names(folder) if name.endswith(".jsonl")]


def _fits(path: str, name: str) -> bool:
    """Whether `name` begins the file's name, or the session's id, of which the file name holds the first 8."""
    stem, name = os.path.basename(path).removesuffix(".jsonl"), name.removesuffix(".jsonl")
    short = stem.rpartition("-")[2]
    return bool(name) and (stem.startswith(name) or short.startswith(name) or name.startswith(f"{short}-"))


def resume(path: str, **changes: str) -> tuple[SessionFile, StoredSession]:
    """Open a session to go on with it, with changed fields of its meta row (another model, say)."""
    stored = load(path)
    return SessionFile(path, stored.meta.replace(**changes), resume=stored), stored
