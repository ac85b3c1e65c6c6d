"""`ToolOps`: the operations by which the host's own tools use another machine; what authors write.

```python
class Remote(ToolOps):
    async def run(self, command, cwd, env, output):
        ...

ops = ext.tool_ops(Remote())
ops.claim("me@build", cwd="/srv/app", home="/home/me")
```
"""

from __future__ import annotations

from zot_ext.protocol.groups.tool_ops import RegisterToolOps, UnregisterToolOps
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from zot_ext.protocol.from_extension import FromExtension


class FileStat(Record):
    """A file at a path: its kind (`file`, `directory` or `other`), its size in bytes, its permission bits."""

    kind: str
    size: int = 0
    mode: int = 0o644


class ToolOps:
    """Base class. Methods may be plain or `async`; paths are absolute.

    They raise `OSError`, with the number of the error, as the operating system would: `FileNotFoundError`,
    `PermissionError`, ... A `ConnectionError` says that the machine cannot be used. Override `run`, or all the others,
    or all of them. A method that nobody waits for any more is cancelled: an `async` one by its task, a plain one by the
    next call of `output`.
    """

    def stat(self, path: str) -> FileStat | Awaitable[FileStat]:
        """Return what is at the path; links are followed."""
        raise NotImplementedError

    def read(self, path: str, offset: int, length: int) -> bytes | Awaitable[bytes]:
        """Return `length` bytes of a file from `offset` on; fewer only at its end."""
        raise NotImplementedError

    def write(self, path: str, data: bytes) -> Awaitable[None] | None:
        """Replace a file: a reader sees the old or the new bytes. Missing folders are made, permission bits stay, a
        link is written through."""
        raise NotImplementedError

    def list(self, path: str, follow: bool) -> Iterable[tuple[str, str]] | Awaitable[Iterable[tuple[str, str]]]:  # noqa: FBT001
        """Return the names and kinds (`file`, `directory`, `link`, `other`) of the entries of a directory; a link has
        the kind of its target if `follow`."""
        raise NotImplementedError

    def real(self, path: str) -> str | Awaitable[str]:
        """Return the path without links, `.` and `..`. It need not exist."""
        raise NotImplementedError

    def run(
        self, command: str, cwd: str, env: Mapping[str, str], output: Callable[[bytes], None]
    ) -> int | Awaitable[int]:
        """Run a command in a shell, with an empty standard input, and return its exit code. Pass its standard output
        and standard error to `output` as they come. When it is cancelled, end all that it started."""
        raise NotImplementedError


class ServedOps:
    """The operations of one extension; made by `Extension.tool_ops`."""

    def __init__(self, handlers: ToolOps, send: Callable[[FromExtension], None]) -> None:
        self.handlers = handlers
        self.claimed: RegisterToolOps | None = None
        """The machine that the host knows, or will know once it greets."""
        self._send = send

    def claim(self, name: str, *, cwd: str = "", home: str = "") -> None:
        """Let the tools of the host use the machine `name` from the next model call on. `cwd` and `home` are folders
        there, `cwd` without links. The host refuses, in its log, if another extension has the tools."""
        own, base = type(self.handlers), ToolOps
        ops = [] if own.read is base.read else ["files"]
        ops += [] if own.run is base.run else ["exec"]
        self.claimed = RegisterToolOps(name, cwd, home, tuple(ops))
        self._send(self.claimed)

    def release(self) -> None:
        """Let the tools use the machine of the host again."""
        if self.claimed is not None:
            self.claimed = None
            self._send(UnregisterToolOps())
