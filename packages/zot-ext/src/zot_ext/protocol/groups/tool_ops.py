"""Frames of the group `tool_ops`: the host's own tools use the files and the shell of another machine.

The extension does what an operation says and nothing more: the host cuts outputs, makes diffs, searches and judges.
"""

from __future__ import annotations

import os

from zot_ext.protocol.frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_ext.protocol.raw import RawObject

TOOL_OPS = ("files", "exec")
"""Values of `register_tool_ops.ops`: `files` are all operations but `exec`."""

OPS = ("stat", "read", "write", "list", "real", "exec")
"""Values of `op_request.op`."""

FILE_KINDS = ("file", "directory", "link", "other")
"""Values of `op_response.kind` and of `op_response.kinds`."""


class RegisterToolOps(Frame, type="register_tool_ops"):
    """Lets the tools of the host use another machine, from the next model call on. Possible at any time. One extension
    at a time can have them; a second frame of the same extension replaces the first."""

    name: str
    """The machine, for the person and the model: `me@build.example.com`."""
    cwd: str = ""
    """The working directory there, an absolute path without links. Needed for `files`."""
    home: str = ""
    """The home folder there, for `~`. `/` without it."""
    ops: tuple[str, ...] = ()
    """See `TOOL_OPS`. Empty for both. With `exec` alone, commands run there and files stay the host's."""


class UnregisterToolOps(Frame, type="unregister_tool_ops"):
    """Lets the tools use the machine of the host again."""


class OpOutput(Frame, type="op_data"):
    """A piece of the output of a running `exec`."""

    id: str
    """The id of the `op_request`."""
    data: str
    """Bytes in base64, of standard output and standard error as they come."""


class OpResponse(Frame, type="op_response"):
    """Answers `op_request`. With a `code` it has failed."""

    id: str
    """The id of the `op_request`."""
    kind: str = ""
    """`stat`: see `FILE_KINDS`; never `link`."""
    size: int = 0
    """`stat`: bytes."""
    mode: int = 0
    """`stat`: permission bits, such as 420 for rw-r--r--."""
    data: str = ""
    """`read`: bytes in base64; fewer than `length` only at the end of the file."""
    names: tuple[str, ...] = ()
    """`list`: the entries of the directory, without `.` and `..`."""
    kinds: tuple[str, ...] = ()
    """`list`: the kind of each entry. See `FILE_KINDS`."""
    path: str = ""
    """`real`: the path."""
    exit_code: int = 0
    """`exec`: as a shell has it, 128 + n for signal n."""
    code: str = ""
    """Why it failed: the name of an error of POSIX, such as `ENOENT`. `ECONNRESET`, and any other name, says that the
    machine cannot be used."""
    error: str = ""
    """The same for a person: one line."""


class OpRequest(Frame, type="op_request"):
    """Does something on the other machine; answer with `op_response`. A `cancel` with its id ends it."""

    id: str
    op: str
    """See `OPS`. Answer any other with the code `ENOSYS`. `stat` says what is at `path`, links followed. `read` returns
    `length` bytes of the file at `path` from `offset` on. `write` replaces the file at `path`: a reader sees the old or
    the new bytes; missing folders are made, permission bits stay, a link is written through. `list` returns the entries
    of the directory at `path`. `real` returns `path` without links, `.` and `..`; it need not exist. `exec` runs
    `command` in a shell with an empty standard input; a `cancel` ends it with all that it has started."""
    path: str = ""
    """Absolute."""
    offset: int = 0
    length: int = 0
    follow: bool = True
    """`list`: whether a link has the kind of its target."""
    data: str = ""
    """`write`: bytes in base64."""
    more: bool = False
    """`write`: whether further bytes follow as `op_input`."""
    command: str = ""
    cwd: str = ""
    """`exec`: where the command runs; absolute."""
    env: RawObject | None = None
    """`exec`: texts that are added to the environment, by name."""


class OpInput(Frame, type="op_input"):
    """More bytes for an open `write`."""

    id: str
    """The id of the `op_request`."""
    data: str
    """Bytes in base64."""
    more: bool = False
    """Whether others follow."""


NAME_LENGTH = 200
"""Most characters of the name of a machine."""


def machine_problem(frame: RegisterToolOps) -> str:
    """Return what is wrong with a registration; empty if nothing is."""
    if not frame.name.strip() or len(frame.name) > NAME_LENGTH or not frame.name.isprintable():
        return f"its name must have 1 to {NAME_LENGTH} characters that can be read"
    if unknown := [each for each in frame.ops if each not in TOOL_OPS]:
        return f"there are no operations {unknown[0]!r}, only {' and '.join(TOOL_OPS)}"
    if "files" not in (frame.ops or TOOL_OPS):
        return ""
    for what, path in (("cwd", frame.cwd), ("home", frame.home)):
        plain = path.startswith("/") and os.path.normpath(path) == path and path.isprintable()
        if not plain and (path or what == "cwd"):
            return f"{what} must be an absolute path without . and .., not {path[:NAME_LENGTH]!r}"
    return ""
