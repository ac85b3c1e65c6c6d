"""Paths as models write and read them, file access of calls, and operating system errors in words for the model."""

import os
from typing import Any

from zot_core.errors import ToolError
from zot_core.machine.interface import expand_home
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.file_order import FileAccess

_MOST_PARTS = 8
"""Parts of a path that are looked for below the working directory."""
_MOST_NAMES = 2000
"""Names of a directory that are compared."""


async def resolve(path: str, context: ToolContext) -> str:
    """Return the absolute path: `~` is the home directory, relative paths are below `context.cwd`.

    Models copy the `@` of a file mention: a leading `@` is dropped unless a file of that name exists (as in
    `@types/index.d.ts`). So are quotes and blanks around a path and `file://` before it, if only the rest exists.
    ToolError for an empty path or a path with a NUL byte.
    """
    if not path.strip():
        raise ToolError("the path is empty; name a file or directory")
    if "\0" in path:
        raise ToolError(f"the path {path!r} contains a NUL byte; leave it out")
    first = path.split("/", 1)[0]
    if path.startswith("@") and len(path) > 1 and not await _exists(os.path.join(context.cwd, first), context):
        path = path[1:]
    bare = path.strip().removeprefix("file://").strip("`'\"")
    if bare and bare != path and not await _exists(_absolute(path, context), context):
        path = bare if await _exists(_absolute(bare, context), context) else path
    target = _absolute(path, context)
    return await _with_odd_names(target, context) if "\ufffd" in target else target


async def _with_odd_names(target: str, context: ToolContext) -> str:
    """Return the one path that is shown like `target`, whose names have U+FFFD for bytes that are not UTF-8; `target`
    itself if it exists, or if not exactly one is."""
    if await _exists(target, context):
        return target
    found = "/"
    for part in target.split("/"):
        names = [part]
        if "\ufffd" in part and not await _exists(os.path.join(found, part), context):
            try:
                names = [name for name, _ in await context.files.list(found) if replace_undecodable(name) == part]
            except OSError:
                return target
        if len(names) != 1:
            return target
        found = os.path.join(found, names[0])
    return found


def _absolute(path: str, context: ToolContext) -> str:
    # Not normalised: after a link, `..` leads elsewhere than the text suggests.
    return context.cwd if path == "." else os.path.join(context.cwd, expand_home(path, context.home))


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
    return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


async def reads_path(values: dict[str, Any], context: ToolContext) -> FileAccess:
    """File access of a call that reads the file named by its argument `path`."""
    return FileAccess(await context.files.real(await resolve(values["path"], context)))


async def writes_path(values: dict[str, Any], context: ToolContext) -> FileAccess:
    """File access of a call that writes the file named by its argument `path`."""
    return FileAccess(await context.files.real(await resolve(values["path"], context)), writes=True)


async def reads_any_file(values: dict[str, Any], context: ToolContext) -> FileAccess:
    return FileAccess(None)


async def file_error(error: OSError, path: str, context: ToolContext) -> ToolError:
    """Return what `as_tool_error` does; for a missing file it names the file that was probably meant."""
    found = as_tool_error(error, path)
    if not isinstance(error, FileNotFoundError):
        return found
    near = await _nearest_path(_absolute(path, context), context)
    return ToolError(f"no such file: {path}; did you mean {near}?") if near else found


async def _nearest_path(target: str, context: ToolContext) -> str:
    """Return the path of a file that is like a missing one: below the working directory with the end of its path, or
    beside it with a name like its own. Empty if nothing is."""
    from zot_provider.near_names import nearest  # noqa: PLC0415  only a wrong call needs it

    parts = [part for part in target.split("/") if part]
    for start in range(max(len(parts) - _MOST_PARTS, 0), len(parts)):
        candidate = os.path.join(context.cwd, *parts[start:])
        if candidate != target and await _exists(candidate, context):
            return display_path(candidate, context)
    folder, name = os.path.split(target.rstrip("/"))
    try:
        names = [replace_undecodable(each) for each, _ in await context.files.list(folder)]
    except OSError:
        return ""
    same = [each for each in names if os.path.splitext(each)[0] == os.path.splitext(name)[0]]
    found = same[0] if len(same) == 1 else nearest(name, names[:_MOST_NAMES])
    return display_path(os.path.join(folder, found), context) if found else ""


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
