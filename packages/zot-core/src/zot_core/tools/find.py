"""The `find` tool: files and directories by name."""

from typing import Annotated

from zot_core.display import FilesDisplay
from zot_core.result import ToolResult
from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import reads_any_file
from zot_core.tools.text.truncate import TextLimits, head_lines
from zot_provider.messages import TextBlock

RESULTS = 1000


@builtin(
    other_names="find_files file_search search_files",
    on_demand=True,
    parallel=True,
    repeatable=True,
    file_access=reads_any_file,
)
async def find(
    pattern: Annotated[str, "Glob for the name, or with a slash for the end of the path"],
    context: ToolContext,
    path: Annotated[str, "Directory"] = ".",
    limit: Annotated[int, "Most results", AtLeast(1)] = RESULTS,
) -> ToolResult:
    """Returns paths of files and directories, sorted, including hidden ones; directories end in a slash."""
    from zot_core.tools.search.paths import find_paths  # noqa: PLC0415  only a search needs it
    from zot_core.tools.search.walk import WalkLimits  # noqa: PLC0415  as above

    limits = WalkLimits()
    found = await find_paths(pattern, path, context, count=limit, limits=limits)
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
