"""`Files` and `Shell`: the protocols through which tools use a machine.

`zot_core.machine.files.LocalFiles` and `zot_core.machine.shell.LocalShell` implement them for this machine. Other
implementations can be a jail, a remote machine or the memory of a test.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Literal, Protocol

from zot_provider.record import Record


class FileInfo(Record):
    """The kind, the size in bytes and the permission bits (e.g. 0o644) of a path."""

    kind: Literal["file", "directory", "other"]
    size: int
    mode: int


class Files(Protocol):
    """File access. Paths are absolute. Methods raise OSError as the operating system would."""

    async def stat(self, path: str) -> FileInfo:
        """Return what is at the path; links are followed. FileNotFoundError if nothing is there."""
        ...

    async def read(self, path: str, limit: int | None = None) -> bytes:
        """Return the content, or its first `limit` bytes."""
        ...

    def chunks(self, path: str) -> AsyncIterator[bytes]:
        """Yield the content in pieces of bounded size, so that a file of any size can be read."""
        ...

    async def write(self, path: str, data: bytes) -> None:
        """Replace the content atomically: a reader sees the old or the new bytes, never a part.

        Creates missing parent directories. An existing file keeps its permission bits; a link is written through.
        """
        ...

    async def list(
        self, path: str, *, follow: bool = True
    ) -> list[tuple[str, Literal["file", "directory", "link", "other"]]]:
        """Return names and kinds of a directory's entries, sorted by name.

        A link has the kind of its target if `follow`, otherwise it is a "link".
        """
        ...

    async def real(self, path: str) -> str:
        """Return the path without links, `.` and `..`, the same for all paths of one file. It need not exist."""
        ...


class ShellExit(Record):
    """How a command ended. The exit code is 128 + n for signal n, and None if it was stopped at the time limit.

    `running` are the command lines of the processes that were ended then, as far as the system shows them.
    """

    exit_code: int | None
    timed_out: bool = False
    running: Sequence[str] = ()


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
        """Run `command` in a shell with empty stdin; stdout and stderr are both passed to `output` as they arrive.

        `env` is added to the shell's environment. After `timeout` seconds, or when the calling task is cancelled, the
        command and everything it started are ended. Raises OSError if no shell can be started.
        """
        ...
