"""`SessionStore`: the folder of sessions, with a subfolder for each working directory and a file for each session."""

import os
import time
from collections.abc import Iterable
from contextlib import suppress

from zot_core.clock import timestamp
from zot_core.errors import SessionError, SessionNotFound
from zot_core.sessions.file import SessionFile, StoredSession, load
from zot_core.sessions.rows import Meta
from zot_provider.files.sha256 import sha256_hex


class SessionStore:
    """The sessions below `root`: `<root>/<h>/<YYYYMMDD-HHMMSS>-<first 8 of the id>.jsonl`, times UTC.

    `<h>` is the first 8 bytes of the SHA-256 of the working directory's path, in hex.
    """

    def __init__(self, root: str, advice: str = "") -> None:
        """`advice`: see `SessionFile`."""
        self.root = root
        self.advice = advice

    def folder(self, cwd: str) -> str:
        return os.path.join(self.root, sha256_hex(os.fsencode(cwd))[:16])

    def create(self, cwd: str, model: str, provider: str, version: str) -> SessionFile:
        """Create a session; nothing is on disk before its first message."""
        return new_session(self.folder(cwd), Meta("", cwd, model, provider, "", version), self.advice)

    def folders(self, cwd: str | None = None) -> list[str]:
        """Return the folder for a working directory, or for None all folders. Raises `SessionError`."""
        return entries(self.root) if cwd is None else [self.folder(cwd)]

    def paths(self, cwd: str) -> list[str]:
        """Return the session files of a working directory, last used first. Raises `SessionError`."""
        return [path for _, _, path in files_by_use([self.folder(cwd)])]

    def latest(self, cwd: str) -> str:
        """Return the last used session of `cwd`. Raises `SessionNotFound` if it has no sessions."""
        path = _visible(self.paths(cwd))
        if not path:
            raise SessionNotFound(f"no session to continue in {cwd}")
        return path

    def find(self, name: str, cwd: str) -> str:
        """Return the session with this path, or with this beginning of its id or file name. Raises `SessionNotFound` if
        no session or several match."""
        if os.path.sep in name or os.path.isfile(name):
            path = os.path.abspath(name)
            if not os.path.isfile(path):
                raise SessionNotFound(f"no session file at {path}")
            return path
        matching = [path for path in self._all(cwd) if _matches(path, name)]
        if len({(os.path.dirname(path), _short_id_in_name(path)) for path in matching}) == 1:
            return _visible(matching) or matching[0]  # files of one session
        if matching:
            names = ", ".join(os.path.basename(path) for path in matching[:5])
            raise SessionNotFound(f"{len(matching)} sessions begin with {name!r}: {names}; give more of the name")
        raise SessionNotFound.named(name)

    def _all(self, cwd: str) -> list[str]:
        """Return all sessions, sessions of `cwd` first."""
        others = [folder for folder in entries(self.root) if folder != self.folder(cwd)]
        return self.paths(cwd) + sorted(path for folder in others for path in session_files(folder))


def new_session(folder: str, meta: Meta, advice: str = "") -> SessionFile:
    """Create a session in `folder` with a copy of `meta`, a new id and start time. Nothing is on disk before its first
    message."""
    meta = meta.replace(id=new_session_id(), started=timestamp())
    return SessionFile(free_path(folder, short_id(meta.id)), meta, advice=advice)


def new_session_id(short: str = "") -> str:
    """Return a random version 4 UUID (RFC 9562), which begins with `short` if that is given."""
    raw = bytearray(os.urandom(16))
    raw[6], raw[8] = raw[6] & 0x0F | 0x40, raw[8] & 0x3F | 0x80
    digits = raw.hex()
    return "-".join((short or digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def short_id(id: str) -> str:
    """Return the beginning of a session's id, as it is in the names of its files."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "_.") else "_" for char in id[:8]) or "_"


def free_path(folder: str, short: str) -> str:
    """Return the path of a new session file: `<YYYYMMDD-HHMMSS>-<short>.jsonl`, UTC. A name that exists is not used
    again: the time is then one second later."""
    seconds = time.time()
    while True:
        name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(seconds))}-{short}.jsonl"
        if not os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
        seconds += 1


def entries(folder: str) -> list[str]:
    """List the paths in a folder; empty if it does not exist or is not a folder. Raises `SessionError`."""
    return [entry.path for entry in _scan(folder)]


def session_files(folder: str) -> list[str]:
    """List the session files in a folder, as `entries` does."""
    return [path for path in entries(folder) if path.endswith(".jsonl")]


def files_by_use(folders: Iterable[str]) -> list[tuple[int, str, str]]:
    """Return the session files in these folders, last used first: the time of the last change in nanoseconds, the name
    of the file, its path. Raises `SessionError`."""
    found: list[tuple[int, str, str]] = []
    for folder in folders:
        for entry in _scan(folder):
            if entry.name.endswith(".jsonl"):
                with suppress(OSError):  # deleted since
                    found.append((entry.stat().st_mtime_ns, entry.name, entry.path))
    return sorted(found, reverse=True)


def _scan(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise SessionError(f"cannot read the sessions in {folder}: {error.strerror}") from error


def _visible(paths: Iterable[str]) -> str:
    """Return the first of these files that lists show, or an empty text."""
    for path in paths:
        with suppress(SessionError):
            if not load(path).meta.hidden:
                return path
    return ""


def _short_id_in_name(path: str) -> str:
    """Return the first digits of the session's id, from the name of its file."""
    return os.path.basename(path).removesuffix(".jsonl").rpartition("-")[2]


def _matches(path: str, name: str) -> bool:
    """Return whether `name` is the beginning of the file's name or of the session's id, or a longer form of the 8
    digits of the id in the file's name."""
    stem, name = os.path.basename(path).removesuffix(".jsonl"), name.removesuffix(".jsonl")
    short = _short_id_in_name(path)
    return bool(name) and (stem.startswith(name) or short.startswith(name) or name.startswith(f"{short}-"))


def resume(path: str, **changes: str) -> tuple[SessionFile, StoredSession]:
    """Open a session to continue it, with changes to its meta row (e.g. another model)."""
    stored = load(path)
    return SessionFile(path, stored.meta.replace(**changes), resume=stored), stored
