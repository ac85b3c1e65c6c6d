"""The `ls` tool: list a directory."""

from typing import Annotated

from zot_core.display import FilesDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import file_error, reads_any_file, replace_undecodable, resolve
from zot_provider.messages import TextBlock

ENTRIES = 500


@builtin(parallel=True, repeatable=True, file_access=reads_any_file)
async def ls(
    context: ToolContext,
    path: Annotated[str, "Directory"] = ".",
    limit: Annotated[int, "Most entries", AtLeast(1)] = ENTRIES,
) -> ToolResult:
    """Returns the names in a directory, sorted, including hidden ones; directories end in a slash."""
    target = await resolve(path, context)
    try:
        entries = await context.files.list(target)
    except NotADirectoryError as error:
        raise ToolError(f"{path} is not a directory; read it as a file") from error
    except OSError as error:
        raise await file_error(error, path, context) from error
    names = [replace_undecodable(name) + ("/" if kind == "directory" else "") for name, kind in entries]
    shown = names[:limit]
    rows = [*shown] if shown else ["(empty directory)"]
    if len(names) > len(shown):
        rows.append(f"... [{len(shown)} of {len(names)} entries; see more with a higher limit]")
    return ToolResult(
        [TextBlock("\n".join(rows))],
        details={"path": target, "entries": len(names), "truncated": len(names) > len(shown)},
        display=[FilesDisplay(shown)],
    )
