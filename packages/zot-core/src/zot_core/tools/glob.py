"""The `glob` tool: files whose paths match a pattern."""

from functools import partial
from typing import Annotated

from zot_core.display import FilesDisplay
from zot_core.result import ToolResult
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import reads_any_file
from zot_provider.messages import TextBlock

MATCHES = 500
DEPTH = 24


@builtin(other_names="glob_files", on_demand=True, parallel=True, repeatable=True, file_access=reads_any_file)
async def glob(
    pattern: Annotated[str, "Such as *.py (at any depth), src/**/*.ts, *.{js,jsx}"],
    context: ToolContext,
    path: Annotated[str, "Directory"] = ".",
    *,
    hidden: Annotated[bool | None, "Include hidden names"] = None,
) -> ToolResult:
    """Returns at most 500 paths of files, sorted, up to 24 directories deep."""
    from zot_core.tools.search.globs import Glob  # noqa: PLC0415  as below
    from zot_core.tools.search.paths import find_paths  # noqa: PLC0415  only a search needs it
    from zot_core.tools.search.walk import WalkLimits  # noqa: PLC0415  as above

    limits = WalkLimits(depth=DEPTH)
    found = await find_paths(
        partial(Glob, pattern), path, context, count=MATCHES, limits=limits, folders=False, hidden=bool(hidden)
    )
    text = "\n".join(found.paths) or "No files matched the pattern."
    if found.more:
        text += f"\n\n(Truncated: showing first {MATCHES} matches)"
    if found.timed_out:
        text += f"\n\n(Stopped after {limits.seconds:g} s: name a smaller directory)"
    return ToolResult(
        [TextBlock(text)],
        details={"pattern": pattern, "matches": len(found.paths), "truncated": found.more or found.timed_out},
        display=[FilesDisplay(found.paths)],
    )
