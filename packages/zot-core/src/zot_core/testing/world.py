"""`MemoryFiles` and `FakeShell`: in-memory replacements of the file system and the shell for tools."""

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Literal

from zot_core.machine.interface import FileInfo, ShellExit
from zot_provider.record import Record

_CHUNK = 4096


class MemoryFiles:
    """`Files` in memory: contents by absolute path. A directory exists if a file is below it.

    `contents` and `modes` (permission bits, 0o644 unless set) may be read and changed between calls. A path in `locked`
    can be neither read nor written.
    """

    direct = False

    def __init__(self, contents: Mapping[str, bytes | str] | None = None) -> None:
        self.contents: dict[str, bytes] = {}
        self.modes: dict[str, int] = {}
        self.locked: set[str] = set()
        for path, content in (contents or {}).items():
            self.contents[_normal(path)] = content.encode() if isinstance(content, str) else content

    async def stat(self, path: str) -> FileInfo:
        """Return the kind, size and mode of the entry at the path."""
        path = _normal(path)
        if path in self.contents:
            return FileInfo("file", len(self.contents[path]), self.modes.get(path, 0o644))
        if self._is_directory(path):
            return FileInfo("directory", 0, 0o755)
        raise self._missing(path)

    async def read(self, path: str, limit: int | None = None) -> bytes:
        """Return the content, or its first `limit` bytes."""
        return self._content(_normal(path))[:limit]

    async def chunks(self, path: str) -> AsyncIterator[bytes]:
        """Yield the content in chunks of 4 KiB."""
        content = self._content(_normal(path))
        for start in range(0, len(content), _CHUNK):
            yield content[start : start + _CHUNK]

    async def write(self, path: str, data: bytes) -> None:
        """Replace the content."""
        path = _normal(path)
        if path in self.locked:
            raise _error(PermissionError, errno.EACCES, path)
        if self._is_directory(path):
            raise _error(IsADirectoryError, errno.EISDIR, path)
        if self._below_file(path):
            raise _error(NotADirectoryError, errno.ENOTDIR, path)
        self.contents[path] = bytes(data)

    async def list(
        self, path: str, *, follow: bool = True
    ) -> list[tuple[str, Literal["file", "directory", "link", "other"]]]:
        """Return names and kinds of a directory's entries, sorted by name; there are no links."""
        path = _normal(path)
        if path in self.contents:
            raise _error(NotADirectoryError, errno.ENOTDIR, path)
        if not self._is_directory(path):
            raise self._missing(path)
        found: dict[str, Literal["file", "directory", "link", "other"]] = {}
        for entry in self.contents:
            if entry.startswith(_prefix(path)):
                name, *below = entry.removeprefix(_prefix(path)).split("/", 1)
                found[name] = "directory" if below else "file"
        return sorted(found.items())

    async def real(self, path: str) -> str:
        """Return the path without `.` and `..`."""
        return _normal(path)

    def _content(self, path: str) -> bytes:
        if path in self.locked:
            raise _error(PermissionError, errno.EACCES, path)
        if path in self.contents:
            return self.contents[path]
        if self._is_directory(path):
            raise _error(IsADirectoryError, errno.EISDIR, path)
        raise self._missing(path)

    def _is_directory(self, path: str) -> bool:
        return path == "/" or any(entry.startswith(_prefix(path)) for entry in self.contents)

    def _below_file(self, path: str) -> bool:
        return any(path.startswith(_prefix(entry)) for entry in self.contents)

    def _missing(self, path: str) -> OSError:
        if self._below_file(path):
            return _error(NotADirectoryError, errno.ENOTDIR, path)
        return _error(FileNotFoundError, errno.ENOENT, path)


class Scripted(Record):
    """The behaviour of a command: it prints `output` and ends with `exit_code`, or hangs until it is stopped."""

    output: bytes | str = b""
    exit_code: int = 0
    hangs: bool = False


class RanCommand(Record):
    """A command passed to the shell; `stopped` is set if its caller was cancelled."""

    command: str
    cwd: str
    env: dict[str, str]
    timeout: float | None
    stopped: bool = False


class FakeShell:
    """A `Shell` that runs nothing: commands behave as `script` says; others are not found (exit 127).

    `ran` holds the commands in the order of the calls.
    """

    def __init__(self, script: Mapping[str, Scripted] | None = None) -> None:
        self.script = dict(script or {})
        self.ran: list[RanCommand] = []

    async def run(
        self,
        command: str,
        *,
        cwd: str,
        env: Mapping[str, str],
        timeout: float | None,
        output: Callable[[bytes], None],
    ) -> ShellExit:
        """Play back the script; a command that hangs does so for `timeout` seconds of real time."""
        ran = RanCommand(command, cwd, dict(env), timeout)
        self.ran.append(ran)
        scripted = self.script.get(command) or Scripted(f"{command}: command not found\n", 127)
        printed = scripted.output.encode() if isinstance(scripted.output, str) else scripted.output
        if printed:
            output(printed)
        if not scripted.hangs:
            return ShellExit(scripted.exit_code)
        try:
            await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=timeout)
        except asyncio.CancelledError:
            ran.stopped = True
            raise
        return ShellExit(None, timed_out=True)


def _normal(path: str) -> str:
    if not path.startswith("/"):
        raise ValueError(f"{path!r} is not an absolute path")
    return os.path.normpath(path)


def _prefix(path: str) -> str:
    return path.rstrip("/") + "/"


def _error(kind: type[OSError], number: int, path: str) -> OSError:
    return kind(number, os.strerror(number), path)
