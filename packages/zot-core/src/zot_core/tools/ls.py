"""The `ls` tool: list a directory."""

from typing import Annotated

from zot_core.result import ToolResult
from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.listing import ENTRIES, listing
from zot_core.tools.text.paths import reads_any_file, resolve


@builtin(
    other_names="list list_dir list_directory list_files",
    on_demand=True,
    parallel=True,
    repeatable=True,
    file_access=reads_any_file,
)
async def ls(
    context: ToolContext,
    path: Annotated[str, "Directory"] = ".",
    limit: Annotated[int, "Most entries", AtLeast(1)] = ENTRIES,
) -> ToolResult:
    """Returns the names in a directory, sorted, including hidden ones; directories end in a slash."""
    return await listing(path, await resolve(path, context), limit, context)
