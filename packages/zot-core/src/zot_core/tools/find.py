"""The `find` tool: files and directories by name."""

from typing import Annotated

from zot_core.display import FilesDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import AtLeast
from zot_core.tools.text.paths import explained, printable, reads_tree, resolve, told
from zot_core.tools.text.truncate import Limits, head_lines
from zot_provider.messages import TextBlock

RESULTS = 1000


@builtin(parallel=True, reach=reads_tree)
async def find(
    pattern: Annotated[str, "A glob for the name, or with a slash for the end of the path"],
    context: ToolContext,
    path: Annotated[str, "The directory to look in; the working directory if left out"] = ".",
    limit: Annotated[int, "The most results", AtLeast(1)] = RESULTS,
) -> ToolResult:
    """Paths of files and directories, hidden ones too, sorted; directories end in a slash."""
    from zot_core.tools.search.globs import Glob  # noqa: PLC0415  only a search needs it
    from zot_core.tools.search.walk import WalkLimits, walked  # noqa: PLC0415  as above

    target = await resolve(path, context)
    limits = WalkLimits()
    try:
        wanted = Glob(pattern, target, anywhere=True)
        found = await walked(
            target,
            context.cwd,
            context.files,
            lambda entry: wanted.matches(entry.path.removesuffix("/")),
            count=limit,
            limits=limits,
        )
    except ValueError as error:
        raise ToolError(str(error)) from error
    except NotADirectoryError as error:
        raise ToolError(f"{path} is not a directory; name one to look in") from error
    except OSError as error:
        raise explained(error, path) from error
    start = told(target, context)
    paths = [printable(f"{start}/{each}" if start else each) for each in found.paths]
    bounds = Limits(lines=limit)
    head = head_lines("\n".join(paths).encode(), bounds)
    notices = [f"{limit} results limit reached. Use limit={limit * 2} for more, or refine pattern"] * found.more
    notices += [f"{bounds.bytes / 1024:.1f}KB limit reached"] * head.bytes_truncated
    notices += [f"Stopped after {limits.seconds:g} s: name a smaller directory"] * found.timed_out
    text = head.data.decode().removesuffix("\n") or "No files found matching pattern"
    if notices:
        text += f"\n\n[{'. '.join(notices)}]"
    return ToolResult(
        [TextBlock(text)],
        details={"pattern": pattern, "results": len(paths), "truncated": bool(notices)},
        display=[FilesDisplay(paths)],
    )
