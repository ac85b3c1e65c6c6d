"""`find_paths`: the search for paths by pattern that tools share, and `names`, its result in some of them."""

from collections.abc import Callable
from functools import partial

from zot_core.display import FilesDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.search.globs import Glob
from zot_core.tools.search.walk import WalkLimits, WalkResult, walked
from zot_core.tools.text.paths import display_path, file_error, replace_undecodable, resolve
from zot_core.tools.text.truncate import TextLimits, head_lines
from zot_provider.messages import TextBlock


async def find_paths(
    wanted: Callable[[str], Glob],
    path: str,
    context: ToolContext,
    *,
    count: int,
    limits: WalkLimits,
    folders: bool = True,
    hidden: bool = True,
) -> WalkResult:
    """Find the first `count` paths below `path` that match the pattern `wanted` returns for this folder, written as the
    model reads them.

    `folders` includes directories, `hidden` names that begin with a dot (which a pattern may also name). ToolError for
    an invalid pattern, or if `path` cannot be listed.
    """
    target = await resolve(path, context)
    try:
        glob = wanted(target)
        found = await walked(
            target,
            context.cwd,
            context.files,
            lambda entry: (
                (folders or not entry.folder) and glob.matches(replace_undecodable(entry.path.removesuffix("/")))
            ),
            count=count,
            limits=limits,
            hidden=hidden or glob.names_hidden,
        )
    except ValueError as error:
        raise ToolError(str(error)) from error
    except NotADirectoryError as error:
        raise ToolError(f"{path} is not a directory; name one to look in") from error
    except OSError as error:
        raise await file_error(error, path, context) from error
    start = display_path(target, context)
    found.paths = [replace_undecodable(f"{start}/{each}" if start else each) for each in found.paths]
    return found


async def names(
    pattern: str, path: str, context: ToolContext, limit: int, *, anywhere: bool, ignore_case: bool = False
) -> ToolResult:
    """Return the paths below `path` that match `pattern`; `anywhere` and `ignore_case` as in `Glob`. ToolError for an
    invalid one."""
    limits = WalkLimits()
    wanted = partial(Glob, pattern, anywhere=anywhere, ignore_case=ignore_case)
    found = await find_paths(wanted, path, context, count=limit, limits=limits)
    bounds = TextLimits(lines=limit)
    head = head_lines("\n".join(found.paths).encode(), bounds)
    notices = [f"{limit} results limit reached. Use limit={limit * 2} for more, or refine pattern"] * found.more
    notices += [f"{bounds.bytes / 1024:.1f}KB limit reached"] * head.bytes_truncated
    notices += [f"Stopped after {limits.seconds:g} s: name a smaller directory"] * found.timed_out
    text = head.data.decode().removesuffix("\n") or "No files found matching pattern"
    if notices:
        text += f"\n\n[{'. '.join(notices)}]"
    return ToolResult(
        [TextBlock(text)],
        details={"pattern": pattern, "results": len(found.paths), "truncated": bool(notices)},
        display=[FilesDisplay(found.paths)],
    )
