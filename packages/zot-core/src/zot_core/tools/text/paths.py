"""Paths as models write them and as they are told, and the system's refusals in words for the model."""

import os
from typing import Any

from zot_core.errors import ToolError
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.file_order import FileAccess


async def resolve(path: str, context: ToolContext) -> str:
    """The absolute path: `~` is the home directory, relative paths are below `context.cwd`.

    Models copy the `@` of a file mention: a leading one is dropped, unless something of that name is there (as in
    `@types/index.d.ts`). ToolError for an empty path or one with a NUL byte.
    """
    if not path.strip():
        raise ToolError("the path is empty; name a file or directory")
    if "\0" in path:
        raise ToolError(f"the path {path!r} holds a NUL byte; leave it out")
    if path.startswith("@") and len(path) > 1 and not await _exists(os.path.join(context.cwd, _root(path)), context):
        path = path[1:]
    # Not normalised: after a link `..` leads elsewhere than the text suggests.
    return context.cwd if path == "." else os.path.join(context.cwd, os.path.expanduser(path))


def told(target: str, context: ToolContext) -> str:
    """The absolute path as the model is told it: relative if it is below the working directory, empty if it is that."""
    if target == context.cwd:
        return ""
    below = target.removeprefix(context.cwd.rstrip("/") + "/")
    parts = [part for part in below.split("/") if part not in ("", ".")]
    return target.rstrip("/") if below == target or ".." in parts else "/".join(parts)


def printable(name: str) -> str:
    """A name that is no UTF-8 as well as it can be written."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


async def reads_file(values: dict[str, Any], context: ToolContext) -> FileAccess:
    """A call that reads the file in its argument `path`."""
    return FileAccess(await context.files.real(await resolve(values["path"], context)))


async def writes_file(values: dict[str, Any], context: ToolContext) -> FileAccess:
    """A call that writes the file in its argument `path`."""
    return FileAccess(await context.files.real(await resolve(values["path"], context)), writes=True)


async def reads_tree(values: dict[str, Any], context: ToolContext) -> FileAccess:
    """A call that looks at many files."""
    return FileAccess(None)


def explained(error: OSError, path: str) -> ToolError:
    """The refusal of the system as a `ToolError`; `path` is what the model wrote."""
    match error:
        case FileNotFoundError():
            return ToolError(f"no such file: {path}; check the path, relative ones start at the working directory")
        case IsADirectoryError():
            return ToolError(f"{path} is a directory; name a file")
        case NotADirectoryError():
            return ToolError(f"{path}: a part of the path is a file, not a directory")
        case PermissionError():
            return ToolError(f"permission denied: {path}")
        case _:
            return ToolError(f"{path}: {error.strerror or error}")


def _root(path: str) -> str:
    return path.split("/", 1)[0]


async def _exists(path: str, context: ToolContext) -> bool:
    try:
        await context.files.stat(path)
    except OSError:
        return False
    return True
