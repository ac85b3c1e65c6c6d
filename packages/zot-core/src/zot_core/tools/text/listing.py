"""`listing`: the names in a directory, for the tools `ls` and `read`."""

from zot_core.display import FilesDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import file_error, replace_undecodable
from zot_provider.messages import TextBlock

ENTRIES = 500


async def listing(path: str, target: str, limit: int, context: ToolContext) -> ToolResult:
    """Return at most `limit` names of the directory `target`, which the model calls `path`: sorted, hidden ones too,
    directories with a slash at the end."""
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
