"""The `find` tool: files and directories by name."""

from typing import Annotated

from zot_core.result import ToolResult
from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import reads_any_file

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
    from zot_core.tools.search.paths import names  # noqa: PLC0415  only a search needs it

    return await names(pattern, path, context, limit, anywhere=True)
