"""Paths as models write them, and the system's refusals in words for the model."""

import os

from zot_core.errors import ToolError
from zot_core.tools.context import ToolContext


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
