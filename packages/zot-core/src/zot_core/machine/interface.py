"""`Files` and `Shell`: what a tool needs of a machine, as protocols.

`zot_core.machine.files.LocalFiles` and `zot_core.machine.shell.LocalShell` implement them for this machine; a jail, a
remote machine and the memory of a test are other implementations.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Literal, Protocol

from zot_provider.record import Record, record


@record
class FileInfo(Record):
    """What is at a path: its kind, size in bytes and permission bits (e.g. 0o644)."""

    kind: Literal["file", "directory", "other"]
    size: int
    mode: int


class Files(Protocol):
    """File access. Paths are absolute. Methods raise OSError as the operating system would."""

    async def stat(self, path: str) -> FileInfo:
        """What is there, links followed; FileNotFoundError if nothing is."""
        ...

    async def read(self, path: str, limit: int | None = None) -> bytes:
        """The content, or its first `limit` bytes."""
        ...

    def chunks(self, path: str) -> AsyncIterator[bytes]:
        """The content in pieces of a bounded size, so that a file of any size can be walked through."""
        ...

    async def write(self, path: str, data: bytes) -> None:
        """Replace the content atomically: a reader sees the old or the new bytes, never a part.

        Creates missing parent directories. An existing file keeps its permission bits; a link is written through.
        """
        ...

    async def list(
        self, path: str, *, follow: bool = True
    ) -> list[tuple[str, Literal["file", "directory", "link", "other"]]]:
        """Names and kinds of a directory's entries, sorted by name.

        A link is what it leads to; if not `follow`, it is a "link".
        """
        ...

    async def real(self, path: str) -> str:
        """The path without links, `.` and `..`: all paths of one file have one. It need not exist."""
        ...


@record
class ShellExit(Record):
    """How a command ended: its exit code (128 + n for signal n, None when it was stopped at the limit)."""

    exit_code: int | None
    timed_out: bool = False


class Shell(Protocol):
    """Command execution."""

    async def run(
        self,
        command: str,
        *,
        cwd: str,
        env: Mapping[str, str],
        timeout: float | None,
        output: Callable[[bytes], None],
    ) -> ShellExit:
        """Run `command` in a shell, stdin empty, stdout and stderr merged into `output` as they come.

        `env` is added to the shell's environment. After `timeout` seconds, or when the calling task is cancelled, the
        command and all it started are ended. Raises OSError if no shell can be started.
        """
        ...
