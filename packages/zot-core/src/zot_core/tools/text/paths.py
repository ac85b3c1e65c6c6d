"""Paths as models write and read them, file access of calls, and operating system errors in words for the model."""

import os
from typing import Any

from zot_core.errors import ToolError
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.file_order import FileAccess


async def resolve(path: str, context: ToolContext) -> str:
    """Return the absolute path: `~` is the home directory, relative paths are below `context.cwd`.

    Models copy the `@` of a file mention: a leading `@` is dropped unless a file of that name exists (as in
    `@types/index.d.ts`). ToolError for an empty path or a path with a NUL byte.
    """
    if not path.strip():
        raise ToolError("the path is empty; name a file or directory")
    if "\0" in path:
        raise ToolError(f"the path {path!r} contains a NUL byte; leave it out")
    first = path.split("/", 1)[0]
    if path.startswith("@") and len(path) > 1 and not await _exists(os.path.join(context.cwd, first), context):
        path = path[1:]
    # Not normalised: after a link, `..` leads elsewhere than the text suggests.
    return context.cwd if path == "." else os.path.join(context.cwd, os.path.expanduser(path))


def display_path(target: str, context: ToolContext) -> str:
    """Return the absolute path `target` as the model reads it: relative if it is below the working directory, empty for
    the working directory itself."""
    if target == context.cwd:
        return ""
    below = target.removeprefix(context.cwd.rstrip("/") + "/")
    parts = [part for part in below.split("/") if part not in ("", ".")]
    return target.rstrip("/") if below == target or ".." in parts else "/".join(parts)


def replace_undecodable(name: str) -> str:
    """Return a file name with U+FFFD for the bytes that are not UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


async def reads_path(values: dict[str, Any], context: ToolContext) -> FileAccess:
    """File access of a call that reads the file named by its argument `path`."""
    return FileAccess(await context.files.real(await resolve(values["path"], context)))


async def writes_path(values: dict[str, Any], context: ToolContext) -> FileAccess:
    """File access of a call that writes the file named by its argument `path`."""
    return FileAccess(await context.files.real(await resolve(values["path"], context)), writes=True)


async def reads_any_file(values: dict[str, Any], context: ToolContext) -> FileAccess:
    """File access of a call that may read any file."""
    return FileAccess(None)


def as_tool_error(error: OSError, path: str) -> ToolError:
    """Turn an operating system error into a `ToolError`; `path` is the path as the model wrote it."""
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


async def _exists(path: str, context: ToolContext) -> bool:
    try:
        await context.files.stat(path)
    except OSError:
        return False
    return True
