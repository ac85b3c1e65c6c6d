"""`Files` and `Shell`: the protocols through which tools use a machine.

`zot_core.machine.files.LocalFiles` and `zot_core.machine.shell.LocalShell` implement them for this machine. Other
implementations can be a jail, a remote machine or the memory of a test.
"""

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Literal, Protocol, TypedDict

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

    async def read(self, path: str, limit: int | None = None) -> bytes:
        """Return the content, or its first `limit` bytes."""

    direct: bool
    """Whether any file of this machine may be read by its path, without these `Files`."""

    def chunks(self, path: str) -> AsyncIterator[bytes]:
        """Yield the content in pieces of bounded size, so that a file of any size can be read."""

    async def write(self, path: str, data: bytes) -> None:
        """Replace the content atomically: a reader sees the old or the new bytes, never a part.

        Creates missing parent directories. An existing file keeps its permission bits; a link is written through.
        """

    async def list(
        self, path: str, *, follow: bool = True
    ) -> list[tuple[str, Literal["file", "directory", "link", "other"]]]:
        """Return names and kinds of a directory's entries, sorted by name.

        A link has the kind of its target if `follow`, otherwise it is a "link".
        """

    async def real(self, path: str) -> str:
        """Return the path without links, `.` and `..`, the same for all paths of one file. It need not exist."""


class Spawn(Record):
    """A command that a shell is about to run; `env` is added to the shell's environment."""

    command: str
    cwd: str
    env: Mapping[str, str]


class ShellExit(Record):
    """How a command ended. The exit code is 128 + n for signal n, and None if it was stopped at the time limit.

    `running` are the command lines of the processes that were ended then, as far as the system shows them.
    """

    exit_code: int | None
    timed_out: bool = False
    running: Sequence[str] = ()


class ShellOptions(TypedDict):
    """The options of `Shell.run`, for a shell that passes them on."""

    cwd: str
    env: Mapping[str, str]
    timeout: float | None
    output: Callable[[bytes], None]


class Shell(Protocol):
    """Command execution."""

    async def run(
        self, command: str, *, cwd: str, env: Mapping[str, str], timeout: float | None, output: Callable[[bytes], None]
    ) -> ShellExit:
        """Run `command` in a shell with empty stdin; stdout and stderr are both passed to `output` as they arrive.

        `env` is added to the shell's environment. After `timeout` seconds, or when the calling task is cancelled, the
        command and everything it started are ended. Raises OSError if no shell can be started.
        """


class Walls(Record):
    """A sandbox in which tools work, for the model: `words` about it, at most 33 and without a full stop. `keeps` says
    whether a real path is in the folder of temporary files that only the sandbox has, and which ends with it."""

    words: str
    keeps: Callable[[str], bool]


class OtherMachine(Record):
    """Another machine, called `name`, whose files or shell tools use in place of this machine's (None: they stay).

    `cwd` is the working directory there, without links, and `home` the home folder. `outputs` is a folder of this
    machine for long outputs of commands, which `files` reads too.
    """

    name: str
    cwd: str = ""
    home: str = ""
    files: Files | None = None
    shell: Shell | None = None
    outputs: str = ""

    @property
    def words(self) -> str:
        """A description for the model."""
        if self.files is None:
            return (
                f"# Commands\n\nThe commands of `bash` run on another machine, {self.name}, and not on that described "
                "above. The file tools use the files of this one."
            )
        what = "file tools and `bash` use" if self.shell is not None else "file tools, but not `bash`, use"
        return (
            f"# Machine\n\nYour {what} another machine, {self.name}, and not that described above. The "
            f"working directory is {self.cwd} there{f', the home folder {self.home}' if self.home else ''}. Skills, "
            "their files and the instructions above belong to this machine."
        )


def expand_home(path: str, home: str) -> str:
    """Return the path with the folder `home` for a `~` at its beginning, by default the home folder of this machine."""
    if not home:
        return os.path.expanduser(path)
    return home + path[1:] if path == "~" or path.startswith("~/") else path
